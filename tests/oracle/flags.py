"""The nine flags of an arb and the stakes of its legs, for the oracle: backs without fees (the policy `raw`).

Written from the definitions only (`domain.md`: Arithmetic, Verification flags; docs/architecture/engine.md;
docs/api/arbs.md: the table of flags; `pipeline/books.toml`), as the oracle is; it must never follow the Rust code. What is not
known counts as no. Times are integer microseconds, prices integer millionths, stakes integer minor units.
"""
import bisect
import functools
import itertools
import math
import pathlib
import statistics
import tomllib
from fractions import Fraction

import clauses
import sizes

BOOKS = pathlib.Path(__file__).parents[2] / "pipeline/books.toml"
FLAGS = ("simultaneous", "fresh", "active", "same_line", "same_rules", "independent_operators")
FLAGS += ("plausible_price", "plausible_margin", "stakeable")
SECOND = 1_000_000
DEFAULT_TOTAL = 100_00  # minor units
FEWEST = 100  # samples from which a quantile is believed
FRESH_UNTAUGHT = 900 * SECOND  # half of what makes a price stale
FRESH_BOUNDS = 15 * SECOND, 43_200 * SECOND  # halves of them too
PLAUSIBLE_UNTAUGHT = {False: 0.10, True: 0.20}  # by in_play
OFF_CONSENSUS = 0.15


class Histogram:
    """Counts below `first`, then in four buckets for each doubling of it."""

    def __init__(self, first):
        self.edges = [first * 2 ** (i / 4) for i in range(120)]
        self.counts, self.total = [0] * 121, 0

    def add(self, value):
        self.counts[bisect.bisect_right(self.edges, value)] += 1
        self.total += 1

    def quantile(self, hundredths):
        """The upper edge of the bucket up to which this share of the samples lies; None while they are too few."""
        if self.total < FEWEST:
            return None
        up_to = itertools.accumulate(self.counts)
        return next(edge for edge, count in zip(self.edges, up_to) if count * 100 >= hundredths * self.total)


class Learnt:
    """What the feed has taught until now: ages that prices reach before they are confirmed, and proven margins."""

    def __init__(self, histogram=Histogram):
        self.histogram, self.ages = histogram, {}
        self.margins = {phase: histogram(1e-4) for phase in (False, True)}

    def confirmed(self, book, age):
        if book not in self.ages:
            self.ages[book] = self.histogram(SECOND)
        self.ages[book].add(age)

    def interval(self, book):
        """Within what time the book confirms 95 of 100 prices."""
        learnt = self.ages[book].quantile(95) if book in self.ages else None
        least, most = FRESH_BOUNDS
        return FRESH_UNTAUGHT if learnt is None else min(max(learnt, least), most)

    def highest_margin(self, in_play):
        learnt = self.margins[in_play].quantile(99)
        return PLAUSIBLE_UNTAUGHT[in_play] if learnt is None else learnt


class Books:
    """The table of books; a book that is not in it is its own operator and states nothing."""

    def __init__(self, table):
        self.clauses = table.get("clause", [])
        self.native = {book: rule for rule in table.get("native", []) for book in rule["books"]}
        self.sizes = {book: rule for rule in table.get("size", []) for book in rule["books"]}
        self.books = {key: book for book in table["book"] for key in book["keys"]}

    def operator(self, book):
        return self.books.get(book, {}).get("operator", book)

    def stated(self, book):
        """The clauses of a book."""
        return [clause for clause in self.clauses if book in clause["books"]]

    def are_paid_alike(self, names, league, market, period, line, has_draw, listed=frozenset()):
        """Whether these books pay a played match alike, as far as each says what matters; `listed` are those that have listed a draw in `h2h`."""
        return agree([self.played(book, (league, market, period, line), has_draw, listed) for book in names])

    def played(self, book, bet, has_draw, listed=frozenset()):
        """What a book states of a bet (league, market, period, line) when the match is played; None where something that matters is unknown."""
        return clauses.played(self.stated(book), *bet, has_draw, bet[1] == "h2h" and book in listed)

    def by_currency(self, legs):
        """The legs that can be paid for in each currency; one that is not known goes with any."""
        currencies = [self.currency(leg.book) for leg in legs]
        known = set(currencies) - {None}
        if len(known) < 2:
            return [legs]
        return [[leg for leg, its in zip(legs, currencies) if its in (None, one)] for one in sorted(known)]

    def currency(self, book):
        return self.books.get(book, {}).get("currency")

    def size(self, book):
        return sizes.size_of(self.sizes.get(book))


@functools.lru_cache(maxsize=1)
def default_books():
    return Books(tomllib.loads(BOOKS.read_text()))


def least_return(stakes, prices):
    """The least pay-out of a set of stakes for 1 staked: exactly one of the bets wins."""
    return min(Fraction(stake * price, 10**6) for stake, price in zip(stakes, prices)) / sum(stakes)


def round_stakes(prices, taken):
    """Stakes for a total of at most 100, each rounded to a size that its book takes, with the largest least return; ties: the least total.

    `None` where there is no way.
    """
    implied = sum(Fraction(10**6, price) for price in prices)
    exact = [DEFAULT_TOTAL * Fraction(10**6, price) / implied for price in prices]
    ways = [sizes.around(size, "back", price, stake) for stake, price, size in zip(exact, prices, taken)]
    whole = (stakes for stakes in itertools.product(*ways) if sum(stakes) <= DEFAULT_TOTAL)
    return max(whole, key=lambda stakes: (least_return(stakes, prices), -sum(stakes)), default=None)


def is_off_consensus(leg, offers, books):
    """Whether a leg is 0.15 cheaper than what other operators of the table agree on, or too few of them are there to tell."""
    said = [(o.book, 1e6 / o.quote.price) for o in offers if o.outcome == leg.outcome]
    return is_outlier(leg.book, 1e6 / leg.quote.price, said, books)


def is_outlier(book, chance, said, books, is_lay=False):
    """Whether a bet at this implied probability is too good among what books say of its outcome: [(book, implied probability of a back)].

    Books of the table count, of other operators, one opinion an operator, by the median; of an even number the one that is worse for the bet.
    """
    median = statistics.median_low if is_lay else statistics.median_high
    opinions = {}
    for other, its in said:
        if other in books.books and books.operator(other) != books.operator(book):
            opinions.setdefault(books.operator(other), []).append(its)
    if len(opinions) < 2:
        return True
    agreed = median([median(of) for of in opinions.values()])
    return (chance - agreed if is_lay else agreed - chance) >= OFF_CONSENSUS


def agree(rules):
    return None not in rules and len(set(rules)) == 1


def verify(arb, offers, bet, in_play, polled_at, learnt, books):
    """({flag: bool}, stakes, margin_rounded); `offers` are the legs that the line has on offer, `bet` is (league, market, line in thousandths)."""
    league, market, line = bet
    names, prices = [leg.book for leg in arb.legs], [leg.quote.price for leg in arb.legs]
    stakes = round_stakes(prices, [books.size(book) for book in names])
    margin = None if stakes is None else float(least_return(stakes, prices) - 1)
    flags = {
        "simultaneous": arb.simultaneous,
        "fresh": all(polled_at - leg.quote.last_seen <= learnt.interval(leg.book) for leg in arb.legs),
        "active": True,  # The Odds API lists what is on offer only
        "same_line": True,  # an arb of the policy `raw` is one of a line
        "same_rules": books.are_paid_alike(names, league, market, "full_time", line, len(names) > 2),
        "independent_operators": len({books.operator(book) for book in names}) == len(names),
        "plausible_price": not any(is_off_consensus(leg, offers, books) for leg in arb.legs),
        "plausible_margin": arb.margin <= learnt.highest_margin(in_play),
        "stakeable": margin is not None and margin > 0,
    }
    return flags, stakes and [math.ceil(stake) for stake in stakes], margin
