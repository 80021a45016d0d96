"""An independent settlement of bets: writes the cases that pipeline/picks/src/settlement/tests.rs compares with.

    python3 tests/oracle/settlement.py > pipeline/picks/tests/golden/settlement.txt

It works the other way round than the program: it stakes two coins of half a unit in exact fractions on the two lines that a quarter line is
made of, pays each coin in full, and names the settlement by what came back. It shares no code with the program.
"""

import random
from fractions import Fraction as F

CASES = 4000


def pays(margin, price):
    """What comes back for one coin of half a unit: margin is by how much the backed side is ahead."""
    half = F(1, 2)
    return half * price if margin > 0 else half if margin == 0 else F(0)


def lines(line):
    """The two lines of the coins: those of a whole or half line are both that line."""
    return [line, line] if (line * 2).denominator == 1 else [line - F(1, 4), line + F(1, 4)]


def returned(market, outcome, line, two_way, home, away, price):
    if market == "totals":
        ahead = [home + away - l for l in lines(line)]
        ahead = ahead if outcome == "over" else [-a for a in ahead]
    elif market == "spreads":
        ahead = [home + l - away for l in lines(line)] if outcome == "home" else [away - l - home for l in lines(line)]
    else:
        won = {"home": home > away, "draw": home == away, "away": home < away}[outcome]
        refund = home == away and not won and (market == "draw_no_bet" or (market == "h2h" and two_way))
        ahead = [F(1) if won else F(0) if refund else F(-1)] * 2
    return sum(pays(a, price) for a in ahead)


def name(back, price):
    table = {price: "won", (price + 1) / 2: "half_won", F(1): "push", F(1, 2): "half_lost", F(0): "lost"}
    return table[back]


def main():
    rng = random.Random(24)
    print("market,outcome,line,two_way,status,home,away,price,settlement,returned")
    for _ in range(CASES):
        market = rng.choice(["h2h", "h2h_3_way", "draw_no_bet", "spreads", "spreads", "totals", "totals"])
        two_way = rng.random() < 0.5
        outcomes = {"totals": ["over", "under"], "spreads": ["home", "away"], "draw_no_bet": ["home", "away"]}
        outcome = rng.choice(outcomes.get(market, ["home", "draw", "away"]))
        if market == "h2h" and two_way:
            outcome = rng.choice(["home", "away"])
        line = {"totals": F(rng.randint(0, 28), 4), "spreads": F(rng.randint(-14, 14), 4)}.get(market)
        home, away = rng.randint(0, 5), rng.randint(0, 5)
        # Above 1, so that every settlement returns another amount and has one name.
        price = F(rng.randint(1010, 9990), 1000)
        status = rng.choices(["finished", "cancelled", "abandoned", "postponed"], [20, 1, 1, 1])[0]
        if status == "finished":
            back = returned(market, outcome, line, two_way, home, away, price)
            settled, back = name(back, price), str(float(back))
        elif status == "postponed":
            settled, back = "open", ""
        else:
            settled, back = "void", "1.0"
        text = "" if line is None else str(int(line * 1000))
        print(f"{market},{outcome},{text},{str(two_way).lower()},{status},{home},{away},{float(price)},{settled},{back}")


main()
