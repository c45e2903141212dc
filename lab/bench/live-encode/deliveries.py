"""What is lost of a segment on the way, and what the player says of it."""

import random
from collections.abc import Collection, Mapping, Sequence
from math import ceil

from voxel_prepare.live.encoder import FrameChoice
from voxel_prepare.live.scores import Scores
from voxel_prepare.repair.frames import Frame

PAYLOAD_BYTES = 1200
"""Payload of a datagram."""

LOSS_RATES = (0.01, 0.02, 0.05)
"""Shares of datagrams that are lost and never recovered."""

DRAWS = 3
"""Deliveries of a segment at each rate."""

BEND = 3
"""The constant of src/manifest/score-estimate.ts."""


def random_deliveries(frames: Sequence[Frame], draw: random.Random) -> list[frozenset[int]]:
    """The frames that are not complete, by index."""
    return [
        frozenset(
            frame.index
            for frame in frames
            if draw.random() > (1 - rate) ** ceil(frame.unreliable_bytes / PAYLOAD_BYTES)
        )
        for rate in LOSS_RATES
        for _ in range(DRAWS)
    ]


def told_score(lost: Collection[int], costs: Mapping[int, float], choice: FrameChoice, scores: Scores) -> float:
    """The whole score, less what each chunk lacks according to the player (src/manifest/score-estimate.ts)."""
    chunks: dict[int, list[int]] = {}
    for index in costs:
        chunks.setdefault(choice.chunk_of(index), []).append(index)
    limit = scores.whole - scores.reliable
    losses = [
        _chunk_loss([costs[index] for index in chunk if index in lost], len(chunk), limit) for chunk in chunks.values()
    ]
    return max(scores.reliable, scores.whole - sum(losses))


def _chunk_loss(costs: Sequence[float], frames: int, limit: float) -> float:
    """The chunk's score is that of its reliable bytes where all of its `frames` are missing."""
    total = sum(costs)
    if total == 0 or limit <= 0:
        return 0
    together: float = total / (1 + (total / limit) ** BEND) ** (1 / BEND)
    return limit if len(costs) == frames else together
