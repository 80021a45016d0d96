#!/usr/bin/env python3
"""Random polls of a market that does not exist, as records of the tick topic, for the second opinion to judge.

Everything that is hard is common in it: exchanges with commission, backs and lays, contracts, books that are not in the table, two-way and
three-way winners, whole, half and quarter lines, periods, quotes that are suspended, withdrawn, or not confirmed for long. By
a seed: the same seed is the same records. It must never look at what the engine or the opinion make of them.
"""
import argparse
import json
import random

SECOND = 1_000_000
START = 1_790_000_000 * SECOND  # 2026-09-21
SOURCE = "made-up"
BOOKS = (
    "draftkings betmgm fanduel lowvig betonlineag novig kalshi polymarket prophetx bovada nobody_us some_ex_us".split(),
    "sportsbet pointsbetau neds ladbrokes_au tab unibet betfair_ex_au betr_au pinnacle nobody_au kalshi_au other_ex_au".split(),
    "coral ladbrokes_uk williamhill sport888 smarkets betfair_ex_uk betvictor skybet paddypower nobody_uk pinnacle matchbook".split(),
    "alderbet birchodds cedarline lowline beechonline nettlebet laurelbet polymarket kalshi hazelbet novig nobody".split(),
)
LAYERS = ("novig", "kalshi", "polymarket", "prophetx", "betfair_ex_au", "betfair_ex_uk", "smarkets", "matchbook")
LAYERS += ("some_ex_us", "other_ex_au", "kalshi_au")
LEAGUES = ("americanfootball_nfl", "soccer_epl", "aussierules_afl", "baseball_mlb", "basketball_nba", "rugbyleague_nrl")
SPREADS = (-3000, -2500, -1250, -500, 0, 250, 750, 1500, 4000)
TOTALS = (2000, 2250, 2500, 2750, 7000, 44500)
FORMATS = ("decimal", "decimal", "american", "unknown")
WINNERS = {"soccer": ("h2h", "h2h_3_way", "draw_no_bet", "h2h_h1")}


def markets(sport, draws):
    """{(market, line): outcomes with their fair chances}, before noise."""
    three = {"home": 0.42, "draw": 0.25, "away": 0.33}
    two = {"home": 0.55, "away": 0.45}
    lines = [("spreads", line, two) for line in SPREADS]
    lines += [("totals", line, {"over": 0.48, "under": 0.52}) for line in TOTALS]
    lines += [("alternate_totals_h1", 1000, {"over": 0.5, "under": 0.5}), ("btts", None, two)]
    for winner in WINNERS.get(sport, ("h2h", "h2h_h1", "draw_no_bet")):
        is_three = winner == "h2h_3_way" or (winner != "draw_no_bet" and (sport == "soccer" or draws))
        lines.append((winner, None, three if is_three else two))
    return lines


class Event:
    """A match, and what each book says of it now."""

    def __init__(self, number, draw):
        self.draw, league = draw, LEAGUES[number % len(LEAGUES)]
        sport = league.partition("_")[0]
        start = START + draw.randrange(-3600, 6 * 3600) * SECOND
        self.info = {"id": f"event-{number}", "sport": sport, "league": league, "home": f"Home {number}"}
        self.info |= {"away": f"Away {number}", "commence_time": start}
        self.books = draw.choice(BOOKS)
        self.quotes, self.silent = {}, {}  # the latter: until when a book confirms nothing of a market
        self.lines = markets(sport, draws=draw.random() < 0.3)

    def poll(self, at):
        """Moves what moves, and says what is on offer."""
        for book in self.books:
            for market in sorted({market for market, _, _ in self.lines}):
                self.say(at, book, market)
        return {"event": self.info, "offers": [offer for offer in self.quotes.values() if offer["ticks"]]}

    def say(self, at, book, market):
        """One book in one market, with one time for all lines as feeds have: no news, nothing, or prices of which some moved."""
        key, fate = (book, market), self.draw.random()
        if fate < 0.05:
            self.quotes.pop(key, None)
        elif fate < 0.08:
            self.silent[key] = at + self.draw.choice((600, 2400, 6000)) * SECOND
        elif fate < 0.8 and self.silent.get(key, at) <= at:
            before = self.quotes.get(key, {"ticks": []})["ticks"]
            moved = None if self.draw.random() < 0.9 else at - 200 * SECOND
            seen = max(self.seen(at), self.quotes.get(key, {"last_seen_at": 0})["last_seen_at"])
            offer = {"book": book, "market": market, "last_seen_at": seen, "price_moved_at": moved}
            self.quotes[key] = {**offer, "ticks": [tick for tick in self.ticks(book, market, before)]}

    def seen(self, at):
        return at - self.draw.choice((0, 3, 20, 45, 90)) * SECOND

    def ticks(self, book, market, before):
        before = {(tick["outcome"], tick["side"], tick["line"]): tick for tick in before}
        for _, line, chances in (entry for entry in self.lines if entry[0] == market):
            for outcome, chance in chances.items():
                for side in ("back", "lay") if book in LAYERS else ("back",):
                    old, fate = before.get((outcome, side, line)), self.draw.random()
                    if old and fate < 0.7:
                        yield old
                    elif fate > 0.75:
                        noise = self.draw.gauss(0.012, 0.03)
                        yield self.tick(outcome, side, line, 1 / (chance + (noise if side == "back" else -noise)))

    def tick(self, outcome, side, line, odds):
        digits = self.draw.choice((1, 2, 2, 2, 6)) if side == "back" else 2
        price = max(round(odds, digits), 1.01)
        status = "suspended" if self.draw.random() < 0.04 else "active"
        return {"outcome": outcome, "side": side, "line": line, "price": round(price * 1_000_000), "status": status}


def records(seed, polls, events=10):
    """The records, in order: whole polls, some events left out, some heartbeats between."""
    draw = random.Random(seed)
    playing, at = [Event(number, draw) for number in range(events)], START
    coverage = {"books": None, "markets": None}
    for _ in range(polls):
        said = [event.poll(at) for event in playing if draw.random() < 0.95]
        for index, words in enumerate(said):
            odds_format = draw.choice(FORMATS)
            words["offers"] = [{**offer, "odds_format": odds_format} for offer in words["offers"]]
            yield {"frame": {"source": SOURCE, "received_at": at, "poll_index": index, "coverage": coverage, **words}}
        end = {"source": SOURCE, "received_at": at, "league": None, "coverage": coverage, "frames": len(said)}
        yield {"poll_end": end}
        gap = draw.choice((10, 30, 60, 300, 900))
        for beat in range(30, gap, 30):
            yield {"heartbeat": {"source": SOURCE, "at": at + beat * SECOND}}
        at += gap * SECOND


def main():
    parser = argparse.ArgumentParser(description="Random polls as records, one a line.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--polls", type=int, required=True)
    options = parser.parse_args()
    for record in records(options.seed, options.polls):
        print(json.dumps(record))


if __name__ == "__main__":
    main()
