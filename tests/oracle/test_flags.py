"""Tests of the flags and stakes on small examples that were computed by hand. Run `python3 -m unittest` here."""
import datetime
import unittest

import clauses
import flags
import oracle
from sizes import Size, around, size_of
from test_oracle import book, clock, event, market, poll

LONG_AGO = datetime.date(2020, 1, 1)
NAMES = {"us": list("abcdef") + ["a2", "gbp", "coarse"], "au": ["au"], "new": ["new"]}
CLAUSES = [{"books": books, **{topic: name for topic in clauses.PLAYED}} for name, books in NAMES.items()]
CLAUSES[2].pop("shortened")  # it does not say what a game needs that is ended early
ENTRIES = [{"keys": [key], "currency": "USD", "from": LONG_AGO} for key in "abcdef"]
ENTRIES += [{"keys": ["a2"], "operator": "a", "currency": "USD", "from": LONG_AGO}]
ENTRIES += [{"keys": ["au"], "currency": "USD", "from": LONG_AGO}]
ENTRIES += [{"keys": ["new"], "currency": "USD", "from": LONG_AGO}]
ENTRIES += [{"keys": ["silent"], "currency": "USD", "from": LONG_AGO}]
ENTRIES += [{"keys": ["gbp"], "currency": "GBP", "from": LONG_AGO}]
ENTRIES += [{"keys": ["coarse"], "currency": "USD", "from": LONG_AGO}]
SIZES = [{"books": ["coarse"], "step": 10_000, "least_stake": 0}]
BOOKS = flags.Books({"clause": CLAUSES, "size": SIZES, "book": ENTRIES})


def told(*offered, at=clock(0), form="decimal"):
    """A poll of an event at which books (key, home, away, last seen) have these prices; 0 is none."""
    priced = [(key, {"home": home, "away": away}, seen) for key, home, away, seen in offered]
    markets = [(key, market("h2h", seen, **{o: p for o, p in prices.items() if p})) for key, prices, seen in priced]
    return poll(at, event(*(book(key, its) for key, its in markets)))


def scene(home=("a", 2.04), away=("b", 2.02), seen=(clock(0), clock(0)), at=clock(0)):
    """The home price of one book and the away price of another, among three that agree with each other."""
    others = [(key, 1.95, 1.95, at) for key in "cde"]
    return told((*home, 0, seen[0]), (away[0], 0, away[1], seen[1]), *others, at=at)


def replayed(*polls):
    replay = oracle.Replay("decimal", BOOKS)
    for polled_at, parsed in oracle.accepted_polls(polls):
        replay.apply(polled_at, parsed)
    return replay


def entry(*polls):
    replay = replayed(*polls)
    (key,) = replay.arbs
    return replay.board_entry(key)


def doubts(*polls):
    found = entry(*polls)
    false = [flag for flag, holds in found["verification"].items() if not holds]
    assert found["verified"] == (not false) and tuple(found["verification"]) == flags.FLAGS
    return false


class Flags(unittest.TestCase):
    def test_all_hold(self):
        self.assertEqual(doubts(scene()), [])

    def test_each_alone(self):
        self.assertEqual(doubts(scene(seen=(clock(0), clock(-1, 59)))), ["simultaneous"])
        self.assertEqual(doubts(scene(away=("a2", 2.02))), ["independent_operators"])
        self.assertEqual(doubts(scene(home=("coarse", 2.04))), ["stakeable"])
        for settled_otherwise in ("au", "new", "silent", "nobody"):
            self.assertEqual(doubts(scene(home=(settled_otherwise, 2.04))), ["same_rules"], settled_otherwise)

    def test_what_agrees_with_nothing_does_not_agree_with_itself(self):
        self.assertFalse(flags.agree([None, None]))

    def test_fresh_is_by_what_the_book_takes(self):
        old = "2026-06-01T11:45:00Z"
        self.assertEqual(doubts(scene(seen=(old, old))), [])  # 900 s
        old = "2026-06-01T11:44:59Z"
        self.assertEqual(doubts(scene(seen=(old, old))), ["fresh"])
        # A hundred confirmations, each of a price of 20 s: 95 of 100 within 2 ** 4.5 s, 22.6.
        times = [f"2026-06-01T12:{s // 60:02}:{s % 60:02}Z" for s in range(0, 20 * 101, 20)]
        taught = [scene(seen=(at, at), at=at) for at in times]
        for age, expected in ((22, []), (23, ["fresh"])):
            seen = f"2026-06-01T12:59:{60 - age:02}Z"
            self.assertEqual(doubts(*taught[:-1], scene(seen=(seen, seen), at=clock(60))), [])  # 99 are too few
            self.assertEqual(doubts(*taught, scene(seen=(seen, seen), at=clock(60))), expected)

    def test_a_price_is_judged_by_two_other_operators(self):
        def others(count):
            keys = ("c", "d", "a2")[:count]
            return [(key, 1.95, 1.5, clock(0)) for key in keys]

        pair = [("a", 2.8, 0, clock(0)), ("b", 0, 1.56, clock(0))]  # 1/1.95 - 1/2.8 is .156
        self.assertEqual(doubts(told(*pair, *others(2))), ["plausible_price"])
        pair = [("a", 2.7, 0, clock(0)), ("b", 0, 1.6, clock(0))]  # .142
        self.assertEqual(doubts(told(*pair, *others(2))), [])
        self.assertEqual(doubts(told(*pair, *others(1))), ["plausible_price"])  # one rival is too few
        rival = [*others(1), others(3)[2]]  # nor does another book of the leg's own operator count
        self.assertEqual(doubts(told(*pair, *rival)), ["plausible_price"])

    def test_margins_are_judged_by_those_that_were_proven(self):
        self.assertEqual(doubts(scene(("a", 2.2), ("b", 2.19))), [])
        self.assertEqual(doubts(scene(("a", 2.3), ("b", 2.2))), ["plausible_margin"])  # above 10 %
        learnt = flags.Learnt()
        for _ in range(99):
            learnt.margins[False].add(0.01)
        self.assertEqual([learnt.highest_margin(phase) for phase in (False, True)], [0.1, 0.2])
        learnt.margins[False].add(0.05)  # 99 of 100 are up to 0.01: of 1e-4, 1.01 times the 27th fourth of a doubling
        self.assertAlmostEqual(learnt.highest_margin(False), 1e-4 * 2**6.75)
        self.assertEqual(learnt.highest_margin(True), 0.2)

    def test_a_margin_is_learnt_once_a_window(self):
        replay = replayed(*(scene(seen=(clock(i), clock(i)), at=clock(i)) for i in range(5)))
        self.assertEqual(replay.learnt.margins[False].total, 1)

    def test_what_is_proven_later(self):
        polls = [scene(seen=(clock(8), clock(9)), at=clock(10)), scene(seen=(clock(19), clock(9)), at=clock(20))]
        (window,) = replayed(*polls).windows
        self.assertEqual((window["verified_at_open"], window["verified_ever"]), (False, True))


class Currencies(unittest.TestCase):
    def test_no_arb_has_two(self):
        pair = [("gbp", 2.2, 0, clock(0)), ("b", 0, 2.2, clock(0))]
        self.assertEqual(replayed(told(*pair)).windows, [])
        legs = entry(told(*pair, ("a", 2.1, 0, clock(0))))["legs"]
        self.assertEqual([leg["book"] for leg in legs], ["a", "b"])
        legs = entry(told(("gbp", 2.2, 0, clock(0)), ("nobody", 0, 2.2, clock(0))))["legs"]
        self.assertEqual([leg["book"] for leg in legs], ["gbp", "nobody"])


class Stakes(unittest.TestCase):
    def test_the_best_way_to_round(self):
        found = entry(scene())
        self.assertEqual([leg["stake"] for leg in found["legs"]], [49.75, 50.24])  # not 50.25, nor 49.76
        self.assertAlmostEqual(found["margin_rounded"], 50.24 * 2.02 / 99.99 - 1, 12)

    def test_golden_three_way(self):
        prices = [2_300_000, 3_500_000, 4_230_000]  # 4543.64, 2985.82, 2470.54; all up would be 100.01
        stakes = flags.round_stakes(prices, [Size()] * 3)
        self.assertEqual([sum(stakes), *stakes], [9_998, 4_543, 2_985, 2_470])

    def test_ties_take_the_least_total(self):
        self.assertEqual(flags.round_stakes([3_100_000] * 3, [Size()] * 3), (3_333, 3_333, 3_333))

    def test_contracts_and_the_least(self):
        whole, hundredths = Size(True, 100, 0, 0, 100), Size(True, 1, 100, 0, 500)
        self.assertEqual(around(whole, "back", 2_500_000, 4790), {4760, 4800})  # 40 cents a contract
        self.assertEqual(around(whole, "back", 2_500_000, 39), {40})
        self.assertEqual(around(hundredths, "back", 2_500_000, 199), set())  # five contracts are 2.00
        unknown = size_of(None)
        self.assertEqual([around(unknown, "back", 2_000_000, cents) for cents in (99, 99.5, 100)], [set(), {100}, {100}])
        self.assertEqual(around(unknown, "lay", 1_200_000, 499), set())  # it risks less than 1.00


if __name__ == "__main__":
    unittest.main()
