"""Makes chunks and their records of encoded frames, and adds them to a representation's files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS, Metric
from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.h264 import ParameterSets
from voxel_prepare.h264.frames import read_frames
from voxel_prepare.isobmff import SampleDefaults
from voxel_prepare.isobmff.writer import ChunkTimes, NewSample, write_chunk_boxes
from voxel_prepare.live.chunker import Chunk
from voxel_prepare.live.encoder import EncodedFrame
from voxel_prepare.live.ranking import chunk_order, coded_share
from voxel_prepare.live.scores import Scores
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.live_records import ChunkFrame, ChunkRecord, RecordHead

SCALE = 10**SCORE_DECIMALS

CostOf = Callable[[int], float]
"""Of a frame by its position in decode order in the segment, before it is encoded."""


@dataclass(frozen=True, slots=True)
class MadeChunk:
    """A chunk to be added to a file."""

    data: bytes
    record: ChunkRecord


def record_head(timescale: int) -> RecordHead:
    """As all files of `voxel-live` have it."""
    return RecordHead(Metric.SSIM, SCORE_DECIMALS, timescale)


class VideoChunks:
    """Makes the chunks of a video representation."""

    def __init__(self, configuration: bytes, timeline: Timeline) -> None:
        """`configuration`: payload of the `avcC`."""
        self._parameter_sets = ParameterSets.from_avcc(configuration)
        self._macroblocks = picture_macroblocks(self._parameter_sets)
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
        referenced = [is_referenced(self._parameter_sets, frame.data) for frame in chunk.frames]
        samples = [
            NewSample(frame.data, frame.is_sync, is_reference, ticks * (frame.time - chunk.first - place))
            for place, (frame, is_reference) in enumerate(zip(chunk.frames, referenced, strict=True))
        ]
        earliest = min(frame.time for frame in chunk.frames)
        times = ChunkTimes(ticks * chunk.first, ticks * earliest, ticks, captured)
        data = write_chunk_boxes(samples, times, chunk.first + 1)
        frames = read_frames(self._parameter_sets, data, SampleDefaults())
        costs = [
            cost_of(chunk.position + frame.index) * coded_share(frame.unreliable_bytes, self._macroblocks)
            for frame in frames
        ]
        order = chunk_order(frames, costs)
        whole = ByteRange(0, len(data))
        unreliable = [range_ for frame in frames for range_ in frame.unreliable]
        present = scores(data)
        record = ChunkRecord(
            range=whole.moved(start),
            decode_time=times.decode_time,
            duration=ticks * len(frames),
            captured=captured,
            whole_score=_stored(present.whole),
            reliable_score=_stored(present.reliable),
            reliable=_moved(complement(whole, unreliable), start),
            frames=tuple(
                ChunkFrame(chunk.position + place, _moved(frames[place].unreliable, start), _stored(costs[place]))
                for place in order
            ),
        )
        return MadeChunk(data, record)


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


def picture_macroblocks(parameter_sets: ParameterSets) -> int:
    """Of the stream's pictures."""
    return max(pps.sps.picture_macroblocks for pps in parameter_sets.pps.values())


def is_referenced(parameter_sets: ParameterSets, sample: bytes) -> bool:
    """Whether other frames may refer to a frame: nal_ref_idc of its slices."""
    at = 0
    while at < len(sample):
        payload = at + parameter_sets.nal_length_size
        if sample[payload] & 0x1F in (1, 5):
            return sample[payload] & 0x60 != 0
        at = payload + int.from_bytes(sample[at:payload], "big")
    return True


def _stored(score: float) -> int:
    return int(max(0, round(score * SCALE)))


def _moved(ranges: Sequence[ByteRange], by: int) -> tuple[ByteRange, ...]:
    return tuple(range_.moved(by) for range_ in ranges)
