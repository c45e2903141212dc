"""Goes on with a presentation that an encoder left: what is missing becomes stills and silence."""

from collections.abc import Iterator
from math import ceil

from av.video.frame import VideoFrame

from voxel_prepare.isobmff import parse_fragments
from voxel_prepare.isobmff.boxes import Mp4Error, UnsupportedMp4
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


CHECKED_SECONDS = 120
"""Media of this long before an interruption are looked at: systems write later than that only under load."""

HOLE = bytes(16)
"""So many zeros are in no coded picture or sound, and none ends in one: they stand for what was not on the disk."""


def recover(folder: TrackFolder, timeline: Timeline) -> None:
    """Cuts a representation at what the encoder before did not bring to the disk (`TrackFolder.recover`)."""
    count = ceil(CHECKED_SECONDS / timeline.segment_seconds)
    folder.recover(timeline.first_number, count, is_whole_chunk)


def is_whole_chunk(data: bytes) -> bool:
    """Whether the bytes of a chunk are one fragment full of samples, without holes."""
    try:
        fragment, *others = parse_fragments(data)
    except (Mp4Error, UnsupportedMp4):
        return False
    at = fragment.mdat_payload
    for sample in fragment.samples:
        if sample.offset != at or sample.size == 0 or data[at + sample.size - 1 : at + sample.size] in {b"", b"\0"}:
            return False
        at += sample.size
    return not others and at == fragment.end == len(data) and HOLE not in data[fragment.mdat_payload :]


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
    chunks = VideoChunks(representation.encoder.codec, representation.settings, timeline, choice)
    size = choice.segment_frames
    if first % size == 0:
        end_complete(representation.folder, timeline.number(first // size - 1))
    whole: list[EncodedFrame] = []
    while first < end:
        first, shown, position = _where(representation.folder, timeline, first)
        segment, following = first // size, (first // size + 1) * size
        if following - shown == size:
            frames = whole = whole or list(_stills(representation, timeline, choice, size, picture))
        else:
            frames = list(_stills(representation, timeline, choice, following - shown, picture))
        placed = [EncodedFrame(frame.data, shown + frame.time, frame.is_sync) for frame in frames]
        first_chunk_frames = choice.first_chunk_frames
        if shown > first:
            still = Chunk(segment, first, position, placed[:1], len(placed) == 1, places=1 + shown - first)
            _write(representation, timeline, chunks, still)
            first, position, placed = shown + 1, position + 1, placed[1:]
            first_chunk_frames = choice.chunk_frames
        chunker: Chunker[EncodedFrame] = Chunker(
            video_segments(size), choice.chunk_frames, first, position, first_chunk_frames=first_chunk_frames
        )
        for frame in placed:
            chunk = chunker.add(frame)
            if chunk is not None:
                _write(representation, timeline, chunks, chunk)
        first = following


def _where(folder: TrackFolder, timeline: Timeline, first: int) -> tuple[int, int, int]:
    """Where a segment goes on: the first place in decode order, the first frame to be presented, and what it has.

    Some pictures may be missing that come before the last one that is there, so there is a frame more to be decoded
    than to be presented. Where there is none left to be presented, the last chunk goes.
    """
    ticks, size = timeline.frame_ticks, timeline.segment_frames
    number, end = timeline.number(first // size), (first // size + 1) * size
    while True:
        folder.begin(number)
        media = folder.media(number)
        samples = [sample for fragment in parse_fragments(media) for sample in fragment.samples] if media else []
        shown = max(((one.decode_time + one.composition_offset) // ticks + 1 for one in samples), default=first)
        if shown < end or not samples:
            return first, max(first, shown), len(samples)
        folder.shorten()
        first = frames_written(folder, ticks)


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
    made = chunks.make(
        *(chunk, start, captured, lambda index: 0.0),
        lambda data, droppable: representation.scores or UNMEASURED,
    )
    representation.folder.append(made.data, made.record)
    if chunk.is_last:
        representation.folder.finish()
