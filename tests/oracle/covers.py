"""Arbs of a line, by the prices that are left after fees, and what is to be said of them: the second opinion on an entry.

Written from the definitions only (`domain.md`: Arithmetic, Arb board entry, Verification flags; ARCHITECTURE.md: "How it decides";
`pipeline/books.toml`). It must never follow the Rust code. What is not known counts as no.
"""
import itertools
from collections import namedtuple
from datetime import date
from fractions import Fraction

import clauses
import fees
import flags
from world import OUTCOMES, THREE_WAY

ONE = 1_000_000
OPEN_BELOW = 1 - 1e-9
NOISE = 1e-9
Leg = namedtuple("Leg", "outcome side book price effective quote")
Arb = namedtuple("Arb", "legs implied about has_draw passed", defaults=(None,))
Passed = namedtuple("Passed", "legs implied flag")  # a cheaper cover of bets that are not eligible, and the first flag that it fails
OTHER = {"home": "away", "away": "home", "over": "under", "under": "over"}


def day(instant):
    return date.fromordinal(date(1970, 1, 1).toordinal() + instant // 86_400_000_000)


def outcome_set(market, period, league, is_listed):
    """What exhausts a market, and whether that is only so at books that settle a level result between the two sides; `is_listed`: a book of the
    table has ever listed a draw in it."""
    if market in OUTCOMES:
        return OUTCOMES[market], False
    draws = clauses.draws(league, period)
    if market == "h2h_3_way" or draws in ("sold", "unknown") or (draws == "possible" and is_listed):
        return THREE_WAY, False
    return ("home", "away"), draws == "possible"


def settles_level(book, league, period, books):
    """Whether a book that sells no draw is known to leave nobody's stake with it after a level result."""
    return clauses.level(books.stated(book), league, period) in ("refunded", "dead_heat", "impossible")


def bets_on_draw(about):
    """Whether the draw is among the bets of a cover."""
    return "draw" in about


def best(legs):
    """The best price; of equal ones the smallest book key."""
    return min(legs, key=lambda leg: (-leg.effective, leg.book, leg.side), default=None)


def ways_to_cover(legs, wanted):
    """(what the window is about, [legs for each bet] of which exactly one wins), for every such set of bets."""
    backs = {o: [leg for leg in legs if (leg.outcome, leg.side) == (o, "back")] for o in wanted}
    lays = {o: [leg for leg in legs if (leg.outcome, leg.side) == (o, "lay")] for o in wanted}
    if len(wanted) == 2:  # to lay one is to back the other
        yield wanted, [backs[o] + lays[OTHER[o]] for o in wanted]
        return
    yield wanted, [backs[o] for o in wanted]
    for outcome in wanted:
        yield (outcome,), [backs[outcome], lays[outcome]]


def least(legs, wanted, books, choices):
    """The Arb of the least implied probability in one currency, of the sets of legs that `choices` makes of what a way to cover is about and
    its bets; None without one."""
    found = []
    for payable in books.by_currency(legs):
        for order, (about, bets) in enumerate(ways_to_cover(payable, wanted)):
            for cover in choices(about, bets):
                implied = sum(Fraction(ONE, leg.effective) for leg in cover)
                names = [(leg.book, leg.side) for leg in cover]
                found.append((implied, order, names, Arb(list(cover), implied, about, bets_on_draw(about))))
    # Of equal ones the first of that order, then the smallest book keys.
    arb = min(found, key=lambda entry: entry[:3], default=(None,))[-1]
    return arb if arb and arb.implied < OPEN_BELOW else None


def chosen(offers, wanted, books, bet, listed, counts=lambda leg: True):
    """The Arb of a line's window, None when it has none: the cheapest cover of eligible bets, and where that is no arb the cheapest of all.

    The rule is `domain.md`'s ("Which cover"), by brute force: every choice of eligible bets is tried. Only legs that count are bet on, all are
    evidence. `listed` are the books that have listed a draw.
    """
    legs = [leg for leg in offers if counts(leg)]
    any_cover = least(legs, wanted, books, lambda _, bets: [[best(bet) for bet in bets]] if all(bets) else [])
    if any_cover is None:
        return None
    flag = not_eligible(any_cover.legs, offers, books, bet, any_cover.has_draw, listed)
    if flag is None:
        return any_cover

    def together(about, bets):
        has_draw = bets_on_draw(about)
        alone = [[leg for leg in of if not_eligible([leg], offers, books, bet, has_draw, listed) is None] for of in bets]
        return (cover for cover in itertools.product(*alone) if do_not_fit(cover, books, bet, has_draw, listed) is None)

    eligible = least(legs, wanted, books, together)
    if eligible is None:
        return any_cover
    passed = Passed(any_cover.legs, any_cover.implied, flag) if any_cover.implied < eligible.implied else None
    return eligible._replace(passed=passed)


def not_eligible(cover, offers, books, bet, has_draw, listed):
    """The first flag that these bets fail whatever the time; None of an eligible cover."""
    flag = do_not_fit(cover, books, bet, has_draw, listed)
    return flag or ("plausible_price" if any(is_off_consensus(leg, offers, books) for leg in cover) else None)


def do_not_fit(cover, books, bet, has_draw, listed):
    """The flag that these bets fail together; None where their books pay alike and are of distinct operators. `bet` is (league, market, period, line)."""
    names = [leg.book for leg in cover]
    if not books.are_paid_alike(names, *bet, has_draw, listed):
        return "same_rules"
    if len({books.operator(book) for book in names}) < len(names):
        return "independent_operators"
    return None


def is_off_consensus(leg, offers, books):
    """Whether a leg is 0.15 cheaper than what other operators of the table agree on, or too few of them are there to tell."""
    said = [(o.book, ONE / o.price) for o in offers if (o.outcome, o.side) == (leg.outcome, "back")]
    return flags.is_outlier(leg.book, ONE / leg.price, said, books, is_lay=leg.side == "lay")


def levels(arb, market, period, league, books, listed):
    """What a level result can do to the legs, each way a list of one a leg: each book has its own clause, and sides lose at one that lists a draw.

    Of a book whose clause is not known it can be anything.
    """
    if arb.has_draw or market in ("h2h_3_way", "draw_no_bet") or clauses.draws(league, period) == "sold":
        return (("outcome",) * len(arb.legs),)
    found = []
    for leg in arb.legs:
        own = "outcome" if leg.book in listed else clauses.level(books.stated(leg.book), league, period)
        found.append([own] if own else list(clauses.ANY_LEVEL))
    return tuple(itertools.product(*found))


def agreed_currency(legs, books):
    names = {books.currency(leg.book) for leg in legs}
    return None if None in names or len(names) > 1 else names.pop()
