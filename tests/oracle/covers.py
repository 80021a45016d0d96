"""Arbs of a line, by the prices that are left after fees, and what is to be said of them: the second opinion on an entry.

Written from the definitions only (`domain.md`: Arithmetic, Arb board entry, Verification flags; ARCHITECTURE.md: "How it decides";
`pipeline/books.toml`). It must never follow the Rust code. What is not known counts as no.
"""
import itertools
import statistics
from collections import namedtuple
from datetime import date
from fractions import Fraction

import fees
import flags
import settling
from world import OUTCOMES, THREE_WAY

ONE = 1_000_000
OPEN_BELOW = 1 - 1e-9
NOISE = 1e-9
Leg = namedtuple("Leg", "outcome side book price effective quote")
Arb = namedtuple("Arb", "legs implied about has_draw")
OTHER = {"home": "away", "away": "home", "over": "under", "under": "over"}


def day(instant):
    return date.fromordinal(date(1970, 1, 1).toordinal() + instant // 86_400_000_000)


def outcome_set(market, sport, offered):
    """What exhausts a market: a winner is three-way where the sport has draws, or where anyone offers one."""
    if market in OUTCOMES:
        return OUTCOMES[market]
    three = market == "h2h_3_way" or sport == "soccer" or "draw" in offered
    return THREE_WAY if three else ("home", "away")


def best(legs):
    """The best price; of equal ones the smallest book key."""
    return min(legs, key=lambda leg: (-leg.effective, leg.book, leg.side), default=None)


def ways_to_cover(legs, wanted):
    """(what the window is about, best legs of which exactly one wins), for every such set."""
    backs = {o: [leg for leg in legs if (leg.outcome, leg.side) == (o, "back")] for o in wanted}
    lays = {o: [leg for leg in legs if (leg.outcome, leg.side) == (o, "lay")] for o in wanted}
    if len(wanted) == 2:  # to lay one is to back the other
        yield wanted, [best(backs[o] + lays[OTHER[o]]) for o in wanted]
        return
    yield wanted, [best(backs[o]) for o in wanted]
    for outcome in wanted:
        yield (outcome,), [best(backs[outcome]), best(lays[outcome])]


def cheapest(legs, wanted, books):
    """The Arb of a line, None when it has none: in one currency, of the least implied probability."""
    found = []
    for payable in books.by_currency(legs):
        for order, (about, cover) in enumerate(ways_to_cover(payable, wanted)):
            if None not in cover:
                implied = sum(Fraction(ONE, leg.effective) for leg in cover)
                found.append((implied, order, [leg.book for leg in cover], Arb(cover, implied, about, "draw" in wanted)))
    # Of equal ones the first of that order, then the smallest book keys.
    arb = min(found, key=lambda entry: entry[:3], default=(None,))[-1]
    return arb if arb and arb.implied < OPEN_BELOW else None


def is_off_consensus(leg, offers, books):
    """Whether a leg is 0.15 cheaper than the median of what other operators say, or too few of them are there to tell."""
    operator = books.operator(leg.book)
    rivals = [o for o in offers if (o.outcome, o.side) == (leg.outcome, "back") and books.operator(o.book) != operator]
    if len({books.operator(rival.book) for rival in rivals}) < 2:
        return True
    median = statistics.median(ONE / rival.price for rival in rivals)
    chance = ONE / leg.price
    return (median - chance if leg.side == "back" else chance - median) >= flags.OFF_CONSENSUS


def levels(arb, market, period, league, books, on):
    """What a level result can do to the legs, each way a list of one a leg: each book has its own rules.

    Of a book whose rules are not known it can be whatever any rules of the table say.
    """
    if arb.has_draw or market in ("h2h_3_way", "draw_no_bet"):
        return (("outcome",) * len(arb.legs),)
    found = []
    for leg in arb.legs:
        group = books.rules_of(leg.book, on)
        groups = [books.rules[group]] if group else books.rules.values()
        found.append(sorted({settling.level(rules, league, period) for rules in groups}))
    return tuple(itertools.product(*found))


def agreed_currency(legs, books):
    names = {books.currency(leg.book) for leg in legs}
    return None if None in names or len(names) > 1 else names.pop()
