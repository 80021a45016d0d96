#!/usr/bin/env python3
"""An independent oracle for the arbitrage engine: the raw windows and the board of a recording.

It is written from the definitions only (`domain.md`: Words, Times, Arithmetic, Arb board entry, Simultaneity,
Evaluation, Reading The Odds API), in the plainest way, and exists to disagree with the engine when one of the two
is wrong. It must never import, call, translate or mirror the Rust code, and must not be bent to agree with it:
settle a difference by the definitions. It reads an uncompressed recording, one poll a line, from standard input:

    oracle.py windows [--format american|decimal]
    oracle.py board --until T1,T2,... [--format american|decimal]

and writes one JSON object a raw window, or a stop. Inside, times are integer microseconds since the epoch (UTC),
prices integer millionths of decimal odds rounded down, lines floats (multiples of a quarter are exact).
"""
import argparse
import functools
import json
import math
import re
import sys
from collections import namedtuple
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import flags
import native

OUTCOMES = {"h2h": ("home", "draw", "away"), "spreads": ("home", "away"), "totals": ("over", "under")}  # in leg order
BROKEN = object()  # in the place of what is no JSON
ONE = 1_000_000  # the price 1 in millionths
HIGHEST_PRICE = 1001 * ONE
OPEN_BELOW = 1 - 1e-9
FUTURE_AFTER = 5_000_000  # microseconds
NUMBERS = (int, Decimal)  # the types of JSON numbers here; compared by type(), as a bool is an int
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d"
RFC_3339 = re.compile(rf"(\d{{4}}-\d\d-\d\d)[Tt]({CLOCK}:[0-5]\d)(?:\.(\d+))?([Zz]|[+-]{CLOCK})", re.ASCII)

Quote = namedtuple("Quote", "price last_seen start end")  # a price on offer after a poll, with its span
Leg = namedtuple("Leg", "outcome book quote")
Arb = namedtuple("Arb", "legs implied_probability margin simultaneous")


@functools.lru_cache(maxsize=1 << 16)
def parse_instant(text):
    """Microseconds since the epoch of an RFC 3339 time, None when it is not one."""
    match = RFC_3339.fullmatch(text)
    if not match:
        return None
    date, time, fraction, offset = match.groups()
    try:
        since = datetime.fromisoformat(date + "T" + time + (offset if offset not in "Zz" else "+00:00")) - EPOCH
    except ValueError:
        return None
    return since // timedelta(microseconds=1) + int(((fraction or "") + "000000")[:6])


def format_instant(instant):
    """RFC 3339 in UTC, with a fraction only when there is one."""
    return f"{EPOCH + timedelta(microseconds=instant):%Y-%m-%dT%H:%M:%S.%f}".rstrip("0").rstrip(".") + "Z"


@functools.lru_cache(maxsize=1 << 16)
def parse_price(odds, form):
    """Millionths of decimal odds, None when they must be dropped. American +a is 1 + a / 100, -a is 1 + 100 / a."""
    if not -(10**8) <= odds <= 10**8:  # dropped in both formats; what is left fits exact arithmetic
        return None
    if form == "decimal":
        numerator, denominator = odds.as_integer_ratio() if odds > 1 else (0, 1)
        price = numerator * ONE // denominator
    elif abs(int(odds)) < 100 or int(odds) != odds:
        return None
    else:
        price = ONE + (int(odds) * 10**4 if odds > 0 else 10**8 // -int(odds))
    return price if ONE < price <= HIGHEST_PRICE else None


def field(entry, name, kind=str):
    """A field, None when it is missing or of another type."""
    value = entry.get(name)
    return value if isinstance(value, kind) else None


def instant_field(entry, name):
    return parse_instant(field(entry, name) or "")


def pairs(items):
    """An object; one that names a key twice is broken."""
    found = dict(items)
    return found if len(found) == len(items) else {**found, "": BROKEN}


def is_broken(value):
    """Whether there is anything in it that is not JSON, or beyond the numbers that have a double."""
    if isinstance(value, dict):
        return any(map(is_broken, value.values()))
    if isinstance(value, list):
        return any(map(is_broken, value))
    if isinstance(value, str):
        return "\ufffd" in value
    return value is BROKEN or (isinstance(value, Decimal) and abs(value) > sys.float_info.max)


def entries(parent, name):
    """The objects in a list field."""
    return [entry for entry in field(parent, name, list) or () if isinstance(entry, dict)]


def read_outcome(entry, market, names, form):
    """(line, outcome, price), None when it must be dropped."""
    outcome, odds, point = names.get(field(entry, "name")), entry.get("price"), entry.get("point")
    price = parse_price(odds, form) if outcome and type(odds) in NUMBERS else None
    if price is None:
        return None
    if market == "h2h":
        return None, outcome, price
    line = float(str(point)) if type(point) in NUMBERS else math.inf  # str(), as float() of a huge int raises
    if math.isinf(line):
        return None
    return (-line if outcome == "away" else line) + 0.0, outcome, price  # + 0.0 turns -0.0 into 0.0


def read_event(event, home, away, latest, form):
    """Yields ((market, line, outcome, book), (price, last_seen)) of all that was not seen after `latest`."""
    teams = {away: "away", home: "home"}
    names = {"h2h": {"Draw": "draw", **teams}, "spreads": teams, "totals": {"Over": "over", "Under": "under"}}
    for bookmaker in entries(event, "bookmakers"):
        book, book_seen = field(bookmaker, "key"), instant_field(bookmaker, "last_update")
        for entry in entries(bookmaker, "markets"):
            market, seen = field(entry, "key"), instant_field(entry, "last_update")
            seen = book_seen if seen is None else seen
            if book is None or market not in OUTCOMES or seen is None or seen > latest:
                continue
            found = (read_outcome(outcome, market, names[market], form) for outcome in entries(entry, "outcomes"))
            for line, outcome, price in filter(None, found):
                yield (market, line, outcome, book), (price, seen)


def read_poll(poll, polled_at, form):
    """(commence time by event, (price, last_seen) by (event, market, line, outcome, book))."""
    commence, seen = {}, {}
    for event in entries(poll, "events"):
        if is_broken(event):
            continue
        name, home, away = (field(event, key) for key in ("id", "home_team", "away_team"))
        starts = instant_field(event, "commence_time")
        if None in (name, home, away, starts):
            continue
        commence[name] = starts
        for key, price_and_time in read_event(event, home, away, polled_at + FUTURE_AFTER, form):
            held = seen.get((name, *key))
            if held is None or price_and_time[1] >= held[1]:  # the newest wins, of equal ones the last entry
                seen[(name, *key)] = price_and_time
    return commence, seen


def accepted_polls(lines):
    """Yields (polled_at, poll) of each line that is a poll and not late."""
    last = -math.inf
    for line in lines:
        try:  # NaN and Infinity are not JSON: they cost the event that they are in
            text = line.decode("utf-8", "replace").removeprefix("\ufeff")
            poll = json.loads(text, parse_float=Decimal, parse_constant=lambda _: BROKEN, object_pairs_hook=pairs)
        except (ValueError, ArithmeticError, RecursionError):
            continue
        is_poll = isinstance(poll, dict) and field(poll, "events", list) is not None  # a broken answer is no empty one
        polled_at = instant_field(poll, "polled_at") if is_poll else None
        if polled_at is not None and polled_at > last:
            last = polled_at
            yield polled_at, poll


def extend_spans(before, seen):
    """The quotes after a poll. A span goes on while its price is there, unchanged, poll after poll."""
    after = {}
    for key, (price, time) in seen.items():
        old = before.get(key)
        start, end = (old.start, max(old.end, time)) if old and old.price == price else (time, time)
        after[key] = Quote(price, time, start, end)
    return after


def offers(quotes):
    """{(event, market, line): [Leg]} of all that is on offer."""
    lines = {}
    for (event, market, line, outcome, book), quote in quotes.items():
        lines.setdefault((event, market, line), []).append(Leg(outcome, book, quote))
    return lines


def best_legs(legs):
    """The best Leg by outcome; ties go to the smallest book key."""
    best = {}
    for leg in legs:
        held = best.get(leg.outcome)
        if held is None or (-leg.quote.price, leg.book) < (-held.quote.price, held.book):
            best[leg.outcome] = leg
    return best


def cover(legs, wanted):
    """The Arb that the best prices of a complete set make, None when they make none."""
    best = best_legs(legs)
    legs = [best[outcome] for outcome in wanted if outcome in best]
    implied = sum(ONE / leg.quote.price for leg in legs)
    if len(legs) < len(wanted) or implied >= OPEN_BELOW:
        return None
    simultaneous = max(leg.quote.start for leg in legs) <= min(leg.quote.end for leg in legs)
    return Arb(legs, implied, 1 / implied - 1, simultaneous)


def open_arbs(lines, books):
    """{(event, market, line): Arb} of every line that has one: in the currency in which it is cheapest."""
    arbs = {}
    for key, legs in lines.items():
        offered = {leg.outcome for leg in legs}
        wanted = [o for o in OUTCOMES[key[1]] if o != "draw" or o in offered]  # three-way when anyone offers a Draw
        covers = (cover(payable, wanted) for payable in books.by_currency(legs))
        cheapest = min(filter(None, covers), key=lambda arb: arb.implied_probability, default=None)
        if cheapest:
            arbs[key] = cheapest
    return dict(sorted(arbs.items()))  # only h2h has no line, so None is never compared


def profit(lead, odds):
    """Profit on a stake of 1 that wins when the score, its line added, leads. A quarter line is two half bets."""
    if lead * 4 % 2 == 1:
        return (profit(lead - 0.25, odds) + profit(lead + 0.25, odds)) / 2
    return odds - 1 if lead > 0 else -1.0 if lead < 0 else 0.0


def settle(market, line, outcome, odds, state):
    """Profit on a stake of 1. The state is the winner (h2h), the home side's lead (spreads) or the total."""
    if market == "h2h":
        return profit(1 if outcome == state else -1, odds)
    lead = state + line if market == "spreads" else state - line
    return profit(lead if outcome in ("home", "over") else -lead, odds)


def margin_worst(market, line, arb):
    """Least profit on a total stake of 1, in stake shares, over all states in which the bets can be settled."""
    bets = [(o, quote.price / ONE, ONE / quote.price / arb.implied_probability) for o, _, quote in arb.legs]
    middle = math.floor(-line if market == "spreads" else line or 0)
    states = [leg.outcome for leg in arb.legs] if market == "h2h" else range(middle - 2, middle + 4)
    return min(sum(stake * settle(market, line, o, odds, state) for o, odds, stake in bets) for state in states)


class Standing:
    """The bets of a verdict that no later sight of them has answered yet: a window's, as it opened or was first verified."""

    def __init__(self, at, legs):
        self.at = max([at, *(leg.quote.end for leg in legs)])  # what was seen by then answers nothing
        self.after, self.stands = 0, True
        self.waiting = {(leg.outcome, leg.book): leg.quote.price for leg in legs}

    def look(self, quotes, polled_at):
        """A bet that is gone, or seen after the verdict at a lower price, ends the wait."""
        for leg, price in list(self.waiting.items()):
            quote = quotes[leg]
            if quote is not None and quote.end <= self.at:
                continue
            if quote is None or quote.price < price:
                seen = polled_at if quote is None else quote.end
                self.after, self.stands, self.waiting = max(seen - self.at, 0), False, {}
                return
            self.after = max(self.after, quote.end - self.at)
            del self.waiting[leg]

    def answer(self):
        return None if self.waiting else (self.stands, self.after)


def bet_order(key):
    """By line and outcome."""
    _, market, line, outcome, _ = key
    return -math.inf if line is None else line, OUTCOMES[market].index(outcome)


class Replay:
    """The world after a poll, and the raw windows so far, as they are written."""

    def __init__(self, form, books=None):
        self.form, self.polled_at, self.in_play, self.leagues, self.quotes, self.arbs = form, None, {}, {}, {}, {}
        self.open, self.windows, self.standing = {}, [], {}
        self.books, self.learnt, self.judged = books or flags.default_books(), flags.Learnt(), {}

    def apply(self, polled_at, poll):
        self.polled_at = format_instant(polled_at)
        commence, seen = read_poll(poll, polled_at, self.form)
        self.leagues = {event.get("id"): event.get("sport_key", "") for event in entries(poll, "events")}
        self.in_play = {event: polled_at >= starts for event, starts in commence.items()}
        before, self.quotes = self.quotes, extend_spans(self.quotes, seen)
        lines = offers(self.quotes)
        self.arbs = open_arbs(lines, self.books)
        self.judge(lines, polled_at)
        self.learn(before, polled_at)
        self.look_at_standing(polled_at)
        for key in [key for key in self.open if key not in self.arbs]:
            self.open[key].update(closed_at=self.polled_at, **self.stood(key))
            del self.open[key]
        for key, arb in self.arbs.items():
            if key not in self.open:
                self.open[key] = self.new_window(key, arb)
                self.windows.append(self.open[key])
            window = self.open[key]
            window.update(last_open_at=self.polled_at, polls=window["polls"] + 1)
            window["margin_peak"] = max(window["margin_peak"], arb.margin)
            window["simultaneous_ever"] |= arb.simultaneous
            window["verified_ever"] |= self.is_verified(key)
            for verdict, holds in (("stood", True), ("verified_stood", self.is_verified(key))):
                if holds:
                    self.standing.setdefault((key, verdict), Standing(polled_at, arb.legs))

    def look_at_standing(self, polled_at):
        """Whether the bets of a verdict were there, or better, when their source saw them next."""
        for (key, _), standing in self.standing.items():
            standing.look({leg: self.quotes.get((*key, *leg)) for leg in standing.waiting}, polled_at)

    def stood(self, key):
        """What a window that closes says of it."""
        said = {verdict: self.standing.pop((key, verdict), None) for verdict in ("stood", "verified_stood")}
        answers = {verdict: standing.answer() if standing else None for verdict, standing in said.items()}
        return {
            **{verdict: answer and answer[0] for verdict, answer in answers.items()},
            **{f"{verdict}_after_seconds": answer and answer[1] / flags.SECOND for verdict, answer in answers.items()},
        }

    def judge(self, lines, polled_at):
        """{key: ({flag: bool}, stakes, margin_rounded)} of what is open, by what polls before this one taught."""
        world = polled_at, self.learnt, self.books
        self.judged = {k: flags.verify(arb, lines[k], self.bet(*k), self.in_play[k[0]], *world) for k, arb in self.arbs.items()}

    def bet(self, event, market, line):
        """(league, market, line in thousandths) of an arb."""
        return self.leagues[event], market, None if line is None else round(line * 1000)

    def is_verified(self, key):
        return all(self.judged[key][0].values())

    def learn(self, before, polled_at):  # as one partition does
        """Later polls are judged by what this one taught: how old prices came to be, which margins were proven."""
        told = {}  # of each book and market of an event one age: that of the first line and outcome
        for key in sorted(self.quotes, key=bet_order):
            if key in before and self.quotes[key].last_seen > before[key].last_seen:
                event, market, _, _, book = key
                told.setdefault((event, market, book), polled_at - before[key].last_seen)
        for (_, _, book), age in told.items():
            self.learnt.confirmed(book, age)
        for key, arb in self.arbs.items():
            if arb.simultaneous and not (key in self.open and self.open[key]["simultaneous_ever"]):
                self.learnt.margins[self.in_play[key[0]]].add(arb.margin)

    def new_window(self, key, arb):
        return {
            **dict(zip(("event", "market", "line"), key)),
            **{"opened_at": self.polled_at, "last_open_at": None, "closed_at": None, "in_play": self.in_play[key[0]]},
            **{"margin_open": arb.margin, "margin_peak": arb.margin, "polls": 0},
            **{"simultaneous_at_open": arb.simultaneous, "simultaneous_ever": False},
            **{"verified_at_open": self.is_verified(key), "verified_ever": False, "ttl_seconds_at_open": None},
            "failed_at_open": [flag for flag, holds in self.judged[key][0].items() if not holds],
            **{"stood": None, "verified_stood": None, "stood_after_seconds": None, "verified_stood_after_seconds": None},
            "legs": [{"outcome": o, "book": book, "price": quote.price / ONE} for o, book, quote in arb.legs],
        }

    def board_entry(self, key):
        arb, total = self.arbs[key], self.arbs[key].implied_probability
        held, stakes, margin_rounded = self.judged[key]
        entry = dict(zip(("event", "market", "line"), key), in_play=self.in_play[key[0]])
        entry.update(opened_at=self.open[key]["opened_at"], implied_probability=total)
        entry.update(margin=arb.margin, margin_worst=margin_worst(key[1], key[2], arb))
        entry.update(margin_rounded=margin_rounded, verified=self.is_verified(key), verification=held)
        entry["legs"] = [self.board_leg(leg, total, stake) for leg, stake in zip(arb.legs, stakes or [None] * len(arb.legs))]
        return entry

    def board_leg(self, leg, total, stake):
        outcome, book, quote = leg
        share = {"implied_probability": ONE / quote.price, "stake_share": ONE / quote.price / total}
        said = {"outcome": outcome, "book": book, "operator": self.books.operator(book), "price": quote.price / ONE}
        said.update(share, stake=None if stake is None else stake / 100)
        said["rounded"] = native.worst(self.books.native.get(book), self.form, "back", quote.price) != quote.price
        return {**said, "last_seen_at": format_instant(quote.last_seen)}

    def board(self, until):
        arbs = [self.board_entry(key) for key in self.arbs]
        return {"until": format_instant(until), "polled_at": self.polled_at, "arbs": arbs}


def windows(lines, form):
    """All raw windows. They come in the order asked for: by opening poll, and in one poll by event, market and line."""
    replay = Replay(form)
    for polled_at, poll in accepted_polls(lines):
        replay.apply(polled_at, poll)
    return replay.windows


def boards(lines, stops, form):
    """The board at each stop, in time order: the arbs open after the last accepted poll at or before it."""
    replay, waiting = Replay(form), sorted(stops)
    for polled_at, poll in accepted_polls(lines):
        while waiting and waiting[0] < polled_at:
            yield replay.board(waiting.pop(0))
        if not waiting:
            return
        replay.apply(polled_at, poll)
    yield from map(replay.board, waiting)


def main():
    parser = argparse.ArgumentParser(description="The raw windows or boards of a recording, from the definitions.")
    parser.add_argument("command", choices=("windows", "board"))
    parser.add_argument("--format", choices=("american", "decimal"), default="american")
    parser.add_argument("--until", metavar="T1,T2,...", help="the stops of a board, RFC 3339")
    options, lines = parser.parse_args(), sys.stdin.buffer
    stops = [parse_instant(text) for text in options.until.split(",")] if options.until else []
    if bool(stops) != (options.command == "board") or None in stops:
        parser.error("a board needs --until with RFC 3339 times, and only a board")
    for item in boards(lines, stops, options.format) if stops else windows(lines, options.format):
        print(json.dumps(item, separators=(",", ":")))
    for _ in lines:  # read to the end, so that whoever writes to us sees no broken pipe
        pass


if __name__ == "__main__":
    main()
