"""In what sizes a book takes bets: steps of cents or of contracts, and the least, by the rows `size` of its table."""

import math
from collections import namedtuple
from fractions import Fraction

ONE = 10**6
CONTRACT = 100  # a contract pays so many cents, or nothing

# A step in cents, or in hundredths of a contract; the least stake and liability in cents, the least contracts in hundredths.
Size = namedtuple("Size", "of_contracts step stake liability contracts", defaults=(False, 1, 0, 0, 0))


def size_of(rule):
    """Of a row; of no row, or of one that says no least: whole cents, a hundred of them at least, as much at risk of a lay."""
    rule = rule or {}
    of_contracts = "contract_step" in rule
    step = rule.get("contract_step", rule.get("step", 1))
    if not is_known(rule):
        return Size(of_contracts, step, 100, 100, 0)
    return Size(of_contracts, step, *(rule.get(f"least_{bound}", 0) for bound in ("stake", "liability", "contracts")))


def is_known(rule):
    return any(name.startswith("least_") for name in rule or {})


def cost(size, price, steps):
    """Cents that so many steps cost, exactly."""
    return Fraction(steps * size.step * (ONE if size.of_contracts else 1), price if size.of_contracts else 1)


def is_taken(size, side, price, cents):
    """Whether a book takes an order of so many cents; of a lay the backer's."""
    odds = Fraction(price, ONE)
    lays = side == "back" or cents * (odds - 1) >= size.liability
    return cents > 0 and cents >= size.stake and cents * odds * 100 / CONTRACT >= size.contracts and lays


def around(size, side, price, cents):
    """The orders that a book takes next to so many cents, below and above."""
    steps = Fraction(cents) / cost(size, price, 1)
    orders = {cost(size, price, whole) for whole in (math.floor(steps), math.ceil(steps))}
    return {order for order in orders if is_taken(size, side, price, order)}
