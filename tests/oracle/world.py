"""What is on offer, by the records of the tick topic alone, under the policy `board`: the world of the second opinion.

Written from the definitions only (`domain.md`: Words, Times, Simultaneity; ARCHITECTURE.md: "How it decides"). It must never follow
the Rust code, and reads none of what the engine says. Times are integer microseconds, prices integer millionths, lines integer
thousandths.
"""
import dataclasses
import math

import clauses
import flags

SECOND = 1_000_000
BEHIND = 5 * SECOND  # the watermark, behind the latest word; and how far after `received_at` a price is of the future
IDLE = 60 * SECOND
AHEAD, INSISTED = 3600 * SECOND, 10 * SECOND  # who is so far ahead is believed after so long alone
STALE_UNTAUGHT = 1800 * SECOND
STALE_BOUNDS = 30 * SECOND, 86_400 * SECOND
FAMILIES = ("h2h", "h2h_3_way", "draw_no_bet", "spreads", "totals")
ALTERNATES = {"alternate_spreads": "spreads", "alternate_totals": "totals"}
PERIODS = ("h1", "h2", "q1", "q2", "q3", "q4", "p1", "p2", "p3")
OUTCOMES = {"spreads": ("home", "away"), "totals": ("over", "under"), "draw_no_bet": ("home", "away")}
THREE_WAY = ("home", "draw", "away")
ORDER = (*THREE_WAY, "over", "under")
WINNER, REGULATION = ("h2h", "full_time"), ("h2h_3_way", "full_time")


class Fading(flags.Histogram):
    """One in which old samples fade: there are never more than so many, or all counts are halved."""

    MOST = 4096

    def add(self, value):
        super().add(value)
        if self.total > self.MOST:
            self.counts = [count // 2 for count in self.counts]
            self.total = sum(self.counts)


@dataclasses.dataclass
class Quote:
    """The latest tick of a bet at a book, with the span of its price."""

    price: int
    last_seen: int
    start: int
    end: int
    suspended: bool
    moved: int
    form: str = "unknown"  # how its source writes prices
    stale: bool = False
    started: bool = False

    def on_offer(self):
        return not (self.suspended or self.stale or self.started)


def market_of(key):
    """(family, period), None for a market that no catalogue has."""
    if key in ALTERNATES or key in FAMILIES:
        return ALTERNATES.get(key, key), "full_time"
    family, _, period = key.rpartition("_")
    family = ALTERNATES.get(family, family)
    return (family, period) if family in FAMILIES and period in PERIODS else None


class World:
    """Events, their quotes, the watermark, and what books have taught."""

    def __init__(self):
        self.events, self.quotes = {}, {}  # the latter by event, then by (market, line, outcome, side, book)
        self.heard, self.watermark, self.ahead_since = {}, None, None
        self.due = None  # when time can change something; None is not known
        self.learnt, self.lessons = flags.Learnt(Fading), {}
        self.listed = {}  # by (event, market): the books that have listed a draw in it
        self.poll, self.polled = {}, {}  # of each source: the events that its poll has named until now; its last whole poll

    def stale_after(self, book):
        learnt = self.learnt.ages[book].quantile(95) if book in self.learnt.ages else None
        least, most = STALE_BOUNDS
        return STALE_UNTAUGHT if learnt is None else min(max(2 * learnt, least), most)

    def now(self):
        """The latest word of anyone: ages are as of then, while what time takes away is as of the watermark."""
        return max(self.heard.values())

    def in_play(self, event):
        return self.watermark >= self.events[event]["commence_time"]

    def believes(self, at):
        """Whether a record is not too far ahead of all before it, or has been so together with others for long enough."""
        if not self.heard or at - max(self.heard.values()) <= AHEAD:
            self.ahead_since = None
            return True
        self.ahead_since = at if self.ahead_since is None else self.ahead_since
        return at - self.ahead_since >= INSISTED

    def is_late(self, source, received_at):
        return received_at <= self.polled.get(source, -math.inf)

    def hear(self, source, at):
        """Takes note of a source's word; whether the watermark has come to another second."""
        self.heard[source] = max(at, self.heard.get(source, at))
        latest = max(self.heard.values())
        new = min(heard for heard in self.heard.values() if latest - heard <= IDLE) - BEHIND
        old, self.watermark = self.watermark, new if self.watermark is None else max(new, self.watermark)
        return old is None or self.watermark // SECOND > old // SECOND

    def pass_time(self):
        """The events of which something was stale or begun by now. First what was heard until now is learnt."""
        changed = set()
        self.learn()
        if self.due is not None and self.watermark < self.due:
            return changed
        for event, quotes in self.quotes.items():
            if self.in_play(event) != self.events[event]["in_play"]:
                self.events[event]["in_play"] = self.in_play(event)
                changed.add(event)
            for key, quote in quotes.items():
                if self.ages(event, key, quote):
                    changed.add(event)
        self.due = self.next_due()
        return changed

    def next_due(self):
        """The first time at which something is stale or begins, from now on."""
        starts = [self.events[event]["commence_time"] for event in self.quotes if not self.in_play(event)]
        stale = [q.last_seen + self.stale_after(k[-1]) for quotes in self.quotes.values() for k, q in quotes.items() if not q.stale]
        return min(starts + stale, default=math.inf)

    def ages(self, event, key, quote):
        """Whether time takes this quote off the board."""
        was = quote.on_offer()
        quote.stale = quote.stale or self.watermark - quote.last_seen > self.stale_after(key[-1])
        start = self.events[event]["commence_time"]
        quote.started = quote.started or (self.watermark >= start and quote.last_seen < start)
        return was != quote.on_offer()

    def merge(self, frame):
        """A frame as a whole: what it says, and what it covers and does not name."""
        self.due = None
        event = frame["event"]["id"]
        self.events[event] = dict(frame["event"])
        self.events[event]["in_play"] = self.in_play(event)
        if frame["poll_index"] is not None:
            self.poll.setdefault(frame["source"], set()).add(event)
        quotes, named = self.quotes.setdefault(event, {}), set()
        ticks = [(offer, tick) for offer in frame["offers"] for tick in offer["ticks"] if is_taken(offer, frame["received_at"])]
        self.take_draws(event, ticks)
        for offer, tick in sorted(ticks, key=bet_order):
            market = self.market_of(event, offer)
            key = (market, tick["line"], tick["outcome"], tick["side"], offer["book"])
            named.add(key)
            quotes[key] = self.seen(event, key, offer, tick, frame)
        for key in [key for key in quotes if key not in named and self.withdraws(event, frame["coverage"], key)]:
            del quotes[key]

    def take_draws(self, event, ticks):
        """Remembers who lists a draw: of a match that goes on until there is a winner it is one of the result of regulation."""
        for offer, tick in ticks:
            family, period = market = market_of(offer["market"])
            draws = clauses.draws(self.events[event]["league"], period)
            if family == "h2h" and tick["outcome"] == "draw" and draws != "sold":
                market = REGULATION if draws == "never" else market
                self.listed.setdefault((event, market), set()).add(offer["book"])

    def is_of_regulation(self, event, book):
        """Whether what a book calls the winner is the result of regulation."""
        return clauses.draws(self.events[event]["league"], "full_time") == "never" and book in self.listed.get((event, REGULATION), ())

    def market_of(self, event, offer):
        """The market that an offer is of."""
        market = market_of(offer["market"])
        return REGULATION if market == WINNER and self.is_of_regulation(event, offer["book"]) else market

    def withdraws(self, event, coverage, key):
        """Whether what covers this and does not name a quote takes it away: of regulation, also as a quote of the winner."""
        if not self.is_of_regulation(event, key[-1]):
            return covers(coverage, key)
        return key[0] == WINNER or covers(coverage, key) or (key[0] == REGULATION and covers(coverage, (WINNER, *key[1:])))

    def seen(self, event, key, offer, tick, frame):
        """The quote after a tick."""
        at, old, received_at = offer["last_seen_at"], self.quotes[event].get(key), frame["received_at"]
        new = Quote(tick["price"], at, at, at, tick["status"] == "suspended", offer["price_moved_at"] or at, offer["odds_format"])
        if old is not None and at > old.last_seen:
            self.lessons.setdefault((key[-1], (event, key[0], received_at)), received_at - old.last_seen)
        if old is not None and old.price == new.price and not old.suspended and not new.suspended:
            new.start, new.end = old.start, max(old.end, at)
            new.moved = offer["price_moved_at"] or old.moved
            new.last_seen = max(at, old.last_seen)
            # Only a confirmation makes good again what time has taken.
            new.stale, new.started = (old.stale, old.started) if at <= old.last_seen else (False, False)
        self.ages(event, key, new)
        return new

    def end_poll(self, end):
        """The events that the poll asked for and did not name: they lose their quotes."""
        self.polled[end["source"]] = end["received_at"]
        named = self.poll.pop(end["source"], set())
        gone = {e for e in self.quotes if e not in named and end["league"] in (None, self.events[e]["league"])}
        for event in gone:
            self.quotes[event] = {k: q for k, q in self.quotes[event].items() if not self.withdraws(event, end["coverage"], k)}
        return gone

    def learn(self):
        """Takes in what was heard: of each book and market of a frame one age."""
        self.due = None if self.lessons else self.due
        for (book, _), age in self.lessons.items():
            self.learnt.confirmed(book, age)
        self.lessons = {}


def is_taken(offer, received_at):
    """Whether an offer is of a market that exists, and not of the future."""
    return market_of(offer["market"]) is not None and offer["last_seen_at"] <= received_at + BEHIND


def bet_order(told):
    """By line and outcome: the first of a book and market whose price is confirmed is the one whose age counts."""
    tick = told[1]
    return -math.inf if tick["line"] is None else tick["line"], ORDER.index(tick["outcome"]), tick["side"]


def covers(coverage, key):
    """Whether a coverage is of this quote's book and market."""
    books, markets = coverage["books"], coverage["markets"]
    in_markets = markets is None or key[0] in [market_of(market) for market in markets]
    return in_markets and (books is None or key[-1] in books)
