"""The form in which a book makes its prices, for the second opinion: the worst price of that form that a feed writes as a given one.

Written from the definitions only (docs/adr/080-native-form-of-prices.md; `[[native]]` of `pipeline/books.toml`). It must never follow the Rust
code. Exact fractions, odds of all whole American numbers in a list; prices in and out are integer millionths.
"""
import bisect
import math
from fractions import Fraction

ONE = 1_000_000
MOST = 100_000  # the largest American number: odds of 1001
FAVOURITES = [1 + Fraction(100, number) for number in range(MOST, 100, -1)]
AMERICAN = FAVOURITES + [1 + Fraction(number, 100) for number in range(100, MOST + 1)]


def written(price, form):
    """The lowest and the highest odds that a feed of this format writes as a price."""
    odds = Fraction(price, ONE)
    if form == "decimal":
        digits = next((n for n in range(2, 6) if price % 10 ** (6 - n) == 0), 6)
        half = Fraction(1, 2 * 10**digits)
        return odds - half, odds + half + (Fraction(1, ONE) if digits == 6 else 0)  # the rest of a longer number was cut off
    if odds >= 2:
        return odds - Fraction(1, 200), odds + Fraction(1, 200)
    number = math.floor(100 / (odds - 1) + Fraction(1, 2))
    return 1 + 100 / (number + Fraction(1, 2)), 1 + 100 / (number - Fraction(1, 2))


def at_least(rule, odds):
    """The lowest odds of a form that are not below some; None where there are none."""
    step = Fraction(rule.get("step_ppm", 1), ONE)
    if rule["form"] == "decimal":
        return math.ceil(odds / step) * step
    if rule["form"] == "probability":
        steps = math.floor(1 / odds / step)
        return 1 / (steps * step) if steps else None
    at = bisect.bisect_left(AMERICAN, odds)
    return AMERICAN[at] if at < len(AMERICAN) else None


def at_most(rule, odds):
    """The highest odds of a form that are not above some; None where there are none."""
    step = Fraction(rule.get("step_ppm", 1), ONE)
    if rule["form"] == "decimal":
        return math.floor(odds / step) * step
    if rule["form"] == "probability":
        return 1 / (math.ceil(1 / odds / step) * step)
    at = bisect.bisect_right(AMERICAN, odds)
    return AMERICAN[at - 1] if at else None


def worst(rule, form, side, price):
    """The worst price of a book's own form that is written as this one: of a back the lowest, of a lay the highest, never a better one."""
    if rule is None or form == "unknown" or rule["form"] == form:
        return price
    (low, high), odds = written(price, form), Fraction(price, ONE)
    if rule["form"] == "fractional":  # any number may be one
        return min(price, math.floor(low * ONE)) if side == "back" else max(price, math.ceil(high * ONE))
    if side == "back":
        found = at_least(rule, low)
        found = found if found is not None and found <= high else at_most(rule, odds)
        return min(price, max(math.floor(found * ONE), ONE + 1))
    found = at_most(rule, high)
    found = found if found is not None and found >= low else at_least(rule, odds)
    return price if found is None or found > 1001 else max(price, math.ceil(found * ONE))
