"""Tests of the second opinion on small examples that were computed by hand. Run `python3 -m unittest` here."""
import copy
import datetime
import unittest
from fractions import Fraction

import clauses
import fees
import opinion
import settling
from settling import BACK, DEAD_HEAT, HALF_LOST, HALF_WON, LOST, WON, Bet
from sizes import Size

MILLION, START = 1_000_000, 1_790_000_000_000_000
LATER = datetime.date(2026, 9, 21)
AROUND = {"books": None, "markets": None}


def tick(outcome, price, side="back", line=None, status="active"):
    return {"outcome": outcome, "side": side, "line": line, "price": round(price * MILLION), "status": status}


def offer(book, market, *ticks, seen=0):
    said = {"book": book, "market": market, "last_seen_at": START + seen, "price_moved_at": None, "ticks": list(ticks)}
    return {**said, "odds_format": "unknown"}


def frame(*offers, league="aussierules_afl", at=0):
    info = {"id": "e", "sport": league.partition("_")[0], "league": league, "home": "H", "away": "A"}
    info["commence_time"] = START + 10**10
    said = {"source": "s", "received_at": START + at, "poll_index": None, "event": info, "coverage": AROUND}
    return {"frame": {**said, "offers": list(offers)}}


def due(record):
    """What the opinion asks of the only arb that a record makes, as an engine would say it."""
    judge = opinion.Judge()
    judge.record(record, [])
    (line,) = judge.arbs
    entry = judge.entry(line)
    failed = [{"flag": flag, "reason": ""} for flag, holds in entry["verification"].items() if not holds]
    score = max(entry["margin_rounded"], 0) * 0.5
    return {**entry, "id": "w", "failed_checks": failed, "execution_probability": 0.5, "score": score}


def differences(record, *said):
    judge = opinion.Judge()
    judge.record(record, list(said))
    return judge.count["differences"]


# Betfair lays Home at 1.59, Unibet backs it at 1.65, as on 2026-03-05; and Unibet lists a draw.
BACK_AND_LAY = frame(
    offer("unibet", "h2h", tick("home", 1.65), tick("draw", 15.0)),
    offer("betfair_ex_au", "h2h", tick("home", 1.59, "lay"), tick("away", 2.0)),
)
WHOLE_LINE = frame(
    offer("draftkings", "totals", tick("over", 2.1, line=7000)),
    offer("fanduel", "totals", tick("under", 2.1, line=7000)),
    league="baseball_mlb",
)


class Fees(unittest.TestCase):
    def check(self, rule, side, odds, left):
        self.assertEqual(fees.effective(rule, side, round(odds * MILLION)), left and round(left * MILLION))

    def test_commission_is_on_winnings(self):
        self.check({"commission_ppm": 50_000}, "back", 3.0, 2.9)
        self.check({"commission_ppm": 50_000}, "lay", 1.59, 2.610169)  # 1 + .95 / .59
        self.check({}, "lay", 3.0, 1.5)
        self.check({"commission_ppm": MILLION}, "back", 3.0, None)

    def test_contracts_cost_their_fee(self):
        # p = .4: 100 contracts cost 40, Kalshi takes 1.68, Polymarket 1.20. To sell them is to buy the other side at .6.
        self.check({"kalshi_ppm": 70_000}, "back", 2.5, 2.399232)
        self.check({"polymarket_ppm": 50_000}, "back", 2.5, 2.427184)
        self.check({"kalshi_ppm": 70_000}, "lay", 2.5, 1.621271)
        # Odds of 30 cents, cut: the fee is 1.47, not a step more. Of Polymarket, less than one of its steps is nothing.
        self.check({"kalshi_ppm": 70_000}, "back", 3.333333, 3.177629)
        self.check({"polymarket_ppm": 1}, "back", 100, 100)
        # Kalshi's fee of the order is .0693 dollars at p = .01, and at 1/3 1.5556, rounded up to a hundredth of a cent.
        self.check({"kalshi_ppm": 70_000}, "back", 100, 93.519124)
        self.check({"kalshi_ppm": 70_000}, "back", 3.0, 2.866238)

    def test_the_rule_of_the_day_and_league(self):
        old, new = ({"from": datetime.date(year, 1, 1), "commission_ppm": year} for year in (2020, 2026))
        entry = {"fee": [old, new, {**old, "league": "soccer_epl", "commission_ppm": 7}]}
        rate = lambda league, year: fees.fee(entry, "x", league, datetime.date(year, 6, 1))["commission_ppm"]
        self.assertEqual([rate("nfl", year) for year in (2019, 2021, 2026)], [2020, 2020, 2026])
        self.assertEqual([rate("soccer_epl", 2026), rate("soccer_eplx", 2026)], [7, 2026])

    def test_an_unknown_book_is_taken_for_the_dearest_of_its_kind(self):
        for book, rule in (("x_ex_y", {"commission_ppm": 100_000}), ("kalshi_au", {"kalshi_ppm": 70_000}), ("x", {})):
            self.assertEqual(fees.fee(None, book, "nfl", LATER), rule)


class Settling(unittest.TestCase):
    def test_lines(self):
        over = lambda line, total: settling.ends(Bet("over", "back", 0, 0, Size()), "totals", line, total, None)
        self.assertEqual([over(2500, total) for total in (2, 3)], [LOST, WON])
        self.assertEqual([over(2000, total) for total in (1, 2, 3)], [LOST, BACK, WON])
        self.assertEqual([over(2250, total) for total in (1, 2, 3)], [LOST, HALF_LOST, WON])
        self.assertEqual([over(2750, total) for total in (2, 3, 4)], [LOST, HALF_WON, WON])

    def test_handicaps_and_lays(self):
        home = lambda side, lead: settling.ends(Bet("home", side, 0, 0, Size()), "spreads", -1250, lead, None)
        self.assertEqual([home("back", lead) for lead in (0, 1, 2)], [LOST, HALF_LOST, WON])
        self.assertEqual([home("lay", lead) for lead in (0, 1, 2)], [WON, HALF_WON, LOST])

    def test_what_ends_pay(self):
        paid = [settling.pays(end, 3 * MILLION) for end in (WON, LOST, BACK, HALF_WON, HALF_LOST, DEAD_HEAT)]
        self.assertEqual(paid, [3, 0, 1, 2, Fraction(1, 2), Fraction(3, 2)])

    def test_level_winners(self):
        bets = tuple(Bet(side, "back", 2_100_000, 2_100_000, Size()) for side in ("home", "away"))
        worst = lambda *levels: float(settling.outcome_of(bets, "h2h", None, levels)[0])
        self.assertAlmostEqual(worst(("impossible",) * 2), 0.05)
        self.assertAlmostEqual(worst(("refunded",) * 2), 0.0)
        self.assertAlmostEqual(worst(("dead_heat", "refunded")), 0.025)
        self.assertAlmostEqual(worst(("refunded",) * 2, ("outcome", "refunded")), -0.5)

    def test_a_part_of_a_match_can_be_level(self):
        stated = [{"periods": "extra_time", "level": "refunded"}, {"sports": ["golf"], "level": "impossible"}]
        found = [clauses.level(stated, league, "full_time") for league in ("basketball_nba", "basketball_x", "golf_x")]
        self.assertEqual(found, ["impossible", "refunded", "impossible"])
        self.assertEqual(clauses.level(stated, "basketball_nba", "q1"), "refunded")
        self.assertIsNone(clauses.level(stated, "golf_x", "q1"))

    def test_clauses_of_one_sport_do_not_speak_of_another(self):
        stated = [{"sports": ["baseball"], "periods": "extra_time", "shortened": "5_innings"}]
        stated += [{"sports": ["baseball"], "markets": ["totals"], "shortened": "9_innings"}]
        of = lambda league, market, line=None: clauses.played(stated, league, market, "full_time", line, False)
        self.assertEqual(of("baseball_mlb", "h2h"), ("extra_time", "immaterial", "immaterial", "5_innings", "immaterial"))
        self.assertEqual(of("baseball_mlb", "totals", 7500)[3], "9_innings")
        self.assertIsNone(of("baseball_mlb", "totals", 7000), "what a total does that is hit is not known")
        self.assertIsNone(of("basketball_nba", "h2h"))

    def test_stakes_of_a_back_and_a_lay(self):
        bets = (Bet("home", "back", 1_650_000, 1_650_000, Size()), Bet("home", "lay", 1_590_000, 2_610_169, Size()))
        _, stakes, left = settling.outcome_of(bets, "h2h_3_way", None, (("outcome", "outcome"),))
        self.assertEqual(stakes, (6126, 6564))  # of the lay 3872.76 at risk: 10107.90 for 9998.76
        self.assertAlmostEqual(float(left), 10107.9 / 9998.76 - 1, 12)

    def test_never_more_than_the_total_is_staked(self):
        bets = tuple(Bet(side, "back", 2_020_000, 2_020_000, Size(step=10_000)) for side in ("home", "away"))
        ways = settling.states(bets, "h2h", None, (("impossible",) * 2,))
        self.assertEqual(settling.round_stakes(bets, ways), (None, None))
        self.assertEqual(settling.round_stakes(bets, ways, total=20_000)[0], (10_000, 10_000))

    def test_no_stake_is_above_a_limit(self):
        bets = tuple(Bet(side, "back", 2_100_000, 2_100_000, Size(step=7)) for side in ("home", "away"))
        ways = settling.states(bets, "h2h", None, (("impossible",) * 2,))
        self.assertEqual(settling.round_stakes(bets, ways)[0], (4998, 4998))
        self.assertEqual(settling.round_stakes(bets, ways, limits=(4000, None)), (None, None))


class Entries(unittest.TestCase):
    def test_a_back_and_a_lay(self):
        entry = due(BACK_AND_LAY)
        self.assertAlmostEqual(entry["margin"], 0.0109408453, 10)
        self.assertEqual([leg["side"] for leg in entry["legs"]], ["back", "lay"])
        self.assertEqual([leg["liability"] for leg in entry["legs"]], [None, 3873])
        # A draw takes the back, and nobody knows what it makes of the lay.
        self.assertLess(entry["margin_worst"], -0.1)
        self.assertFalse(entry["verification"]["same_rules"])

    def test_nfl_ties_are_refunded_by_the_table(self):
        offers = [offer("draftkings", "h2h", tick("home", 2.1)), offer("fanduel", "h2h", tick("away", 2.1))]
        for league, worst in (("americanfootball_nfl", 0.0), ("baseball_mlb", 0.05)):
            entry = due(frame(*offers, league=league))
            self.assertAlmostEqual(entry["margin_worst"], worst)
            self.assertEqual("push_possible" in entry["warnings"], worst == 0)

    def test_a_draw_that_is_quoted_anywhere_is_an_outcome(self):
        winner = [offer("draftkings", "h2h", tick("home", 2.1)), offer("fanduel", "h2h", tick("away", 2.1))]
        for draw in (tick("draw", 9, status="suspended"), tick("draw", 9, "lay")):
            judge = opinion.Judge()
            judge.record(frame(*winner, offer("novig", "h2h", draw)), [])
            self.assertEqual(judge.arbs, {})

    def test_a_draw_that_is_left_out_stays(self):
        winner = [offer(book, "h2h", tick(side, 2.1)) for book, side in (("draftkings", "home"), ("fanduel", "away"))]
        league, judge = "americanfootball_nfl", opinion.Judge()
        judge.record(frame(*winner, offer("novig", "h2h", tick("draw", 30)), league=league), [])
        judge.record(frame(*winner, league=league, at=MILLION), [])
        self.assertEqual(judge.arbs, {})

    def test_two_outcomes_are_covered_where_a_level_result_is_refunded(self):
        pair = lambda away, league: frame(offer("draftkings", "h2h", tick("home", 2.1)), offer(away, "h2h", tick("away", 2.1)), league=league)
        for away, league, arbs in (
            ("fanduel", "americanfootball_nfl", 1),
            ("prophetx", "americanfootball_nfl", 0),
            ("fanduel", "boxing_x", 0),
            ("fanduel", "curling_x", 0),
            ("prophetx", "tennis_x", 1),
        ):
            judge = opinion.Judge()
            judge.record(pair(away, league), [])
            self.assertEqual(len(judge.arbs), arbs, (away, league))

    def test_regulation_is_not_overtime(self):
        back = lambda *draw: offer("unibet", "h2h", tick("home", 2.62), tick("away", 2.4), *draw)
        lay = offer("betfair_ex_eu", "h2h", tick("home", 2.1, "lay"))
        judge = opinion.Judge()
        for at, draw in ((0, [tick("draw", 4.3)]), (MILLION, [])):
            judge.record(frame(back(*draw), lay, league="icehockey_nhl", at=at), [])
            self.assertEqual(judge.arbs, {})
            of = {(key[0][0], key[-1]) for key in judge.world.quotes["e"]}
            self.assertEqual(of, {("h2h_3_way", "unibet"), ("h2h", "betfair_ex_eu")})
        only = {"books": None, "markets": ["h2h"]}
        record = frame(lay, league="icehockey_nhl", at=2 * MILLION)
        record["frame"]["coverage"] = only
        judge.record(record, [])
        self.assertEqual({key[-1] for key in judge.world.quotes["e"]}, {"betfair_ex_eu"})

    def test_no_arb_has_two_currencies(self):
        judge = opinion.Judge()
        pair = [offer("draftkings", "h2h", tick("home", 2.2)), offer("sportsbet", "h2h", tick("away", 2.2))]
        judge.record(frame(*pair, league="tennis_x"), [])
        self.assertEqual(judge.arbs, {})


# Three books of three operators, and a fourth whose price of home is an error: 1/9 + 1/2.1 is not taken, 1/2.1 + 1/2.1 is.
AN_ERROR = frame(
    *(offer(book, "totals", tick("over", 2.1, line=7500), tick("under", 2.1, line=7500)) for book in ("draftkings", "fanduel", "betmgm")),
    offer("betrivers", "totals", tick("over", 9.0, line=7500)),
    league="baseball_mlb",
)


class Covers(unittest.TestCase):
    def check(self, record, books, flag, worst_flag=None):
        entry = due(record)
        self.assertEqual([leg["book"] for leg in entry["legs"]], books)
        self.assertEqual(entry["passed_over"] and entry["passed_over"]["failed_check"]["flag"], flag)
        held = entry["verification"]
        self.assertEqual([name for name in ("same_rules", "independent_operators", "plausible_price") if not held[name]], worst_flag or [])
        return entry

    def test_an_error_hides_no_right_price(self):
        entry = self.check(AN_ERROR, ["betmgm", "draftkings"], "plausible_price")
        self.assertAlmostEqual(entry["margin"], 0.05)
        self.assertAlmostEqual(entry["passed_over"]["margin"], 1 / (1 / 9 + 1 / 2.1) - 1)
        self.assertEqual([leg["book"] for leg in entry["passed_over"]["legs"]], ["betrivers", "betmgm"])

    def test_of_one_operator_the_next_best_bet_counts(self):
        of = lambda book, over, under: offer(book, "totals", tick("over", over, line=7500), tick("under", under, line=7500))
        more = [of(book, 2.0, 2.05) for book in ("fanduel", "betmgm")]
        record = frame(of("lowvig", 2.3, 1.7), of("betonlineag", 1.8, 2.2), *more, league="baseball_mlb")
        self.check(record, ["lowvig", "betmgm"], "independent_operators")

    def test_where_no_eligible_cover_is_an_arb_the_cheapest_is_shown(self):
        of = lambda book, over, under: offer(book, "totals", tick("over", over, line=7500), tick("under", under, line=7500))
        record = frame(*(of(book, 1.9, 1.9) for book in ("draftkings", "fanduel", "betmgm")), of("nobody", 1.9, 2.3), league="baseball_mlb")
        self.check(record, ["betmgm", "nobody"], None, ["same_rules"])

    def test_an_exchange_of_other_rules_is_no_leg(self):
        self.check(BACK_AND_LAY, ["unibet", "betfair_ex_au"], None, ["same_rules", "plausible_price"])


class Mutations(unittest.TestCase):
    """An engine that is wrong in one thing is found out."""

    def found(self, record, change):
        entry = copy.deepcopy(due(record))
        self.assertEqual(differences(record, {"entry": entry}), 0)
        change(entry)
        self.assertGreater(differences(record, {"entry": entry}), 0)

    def leg(self, at, **fields):
        self.found(BACK_AND_LAY, lambda entry: entry["legs"][at].update(fields))

    def test_fees_and_lays(self):
        self.leg(1, effective_price=2_694_915)  # without the commission
        self.leg(1, side="back")
        self.leg(1, stake=3873)  # what it risks is not what is asked
        self.leg(1, liability=6564)
        self.leg(1, liability=3872)  # rounded down
        self.leg(0, stake=6127)
        self.leg(0, stake_share=0.5)

    def test_pushes(self):
        def ignored(entry):
            entry.update(margin_worst=entry["margin"], warnings=["limit_unknown"])

        self.found(WHOLE_LINE, ignored)
        self.found(WHOLE_LINE, lambda entry: entry.update(warnings=["limit_unknown"]))
        self.found(BACK_AND_LAY, lambda entry: entry.update(margin_worst=entry["margin"]))

    def test_numbers(self):
        for name in ("implied_probability", "margin", "margin_rounded", "score"):
            self.found(WHOLE_LINE, lambda entry: entry.update({name: entry[name] + 3e-9}))
        self.found(WHOLE_LINE, lambda entry: entry.update(currency=None))

    def test_each_flag(self):
        for flag in opinion.flags.FLAGS:
            def turned(entry):
                entry["verification"][flag] = not entry["verification"][flag]

            self.found(WHOLE_LINE, turned)

    def test_a_cover_that_was_passed_over(self):
        self.found(AN_ERROR, lambda entry: entry.update(passed_over=None))
        self.found(AN_ERROR, lambda entry: entry["passed_over"].update(margin=0.1))
        self.found(AN_ERROR, lambda entry: entry["passed_over"]["legs"][0].update(price=8_000_000))
        self.found(AN_ERROR, lambda entry: entry["passed_over"]["failed_check"].update(flag="same_rules"))

    def test_what_is_missing_or_too_much(self):
        entry = due(WHOLE_LINE)
        self.assertEqual(differences(WHOLE_LINE), 1)
        self.assertGreater(differences(WHOLE_LINE, {"entry": entry}, {"gone": "w"}), 0)
        self.assertGreater(differences(WHOLE_LINE, {"entry": entry}, {"entry": {**entry, "id": "v"}}), 0)
        self.assertGreater(differences(frame(), {"entry": entry}), 0)
        self.assertGreater(differences(WHOLE_LINE, {"entry": entry}, {"gone": "v"}), 0)


if __name__ == "__main__":
    unittest.main()
