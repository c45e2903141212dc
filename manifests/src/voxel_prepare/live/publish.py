"""Makes chunks and their records of encoded frames, and adds them to a representation's files."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from voxel_prepare.analysis.cells import macroblocks
from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS, Metric
from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.isobmff.decode_times import decode_time, reordering
from voxel_prepare.isobmff.writer import ChunkTimes, NewSample, sample_flags, write_chunk_boxes
from voxel_prepare.live.chunker import Chunk
from voxel_prepare.live.encoder import EncodedFrame, FrameChoice
from voxel_prepare.live.ranking import chunk_order, coded_share, removal_order
from voxel_prepare.live.removable import RemovableFrames
from voxel_prepare.live.scores import Scores
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.live_records import ChunkFrame, ChunkRecord, RecordHead
from voxel_prepare.media.ladder import Representation
from voxel_prepare.repair.codec import Codec
from voxel_prepare.repair.frames import Frame

SCALE = 10**SCORE_DECIMALS

CostOf = Callable[[int], float]
"""The cost of a frame by its position in decode order in the segment, before it is encoded."""


@dataclass(frozen=True, slots=True)
class MadeChunk:
    """A chunk to be added to a file."""

    data: bytes
    record: ChunkRecord


def record_head(timescale: int) -> RecordHead:
    """The head that all files of `voxel-live` have."""
    return RecordHead(Metric.SSIM, SCORE_DECIMALS, timescale)


class VideoChunks:
    """Makes the chunks of a video representation."""

    def __init__(self, codec: Codec, representation: Representation, timeline: Timeline, choice: FrameChoice) -> None:
        self._codec = codec
        self._removable = None if codec.is_replaced else RemovableFrames(codec)
        self._macroblocks = macroblocks(representation.width, representation.height)
        self._timeline = timeline
        self._delay = reordering([frame.presentation_time for frame in choice.gop(timeline.segment_frames).frames])

    def make(
        self,
        chunk: Chunk[EncodedFrame],
        start: int,
        captured: int,
        cost_of: CostOf,
        scores: Callable[[bytes, Collection[int]], Scores],
    ) -> MadeChunk:
        """`start`: where it comes in the file. `captured`: see `ChunkRecord`. `scores` gets the chunk's bytes, and
        which of its frames may be missing. Raises `PreparationError`.
        """
        ticks = self._timeline.frame_ticks
        media = b"".join(frame.data for frame in chunk.frames)
        frames = self._removable.read(chunk) if self._removable else self._read(media, chunk.frames)
        decoded = self._decode_times(chunk)
        samples = [
            NewSample(
                encoded.data,
                sample_flags(is_sync=encoded.is_sync, is_reference=frame.is_reference),
                following - time,
                ticks * encoded.time - time,
            )
            for encoded, frame, (time, following) in zip(chunk.frames, frames, pairwise(decoded), strict=True)
        ]
        earliest = min(frame.time for frame in chunk.frames)
        times = ChunkTimes(decoded[0], ticks * earliest, captured)
        data = write_chunk_boxes(samples, times, chunk.first + 1)
        head = len(data) - len(media)
        costs = [
            cost_of(chunk.position + frame.index) * coded_share(frame.unreliable_bytes, self._macroblocks)
            for frame in frames
        ]
        order = removal_order(frames) if self._removable else chunk_order(frames, costs)
        whole = ByteRange(0, len(data))
        unreliable = [range_.moved(head) for frame in frames for range_ in frame.unreliable]
        present = scores(data, order)
        record = ChunkRecord(
            range=whole.moved(start),
            decode_time=ticks * chunk.first,
            duration=ticks * chunk.places * len(frames),
            captured=captured,
            whole_score=_stored(present.whole),
            reliable_score=_stored(present.reliable),
            reliable=_moved(complement(whole, unreliable), start),
            frames=tuple(
                ChunkFrame(chunk.position + at, _moved(frames[at].unreliable, start + head), _stored(costs[at]))
                for at in order
            ),
        )
        return MadeChunk(data, record)

    def _decode_times(self, chunk: Chunk[EncodedFrame]) -> list[int]:
        """When its frames are decoded, and when the one after them is; the segment's last one lasts to its end."""
        ticks, first = self._timeline.frame_ticks, chunk.segment * self._timeline.segment_frames
        end = chunk.first + chunk.places * len(chunk.frames)
        shown = range(ticks * first, ticks * (end + 1), ticks)
        times = [decode_time(place - first, shown, self._delay) for place in range(chunk.first, end + 1, chunk.places)]
        if chunk.is_last:
            times[-1] = times[-2] + ticks * max(1, end - chunk.frames[-1].time)
        return times

    def _read(self, media: bytes, encoded: Sequence[EncodedFrame]) -> list[Frame]:
        """The frames that lie in `media` one behind the other."""
        read = self._codec.reader(media)
        ends = accumulate(len(frame.data) for frame in encoded)
        return [
            Frame.of(coded, place, frame.time)
            for place, (frame, end) in enumerate(zip(encoded, ends, strict=True))
            for coded in read(end - len(frame.data), end)
        ]


def make_audio_chunk(chunk: Chunk[bytes], frame_ticks: int, start: int, captured: int) -> MadeChunk:
    """A chunk of sound: all of it is reliable."""
    flags = sample_flags(is_sync=True, is_reference=True)
    start_time = frame_ticks * chunk.first
    samples = [NewSample(frame, flags, frame_ticks) for frame in chunk.frames]
    data = write_chunk_boxes(samples, ChunkTimes(start_time, start_time, captured), chunk.first + 1)
    whole = ByteRange(start, start + len(data))
    record = ChunkRecord(
        range=whole,
        decode_time=start_time,
        duration=frame_ticks * len(samples),
        captured=captured,
        whole_score=SCALE,
        reliable_score=SCALE,
        reliable=(whole,),
        frames=(),
    )
    return MadeChunk(data, record)


def _stored(score: float) -> int:
    return int(max(0, round(score * SCALE)))


def _moved(ranges: Sequence[ByteRange], by: int) -> tuple[ByteRange, ...]:
    return tuple(range_.moved(by) for range_ in ranges)
