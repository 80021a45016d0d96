"""Tests of the oracle on small examples that were computed by hand. Run `python3 -m unittest` in this directory."""
import json
import pathlib
import subprocess
import sys
import unittest
from decimal import Decimal

import oracle

START = "2026-06-01T18:00:00Z"
OUTCOME_NAMES = {"home": "Reds", "draw": "Draw", "away": "Blues", "over": "Over", "under": "Under"}


def clock(minutes, seconds=0):
    return f"2026-06-01T{12 + minutes // 60:02}:{minutes % 60:02}:{seconds:02}Z"


def market(key, seen, point=None, **prices):
    """A market; `point` is the line, so the away side of a spread gets its negative."""
    outcomes = [{"name": OUTCOME_NAMES[outcome], "price": price} for outcome, price in prices.items()]
    for outcome in outcomes if point is not None else ():
        outcome["point"] = -point if outcome["name"] == "Blues" else point
    return {"key": key, "last_update": seen, "outcomes": outcomes}


def book(key, *markets):
    return {"key": key, "title": key, "markets": list(markets)}


def event(*books, name="e1", start=START):
    return {"id": name, "home_team": "Reds", "away_team": "Blues", "commence_time": start, "bookmakers": list(books)}


def poll(at, *events):
    return json.dumps({"polled_at": at, "events": list(events)}).encode() + b"\n"


def two_way(at, home, away, seen=None):
    """A poll with two books: a has the home price, b the away price, both seen when polled unless told."""
    first, second = seen or (at, at)
    return poll(at, event(book("a", market("h2h", first, home=home)), book("b", market("h2h", second, away=away))))


def windows(*lines, form="decimal"):
    return list(oracle.windows(lines, form))


def boards(until, *lines, form="decimal"):
    return list(oracle.boards(lines, [oracle.parse_instant(stop) for stop in until], form))


def arb(*lines):
    """The only arb on the board at the end."""
    (found,) = boards([clock(600)], *lines)[0]["arbs"]
    return found


def one_market(point, key="totals", **prices):
    """A single poll with one market at one book."""
    return poll(clock(0), event(book("a", market(key, clock(0), point=point, **prices))))


class Prices(unittest.TestCase):
    def check(self, form, expected):
        for odds, price in expected:
            self.assertEqual(oracle.parse_price(odds, form), price, odds)

    def test_american(self):
        self.check("american", [(110, 2_100_000), (-110, 1_909_090), (100, 2_000_000), (-100, 2_000_000)])
        self.check("american", [(-115, 1_869_565), (-300, 1_333_333), (1000, 11_000_000), (-10000, 1_010_000)])
        self.check("american", [(100_000, 1_001_000_000), (100_001, None), (-(10**8), 1_000_001), (-(10**8) - 1, None)])
        self.check("american", [(99, None), (-99, None), (0, None), (Decimal("110.0"), 2_100_000)])
        self.check("american", [(Decimal("110.5"), None), (Decimal("-99.5"), None), (Decimal("1e999999"), None)])

    def test_decimal(self):
        self.check("decimal", [(Decimal("2.3"), 2_300_000), (2, 2_000_000), (Decimal("1.9999999"), 1_999_999)])
        self.check("decimal", [(1, None), (Decimal("1.0000009"), None), (Decimal("1.000001"), 1_000_001), (-3, None)])
        self.check("decimal", [(1001, 1_001_000_000), (Decimal("1001.000001"), None), (Decimal("1e999999"), None)])

    def test_times(self):
        self.assertEqual(oracle.parse_instant("1970-01-01T01:00:00.5+01:00"), 500_000)
        self.assertEqual(oracle.parse_instant("1969-12-31T19:00:01-05:00"), 1_000_000)
        for wrong in ("", "2026-06-01", "2026-06-01T12:00:00", "2026-02-30T12:00:00Z", "2026-06-01T24:00:00Z"):
            self.assertIsNone(oracle.parse_instant(wrong), wrong)
        self.assertEqual(oracle.format_instant(1_000_000), "1970-01-01T00:00:01Z")
        self.assertEqual(oracle.format_instant(10_250_000), "1970-01-01T00:00:10.25Z")


class Margins(unittest.TestCase):
    def test_golden_three_way(self):
        found = arb(one_market(None, "h2h", home=2.30, draw=3.50, away=4.23))
        self.assertAlmostEqual(found["implied_probability"], 0.95690, 5)
        self.assertAlmostEqual(found["margin"], 0.04504, 5)
        self.assertAlmostEqual(found["margin_worst"], found["margin"], 12)
        back = [100 * leg["stake_share"] * found["implied_probability"] for leg in found["legs"]]
        for stake, expected in zip(back, (43.48, 28.57, 23.64)):
            self.assertAlmostEqual(stake, expected, 2)
        self.assertEqual([leg["outcome"] for leg in found["legs"]], ["home", "draw", "away"])

    def test_rounding_down_invents_no_arb(self):
        self.assertEqual(windows(two_way(clock(0), 110, -110), form="american"), [])  # exactly 1
        (window,) = windows(two_way(clock(0), 111, -110), form="american")  # 1/2.11 + 1/1.90909
        self.assertAlmostEqual(window["margin_open"], 0.00226, 5)
        self.assertEqual([leg["price"] for leg in window["legs"]], [2.11, 1.90909])

    def test_pushes_of_totals(self):
        # Margin 1/8, shares 3/8 and 5/8. On 2 goals the whole line pays back; the quarter line loses half of the over
        # (-3/16) and wins half of the under (+5/8 * 0.4), together 1/16.
        for line, worst in ((2.5, 0.125), (2, 0.0), (2.25, 0.0625), (2.75, 0.0625), (0, 0.0)):
            found = arb(one_market(line, over=3.0, under=1.8))
            self.assertAlmostEqual(found["margin"], 0.125, 12)
            self.assertAlmostEqual(found["margin_worst"], worst, 12, line)

    def test_pushes_of_spreads(self):
        for line, worst in ((-1.5, 0.125), (-3, 0.0), (0.25, 0.0625), (-0.75, 0.0625), (0, 0.0), (10.5, 0.125)):
            found = arb(one_market(line, "spreads", home=1.8, away=3.0))
            self.assertAlmostEqual(found["margin_worst"], worst, 12, line)
            self.assertEqual(found["line"], line)

    def test_settlement_of_quarter_lines(self):
        cases = [
            ("totals", 2.25, "over", 3, 2.0), ("totals", 2.25, "over", 2, -0.5), ("totals", 2.25, "under", 2, 1.0),
            ("totals", 2.75, "over", 3, 1.0), ("totals", 2.75, "under", 3, -0.5), ("totals", 2.75, "over", 2, -1.0),
            ("spreads", -0.25, "home", 0, -0.5), ("spreads", -0.25, "away", 0, 1.0),
            ("spreads", 0.75, "home", -1, -0.5), ("spreads", 0.75, "away", -1, 1.0),
        ]  # fmt: skip
        for market_key, line, outcome, state, profit in cases:
            self.assertEqual(oracle.settle(market_key, line, outcome, 3.0, state), profit, (line, outcome, state))


class RawPolicy(unittest.TestCase):
    def test_three_way_needs_its_draw(self):
        seen = clock(0)
        pair = book("a", market("h2h", seen, home=2.5, away=2.5))
        with_draw = [event(pair, book("b", market("h2h", seen, draw=price))) for price in (1.5, 6.0, 1.0)]
        self.assertEqual(windows(poll(seen, with_draw[0])), [])  # 0.8 + 0.67
        (window,) = windows(poll(seen, with_draw[1]))  # 0.8 + 0.17, the pair's book has no Draw itself
        self.assertEqual([leg["book"] for leg in window["legs"]], ["a", "b", "a"])
        (window,) = windows(poll(seen, with_draw[2]))  # an invalid Draw is none
        self.assertEqual([leg["outcome"] for leg in window["legs"]], ["home", "away"])
        self.assertEqual(windows(one_market(None, "h2h", home=9, draw=9)), [])

    def test_a_window_outlives_its_legs_and_its_draw(self):
        at = [clock(10 * i) for i in range(3)]
        books = [book("a", market("h2h", at[1], home=2.5, away=2.5)), book("c", market("h2h", at[1], draw=6.0))]
        (window,) = windows(two_way(at[0], 2.1, 2.2), poll(at[1], event(*books)), two_way(at[2], 2.1, 2.1))
        self.assertEqual((window["polls"], window["closed_at"]), (3, None))
        self.assertEqual(len(window["legs"]), 2)  # at opening
        self.assertAlmostEqual(window["margin_open"], 1 / (1 / 2.1 + 1 / 2.2) - 1, 9)
        self.assertAlmostEqual(window["margin_peak"], window["margin_open"], 9)

    def test_ties_go_to_the_smallest_book(self):
        books = [book(key, market("h2h", clock(0), home=2.1, away=2.1)) for key in ("b", "a", "c")]
        legs = windows(poll(clock(0), event(*books)))[0]["legs"]
        self.assertEqual([leg["book"] for leg in legs], ["a", "a"])

    def test_spreads_go_by_the_home_line(self):
        (window,) = windows(one_market(-1.5, "spreads", home=2.1, away=2.1))  # away at +1.5
        self.assertEqual(window["line"], -1.5)
        seen = clock(0)
        same_sign = [market("spreads", seen, point=-1.5, home=2.1), market("spreads", seen, point=1.5, away=2.1)]
        self.assertEqual(windows(poll(seen, event(book("a", *same_sign)))), [])  # both at -1.5: two lines
        zero = arb(one_market(-0.0, "spreads", home=2.1, away=2.1))
        self.assertEqual(str(zero["line"]), "0.0")

    def test_points_and_other_markets(self):
        self.assertEqual(windows(one_market(None, "totals", over=2.1, under=2.1)), [])
        self.assertEqual(windows(one_market(None, "spreads", home=2.1, away=2.1)), [])
        self.assertEqual(windows(one_market(True, "totals", over=2.1, under=2.1)), [])
        self.assertEqual(windows(one_market("2.5", "totals", over=2.1, under=2.1)), [])
        self.assertEqual(windows(one_market(3.5, "alternate_totals", over=2.1, under=2.1)), [])
        self.assertEqual(windows(one_market(3.5, "h2h", over=2.1, under=2.1)), [])
        self.assertIsNone(windows(one_market(3.5, "h2h", home=2.1, away=2.1))[0]["line"])


class Reading(unittest.TestCase):
    def test_the_newest_entry_wins(self):
        old, new = clock(0), clock(0, 2)
        for order in (1, -1):
            twice = [market("h2h", new, home=2.1, away=2.5), market("h2h", old, home=2.5, away=2.5)][::order]
            (window,) = windows(poll(clock(1), event(book("a", *twice))))
            self.assertEqual([leg["price"] for leg in window["legs"]], [2.1, 2.5])

    def test_of_equally_old_entries_the_last_wins(self):
        seen = clock(0)
        once = [market("h2h", seen, home=2.5, away=2.5), market("h2h", seen, home=2.1)]
        (window,) = windows(poll(seen, event(book("a", *once))))
        self.assertEqual([leg["price"] for leg in window["legs"]], [2.1, 2.5])
        first = event(book("a", market("h2h", seen, home=2.5, away=2.5)))
        second = event(book("a", market("h2h", seen, away=2.2)), start=seen)
        (window,) = windows(poll(seen, first, second))  # listed twice: merged, with the info of the last
        self.assertEqual([leg["price"] for leg in window["legs"]], [2.5, 2.2])
        self.assertTrue(window["in_play"])

    def test_last_update_of_the_book_stands_in(self):
        plain = event(book("a", market("h2h", clock(0), home=2.1, away=2.1)))
        del plain["bookmakers"][0]["markets"][0]["last_update"]
        self.assertEqual(windows(poll(clock(0), plain)), [])
        plain["bookmakers"][0]["last_update"] = clock(0)
        self.assertEqual(len(windows(poll(clock(0), plain))), 1)

    def test_future_prices_are_absent(self):
        self.assertEqual(len(windows(two_way(clock(0), 2.1, 2.1, (clock(0, 5), clock(0, 5))))), 1)
        self.assertEqual(windows(two_way(clock(0), 2.1, 2.1, (clock(0, 5), clock(0, 6)))), [])

    def test_invalid_entries_drop_only_themselves(self):
        good = event(book("a", market("h2h", clock(0), home=2.1, away=2.1)))
        outcomes = good["bookmakers"][0]["markets"][0]["outcomes"]
        outcomes += [7, {"name": "Reds", "price": True}, {"name": ["Reds"], "price": 3}, {"name": "Reds", "price": "3"}]
        outcomes += [{"name": "Reds"}, {"name": "Greens", "price": 9}, {"name": "Draw", "price": None}]
        good["bookmakers"] += [None, {"markets": []}, {"key": "b", "markets": 3}, {"key": "c", "markets": [[], {}]}]
        bad = {**event(book("a", market("h2h", clock(0), home=3, away=3)), name="e2"), "commence_time": "soon"}
        (window,) = windows(poll(clock(0), "x", bad, good))
        self.assertEqual([leg["price"] for leg in window["legs"]], [2.1, 2.1])
        for missing in ("id", "home_team", "away_team", "commence_time"):
            self.assertEqual(windows(poll(clock(0), {k: v for k, v in good.items() if k != missing})), [])

    def test_late_polls_and_lines_that_are_none(self):
        closing = two_way(clock(10), 2.0, 2.0)
        rubbish = [b"\n", b"{\n", b"[]\n", b'{"events":[]}\n', b'{"polled_at":"now","events":[]}\n', b"\xff\n"]
        rubbish += [b'{"polled_at":"2031-01-01T00:00:00Z","events":{}}\n']
        nan = b'{"polled_at":NaN,"events":[]}\n'
        late = [poll(clock(0)), poll(clock(5)), closing.replace(b"12:10", b"12:05")]
        polls = [two_way(clock(0), 2.1, 2.1), *rubbish, nan, two_way(clock(5), 2.1, 2.2), *late, closing]
        (window,) = windows(*polls)
        times = [window[key] for key in ("opened_at", "last_open_at", "closed_at")]
        self.assertEqual(times, [clock(0), clock(5), clock(10)])
        self.assertEqual(window["polls"], 2)


class Simultaneity(unittest.TestCase):
    def ever(self, *polls):
        (window,) = windows(*polls)
        return window["simultaneous_at_open"], window["simultaneous_ever"]

    def test_a_refresh_proves_it(self):
        first = two_way(clock(10), 2.1, 2.2, (clock(8), clock(9)))  # spans [8, 8] and [9, 9]
        self.assertEqual(self.ever(first), (False, False))
        self.assertEqual(self.ever(two_way(clock(10), 2.1, 2.2, (clock(9), clock(9)))), (True, True))
        refreshed = two_way(clock(20), 2.1, 2.2, (clock(19), clock(9)))  # spans [8, 19] and [9, 9]
        self.assertEqual(self.ever(first, refreshed), (False, True))
        moved = two_way(clock(30), 2.3, 2.2, (clock(29), clock(9)))
        self.assertEqual(self.ever(first, refreshed, moved), (False, True))  # once is ever
        found = arb(first, refreshed)
        self.assertTrue(found["verification"]["simultaneous"])
        self.assertEqual([leg["last_seen_at"] for leg in found["legs"]], [clock(19), clock(9)])

    def test_another_price_starts_a_new_span(self):
        first = two_way(clock(10), 2.1, 2.2, (clock(8), clock(9)))
        moved = two_way(clock(20), 2.15, 2.2, (clock(19), clock(9)))  # spans [19, 19] and [9, 9]
        back = two_way(clock(30), 2.1, 2.2, (clock(29), clock(9)))  # nor does 2.1 return to its old span
        self.assertEqual(self.ever(first, moved, back), (False, False))

    def test_absence_ends_a_span(self):
        first = two_way(clock(10), 2.1, 2.2, (clock(8), clock(9)))
        last = two_way(clock(30), 2.1, 2.2, (clock(29), clock(9)))
        without_leg = poll(clock(20), event(book("b", market("h2h", clock(9), away=2.2))))
        for gap in (poll(clock(20)), without_leg, poll(clock(20), event())):
            before, after = windows(first, gap, last)  # the event, or the price, was absent: two windows
            self.assertEqual((before["closed_at"], after["opened_at"]), (clock(20), clock(30)))
            self.assertFalse(before["simultaneous_ever"] or after["simultaneous_ever"])
        late = poll(clock(10))
        self.assertEqual(self.ever(first, late, last), (False, True))  # a late poll ends nothing

    def test_a_span_never_shrinks(self):
        first = two_way(clock(10), 2.1, 2.2, (clock(9), clock(2)))
        older = two_way(clock(20), 2.1, 2.2, (clock(4), clock(8)))
        self.assertEqual(self.ever(first, older), (False, False))  # spans [9, 9], not [4, 9], and [2, 8]
        no_arbs = [two_way(clock(at), 2.1, 1.5, (seen, clock(2))) for at, seen in ((10, clock(3)), (20, clock(9)))]
        older = two_way(clock(30), 2.1, 2.2, (clock(4), clock(7)))
        self.assertEqual(self.ever(*no_arbs, older), (True, True))  # spans [3, 9], not [3, 4], and [7, 7]
        self.assertEqual(arb(*no_arbs, older)["legs"][0]["last_seen_at"], clock(4))


class Standing(unittest.TestCase):
    def stood(self, *polls):
        (window,) = windows(*polls)
        return window["stood"], window["stood_after_seconds"]

    def test_all_legs_are_seen_again_at_their_prices_or_better(self):
        first = two_way(clock(10), 2.1, 2.2, (clock(8), clock(9)))
        gone = poll(clock(40))
        there = two_way(clock(20), 2.1, 2.3, (clock(19), clock(18)))
        self.assertEqual(self.stood(first, there, gone), (True, 9 * 60))
        self.assertEqual(self.stood(first, there), (None, None))  # it is open
        one_of_them = two_way(clock(20), 2.1, 2.2, (clock(19), clock(9)))
        self.assertEqual(self.stood(first, one_of_them, gone), (False, 30 * 60))
        worse = two_way(clock(20), 2.1, 2.15, (clock(19), clock(18)))
        self.assertEqual(self.stood(first, worse, there, gone), (False, 8 * 60))
        self.assertEqual(self.stood(first, gone), (False, 30 * 60))

    def test_what_was_seen_before_the_verdict_answers_nothing(self):
        first = two_way(clock(10), 2.1, 2.2, (clock(8), clock(9)))
        no_arb = two_way(clock(20), 2.1, 1.5, (clock(9), clock(10)))
        self.assertEqual(self.stood(first, no_arb), (None, None))


class Output(unittest.TestCase):
    def test_fields_order_and_phases(self):
        other = event(book("a", market("totals", clock(0), point=2.5, over=2.1, under=2.1)), name="e0")
        totals = [market("totals", clock(0), line, over=2.2, under=2.2) for line in (3.5, 2.5)]
        books = [book("a", totals[0], market("h2h", clock(0), home=2.1, away=2.1)), book("b", totals[1])]
        found = windows(poll(clock(0), event(*books, start=clock(0)), other))
        keys = [(window["event"], window["market"], window["line"]) for window in found]
        self.assertEqual(keys[:2], [("e0", "totals", 2.5), ("e1", "h2h", None)])
        self.assertEqual(keys[2:], [("e1", "totals", 2.5), ("e1", "totals", 3.5)])
        self.assertEqual([window["in_play"] for window in found], [False, True, True, True])
        names = "event market line opened_at last_open_at closed_at in_play margin_open margin_peak polls"
        names += " simultaneous_at_open simultaneous_ever verified_at_open verified_ever ttl_seconds_at_open failed_at_open"
        names += " stood verified_stood stood_after_seconds verified_stood_after_seconds legs"
        self.assertEqual(list(found[0]), names.split())

    def test_board_stops(self):
        polls = [two_way(clock(360 - 5), 2.1, 2.1), two_way(clock(360), 2.1, 2.2), two_way(clock(365), 2.0, 2.0)]
        stops = [clock(360), clock(0), clock(359, 59), clock(400)]  # the event starts at minute 360
        found = boards(stops, *polls)
        self.assertEqual([stop["until"] for stop in found], [clock(0), clock(359, 59), clock(360), clock(400)])
        self.assertEqual([stop["polled_at"] for stop in found], [None, clock(355), clock(360), clock(365)])
        self.assertEqual([[a["in_play"] for a in stop["arbs"]] for stop in found], [[], [False], [True], []])
        self.assertEqual(found[2]["arbs"][0]["opened_at"], clock(355))

    def test_command_line(self):
        def run(*arguments):
            command = [sys.executable, str(pathlib.Path(oracle.__file__)), *arguments]
            return subprocess.run(command, input=recording, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

        recording = two_way(clock(0), 120, -110) + poll(clock(5))
        window = json.loads(run("windows").stdout)
        self.assertEqual((window["opened_at"], window["closed_at"], window["line"]), (clock(0), clock(5), None))
        self.assertEqual(run("windows", "--format", "decimal").stdout, b"")  # -110 is no decimal price
        stops = run("board", "--until", clock(1) + "," + clock(9)).stdout.splitlines()
        self.assertEqual([len(json.loads(stop)["arbs"]) for stop in stops], [1, 0])
        self.assertEqual([run("board").returncode, run("board", "--until", "noon").returncode], [2, 2])


if __name__ == "__main__":
    unittest.main()
