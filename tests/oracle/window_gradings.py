"""An independent settlement of arb windows over time: from tasks in their order, every grading that is to be published.

    python3 tests/oracle/window_gradings.py --cases > pipeline/settle/tests/golden/window_gradings.txt
    python3 tests/oracle/window_gradings.py < TASKS

A task is a line of JSON: `{"window": ...}`, `{"result": ...}` or `{"timer": MICROSECONDS}`, with the fields of the records. A grading is a line of
JSON too. Money is paid in exact fractions, as in window_settlement.py; nothing is shared with the program.

It keeps no state of windows but what was published of them: at each task it looks at all windows of the event again.

Bets are on the score after regulation, as all are where a result says that the event ended so, and those of soccer everywhere. So a report counts for the
whole match if it says that score or that it ended so, and for the first half always. Points belong to names. A match lasts `least` microseconds at least (of
random ones, soccer, 95 minutes); before its start nothing is taken, before its earliest end only what two sources say.
"""

import json
import random
import sys
from fractions import Fraction as F

from window_settlement import ahead, legs_of, returned

DAY = 86_400_000_000
LEAST = 95 * 60_000_000
DELAY = DAY // 2
SIDES = ("Nørdby", "Sør")
PLAYED = ("finished", "abandoned")
OVER = (*PLAYED, "cancelled")
KEYS = {(2, 0): "won", (1, 1): "half_won", (0, 2): "push", (0, 1): "half_lost", (0, 0): "lost"}


def settlement(side, margins):
    """How a back on the outcome ends, seen by the one who placed the bet."""
    if side == "lay":
        margins = [-margin for margin in margins]
    won, pushed = sum(m > 0 for m in margins), sum(m == 0 for m in margins)
    return KEYS[(won, pushed)]


def odds_of(leg):
    p = F(leg["implied_probability"])
    # Of a lay it is that of the back of everything else.
    return 1 / (1 - p) if leg["side"] == "lay" else 1 / p


def points(report, window, period):
    """The points of the two sides in the period that bets on it are settled by; None where the report does not say them."""
    named = (report["home"], report["away"])
    sides = (window["home"], window["away"])
    if sorted(named) != sorted(sides):
        return None
    scores = {score["period"]: (score["home"], score["away"]) for score in report["scores"]}
    if period == "full_time":
        score = scores.get("regulation", scores.get("full_time") if report["ended"] == "regulation" else None)
    else:
        score = scores.get(period)
    return score if score is None or named == sides else score[::-1]


def paid(window, report):
    """The settlement and the return of each leg; None while they are not known."""
    status, score = report["status"], points(report, window, window["period"])
    if status not in OVER or (status in PLAYED and abs(window["starts_at"] - window["commence_time"]) > DELAY):
        return None
    if status == "finished" and score is None:
        return None
    is_void = status == "cancelled" or score is None or (status == "abandoned" and window["period"] == "full_time")
    legs = []
    names = {leg["outcome"] for leg in window["legs"]}
    line = None if window["line"] is None else F(window["line"], 1000)
    if not is_void and window["market"] == "h2h" and len(names) == 1 and "draw" not in names and score[0] == score[1]:
        # Backed and laid alone, nothing says what a draw of this market is.
        return None
    is_two_way = window["market"] == "h2h" and "draw" not in names
    for leg in window["legs"]:
        margins = [0, 0] if is_void else ahead(window["market"], leg["outcome"], line, is_two_way, *score)
        name = "void" if is_void else settlement(leg["side"], margins)
        legs.append((name, returned(leg["side"], F(leg["stake_share"]), odds_of(leg), margins)))
    return legs


def grading(window, report):
    legs = paid(window, report)
    grade = {"state": "open", "returned": None, "legs": [], "home": None, "away": None}
    if legs is not None:
        score = points(report, window, window["period"]) or (None, None)
        grade = {
            "state": "settled", "returned": float(sum(back for _, back in legs)),
            "legs": [{"settlement": name, "returned": float(back)} for name, back in legs],
            "home": score[0], "away": score[1],
        }
    return grade


def said(report):
    """What a report says, whichever side it names first."""
    is_first = (report["home"], report["away"]) <= (report["away"], report["home"])
    scores = [(it["period"], it["home"], it["away"]) if is_first else (it["period"], it["away"], it["home"]) for it in report["scores"]]
    return sorted((report["home"], report["away"])), sorted(scores), report["status"], report["ended"], report["starts_at"]


class Ledger:
    def __init__(self):
        self.clock, self.windows, self.reports, self.gradings = None, {}, {}, []

    def now(self, at):
        return at if self.clock is None else max(self.clock, at)

    def take(self, task):
        (kind, what), = task.items()
        getattr(self, kind)(what)

    def timer(self, at):
        self.clock = self.now(at)
        for _, report in sorted(self.reports.items(), key=lambda it: (it[1]["due"] or 0, it[0])):
            if report["due"] is not None and report["due"] <= at:
                self.publish(report)
        last = lambda start, taken: taken if start is None else max(start, taken)
        self.windows = {i: w for i, w in self.windows.items() if last(w["starts_at"], w["taken"]) + 14 * DAY > at}
        self.reports = {e: r for e, r in self.reports.items() if last(r["starts_at"], r["taken"]) + 30 * DAY > at}

    def window(self, window):
        if window["id"] in self.windows:
            return
        report = self.reports.get(window["event"])
        start = report and report["starts_at"]
        start = window["commence_time"] if start is None else start
        window = {**window, "starts_at": start, "taken": self.now(window["opened_at"]), "grades": []}
        self.windows[window["id"]] = window
        if not report or report["due"] is not None:
            return
        if report["status"] in PLAYED:
            if report["at"] < start:
                return
            if self.now(report["at"]) < start + window["least"]:
                report["due"] = start + window["least"]
                return
        self.grade(window, report)

    def result(self, report):
        known = self.reports.get(report["event"])
        start = report["starts_at"]
        if start is None and known:
            start = known["starts_at"]
        report = {**report, "starts_at": start}
        windows = [window for window in self.windows.values() if window["event"] == report["event"]]
        is_played = report["status"] in PLAYED
        begins = None
        if windows and is_played:
            newest, least = max((window["starts_at"], window["least"]) for window in windows)
            begins = newest if start is None else start
            if report["at"] < begins:
                return
        if known and known["due"] is not None and known["source"] != report["source"] and said(known) == said(report):
            newest = report if report["at"] >= known["at"] else {name: known[name] for name in report}
            self.reports[report["event"]] = {**known, **newest, "due": None}
            self.publish(self.reports[report["event"]])
            return
        if known and (report["at"] < known["at"] or all(known[name] == report[name] for name in report)):
            return
        due = None if begins is None or self.now(report["at"]) >= begins + least else begins + least
        if known and said(known) == said(report):
            due = known["due"]
        self.reports[report["event"]] = {**report, "taken": self.now(report["at"]), "due": due}
        if due is None:
            self.publish(self.reports[report["event"]])

    def publish(self, report):
        report["due"] = None
        for _, window in sorted(self.windows.items()):
            if window["event"] == report["event"]:
                if report["starts_at"] is not None:
                    window["starts_at"] = report["starts_at"]
                self.grade(window, report)

    def grade(self, window, report):
        next_grade = grading(window, report)
        before = window["grades"][-1] if window["grades"] else {"state": "open"}
        shown = lambda grade: [grade.get(name) for name in ("state", "home", "away")] + [[leg["settlement"] for leg in grade.get("legs", [])]]
        if shown(before) != shown(next_grade):
            window["grades"].append(next_grade)
            told = {"window": window["id"], "version": len(window["grades"]), **next_grade, "source": report["source"], "at": report["at"]}
            self.gradings.append(told)


def graded(tasks):
    ledger = Ledger()
    for task in tasks:
        ledger.take(task)
    return ledger.gradings


def random_window(rng, number, now):
    market = rng.choice(["h2h", "h2h", "h2h_3_way", "draw_no_bet", "spreads", "totals", "totals"])
    legs = legs_of(rng, market)
    line = {"totals": rng.randint(0, 28) * 250, "spreads": rng.randint(-14, 14) * 250}.get(market)
    parts = [rng.randint(1, 60) for _ in legs]
    leg = lambda name, side, part: {
        "outcome": name, "side": side, "implied_probability": rng.randint(10, 950) / 1000, "stake_share": part / 100,
    }
    return {
        "id": f"w{number}", "event": rng.choice("abc"), "market": market, "period": rng.choice(["full_time", "full_time", "h1"]), "line": line,
        "legs": [leg(name, side, part) for (name, side), part in zip(legs, parts)],
        "commence_time": now + rng.choice([rng.randint(-16, 4), rng.randint(-4, 40)]) * DAY // 48, "opened_at": now,
        "home": SIDES[0], "away": SIDES[1], "least": LEAST,
    }


def random_result(rng, now):
    status = rng.choice(["in_progress", "postponed", "finished", "finished", "finished", "finished", "abandoned", "cancelled"])
    h1, rest, extra = ([rng.randint(0, 2), rng.randint(0, 2)] for _ in range(3))
    ended = rng.choice(["regulation", "regulation", "regulation", None, "overtime"])
    regulation = [a + b for a, b in zip(h1, rest)]
    whole = regulation if ended == "regulation" else [a + b for a, b in zip(regulation, extra)]
    scores = [("full_time", whole), ("h1", h1)][: rng.randint(1, 2)] if status == "finished" else [("h1", h1)][: rng.randint(0, 1)]
    if status == "finished" and rng.random() < 0.3:
        scores.append(("regulation", regulation))
    names = list(rng.choice([SIDES, SIDES, SIDES, SIDES[::-1], ("Nørdby", "Elsewhere")]))
    turn = (lambda score: score[::-1]) if names[0] != SIDES[0] else (lambda score: score)
    return {
        "event": rng.choice("abc"), "status": status, "starts_at": rng.choice([None, None, now + rng.randint(-8, 30) * DAY // 8]),
        "scores": [{"period": period, "home": turn(score)[0], "away": turn(score)[1]} for period, score in scores],
        "source": rng.choice(["operator", "file"]), "at": now - rng.choice([0, 0, 0, DAY]), "home": names[0], "away": names[1], "ended": ended,
    }


def random_tasks(seed):
    """Windows and results of few events, some reported twice, earlier than known, or weeks late."""
    rng, now, tasks = random.Random(seed), 1_782_000_000_000_000, []
    for number in range(rng.randint(5, 60)):
        now += rng.choice([0, 1_000_000, 3_600_000_000, DAY // 2])
        kind = rng.choice(["window", "window", "result", "result", "result", "again", "timer"])
        if kind == "window":
            tasks.append({"window": random_window(rng, rng.randint(0, number), now)})
        elif kind == "result":
            tasks.append({"result": random_result(rng, now)})
        elif kind == "again" and tasks:
            again = rng.choice([task for task in tasks if "timer" not in task] or [{"timer": now}])
            if "result" in again and rng.random() < 0.5:
                again = {"result": {**again["result"], "source": rng.choice(["operator", "file"]), "at": now}}
            tasks.append(again)
        else:
            now += rng.choice([0, 0, DAY // 20, 15 * DAY])
            tasks.append({"timer": now})
    return tasks


def main():
    if "--cases" in sys.argv:
        for seed in range(80):
            tasks = random_tasks(seed)
            print(json.dumps({"tasks": tasks, "gradings": graded(tasks)}, separators=(",", ":")))
    else:
        for told in graded(json.loads(line) for line in sys.stdin):
            print(json.dumps(told))


if __name__ == "__main__":
    main()
