"""Goes on with a presentation that an encoder left: what is missing becomes stills and silence."""

from collections.abc import Iterator

from av.video.frame import VideoFrame

from voxel_prepare.live.chunker import Chunk, Chunker, video_segments
from voxel_prepare.live.encoder import EncodedFrame, FrameChoice, RepresentationEncoder
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.publish import VideoChunks
from voxel_prepare.live.representation import LiveRepresentation
from voxel_prepare.live.scores import Scores
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.live_records import ChunkRecord

MAX_GAP_SECONDS = 60
"""A longer one starts a new presentation."""

UNMEASURED = Scores(1, 1)


def last_chunk(folder: TrackFolder) -> tuple[int, ChunkRecord] | None:
    """The number of the last segment with a chunk, and that chunk."""
    for number in reversed(folder.numbers()):
        records = folder.records(number)
        if records.chunks:
            return number, records.chunks[-1]
    return None


def frames_written(folder: TrackFolder, frame_ticks: int) -> int:
    """Where a representation's frames end, counted from media time 0 in decode order."""
    last = last_chunk(folder)
    return 0 if last is None else (last[1].decode_time + last[1].duration) // frame_ticks


def end_complete(folder: TrackFolder, number: int) -> None:
    """Ends a segment that has all its chunks, if the encoder was stopped before it could."""
    if number in folder.numbers() and folder.records(number).chunks and folder.records(number).length is None:
        folder.begin(number)
        folder.finish()


def write_stills(
    representation: LiveRepresentation,
    timeline: Timeline,
    choice: FrameChoice,
    first: int,
    end: int,
    picture: VideoFrame,
) -> None:
    """Fills the frames from `first` up to `end`, the start of a segment, with one picture."""
    chunks = VideoChunks(representation.encoder.codec, representation.settings, timeline)
    size = choice.segment_frames
    if first % size == 0:
        end_complete(representation.folder, timeline.number(first // size - 1))
    chunker: Chunker[EncodedFrame] = Chunker(video_segments(size), choice.chunk_frames, first, first % size)
    whole: list[EncodedFrame] = []
    while first < end:
        following = (first // size + 1) * size
        if following - first == size:
            whole = whole or list(_stills(representation, timeline, choice, size, picture))
            frames = whole
        else:
            frames = list(_stills(representation, timeline, choice, following - first, picture))
        for frame in frames:
            chunk = chunker.add(EncodedFrame(frame.data, first + frame.time, frame.is_sync))
            if chunk is not None:
                _write(representation, timeline, chunks, chunk)
        first = following


def _stills(
    representation: LiveRepresentation, timeline: Timeline, choice: FrameChoice, count: int, picture: VideoFrame
) -> Iterator[EncodedFrame]:
    encoder = RepresentationEncoder(representation.settings, timeline.rate, choice)
    for time in range(count):
        yield from encoder.encode(picture, time)
    yield from encoder.flush()


def _write(
    representation: LiveRepresentation, timeline: Timeline, chunks: VideoChunks, chunk: Chunk[EncodedFrame]
) -> None:
    start = representation.folder.begin(timeline.number(chunk.segment))
    captured = timeline.wall_time(min(frame.time for frame in chunk.frames))
    made = chunks.make(chunk, start, captured, lambda index: 0.0, lambda data: representation.scores or UNMEASURED)
    representation.folder.append(made.data, made.record)
    if chunk.is_last:
        representation.folder.finish()
