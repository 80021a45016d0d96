"""What the fees of a venue leave of a price, for the second opinion.

Written from the definitions only (`domain.md`: Arithmetic; `pipeline/books.toml`; what a book that is not in the table is taken
for: ARCHITECTURE.md and the module docs of the engine's books). It must never follow the Rust code. Exact fractions; an
effective price is in integer millionths, rounded down, None when nothing is left to win.
"""
import math
from fractions import Fraction

ONE = 1_000_000
CONTRACTS = 100  # of an order, where nobody says how many
CENTICENT, MILLICENT = Fraction(1, 10_000), Fraction(1, 100_000)  # dollars: what Kalshi and Polymarket round fees to
TICK = Fraction(1, 10_000)  # dollars: the finest step of their prices
NOTHING = {}
DEAREST_EXCHANGE = {"commission_ppm": 100_000}  # the highest commission in the table
DEAREST_CONTRACTS = {"kalshi_ppm": 70_000}


def is_of(league, key):
    """Whether a league is the one of this key, or one of its sport."""
    return league == key or league.startswith(key + "_")


def unknown_fee(book):
    """What a book that is not in the table is taken to keep, by its name."""
    words = book.split("_")
    if words[0] in ("kalshi", "polymarket"):
        return DEAREST_CONTRACTS
    return DEAREST_EXCHANGE if "ex" in words[1:] else NOTHING


def fee(entry, book, league, on):
    """The rule that holds on a date: the latest of the league, else the latest of all; before the first one that one."""
    if entry is None:
        return unknown_fee(book)
    rules = entry.get("fee", [])
    of_league = [rule for rule in rules if "league" in rule and is_of(league, rule["league"])]
    for candidates in (of_league, [rule for rule in rules if "league" not in rule]):
        begun = [rule for rule in candidates if rule["from"] <= on]
        if begun:
            return max(begun, key=lambda rule: rule["from"])
    return min(rules, key=lambda rule: rule["from"], default=NOTHING)


def contract_price(odds):
    """Dollars: the multiple of $0.0001 whose odds, cut to a millionth, are these; else what the odds say."""
    price = Fraction(round(1 / odds / TICK)) * TICK
    return price if price and Fraction(math.floor(ONE / price), ONE) == odds else 1 / odds


def charged(rule, price):
    """Dollars on an order of a hundred: Kalshi rounds up, Polymarket to the nearest, and takes nothing below one step."""
    fee = CONTRACTS * price * (1 - price) / ONE
    if "kalshi_ppm" in rule:
        return math.ceil(rule["kalshi_ppm"] * fee / CENTICENT) * CENTICENT
    steps = rule["polymarket_ppm"] * fee / MILLICENT
    return math.floor(steps + Fraction(1, 2)) * MILLICENT if steps >= 1 else 0


def effective(rule, side, price):
    """The price that is left after fees, as that of a back; of a lay it is that of "not X", per unit of liability."""
    odds = Fraction(price, ONE)
    if "kalshi_ppm" in rule or "polymarket_ppm" in rule:
        price = contract_price(odds)
        cost = price if side == "back" else 1 - price
        left = 1 / (cost + charged(rule, price) / CONTRACTS)
    else:
        kept = 1 - Fraction(rule.get("commission_ppm", 0), ONE)
        left = 1 + (odds - 1) * kept if side == "back" else 1 + kept / (odds - 1)
    left = math.floor(left * ONE)
    return left if left > ONE else None
