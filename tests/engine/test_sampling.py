"""The chooser draws from the masked distribution, however little of the mask it asks for."""

from __future__ import annotations

import numpy as np
import pytest

from gbnfc.engine.base import Sampling, Stats
from gbnfc.engine.sampling import Chooser, best_tokens, score, truncated
from gbnfc.errors import EngineError

SIZE = 3000


class Mask:
    """A grammar that allows a fixed set of tokens."""

    def __init__(self, mask):
        self.mask = mask

    def allows(self, token):
        return bool(self.mask[token])

    def allowed(self, tokens):
        return self.mask[tokens]


def vocabulary(seed, share, spread=3.0):
    rng = np.random.default_rng(seed)
    logits = (rng.normal(size=SIZE) * spread).astype(np.float32)
    return logits, rng.random(SIZE) < share


@pytest.mark.parametrize("share", [0.9, 0.1, 0.01, 0.001])
@pytest.mark.parametrize("seed", range(10))
def test_greedy_is_the_fully_masked_choice(seed, share):
    logits, mask = vocabulary(seed, share)
    mask[seed] = True
    logits[:50] = logits.max() if seed % 2 else logits[:50]  # ties
    chosen = Chooser(Sampling(), 0, Stats()).choose(logits, Mask(mask))
    assert chosen == int(np.where(mask, logits, -np.inf).argmax())


SETTINGS = [
    Sampling(1.0),
    Sampling(0.7),
    Sampling(1.5),
    Sampling(1.0, top_k=5),
    Sampling(0.8, top_k=40, top_p=0.9),
    Sampling(1.0, top_p=0.8),
    Sampling(1.0, min_p=0.1),
    Sampling(1.0, top_k=20, top_p=0.95, min_p=0.05),
]


def reference(logits, mask, sampling):
    """The distribution of llama.cpp's sampler chain behind a full mask, written out plainly."""
    kept = sorted(np.flatnonzero(mask), key=lambda token: -logits[token])
    if sampling.top_k:
        kept = kept[: sampling.top_k]
    weights = np.exp(logits[kept].astype(float) - logits[kept].max())
    if sampling.top_p < 1:
        total = np.cumsum(weights / weights.sum())
        kept = [t for i, t in enumerate(kept) if i == 0 or total[i - 1] < sampling.top_p]
    floor = max(logits[kept]) + (np.log(sampling.min_p) if sampling.min_p else -np.inf)
    kept = [token for token in kept if logits[token] >= floor]
    scaled = np.exp((logits[kept].astype(float) - logits[kept].max()) / sampling.temperature)
    found = np.zeros(len(logits))
    found[kept] = scaled / scaled.sum()
    return found


@pytest.mark.parametrize("sampling", SETTINGS, ids=str)
@pytest.mark.parametrize("share", [0.5, 0.02])
def test_draws_follow_the_fully_masked_distribution(sampling, share):
    logits, mask = vocabulary(7, share, spread=1.5)
    expected = reference(logits, mask, sampling)
    chooser = Chooser(sampling, 1, Stats())
    draws = 4000
    counts = np.bincount([chooser.choose(logits, Mask(mask)) for _ in range(draws)], minlength=SIZE)
    assert not counts[expected == 0].any()
    # Chi-square over the likely tokens, the rest in one bin; 6 sigma of its normal approximation.
    likely = expected * draws >= 5
    observed = np.append(counts[likely], counts[~likely].sum())
    awaited = np.append(expected[likely], expected[~likely].sum()) * draws
    bins = awaited > 0
    statistic = ((observed[bins] - awaited[bins]) ** 2 / awaited[bins]).sum()
    freedom = max(1, bins.sum() - 1)
    assert statistic < freedom + 6 * np.sqrt(2 * freedom) + 6


def test_the_statistical_test_can_fail():
    logits, mask = vocabulary(7, 0.5, spread=1.5)
    one, other = (reference(logits, mask, s) for s in (Sampling(1.0), Sampling(0.7)))
    draws = 4000
    likely = one * draws >= 5
    statistic = ((other[likely] - one[likely]) ** 2 * draws / one[likely]).sum()
    assert statistic > likely.sum() + 6 * np.sqrt(2 * likely.sum()) + 6


def test_the_same_seed_gives_the_same_tokens():
    logits, mask = vocabulary(3, 0.5)

    def draw(seed, offset):
        chooser = Chooser(Sampling(1.0, seed=seed), offset, Stats())
        return [chooser.choose(logits, Mask(mask)) for _ in range(20)]

    assert draw(1, 2) == draw(1, 2)
    assert draw(1, 2) != draw(1, 3)
    assert draw(1, 2) != draw(2, 2)


def test_one_token_is_asked_about_when_the_first_choice_is_allowed():
    logits, mask = vocabulary(3, 0.5)
    mask[logits.argmax()] = True
    stats = Stats()
    Chooser(Sampling(), 0, stats).choose(logits, Mask(mask))
    assert (stats.checks, stats.widened_checks, stats.full_masks) == (1, 0, 0)


def test_nothing_allowed_is_an_error():
    logits, _ = vocabulary(3, 0.5)
    nothing = Mask(np.zeros(SIZE, dtype=bool))
    for sampling in (Sampling(), Sampling(1.0), Sampling(1.0, top_k=3)):
        with pytest.raises(EngineError):
            Chooser(sampling, 0, Stats()).choose(logits, nothing)


def test_best_tokens_keeps_ties_in_order():
    logits = np.array([1, 3, 3, 2, 3], dtype=np.float32)
    assert list(best_tokens(logits, 2)) == [1, 2, 4]
    assert list(best_tokens(logits, 99)) == [1, 2, 4, 3, 0]


@pytest.mark.parametrize("spread", [0.0, 0.1, 3.0, 1000.0])
@pytest.mark.parametrize("count", [1, 48, 1024, 2999])
def test_best_tokens_are_the_head_of_the_ranking(spread, count):
    logits = (np.random.default_rng(count).standard_normal(SIZE) * spread).round(2)
    logits[7] = -np.inf
    found = best_tokens(logits.astype(np.float32), count)
    ranking = np.argsort(-logits, kind="stable")
    assert len(found) >= count
    assert list(found) == list(ranking[: len(found)])
    assert len(found) == SIZE or logits[ranking[len(found)]] < logits[found[count - 1]]


def test_truncated_sums_to_one():
    ranked = np.array([3, 2, 1, 0], dtype=np.float32)
    found = truncated(ranked, Sampling(1.0, top_k=2))
    assert found.sum() == pytest.approx(1)
    assert list(found[2:]) == [0, 0]


def test_score_is_renormalised():
    logits = np.log(np.array([0.5, 0.3, 0.2], dtype=np.float32))
    probability, pressure = score(logits, np.array([False, True, True]), 1)
    assert probability == pytest.approx(0.6, abs=1e-5)
    assert pressure == pytest.approx(0.5, abs=1e-5)
