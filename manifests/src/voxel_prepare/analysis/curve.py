"""The curve of a segment in one order: which prefixes to measure, so that their scores describe all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil

import numpy as np

ROUNDS = 8
"""Halving finds any of 256 frames in 8 rounds; usually one round is enough, as the predicted losses are good."""

FEWEST_STEPS = 4
"""Steps get smaller where the useful range is narrower than this many: bytes may be saved there, too."""

SMALLEST_STEP = 0.1
"""Share of the widest step."""

AIM = 0.9
"""Share of a step: leaves room for the error of the prediction."""

SLACK = 1.5
"""Factor by which steps smaller than the widest may be wider than asked for."""

MeasurePrefixes = Callable[[Sequence[int]], Sequence[float]]
"""Returns the scores of prefixes, given as numbers of frames."""


@dataclass(frozen=True, slots=True)
class CurveRequest:
    """What is known before the measurement."""

    predicted_losses: Sequence[float]
    """The predicted loss of score at each prefix from no frame to all, descending to 0."""
    reliable_only: float
    whole: float
    useful_from: float
    """The lowest useful score: below it another representation is better."""
    widest_step: float
    known: Mapping[int, float] = field(default_factory=dict)
    """Scores of prefixes that have been measured already."""


def measure_curve(request: CurveRequest, measure: MeasurePrefixes) -> dict[int, float]:
    """Prefixes and their scores, ascending: no frame, and, from the lowest useful prefix to all frames, enough of them
    that the scores of neighbours differ by the widest step at most."""
    frames = len(request.predicted_losses) - 1
    known = {**request.known, 0: request.reliable_only, frames: request.whole}
    useful = max(request.useful_from, request.reliable_only)
    step = float(
        np.clip((request.whole - useful) / FEWEST_STEPS, SMALLEST_STEP * request.widest_step, request.widest_step)
    )
    for _ in range(ROUNDS):
        wanted = sorted({prefix for gap in pairwise(sorted(known)) for prefix in _inside(request, known, gap, step)})
        if not wanted:
            break
        known.update(zip(wanted, measure(wanted), strict=True))
    return _useful_part(request, known)


def _inside(request: CurveRequest, known: dict[int, float], gap: tuple[int, int], step: float) -> list[int]:
    """Prefixes to measure between two neighbours, one for each step of the score that the predicted losses suggest."""
    low, high = gap
    useful = request.useful_from
    bottom, top = known[low], known[high]
    drop = top - bottom
    wide = min(SLACK * step, request.widest_step)
    if high - low == 1 or top < useful or abs(drop) <= wide or (bottom < useful and top - useful <= wide):
        return []
    if drop < 0:
        return [(low + high) // 2]
    lowest = max(bottom, useful)
    parts = ceil((top - lowest) / (AIM * step))
    scores = [top - part * (top - lowest) / parts for part in range(1, parts + (bottom < useful))]
    return [_predicted_prefix(request, low, high, (top - score) / drop) for score in scores]


def _predicted_prefix(request: CurveRequest, low: int, high: int, share: float) -> int:
    """The prefix between `low` and `high` whose loss is about that `share` of the way from that of `high` to `low`."""
    losses = request.predicted_losses
    loss = losses[high] + share * (losses[low] - losses[high])
    return next((prefix for prefix in range(low + 1, high) if losses[prefix] <= loss), high - 1)


def _useful_part(request: CurveRequest, known: dict[int, float]) -> dict[int, float]:
    useful = [0]
    for prefix in sorted(known, reverse=True):
        if known[prefix] < request.useful_from and prefix < max(known):
            break
        useful.append(prefix)
    return {prefix: known[prefix] for prefix in sorted(useful)}
