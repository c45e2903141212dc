"""Makes of an ended presentation one to be played on demand: indexes out of the records, and a static manifest."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from statistics import fmean

from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS, Metric, OrderName, SegmentAnalysis, Step
from voxel_prepare.byte_ranges import ByteRange, merged
from voxel_prepare.errors import PreparationError
from voxel_prepare.isobmff import parse_fragments
from voxel_prepare.isobmff.writer import NO_OTHERS_DEPEND_ON_IT
from voxel_prepare.jobs.durable import write_durably
from voxel_prepare.live.encoder import FrameChoice
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.index_file import write_index
from voxel_prepare.manifest.live_mpd import (
    EVENT_SCALE,
    Ending,
    LiveAudio,
    LiveEvent,
    LivePresentation,
    LiveVideo,
    write_ended_mpd,
)
from voxel_prepare.manifest.live_records import ChunkFrame, Records
from voxel_prepare.media.encoders import CodecName

STEP = 0.002
"""Least distance of the scores of steps."""
HASH_DIGITS = 12


def describe_ended(
    folder: Path,
    timeline: Timeline,
    choice: FrameChoice,
    video: Sequence[tuple[TrackFolder, LiveVideo]],
    audio: Sequence[LiveAudio],
    numbers: Sequence[int],
    events: Sequence[LiveEvent] = (),
) -> bytes:
    """Writes the indexes of the segments with these numbers, which follow each other and are finished; the manifest."""
    described: list[LiveVideo] = []
    for track, one in video:
        scores: list[float] = []
        index = write_index(_analysed(track, numbers, timeline.frame_ticks, choice, scores), SCORE_DECIMALS)
        digest = hashlib.sha256(index).hexdigest()[:HASH_DIGITS]
        name = f"{one.track.id}.{digest}.index"
        for old in folder.glob(f"{one.track.id}.*.index"):
            old.unlink()
        write_durably(folder / name, index, through=folder)
        described.append(replace(one, index=name, average_score=fmean(scores)))
    first = numbers[0] - timeline.first_number
    records = video[0][0].records(numbers[-1])
    last, timescale = records.chunks[-1], records.head.timescale if records.head else timeline.timescale
    # The last segment of a copy may last a little longer: players would ask for one more.
    end = min(Fraction(last.decode_time + last.duration, timescale), (first + len(numbers)) * timeline.segment_seconds)
    duration = end - first * timeline.segment_seconds
    begin = int(first * timeline.segment_seconds * EVENT_SCALE)
    left = [event for event in events if event.end >= begin]
    presentation = LivePresentation(
        timeline.rate, timeline.segment_seconds, timeline.first_number, described, audio, left
    )
    return write_ended_mpd(presentation, Ending(first, duration))


def _analysed(
    track: TrackFolder, numbers: Sequence[int], frame_ticks: int, choice: FrameChoice, scores: list[float]
) -> Iterator[SegmentAnalysis]:
    """One after the other: there may be many. Their scores go to `scores`."""
    for number in numbers:
        analysis = analyse_records(track.records(number), frame_ticks, choice, _references(track, number, choice))
        scores.append(analysis.score)
        yield analysis


def analyse_records(
    records: Records, frame_ticks: int, choice: FrameChoice, references: Collection[int] | None = None
) -> SegmentAnalysis:
    """A finished segment as an index describes it; the scores of its steps are predicted from costs.

    `frame_ticks`: the duration of a frame in the timescale. `references`: the frames of H.264 that others refer to, by
    their places in decode order; None: those that the encoder makes by `choice`.

    Raises `PreparationError` if it has no chunk.
    """
    if records.head is None or not records.chunks:
        raise PreparationError("live records: expected a segment with a chunk, found none")
    scale = 10**records.head.decimals
    count = sum(chunk.duration for chunk in records.chunks) // frame_ticks
    is_removed = choice.codec != CodecName.H264
    needs = _needs(records) if is_removed else {}
    referenced = (
        {needed for of_frame in needs.values() for needed in of_frame}
        if is_removed
        else _made_references(choice, count)
        if references is None
        else references
    )
    frames = _segment_order([frame for chunk in records.chunks for frame in chunk.frames], referenced)
    ranks = {frame.index: rank for rank, frame in enumerate(frames)}
    costs = [frame.cost / scale for frame in frames]
    last = records.chunks[-1]
    return SegmentAnalysis(
        range=ByteRange(0, last.range.end),
        reliable=merged(range_ for chunk in records.chunks for range_ in chunk.reliable),
        unreliable=[range_ for frame in frames for range_ in frame.ranges],
        metric=Metric.SSIM,
        order_name=OrderName.CLOSED if is_removed else OrderName.UNREFERENCED,
        order=[frame.index for frame in frames],
        slices=[len(frame.ranges) for frame in frames],
        loss_costs=costs,
        steps=_steps(
            last.reliable_score / scale,
            last.whole_score / scale,
            costs,
            [sum(range_.size for range_ in frame.ranges) for frame in frames],
        ),
        needs=[sorted(ranks[needed] for needed in needs[frame.index]) for frame in frames] if is_removed else None,
    )


@lru_cache
def _made_references(choice: FrameChoice, count: int) -> frozenset[int]:
    """The frames of a segment of H.264 with so many that others refer to, as `voxel-live` has it encoded."""
    return frozenset(frame.index for frame in choice.gop(count).frames if frame.is_reference)


def _references(track: TrackFolder, number: int, choice: FrameChoice) -> set[int] | None:
    """The frames of a copied segment that others may refer to, as its media say."""
    if not choice.is_copied:
        return None
    samples = [sample for fragment in parse_fragments(track.media(number)) for sample in fragment.samples]
    return {place for place, sample in enumerate(samples) if not sample.flags & NO_OTHERS_DEPEND_ON_IT}


def _needs(records: Records) -> dict[int, list[int]]:
    """The frames that each one needs where missing frames are removed (docs/MANIFEST.md, "Live records")."""
    return {
        frame.index: [before.index for before in chunk.frames[:place] if before.index < frame.index]
        for chunk in records.chunks
        for place, frame in enumerate(chunk.frames)
    }


def predicted_score(whole: float, reliable: float, missing: float) -> float:
    """The score without frames whose costs are `missing` in sum: see docs/MANIFEST.md, "Score … as delivered"."""
    span = whole - reliable
    if span <= 0 or missing <= 0:
        return whole
    return whole - float(missing / (1 + (missing / span) ** 3) ** (1 / 3))


def _segment_order(frames: Sequence[ChunkFrame], referenced: Collection[int]) -> list[ChunkFrame]:
    """The order that each chunk has, too: references in decode order, then the others by cost per byte."""
    references = sorted((frame for frame in frames if frame.index in referenced), key=lambda frame: frame.index)
    others = [frame for frame in frames if frame.index not in referenced]
    return references + sorted(others, key=lambda frame: -frame.cost / sum(range_.size for range_ in frame.ranges))


def _steps(reliable: float, whole: float, costs: Sequence[float], sizes: Sequence[int]) -> list[Step]:
    left = list(accumulate(reversed(costs), initial=0.0))[::-1]
    taken = list(accumulate(sizes, initial=0))
    steps = [Step(min(reliable, whole), 0, 0)]
    for count in range(1, len(costs)):
        score = predicted_score(whole, reliable, left[count])
        if score >= steps[-1].score + STEP and score <= whole - STEP:
            steps.append(Step(score, count, taken[count]))
    return [*steps, Step(whole, len(costs), taken[-1])] if costs else [Step(whole, 0, 0)]


def finished_numbers(timeline: Timeline, tracks: Sequence[TrackFolder]) -> list[int]:
    """The last run of segments that all representations have. Raises `PreparationError` if there is none."""
    common = set.intersection(*(set(track.numbers()) for track in tracks))
    finished = [
        number
        for number in sorted(common)
        if number >= timeline.first_number and all(track.records(number).length for track in tracks)
    ]
    if not finished:
        raise PreparationError("no segment was finished")
    gaps = [place for place in range(1, len(finished)) if finished[place] > finished[place - 1] + 1]
    return finished[gaps[-1] if gaps else 0 :]
