"""What the model is given of a match, from the prices of its books alone. `pipeline/picks/src/model/features.rs` computes the same.

It never reads a result. A value that a live feed does not have (form, ratings, movement) is not here.
"""

import numpy as np

# Books with all three prices and a margin; with fewer the model is silent.
LEAST_BOOKS = 4
# More books count as this many.
MOST_BOOKS = 12
# A booksum so little below 1 is 1 but for the noise of the arithmetic, as in the engine.
NOISE = 1e-12
NAMES = ["probability", "spread", "above", "below", "best", "margin", "books", "outcome"]
OUTCOMES = 3


def shin(prices):
    """Fair probabilities by Shin's method: rows of prices in, rows of probabilities out. By halves, as the engine does."""
    implied = 1.0 / prices
    booksum = implied.sum(axis=1, keepdims=True)
    squares = implied * implied / booksum
    low = np.zeros_like(booksum)
    high = np.ones_like(booksum)
    chances = lambda z: 2.0 * squares / (np.sqrt(z * z + 4.0 * (1.0 - z) * squares) + z)
    for _ in range(60):
        middle = (low + high) / 2.0
        is_low = chances(middle).sum(axis=1, keepdims=True) >= 1.0
        low = np.where(is_low, middle, low)
        high = np.where(is_low, high, middle)
    return chances(low)


def of_matches(prices):
    """Prices of shape (matches, books, 3), 0 where a book has none. Returns which matches can be judged, the consensus of those
    (matches, 3), and their features (matches, 3, features)."""
    is_complete = (prices > 1.0).all(axis=2)
    booksum = np.where(is_complete, (1.0 / np.where(prices > 1.0, prices, 1.0)).sum(axis=2), 0.0)
    is_used = is_complete & (booksum >= 1.0 - NOISE)
    fair = np.full(prices.shape, np.nan)
    fair[is_used] = shin(prices[is_used])
    count = is_used.sum(axis=1)
    judged = count >= LEAST_BOOKS
    fair, used, count = fair[judged], is_used[judged], count[judged]
    consensus = np.nanmean(fair, axis=1)
    best = np.where(used[:, :, None], prices[judged], 0.0).max(axis=1)
    margin = np.where(used, booksum[judged] - 1.0, 0.0).sum(axis=1) / count
    wide = lambda value: np.repeat(value[:, None], OUTCOMES, axis=1)
    features = [
        consensus,
        np.sqrt(np.nanmean((fair - consensus[:, None, :]) ** 2, axis=1)),
        np.nanmax(fair, axis=1) - consensus,
        consensus - np.nanmin(fair, axis=1),
        best * consensus,
        wide(margin),
        wide(np.minimum(count, MOST_BOOKS).astype(float)),
        np.repeat(np.arange(OUTCOMES, dtype=float)[None, :], len(consensus), axis=0),
    ]
    return judged, consensus, np.stack(features, axis=2)
