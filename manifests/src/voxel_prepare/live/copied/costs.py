"""What missing frames cost, foretold from the stream alone: types, references and sizes of frames. No pixel is decoded.

docs/LIVE.md, "Copy", says what that is good for.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from voxel_prepare.analysis.foretold import HELD_LOSS, HELD_POWER, foretold_score
from voxel_prepare.live.gop import RETENTION, error_weights
from voxel_prepare.live.scores import Scores
from voxel_prepare.repair.frames import Frame

UNKNOWN_FRAMES = 30
"""Frames of the first segment, before one has been seen."""

STILL = Scores(0.1, 0.1)
"""Scores of a segment that has not come: any other representation is better."""


def copied_scores(bitrate: float, top: float, frames: int) -> Scores:
    """Scores of a representation, by its share of the top representation's bitrate.

    `frames`: those of a segment, of which the reliable part shows the first one.
    """
    whole = foretold_score(round(bitrate), round(max(top, bitrate)))
    held = sum(HELD_LOSS * away**HELD_POWER for away in range(frames)) / max(1, frames)
    return Scores(whole, max(0.0, whole - held))


class FrameCosts:
    """Foretells the costs of a representation's frames; encoders repeat the structure of a group of pictures."""

    def __init__(self) -> None:
        self._before: list[Frame] = []
        self._weights: list[float] = []
        self._frames: list[Frame] = []

    @property
    def segment_frames(self) -> int:
        """Frames of the segment before."""
        return len(self._before) or UNKNOWN_FRAMES

    def begin(self) -> None:
        """The next segment."""
        if len(self._frames) > 1:
            self._before, self._weights = self._frames, error_weights(self._frames)
        self._frames = []

    def of(self, frames: Sequence[Frame]) -> list[float]:
        """What the score of the segment loses without each of its next frames, in decode order."""
        costs: list[float] = []
        for frame in frames:
            place = len(self._frames)
            self._frames.append(replace(frame, index=place))
            changing = frame.unreliable_bytes / max(1.0, self._mean())
            costs.append(min(1.0, HELD_LOSS * sqrt(changing) * self._weight(place) / self.segment_frames))
        return costs

    def _mean(self) -> float:
        """Bytes of a frame that may be missing."""
        sizes = [one.unreliable_bytes for one in self._before or self._frames if one.unreliable]
        return sum(sizes) / len(sizes) if sizes else 0.0

    def _weight(self, place: int) -> float:
        """How many pictures' worth of error the frame causes where it alone is missing."""
        frame = self._frames[place]
        if place < len(self._before) and _is_alike(frame, self._before[place]):
            return self._weights[place]
        if not frame.is_reference:
            return 1.0
        following = max(0, self.segment_frames - place - 1)
        if frame.type == "B":
            return 1.0 + RETENTION
        return float((1 - RETENTION ** (following + 1)) / (1 - RETENTION))


def _is_alike(one: Frame, other: Frame) -> bool:
    return (one.type, one.is_reference) == (other.type, other.is_reference)
