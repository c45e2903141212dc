"""Writes copied frames as chunks with their records (docs/MANIFEST.md, "Live records")."""

from collections.abc import Sequence
from itertools import accumulate

from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.errors import RepairError
from voxel_prepare.isobmff.writer import ChunkTimes, NewSample, sample_flags, write_chunk_boxes
from voxel_prepare.live.copied.costs import STILL, FrameCosts
from voxel_prepare.live.copied.segments import CutChunk
from voxel_prepare.live.copied.sound import SoundChunk
from voxel_prepare.live.publish import SCALE, MadeChunk
from voxel_prepare.live.ranking import chunk_order
from voxel_prepare.live.scores import Scores
from voxel_prepare.manifest.live_records import ChunkFrame, ChunkRecord
from voxel_prepare.repair.codec import Codec
from voxel_prepare.repair.frames import Frame


class CopiedChunks:
    """Makes the chunks of a video representation, one after the other."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._costs = FrameCosts()
        self._sequence = 0

    @property
    def segment_frames(self) -> int:
        """Frames of a segment."""
        return self._costs.segment_frames

    def make(self, chunk: CutChunk, start: int, scores: Scores) -> MadeChunk:
        """`start`: where it comes in the file. `scores`: those of the representation."""
        if chunk.position == 0:
            self._costs.begin()
        self._sequence += 1
        media = b"".join(frame.data for frame in chunk.frames)
        frames = self._read(media, chunk)
        costs = self._costs.of(frames)
        samples = [
            NewSample(
                timed.data,
                sample_flags(is_sync=timed.is_key, is_reference=frame.is_reference),
                timed.duration,
                timed.shown - timed.decoded,
            )
            for timed, frame in zip(chunk.frames, frames, strict=True)
        ]
        earliest = min(frame.shown for frame in chunk.frames)
        times = ChunkTimes(chunk.frames[0].decoded, earliest, chunk.captured)
        data = write_chunk_boxes(samples, times, self._sequence)
        head = len(data) - len(media)
        whole = ByteRange(0, len(data))
        unreliable = [range_.moved(head) for frame in frames for range_ in frame.unreliable]
        present = STILL if chunk.is_still else scores
        record = ChunkRecord(
            range=whole.moved(start),
            decode_time=chunk.start,
            duration=chunk.end - chunk.start,
            captured=chunk.captured,
            whole_score=round(SCALE * present.whole),
            reliable_score=round(SCALE * present.reliable),
            reliable=_moved(complement(whole, unreliable), start),
            frames=tuple(
                ChunkFrame(chunk.position + at, _moved(frames[at].unreliable, start + head), round(SCALE * costs[at]))
                for at in chunk_order(frames, costs)
            ),
        )
        return MadeChunk(data, record)

    def _read(self, media: bytes, chunk: CutChunk) -> list[Frame]:
        """The frames that lie in `media` one behind the other; all of one that repair does not support must arrive."""
        read = self._codec.reader(media)
        frames: list[Frame] = []
        for place, (timed, end) in enumerate(
            zip(chunk.frames, accumulate(len(frame.data) for frame in chunk.frames), strict=True)
        ):
            try:
                (coded,) = read(end - len(timed.data), end)
                frames.append(Frame.of(coded, place, timed.shown))
            except RepairError:
                frames.append(Frame(place, "I" if timed.is_key else "P", True, timed.shown, ()))
        return frames


def make_sound_chunk(chunk: SoundChunk, sequence: int, start: int, captured: int) -> MadeChunk:
    """A chunk of sound: all of it is reliable."""
    flags = sample_flags(is_sync=True, is_reference=True)
    samples = [NewSample(data, flags, duration) for data, duration in chunk.frames]
    data = write_chunk_boxes(samples, ChunkTimes(chunk.start, chunk.start, captured), sequence)
    whole = ByteRange(start, start + len(data))
    duration = sum(duration for _, duration in chunk.frames)
    record = ChunkRecord(whole, chunk.start, duration, captured, SCALE, SCALE, (whole,), ())
    return MadeChunk(data, record)


def _moved(ranges: Sequence[ByteRange], by: int) -> tuple[ByteRange, ...]:
    return tuple(range_.moved(by) for range_ in ranges)
