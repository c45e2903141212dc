"""The curve of a segment in one order: which prefixes to measure, so that steps tell the score of all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np

ROUNDS = 8
"""Halving finds any of 256 frames in so many; usually the foretold losses hit at once."""

FEWEST_STEPS = 4
"""A useful range that is narrower than so many steps gets smaller ones: bytes may be saved there, too."""

SMALLEST_STEP = 0.1
"""Of the widest."""

AIM = 0.9
"""Of a step: what is not quite foretold is still no wider."""

SLACK = 1.5
"""Smaller steps than the widest may be so much wider than wanted."""

MeasurePrefixes = Callable[[Sequence[int]], Sequence[float]]
"""The scores of prefixes, which count frames."""


@dataclass(frozen=True, slots=True)
class CurveRequest:
    """What is known beforehand."""

    foretold_losses: Sequence[float]
    """For each prefix from no frame to all, descending to 0."""
    reliable_only: float
    whole: float
    useful_from: float
    """The lowest score of use: below it another level is better."""
    widest_step: float


def measure_curve(request: CurveRequest, measure: MeasurePrefixes) -> dict[int, float]:
    """Prefixes and their scores, ascending: no frame, and from the lowest useful prefix to all so many that
    neighbours differ by the widest step at most."""
    frames = len(request.foretold_losses) - 1
    known = {0: request.reliable_only, frames: request.whole}
    useful = max(request.useful_from, request.reliable_only)
    step = float(
        np.clip((request.whole - useful) / FEWEST_STEPS, SMALLEST_STEP * request.widest_step, request.widest_step)
    )
    for _ in range(ROUNDS):
        wanted = sorted(
            {prefix for gap in pairwise(sorted(known)) for prefix in _inside(request, known, gap, useful, step)}
        )
        if not wanted:
            break
        known.update(zip(wanted, measure(wanted), strict=True))
    return _useful_part(request, known)


def _inside(
    request: CurveRequest, known: dict[int, float], gap: tuple[int, int], useful: float, step: float
) -> list[int]:
    """Prefixes to measure between two neighbours, where foretold losses say that the score has made a step."""
    low, high = gap
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
    return [_foretold_prefix(request, low, high, (top - score) / drop) for score in scores]


def _foretold_prefix(request: CurveRequest, low: int, high: int, share: float) -> int:
    """The prefix between `low` and `high` that loses about that share of what `low` loses more than `high`."""
    losses = request.foretold_losses
    loss = losses[high] + share * (losses[low] - losses[high])
    return next((prefix for prefix in range(low + 1, high) if losses[prefix] <= loss), high - 1)


def _useful_part(request: CurveRequest, known: dict[int, float]) -> dict[int, float]:
    useful = [0]
    for prefix in sorted(known, reverse=True):
        if known[prefix] < request.useful_from and prefix < max(known):
            break
        useful.append(prefix)
    return {prefix: known[prefix] for prefix in sorted(useful)}
