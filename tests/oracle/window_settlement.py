"""An independent settlement of arb windows: writes the cases that pipeline/settle/src/window_grade/tests.rs compares with.

    python3 tests/oracle/window_settlement.py > pipeline/settle/tests/golden/window_settlement.txt

It works the other way round than the program: it pays money in exact fractions. A back puts its stake down and gets stake times odds for each half that
wins. A lay takes the backer's stake, which is its liability over the odds less one, and pays the backer; what it returns is what is left of both. The
program turns a lay into a back of the opposite. It shares no code with the program.
"""

import random
from fractions import Fraction as F

CASES = 3000
WINNERS = ("h2h", "h2h_3_way", "draw_no_bet")


def halves(line):
    return [line, line] if (line * 2).denominator == 1 else [line - F(1, 4), line + F(1, 4)]


def ahead(market, outcome, line, is_two_way, home, away):
    """By how much each half of a back on the outcome is ahead: above 0 it wins, at 0 it is refunded."""
    if market == "totals":
        return [home + away - l if outcome == "over" else l - home - away for l in halves(line)]
    if market == "spreads":
        sign = 1 if outcome == "home" else -1
        return [sign * (home + l - away) for l in halves(line)]
    won = {"home": home > away, "draw": home == away, "away": home < away}[outcome]
    is_refund = home == away and not won and (market == "draw_no_bet" or is_two_way)
    return [1 if won else 0 if is_refund else -1] * 2


def backer_gets(stake, odds, margins):
    return sum(stake / 2 * (odds if m > 0 else 1 if m == 0 else 0) for m in margins)


def returned(side, share, odds, margins):
    if side == "back":
        return backer_gets(share, odds, margins)
    # The odds are those of the lay itself here: who lays holds the liability and the backer's stake, and pays the backer.
    stake = share / (odds - 1)
    return share + stake - backer_gets(stake, odds, margins)


def legs_of(rng, market):
    if market in ("totals", "spreads"):
        names = ["over", "under"] if market == "totals" else ["home", "away"]
        kinds = [[(names[0], "back"), (names[1], "back")], [(names[0], "back"), (names[0], "lay")]]
    elif market == "draw_no_bet":
        kinds = [[("home", "back"), ("away", "back")], [("away", "back"), ("away", "lay")]]
    elif market == "h2h_3_way":
        kinds = [[("home", "back"), ("draw", "back"), ("away", "back")], [("draw", "back"), ("draw", "lay")], [("home", "back"), ("home", "lay")]]
    else:
        kinds = [[("home", "back"), ("draw", "back"), ("away", "back")], [("home", "back"), ("away", "back")], [("home", "back"), ("home", "lay")]]
    return rng.choice(kinds)


def main():
    rng = random.Random(24)
    print("market,line,status,home,away,legs,returned,total")
    for _ in range(CASES):
        market = rng.choice(["h2h", "h2h", "h2h_3_way", "draw_no_bet", "spreads", "spreads", "totals", "totals"])
        legs = legs_of(rng, market)
        line = {"totals": F(rng.randint(0, 28), 4), "spreads": F(rng.randint(-14, 14), 4)}.get(market)
        home, away = rng.randint(0, 4), rng.randint(0, 4)
        status = rng.choices(["finished", "cancelled", "abandoned", "postponed", "in_progress"], [20, 1, 1, 1, 1])[0]
        odds = [F(rng.randint(1050, 9000), 1000) for _ in legs]
        parts = [rng.randint(1, 99) for _ in legs]
        shares = [F(part, sum(parts)) for part in parts]
        is_two_way = market == "h2h" and [name for name, _ in legs] == ["home", "away"]
        # Backed and laid alone, nothing says what a draw of this market is.
        is_unknown = market == "h2h" and len({name for name, _ in legs}) == 1 and home == away and status == "finished"
        paid = []
        for (outcome, side), price, share in zip(legs, odds, shares):
            margins = ahead(market, outcome, line, is_two_way, home, away) if status == "finished" else [0, 0]
            paid.append(returned(side, share, price, margins))
        is_open = is_unknown or status in ("postponed", "in_progress")
        shown = ";".join(f"{o} {s} {float(p)} {float(q)!r}" for (o, s), p, q in zip(legs, odds, shares))
        text = "" if line is None else str(int(line * 1000))
        backs = "" if is_open else ";".join(repr(float(back)) for back in paid)
        total = "" if is_open else repr(float(sum(paid)))
        print(f"{market},{text},{status},{home},{away},{shown},{backs},{total}")


if __name__ == "__main__":
    main()
