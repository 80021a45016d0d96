#!/usr/bin/env python3
"""A second opinion on every entry of the board, under the policy `board`: fees, lays, lines, stakes, flags.

Reads a transcript (JSON lines: a record of the tick topic that was the engine's `input`, and its `output` on the board) and writes one JSON
object: what was compared, and where the two differ. The entries come from the definitions alone (`world.py`, `covers.py`,
`fees.py`, `settling.py`, `flags.py`); what the engine says is only compared with them. It must not be bent to agree: settle a
difference by the definitions.
"""
import argparse
import itertools
import json
import math
import sys
import tomllib
from collections import Counter
from fractions import Fraction

import clauses
import covers
import fees
import flags
import native
import settling
import sizes
from world import World

ONE = 1_000_000
CLOSE = 1e-9
SHOWN = 20
# What time and other windows change without a word to an entry that stays as it is.
OF_THE_MOMENT = ("fresh", "plausible_margin", "plausible_price")


def difference(ours, theirs, path=""):
    """Where what the engine says is not what the opinion is; None where it is."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        inner = (difference(ours.get(name), value, f"{path}.{name}") for name, value in theirs.items())
        return next(filter(None, inner), None)
    if isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        inner = (difference(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(ours, theirs)))
        return next(filter(None, inner), None)
    if type(theirs) is float and type(ours) in (int, float) and is_close(ours, theirs):
        return None
    same = type(ours) is type(theirs) and ours == theirs
    return None if same else f"{path[1:]}: {ours}, and by the second opinion {theirs}"


def is_close(ours, theirs):
    return math.isclose(ours, theirs, rel_tol=CLOSE, abs_tol=CLOSE)


def leg_order(leg):
    return leg["outcome"], leg["side"], leg["book"]


class Judge:
    """The world by the records, the board by the entries, and what does not agree."""

    def __init__(self, books=None):
        self.world, self.books = World(), books or flags.default_books()
        self.arbs, self.open, self.proven = {}, {}, {}  # the last by the line, as is the first
        self.board, self.faults, self.count = {}, [], Counter()
        self.margins = []

    def record(self, told, said):
        """A record, and what the engine said of it."""
        ((kind, value),) = told.items()
        at = value["at"] if kind == "heartbeat" else value["received_at"]
        self.count["records"] += 1
        if not self.world.believes(at):
            if said:
                self.fault(kind, "it is too far ahead to be believed")
            return
        by_time = self.world.pass_time() if self.world.hear(value["source"], at) else set()
        self.close_by_time(by_time)
        self.look(by_time)
        last = {self.window(item): index for index, item in enumerate(said)}
        before = {self.line(item["entry"]) for index, item in enumerate(said) if last[self.window(item)] > index}
        early = {line: self.entry(line) for line in before if line in self.arbs}
        event = self.told(kind, value)
        self.look(event)
        for index, item in enumerate(said):
            self.said(item, early if last[self.window(item)] > index else None)
        self.compare_boards(by_time | event)
        for in_play, margin in self.margins:
            self.world.learnt.margins[in_play].add(margin)
        self.margins = []

    def told(self, kind, value):
        """The events that a record is about."""
        if kind != "heartbeat" and self.world.is_late(value["source"], value["received_at"]):
            return set()
        if kind == "frame":
            self.world.merge(value)
            return {value["event"]["id"]}
        return self.world.end_poll(value) if kind == "poll_end" else set()

    @staticmethod
    def window(item):
        """The id of the window that something was said of."""
        return item["gone"] if "gone" in item else item["entry"]["id"]

    @staticmethod
    def line(entry):
        return entry["event"]["id"], (entry["market"], entry["period"]), entry["line"]

    def close_by_time(self, events):
        """A window that has lost a leg by time alone closes: what the next best prices make is another one."""
        for line in [line for line in self.open if line[0] in events]:
            if not all(leg.quote.on_offer() for leg in self.arbs[line][0].legs):
                del self.open[line]

    def look(self, events):
        """Finds the arbs of some events anew."""
        if not events:
            return
        for event in events:
            for line in [line for line in self.arbs if line[0] == event]:
                del self.arbs[line]
            for (market, line), legs in self.offers(event).items():
                self.find((event, market, line), legs)
        for line in [line for line in self.open if line not in self.arbs]:
            del self.open[line]

    def find(self, line, legs):
        """The arb of a line, if it has one, and whether this is the first time that it is proven."""
        event, (family, period), _ = line
        league, listed = self.world.events[event]["league"], self.listed(line)
        wanted, only_refunds = covers.outcome_set(family, period, league, any(book in self.books.books for book in listed))
        counts = lambda leg: not only_refunds or covers.settles_level(leg.book, league, period, self.books)
        arb = covers.chosen(legs, wanted, self.books, self.bet(line), listed, counts)
        if arb is None:
            return
        self.arbs[line] = (arb, legs)
        if self.open.get(line, (None,))[0] != arb.about:
            self.open[line] = (arb.about, False)
        if self.simultaneous(arb) and not self.open[line][1]:
            self.open[line] = (arb.about, True)
            self.margins.append((self.world.in_play(event), float(1 / arb.implied - 1)))

    def listed(self, line):
        """The books that have listed a draw in the market of a line."""
        return self.world.listed.get((line[0], line[1]), frozenset())

    def bet(self, line):
        """(league, market, period, line) of a line."""
        event, market, number = line
        return self.world.events[event]["league"], *market, number

    def offers(self, event):
        """{(market, line): [Leg]} of what is on offer, after fees."""
        found = {}
        on, league = covers.day(self.world.now()), self.world.events[event]["league"]
        for (market, line, outcome, side, book), quote in self.world.quotes.get(event, {}).items():
            rule = fees.fee(self.books.books.get(book), book, league, on)
            left = fees.effective(rule, side, self.native(book, side, quote))
            if quote.on_offer() and left is not None:
                found.setdefault((market, line), []).append(covers.Leg(outcome, side, book, quote.price, left, quote))
        return found

    def native(self, book, side, quote):
        """The worst price of the book's own form that is written as a quote's."""
        return native.worst(self.books.native.get(book), quote.form, side, quote.price)

    @staticmethod
    def simultaneous(arb):
        return max(leg.quote.start for leg in arb.legs) <= min(leg.quote.end for leg in arb.legs)

    def flags(self, line, margin_rounded):
        """{flag: bool} of an arb, as this moment knows."""
        arb, offers = self.arbs[line]
        world, names = self.world, [leg.book for leg in arb.legs]
        now, has_draw = world.now(), arb.has_draw
        return {
            "simultaneous": self.simultaneous(arb),
            "fresh": all(now - leg.quote.last_seen <= world.learnt.interval(leg.book) for leg in arb.legs),
            "active": not any(leg.quote.suspended for leg in arb.legs),
            "same_line": True,  # by how it was found
            "same_rules": self.books.are_paid_alike(names, *self.bet(line), has_draw, self.listed(line)),
            "independent_operators": len({self.books.operator(book) for book in names}) == len(names),
            "plausible_price": not any(covers.is_off_consensus(leg, offers, self.books) for leg in arb.legs),
            "plausible_margin": float(1 / arb.implied - 1) <= world.learnt.highest_margin(world.in_play(line[0])),
            "stakeable": margin_rounded is not None and margin_rounded > 0,
        }

    def entry(self, line):
        """What the board must say of a line."""
        arb = self.arbs[line][0]
        event, (family, period), number = line
        legs, info = arb.legs, self.world.events[event]
        shares = [1 / (leg.effective * arb.implied) * ONE for leg in legs]
        bets = tuple(settling.Bet(*leg[:2], leg.price, leg.effective, self.books.size(leg.book)) for leg in legs)
        levels = covers.levels(arb, family, period, info["league"], self.books, self.listed(line))
        worst, stakes, rounded = settling.outcome_of(bets, family, number, levels)
        held = self.flags(line, rounded)
        void = clauses.apart([self.books.stated(leg.book) for leg in legs], info["league"], family) if held["same_rules"] else None
        said = [self.leg(leg, share, stake) for leg, share, stake in zip(legs, shares, stakes or [None] * len(legs))]
        return {
            "event": {name: info[name] for name in ("id", "sport", "league", "home", "away", "commence_time")},
            **{"in_play": self.world.in_play(event), "kind": "surebet", "market": family, "period": period, "line": number},
            **{"implied_probability": float(arb.implied), "margin": float(1 / arb.implied - 1)},
            **{"margin_worst": float(worst), "margin_rounded": None if rounded is None else float(rounded)},
            **{"legs": sorted(said, key=leg_order), "simultaneous": held["simultaneous"]},
            "warnings": ["push_possible"] * (abs(worst) < covers.NOISE)
            + ["half_push_possible"] * (number is not None and number % 500 == 250)
            + ["limit_unknown"]
            + ["least_stake_unknown"] * any(not sizes.is_known(self.books.sizes.get(leg.book)) for leg in legs)
            + ["void_rules_differ"] * (void is not None),
            **{"void_clause": void, "void_loss_max": None if void is None else self.void_loss(arb, bets, line, levels)},
            **{"total_stake_max": None, "currency": covers.agreed_currency(legs, self.books)},
            **{"verified": all(held.values()), "verification": held, "passed_over": self.passed_over(arb.passed)},
        }

    def void_loss(self, arb, bets, line, levels):
        """The most of the total that is lost when some legs are void, each as its book states, and the others are settled in any way."""
        league, family, _, number = self.bet(line)
        shares = [1 / (leg.effective * arb.implied) * ONE for leg in arb.legs]
        voids = [clauses.void_pays(self.books.stated(leg.book), league, family, Fraction(leg.effective, ONE)) for leg in arb.legs]
        paid = []
        for way in settling.states(bets, family, number, levels):
            settled = [settling.pays(end, bet.effective) for end, bet in zip(way, bets)]
            for choice in itertools.product((False, True), repeat=len(bets)):
                if any(choice):
                    pays = [void if chosen else end for chosen, void, end in zip(choice, voids, settled)]
                    paid.append(sum(share * pay for share, pay in zip(shares, pays)))
        return float(max(0, 1 - min(paid)))

    @staticmethod
    def passed_over(passed):
        """A cheaper cover of bets that are not eligible, in the words of the board."""
        if passed is None:
            return None
        said = [{name: getattr(leg, name) for name in ("outcome", "side", "book", "price")} for leg in passed.legs]
        margin = float(1 / passed.implied - 1)
        return {"margin": margin, "legs": sorted(said, key=leg_order), "failed_check": {"flag": passed.flag}}

    def leg(self, leg, share, stake):
        """A leg in the words of the board; a lay's liability is rounded up to what can be paid."""
        lays = leg.side == "lay" and stake is not None
        return {
            **{"outcome": leg.outcome, "side": leg.side, "book": leg.book, "operator": self.books.operator(leg.book)},
            **{"price": leg.price, "effective_price": leg.effective, "implied_probability": ONE / leg.effective},
            "rounded": self.native(leg.book, leg.side, leg.quote) != leg.price,
            **{"stake_share": float(share), "stake": stake and math.ceil(stake), "limit": None},
            "liability": math.ceil(settling.risk(leg, stake)) if lays else None,
            **{"last_seen_at": leg.quote.end, "price_moved_at": leg.quote.moved},
        }

    def said(self, item, early):
        """Something that the engine said: an entry is judged, at once or by how things stood before the record's own news."""
        if "gone" in item:
            if self.board.pop(item["gone"], None) is None:
                self.fault(item["gone"], "it was not open")
            return
        entry = item["entry"]
        line = self.line(entry)
        self.board[entry["id"]] = entry
        due = early.get(line) if early is not None else self.entry(line) if line in self.arbs else None
        self.count["entries"] += 1
        if due is None:
            self.fault(line, "there is no arb by the second opinion", entry)
        else:
            self.compare(line, entry, due)
            self.tally(entry)

    @staticmethod
    def leave(flags_left, due, entry):
        """What is due, but for flags of which the engine's word is taken."""
        held = {**due["verification"], **{flag: entry["verification"][flag] for flag in flags_left}}
        return {**due, "verification": held, "verified": all(held.values())}

    def compare(self, line, entry, due):
        if is_close(due["margin"], self.world.learnt.highest_margin(due["in_play"])):  # the last bit would decide
            due = self.leave(("plausible_margin",), due, entry)
        entry = {**entry, "legs": sorted(entry["legs"], key=leg_order)}
        if entry.get("passed_over"):
            passed = entry["passed_over"]
            entry["passed_over"] = {**passed, "legs": sorted(passed["legs"], key=leg_order)}
        found = difference(entry, due)
        held = entry["verification"]
        doubted = [doubt["flag"] for doubt in entry["failed_checks"]]
        if found is None and doubted != [flag for flag in flags.FLAGS if not held[flag]]:
            found = f"failed_checks are {doubted}"
        score = max(entry["margin_rounded"] or 0.0, 0.0) * entry["execution_probability"]  # what loses is not taken
        if found is None and not is_close(entry["score"], score):
            found = f"score is {entry['score']}, the rounded margin times the probability {score}"
        if found:
            self.fault(line, found, entry)

    def tally(self, entry):
        """What kinds of entries were compared."""
        legs = entry["legs"]
        self.count["with a lay"] += any(leg["side"] == "lay" for leg in legs)
        self.count["with a rounded price"] += any(leg["rounded"] for leg in legs)
        self.count["with a fee"] += any(leg["effective_price"] != leg["price"] for leg in legs if leg["side"] == "back")
        self.count["three legs"] += len(legs) == 3
        self.count["with a push"] += entry["margin_worst"] < entry["margin"] - CLOSE
        self.count["verified"] += entry["verified"]
        self.count["passed over"] += entry["passed_over"] is not None
        for flag, holds in entry["verification"].items():
            self.count[f"{flag}: {str(holds).lower()}"] += 1

    def compare_boards(self, events):
        """Whether the windows of these events are those that there must be, as they must be, whatever was said of them now."""
        ours = {self.line(entry): entry for entry in self.board.values() if entry["event"]["id"] in events}
        theirs = {line for line in self.arbs if line[0] in events}
        if len(ours) != sum(entry["event"]["id"] in events for entry in self.board.values()):
            self.fault(sorted(events), "two windows are of one line")
        for line in theirs ^ set(ours):
            by = "engine" if line in ours else "second opinion"
            self.fault(line, f"is open only by the {by}", ours.get(line) or self.entry(line))
        for line in theirs & set(ours):
            due, entry = self.entry(line), ours[line]
            self.compare(line, entry, self.leave(OF_THE_MOMENT, due, entry))
            self.count["looks at what is open"] += 1

    def fault(self, what, problem, entry=None):
        self.count["differences"] += 1
        if len(self.faults) < SHOWN:
            self.faults.append({"at": self.world.watermark, "what": str(what), "problem": problem, "entry": entry})


def judged(lines, books=None):
    """What is to be said of a transcript."""
    judge = Judge(books)
    for text in lines:
        line = json.loads(text)
        judge.record(line["input"], line["output"])
    return {"compared": dict(sorted(judge.count.items())), "differences": judge.faults}


def main():
    parser = argparse.ArgumentParser(description="A second opinion on every entry of a transcript of the engine.")
    parser.add_argument("--books", metavar="FILE", help="a table of books that is not the one that ships")
    options = parser.parse_args()
    books = flags.Books(tomllib.loads(open(options.books, encoding="utf-8").read())) if options.books else None
    print(json.dumps(judged(sys.stdin, books)))


if __name__ == "__main__":
    main()
