"""Choosing a token: sample first, ask the grammar after, draw from the masked distribution.

In: the logits of one place, a grammar state. Out: a token that the grammar allows. The grammar is
asked about one token, then a few dozen, then the whole vocabulary: a full mask costs more than
the model itself on large vocabularies. Why the result is exact: the best allowed token is the
first allowed one in the order of logits; and drawing without replacement until an allowed token
comes gives each allowed token its share of the allowed mass.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gbnfc.errors import EngineError

if TYPE_CHECKING:
    import numpy.typing as npt

    from gbnfc.engine.base import Sampling, Stats

    Floats = npt.NDArray[np.floating]
    Mask = npt.NDArray[np.bool_]

_WIDTHS = (48, 1024, 16384)
_NEAR_THE_BEST = 12.0
_DRAWS = 6


class TokenFilter(Protocol):
    """What the chooser needs of a grammar state."""

    def allows(self, token: int) -> bool:
        """Return whether one token may come next."""

    def allowed(self, tokens: npt.NDArray[np.int32]) -> Mask:
        """Return which of `tokens` may come next."""


class Chooser:
    """Draws the tokens of one text; the same seed gives the same text, whatever runs beside it."""

    def __init__(self, sampling: Sampling, seed_offset: int, stats: Stats) -> None:
        self._sampling = sampling
        self._random = random.Random(f"{sampling.seed}/{seed_offset}")
        self._stats = stats

    def choose(self, logits: Floats, grammar: TokenFilter | None) -> int:
        """Return the next token. Without `grammar`, every token is allowed."""
        self._stats.sampled += 1
        sampling = self._sampling
        if grammar is None:
            return self._draw_from(logits, np.ones(len(logits), dtype=np.bool_))
        if sampling.temperature <= 0:
            return self._best(logits, grammar)
        if sampling.top_k or sampling.min_p:
            return self._draw_truncated(logits, grammar)
        if sampling.top_p < 1:
            return self._draw_from(logits, self.full_mask(len(logits), grammar))
        return self._draw_plain(logits, grammar)

    def full_mask(self, size: int, grammar: TokenFilter) -> Mask:
        """Return which tokens of the whole vocabulary the grammar allows."""
        self._stats.full_masks += 1
        mask = grammar.allowed(np.arange(size, dtype=np.int32))
        if not mask.any():
            raise EngineError(
                "the grammar allows no token of this model here",
                hint="the grammar asks for characters that the model's vocabulary cannot write",
            )
        return mask

    def _allows(self, grammar: TokenFilter, token: int) -> bool:
        self._stats.checks += 1
        return grammar.allows(token)

    def _best(self, logits: Floats, grammar: TokenFilter) -> int:
        first = int(logits.argmax())
        if self._allows(grammar, first):
            return first
        for width in _WIDTHS:
            ranked = best_tokens(logits, width)
            self._stats.widened_checks += 1
            found = np.flatnonzero(grammar.allowed(ranked))
            if len(found):
                return int(ranked[found[0]])
        mask = self.full_mask(len(logits), grammar)
        return int(np.where(mask, logits, -np.inf).argmax())

    def _draw_plain(self, logits: Floats, grammar: TokenFilter) -> int:
        weights = _weights(logits, self._sampling.temperature)
        for _ in range(_DRAWS):
            token = self._draw(weights)
            if self._allows(grammar, token):
                return token
            weights[token] = 0.0
            if not weights.any():
                break
        mask = self.full_mask(len(logits), grammar)
        left = np.where(mask, weights, 0.0)
        if not left.any():  # all that is allowed has underflowed
            return int(np.where(mask, logits, -np.inf).argmax())
        return self._draw(left)

    def _draw_truncated(self, logits: Floats, grammar: TokenFilter) -> int:
        # top-k and min-p keep only the best allowed tokens, so a long enough head of the ranking
        # decides them; the mask of the rest is never needed.
        sampling = self._sampling
        for width in _WIDTHS:
            ranked = best_tokens(logits, width)
            self._stats.widened_checks += 1
            kept = ranked[grammar.allowed(ranked)]
            if len(kept) == 0:
                continue
            floor = logits[kept[0]] + math.log(sampling.min_p) if sampling.min_p else -math.inf
            settled = bool(sampling.top_k) and len(kept) >= sampling.top_k
            if settled or logits[ranked[-1]] < floor:
                probabilities = truncated(logits[kept], sampling)
                return int(kept[self._draw(probabilities)])
        return self._draw_from(logits, self.full_mask(len(logits), grammar))

    def _draw_from(self, logits: Floats, mask: Mask) -> int:
        if self._sampling.temperature <= 0:
            return int(np.where(mask, logits, -np.inf).argmax())
        kept = np.flatnonzero(mask)
        kept = kept[np.argsort(-logits[kept], kind="stable")]
        return int(kept[self._draw(truncated(logits[kept], self._sampling))])

    def _draw(self, weights: Floats) -> int:
        sums = np.cumsum(weights, dtype=np.float64)
        point = self._random.random() * sums[-1]
        found = int(np.searchsorted(sums, point, side="right"))
        return min(found, len(weights) - 1)


def best_tokens(logits: Floats, count: int) -> npt.NDArray[np.int32]:
    """Return the tokens of the `count` highest logits and ties, best first, then by number."""
    if count >= len(logits):
        chosen = np.arange(len(logits))
    else:
        # Few logits are near the best: ranking those takes a twentieth of ranking 262,144.
        near = logits[logits >= logits.max() - _NEAR_THE_BEST]
        among = near if len(near) >= count else logits
        threshold = np.partition(among, len(among) - count)[len(among) - count]
        chosen = np.flatnonzero(logits >= threshold)
    ranked = chosen[np.argsort(-logits[chosen], kind="stable")]
    return ranked.astype(np.int32)


def truncated(ranked: Floats, sampling: Sampling) -> Floats:
    """Return the probabilities of tokens whose logits `ranked` are sorted downwards, shape (n,).

    Truncation as llama.cpp orders it: top-k, top-p, min-p, each on the softmax of what is left,
    then the temperature.
    """
    kept = ranked[: sampling.top_k] if sampling.top_k else ranked
    if sampling.top_p < 1:
        weights = _weights(kept, 1.0)
        sums = np.cumsum(weights)
        kept = kept[: int(np.searchsorted(sums, sampling.top_p * sums[-1])) + 1]
    if sampling.min_p:
        kept = kept[kept >= kept[0] + math.log(sampling.min_p)]
    weights = np.zeros(len(ranked))
    weights[: len(kept)] = _weights(kept, sampling.temperature)
    found: Floats = weights / weights.sum()
    return found


def score(logits: Floats, mask: Mask, token: int) -> tuple[float, float]:
    """Return the probability of `token` among the allowed, and the mass that `mask` removed."""
    weights = _weights(logits, 1.0)
    total, kept = weights.sum(), weights[mask].sum()
    if kept <= 0:
        return 0.0, 1.0
    return float(weights[token] / kept), float(1 - kept / total)


def _weights(logits: Floats, temperature: float) -> npt.NDArray[np.float64]:
    shifted = (logits - logits.max()).astype(np.float64)
    found: npt.NDArray[np.float64] = np.exp(shifted / temperature)
    return found
