"""Makes chunks and their records of encoded frames, and adds them to a representation's files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from voxel_prepare.analysis.cells import macroblocks
from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS, Metric
from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.isobmff.writer import ChunkTimes, NewSample, write_chunk_boxes
from voxel_prepare.live.chunker import Chunk
from voxel_prepare.live.encoder import EncodedFrame
from voxel_prepare.live.ranking import chunk_order, coded_share
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

    def __init__(self, codec: Codec, representation: Representation, timeline: Timeline) -> None:
        self._codec = codec
        self._macroblocks = macroblocks(representation.width, representation.height)
        self._timeline = timeline

    def make(
        self,
        chunk: Chunk[EncodedFrame],
        start: int,
        captured: int,
        cost_of: CostOf,
        scores: Callable[[bytes], Scores],
    ) -> MadeChunk:
        """`start`: where it comes in the file. `captured`: see `ChunkRecord`. `scores` gets the chunk's bytes."""
        ticks = self._timeline.frame_ticks
        media = b"".join(frame.data for frame in chunk.frames)
        frames = self._read(media, chunk.frames)
        samples = [
            NewSample(encoded.data, encoded.is_sync, frame.is_reference, ticks * (encoded.time - chunk.first - place))
            for place, (encoded, frame) in enumerate(zip(chunk.frames, frames, strict=True))
        ]
        earliest = min(frame.time for frame in chunk.frames)
        times = ChunkTimes(ticks * chunk.first, ticks * earliest, ticks * chunk.places, captured)
        data = write_chunk_boxes(samples, times, chunk.first + 1)
        head = len(data) - len(media)
        costs = [
            cost_of(chunk.position + frame.index) * coded_share(frame.unreliable_bytes, self._macroblocks)
            for frame in frames
        ]
        order = chunk_order(frames, costs)
        whole = ByteRange(0, len(data))
        unreliable = [range_.moved(head) for frame in frames for range_ in frame.unreliable]
        present = scores(data)
        record = ChunkRecord(
            range=whole.moved(start),
            decode_time=times.decode_time,
            duration=times.sample_duration * len(frames),
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
    samples = [NewSample(frame, is_sync=True, is_reference=True, composition_offset=0) for frame in chunk.frames]
    decode_time = frame_ticks * chunk.first
    data = write_chunk_boxes(samples, ChunkTimes(decode_time, decode_time, frame_ticks, captured), chunk.first + 1)
    whole = ByteRange(start, start + len(data))
    record = ChunkRecord(
        range=whole,
        decode_time=decode_time,
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
