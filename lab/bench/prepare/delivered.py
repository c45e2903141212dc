"""Stated and estimated scores against decodes of what a player would build."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from math import ceil

from voxel_prepare.analysis.encoded_segment import EncodedSegment, SegmentSource
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.references import ReferencePictures
from voxel_prepare.analysis.removed import HeldSegment, read_closed_sets
from voxel_prepare.analysis.score import score_pictures
from voxel_prepare.analysis.segment_analysis import SegmentAnalysis
from voxel_prepare.byte_ranges import ReceivedRanges
from voxel_prepare.isobmff import Track, parse_fragments, parse_track
from voxel_prepare.repair.repair import hold_or_replace

PAYLOAD_BYTES = 1200
"""Payload of a datagram."""


@dataclass(frozen=True, slots=True)
class Loss:
    """On the way, of datagrams: Gilbert's model."""

    rate: float
    burst: float
    """Datagrams lost in a row, on average."""

    def lost(self, datagrams: int, draw: random.Random) -> set[int]:
        """Which are lost."""
        result = set()
        is_lost = draw.random() < self.rate
        for datagram in range(datagrams):
            if is_lost:
                result.add(datagram)
            chance = 1 - 1 / self.burst if is_lost else self.rate / (1 - self.rate) / self.burst
            is_lost = draw.random() < chance
        return result


LOSSES = {
    "1 %": Loss(0.01, 1 / 0.99),
    "3 %": Loss(0.03, 1 / 0.97),
    "10 %": Loss(0.1, 1 / 0.9),
    "3 %, bursts of 30": Loss(0.03, 30),
    "20 %, bursts of 30": Loss(0.2, 30),
}
"""Each by itself, and as where a queue overflows: in a browser trial a third of a segment was lost in a few bursts."""

LOSS_DRAWS = 2
"""Deliveries of a segment with each loss."""

BEND = 3
"""The constant of src/manifest/score-estimate.ts."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A score that was stated, or estimated, and what a decode gives."""

    told: float
    decoded: float

    @property
    def error(self) -> float:
        return self.told - self.decoded


def check_segment(
    source: SegmentSource, analysis: SegmentAnalysis, reference: SegmentSource, draws: int, seed: int
) -> dict[str, list[Deviation]]:
    """Deviations in one segment: of random prefixes that a player may ask for, of as many steps, and with losses."""
    draw = random.Random(seed)
    encoded = source.read()
    player: _Player | _Viewer
    if analysis.needs is not None:
        player = _Viewer(encoded, analysis, reference.read())
    else:
        player = _Player(parse_track(source.path.read_bytes()), encoded, analysis, reference.read())
    order = analysis.order
    result: dict[str, list[Deviation]] = {"prefix": [], "step": [], **{f"loss {name}": [] for name in LOSSES}}
    lowest = analysis.steps[min(1, len(analysis.steps) - 1)].frames
    for _ in range(draws):
        prefix = draw.randint(lowest, len(order))
        stated = next(step.score for step in reversed(analysis.steps) if step.frames <= prefix)
        result["prefix"].append(Deviation(stated, player.score(order[prefix:])))
        step = draw.choice(analysis.steps)
        result["step"].append(Deviation(step.score, player.score(order[step.frames :])))
    for name, loss in LOSSES.items():
        for _ in range(LOSS_DRAWS):
            lost = _frames_lost(analysis, loss, draw)
            result[f"loss {name}"].append(Deviation(estimate(analysis, lost), player.score(lost)))
    return result


def estimate(analysis: SegmentAnalysis, lost: Collection[int]) -> float:
    """Score as src/manifest/score-estimate.ts has it: of the first step that holds all that is here, less what losses
    in it cost together. With `lost` frames those are that need them."""
    lost = _with_dependents(analysis, lost)
    prefix = max((position + 1 for position, index in enumerate(analysis.order) if index not in lost), default=0)
    step = next(step for step in analysis.steps if step.frames >= prefix)
    in_step = list(zip(analysis.order, analysis.loss_costs, strict=True))[: step.frames]
    total = sum(cost for index, cost in in_step if index in lost)
    lowest = analysis.steps[0].score
    if total == 0 or step.score <= lowest:
        return max(step.score, lowest)
    if analysis.needs is not None:
        return max(step.score - total, lowest)
    together: float = total / (1 + (total / (step.score - lowest)) ** BEND) ** (1 / BEND)
    return step.score - together


def _with_dependents(analysis: SegmentAnalysis, lost: Collection[int]) -> set[int]:
    gone = set(lost)
    for index, needs in zip(analysis.order, analysis.needs or [], strict=False):
        if any(analysis.order[need] in gone for need in needs):
            gone.add(index)
    return gone


def _frames_lost(analysis: SegmentAnalysis, loss: Loss, draw: random.Random) -> list[int]:
    """When all unreliable bytes are sent, in their order; a frame with a hole is lost."""
    sizes = iter(range_.size for range_ in analysis.unreliable)
    ends = [0, *accumulate(sum(islice(sizes, slices)) for slices in analysis.slices)]
    datagrams = loss.lost(ceil(ends[-1] / PAYLOAD_BYTES), draw)
    return [
        index
        for index, (start, end) in zip(analysis.order, pairwise(ends), strict=True)
        if any(datagram in datagrams for datagram in range(start // PAYLOAD_BYTES, ceil(end / PAYLOAD_BYTES)))
    ]


class _Player:
    """Builds what arrives of a segment, byte by byte."""

    def __init__(
        self, track: Track, segment: EncodedSegment, analysis: SegmentAnalysis, reference: EncodedSegment
    ) -> None:
        self._segment = segment
        self._track = track
        samples = (
            sample for fragment in parse_fragments(segment.data, segment.defaults) for sample in fragment.samples
        )
        self._times = sorted(sample.presentation_time for sample in samples)
        self._analysis = analysis
        self._references = list(reference.pictures())
        ends = iter(analysis.unreliable)
        self._ranges = {
            index: [next(ends) for _ in range(slices)]
            for index, slices in zip(analysis.order, analysis.slices, strict=True)
        }

    def score(self, lost: Sequence[int]) -> float:
        kept = [range_ for index, ranges in self._ranges.items() if index not in lost for range_ in ranges]
        start = self._analysis.range.start
        received = ReceivedRanges(range_.moved(-start) for range_ in [*self._analysis.reliable, *kept])
        delivered = bytearray(len(self._segment.data))
        for range_ in (range_.moved(-start) for range_ in [*self._analysis.reliable, *kept]):
            delivered[range_.start : range_.end] = self._segment.data[range_.start : range_.end]
        codec, defaults = self._segment.codec, self._segment.defaults
        repaired = hold_or_replace(self._track, codec, bytes(delivered), received, self._analysis.hold_plan)
        shown = EncodedSegment(codec, defaults, repaired.bytes).pictures_at(self._times)
        return score_pictures(shown, self._references, PictureComparer(self._analysis.metric))


class _Viewer:
    """Sees what is left where frames are removed: the pictures before them for longer."""

    def __init__(self, segment: EncodedSegment, analysis: SegmentAnalysis, reference: EncodedSegment) -> None:
        self._analysis = analysis
        pictures = [ReferencePictures(one) for one in (segment, reference)]
        self._seen = HeldSegment(read_closed_sets(segment), *pictures, PictureComparer(analysis.metric))

    def score(self, lost: Sequence[int]) -> float:
        (score,) = self._seen.scores([sorted(_with_dependents(self._analysis, lost))])
        return score
