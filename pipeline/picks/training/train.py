"""Trains the bot `model`, version 1: python3 -m venv V; V/bin/pip install -r requirements.txt; V/bin/python train.py

It reads the table of football-data in place (../shared/data beside the repository, or the path that is given) and writes
  ../src/model/trees.txt                 the trees and the calibration, nothing of the table;
  ../tests/golden/model-random.txt       what the model says of 10,000 random matches, home and away in 1e-8;
  ../tests/golden/model-seasons.txt      its scores over the seasons that it may see, sums over thousands of matches.
The same versions of the libraries give the same bytes: one thread, fixed seeds, no random choice.

It never reads a row of a judging season (2017, 2018): such rows are dropped before any of their columns is looked at.
"""

import csv
import io
import pathlib
import sys

import lightgbm
import numpy as np
import zstandard

import features

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parents[3] / "shared/data/football-data/soccer-2006-2018.csv.zst"
TRAINING = range(2006, 2015)
CALIBRATION = 2015
CHECK = 2016
BOOKS = (
    "bet365 betwin bluesquare gamebookers interwetten ladbrokes pinnacle sporting sportingbet stanjames stanleybet vcbet "
    "williamhill"
).split()
OUTCOMES = ["home_win", "draw", "away_win"]
TREES = 100
PARAMETERS = {
    "objective": "binary",
    "num_leaves": 8,
    "learning_rate": 0.05,
    "min_data_in_leaf": 500,
    "lambda_l2": 10.0,
    "boost_from_average": False,
    "use_missing": False,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "seed": 24,
    "verbose": -1,
}
RANDOM_MATCHES = 10_000


def number(text):
    try:
        return float(text)
    except ValueError:
        return 0.0


def read(path):
    """Prices (matches, books, 3) with 0 for none, which outcome happened, and the season: rows with Bet365's or Betbrain's prices."""
    prices, happened, seasons = [], [], []
    with open(path, "rb") as packed:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(packed)
        for row in csv.DictReader(io.TextIOWrapper(unpacked, "utf-8")):
            if int(row["year"]) > CHECK:
                continue
            goals = [number(row[f"target__{side}_team__full_time_goals"] or "-1") for side in ("home", "away")]
            opening = [row[f"odds__bet365__{outcome}__full_time_goals"] for outcome in OUTCOMES]
            for kind, draw in (("average", "draw_win"), ("maximum", "draw")):
                names = ["home_win", draw, "away_win"]
                opening += [row[f"odds__betbrain_{kind}__{outcome}__full_time_goals"] for outcome in names]
            if min(goals) < 0 or not any(number(price) > 1.0 for price in opening):
                continue
            prices.append([[number(row[f"odds__{book}__{outcome}__full_time_goals"]) for outcome in OUTCOMES] for book in BOOKS])
            happened.append(int(goals[0] == goals[1]) + 2 * int(goals[0] < goals[1]))
            seasons.append(int(row["year"]))
    prices = np.array(prices)
    prices[prices <= 1.0] = 0.0
    return prices, np.array(happened), np.array(seasons)


def logit(probability):
    return np.log(probability / (1.0 - probability))


def logistic(value):
    return 1.0 / (1.0 + np.exp(-value))


def raw_of(booster, consensus, columns):
    trees = booster.predict(columns.reshape(-1, columns.shape[2]), raw_score=True)
    return logit(consensus) + trees.reshape(-1, 3)


def probabilities(raw, platt):
    chances = logistic(platt[0] + platt[1] * raw)
    return chances / chances.sum(axis=1, keepdims=True)


def fit_platt(raw, won):
    """Intercept and slope by Newton's method on the log score."""
    x, y, fit = raw.ravel(), won.ravel(), np.array([0.0, 1.0])
    for _ in range(50):
        stated = logistic(fit[0] + fit[1] * x)
        error, weight = stated - y, stated * (1.0 - stated)
        slope = np.array([error.sum(), (error * x).sum()])
        bend = np.array([[weight.sum(), (weight * x).sum()], [(weight * x).sum(), (weight * x * x).sum()]])
        fit = fit - np.linalg.solve(bend, slope)
    return fit


def scores(stated, happened):
    """Log score and Brier score per match."""
    won = (happened[:, None] == np.arange(3)).astype(float)
    return -np.log((stated * won).sum(axis=1)).mean(), ((stated - won) ** 2).sum(axis=1).mean()


def text_of(booster, platt):
    """The trees in LightGBM's own words, without what an evaluation does not need."""
    kept = ("Tree=", "split_feature=", "threshold=", "left_child=", "right_child=", "leaf_value=")
    trees = booster.model_to_string().split("end of trees")[0].split("\n")
    lines = [line for line in trees if line.startswith(kept)]
    head = ["model 1", "features " + " ".join(features.NAMES), f"platt {float(platt[0])!r} {float(platt[1])!r}"]
    return "\n".join(head + lines) + "\n"


def random_matches():
    """Matches that a linear congruential generator makes; `pipeline/picks/tests/model.rs` makes the same."""
    state = 24

    def draw(below):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % below

    prices = np.zeros((RANDOM_MATCHES, len(BOOKS), 3))
    for match in range(RANDOM_MATCHES):
        weights = [5 + draw(86) for _ in range(3)]
        for book in range(len(BOOKS)):
            is_there, margin = draw(4) > 0, 100 + draw(13)
            for outcome in range(3):
                hundredths = sum(weights) * (95 + draw(11)) * 100 // (weights[outcome] * margin)
                prices[match, book, outcome] = hundredths / 100 if is_there and hundredths > 100 else 0.0
    return prices


def main():
    prices, happened, seasons = read(sys.argv[1] if len(sys.argv) > 1 else TABLE)
    judged, consensus, columns = features.of_matches(prices)
    happened, seasons = happened[judged], seasons[judged]
    won = (happened[:, None] == np.arange(3)).astype(float)

    training = np.isin(seasons, TRAINING)
    rows = columns[training].reshape(-1, columns.shape[2])
    data = lightgbm.Dataset(rows, won[training].ravel(), init_score=logit(consensus[training]).ravel())
    booster = lightgbm.train(PARAMETERS, data, TREES)
    raw = raw_of(booster, consensus, columns)
    calibration = seasons == CALIBRATION
    platt = fit_platt(raw[calibration], won[calibration])
    stated = probabilities(raw, platt)

    (HERE.parent / "src/model").mkdir(exist_ok=True)
    (HERE.parent / "src/model/trees.txt").write_text(text_of(booster, platt))
    golden = HERE.parent / "tests/golden"
    by_season = []
    for season in range(TRAINING[0], CHECK + 1):
        of = seasons == season
        ours, theirs = scores(stated[of], happened[of]), scores(consensus[of], happened[of])
        values = [*ours, *theirs, *stated[of].mean(axis=0)]
        by_season.append(f"{season} {of.sum()} " + " ".join(f"{value:.9f}" for value in values))
    (golden / "model-seasons.txt").write_text("\n".join(by_season) + "\n")
    print("season matches | model: log, Brier | consensus: log, Brier | mean home, draw, away")
    print("\n".join(by_season))

    judged, consensus, columns = features.of_matches(random_matches())
    random = np.zeros((RANDOM_MATCHES, 3))
    random[judged] = probabilities(raw_of(booster, consensus, columns), platt)
    line = lambda row: f"{row[0] * 1e8:.0f} {row[2] * 1e8:.0f}" if row.sum() > 0 else "-"
    (golden / "model-random.txt").write_text("\n".join(map(line, random)) + "\n")

    print(f"\nPlatt on {CALIBRATION}: intercept {platt[0]:.5f}, slope {platt[1]:.5f}")
    print(f"\nCalibration of all outcomes in {CHECK}, which neither trees nor calibration saw:\noutcomes stated,% happened,%")
    check = seasons == CHECK
    tenth = np.minimum((stated[check] * 10).astype(int), 9)
    for decile in range(10):
        of = tenth == decile
        if of.sum() > 0:
            print(f"{of.sum()} {100 * stated[check][of].mean():.1f} {100 * won[check][of].mean():.1f}")


if __name__ == "__main__":
    main()
