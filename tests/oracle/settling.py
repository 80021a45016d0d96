"""How bets end, and which whole stakes are best, for the second opinion.

Written from the definitions only (`domain.md`: Arithmetic, on pushes and on rounding; `pipeline/books.toml`, on level results;
docs/architecture/engine.md, "Stakes"). It must never follow the Rust code. Returns are exact fractions for 1 at risk: the stake of a back, the
liability of a lay.
"""
import functools
import itertools
import math
from collections import namedtuple
from fractions import Fraction

import sizes

ONE = 1_000_000
TOTAL = 100_00  # minor units
WON, LOST, BACK, HALF_WON, HALF_LOST, DEAD_HEAT = "won", "lost", "stake back", "half won", "half lost", "dead heat"
LAID = {WON: LOST, LOST: WON, HALF_WON: HALF_LOST, HALF_LOST: HALF_WON}  # what is not here is the same to both
LEVEL = {"refunded": BACK, "dead_heat": DEAD_HEAT, "outcome": LOST}
Bet = namedtuple("Bet", "outcome side price effective size")  # prices in millionths
WINNERS = ("h2h", "h2h_3_way", "draw_no_bet")


def on_line(lead):
    """What becomes of a bet that wins when this number is above 0. A quarter line is two half bets."""
    if lead * 4 % 2 == 1:
        halves = {on_line(lead - Fraction(1, 4)), on_line(lead + Fraction(1, 4))}
        return halves.pop() if len(halves) == 1 else HALF_WON if WON in halves else HALF_LOST
    return WON if lead > 0 else LOST if lead < 0 else BACK


def of_winner(market, outcome, result, at_level):
    """What becomes of a bet on the winner when the home side's lead is this."""
    if result == 0:
        return WON if outcome == "draw" else BACK if market == "draw_no_bet" else LEVEL[at_level]
    return WON if (outcome == "home") == (result > 0) and outcome != "draw" else LOST


def ends(leg, market, line, result, at_level):
    """What becomes of a leg at a result: the home side's lead, or the total."""
    if market in WINNERS:
        backed = of_winner(market, leg.outcome, result, at_level)
    else:
        line = Fraction(line, 1000)
        above = result + line if market == "spreads" else result - line
        backed = on_line(above if leg.outcome in ("home", "over") else -above)
    return backed if leg.side == "back" else LAID.get(backed, backed)


def states(legs, market, line, levels):
    """How all legs end together, in every way that is possible. `levels`: what a level result may do to each, by its book."""
    if market not in WINNERS:
        middle = math.floor(Fraction(-line if market == "spreads" else line, 1000))
        results = range(middle - 2, middle + 4)
        return [tuple(ends(leg, market, line, result, None) for leg in legs) for result in results]
    ways = [tuple(ends(leg, market, line, result, None) for leg in legs) for result in (1, -1)]
    possible = [at for at in levels if "impossible" not in at]
    return ways + [tuple(ends(leg, market, line, 0, level) for leg, level in zip(legs, at)) for at in possible]


def pays(end, price):
    """What 1 at risk returns."""
    odds = Fraction(price, ONE)
    return {WON: odds, LOST: 0, BACK: 1, HALF_WON: (1 + odds) / 2, HALF_LOST: Fraction(1, 2), DEAD_HEAT: odds / 2}[end]


def least(risks, legs, ways):
    """The least return for 1 at risk in total."""
    paid = (sum(risk * pays(end, leg.effective) for risk, leg, end in zip(risks, legs, way)) for way in ways)
    return min(paid) / sum(risks) - 1


def decided(ways):
    return [way for way in ways if set(way) <= {WON, LOST}]


def risk(leg, stake):
    """What a stake puts at risk, in minor units: of a lay the backer's stake times what he would win."""
    return Fraction(stake) if leg.side == "back" else stake * Fraction(leg.price - ONE, ONE)


def round_stakes(legs, ways, total=TOTAL, limits=None):
    """(stakes, least return) of the best way to round: what is asked of a venue is a multiple of its step, and not less than it takes.

    Together the stakes never put more at risk than the total that was asked for.
    """
    implied = sum(Fraction(ONE, leg.effective) for leg in legs)
    exact = [total * Fraction(ONE, leg.effective) / implied / risk(leg, 1) for leg in legs]
    near = [sizes.around(leg.size, leg.side, leg.price, stake) for stake, leg in zip(exact, legs)]
    tried = [way for way in itertools.product(*near) if fits(way, limits)]
    at_risk = {way: [risk(leg, stake) for leg, stake in zip(legs, way)] for way in tried}
    tried = [way for way in tried if sum(at_risk[way]) <= total]
    if not tried:
        return None, None
    left = {way: least(at_risk[way], legs, ways) for way in tried}
    best = min(tried, key=lambda way: (-left[way], sum(at_risk[way])))
    return best, left[best]


def fits(stakes, limits):
    return all(limit is None or stake <= limit for stake, limit in zip(stakes, limits or [None] * len(stakes)))


@functools.lru_cache(maxsize=1 << 16)
def outcome_of(bets, market, line, levels):
    """(least return of the shares over all ways, rounded stakes, what these return at least where every bet is decided)."""
    ways = states(bets, market, line, levels)
    shares = [Fraction(ONE, bet.effective) for bet in bets]
    return least(shares, bets, ways), *round_stakes(bets, decided(ways))
