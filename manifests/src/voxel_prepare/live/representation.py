"""One video representation of a running encoder: its thread takes pictures and adds chunks to its files."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from av.video.frame import VideoFrame

from voxel_prepare.errors import RepairError
from voxel_prepare.isobmff.writer import VideoEntry, video_init
from voxel_prepare.live.chunker import Chunk, Chunker, video_segments
from voxel_prepare.live.encoder import EncodedFrame, FrameChoice, RepresentationEncoder
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.publish import VideoChunks
from voxel_prepare.live.ranking import SegmentCosts
from voxel_prepare.live.scores import RepresentationMeter, Scores
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.media.ladder import Representation

MAX_WAITING = 30
"""Pictures: where more wait the last one is repeated, which takes less time than a new one."""


@dataclass(slots=True)
class SegmentSource:
    """What all representations share of a segment."""

    costs: SegmentCosts
    pictures: dict[int, VideoFrame] = field(default_factory=dict)
    """Those to compare with, by time in frames since media time 0; only where a representation is measured."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to encode."""

    frame: VideoFrame
    time: int
    """Time in frames since media time 0."""
    captured: int
    """Ms since 1970 (UTC)."""
    segment: SegmentSource


OnRecord = Callable[[int], None]
"""Called with the capture time of a chunk whose record has just been written, in ms since 1970 (UTC)."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A finished segment to measure."""

    representation: "LiveRepresentation"
    data: bytes
    droppable: frozenset[int]
    """Its frames that may be missing, by their places in decode order."""
    first: int
    """Time of its earliest picture."""
    sources: dict[int, VideoFrame]

    def run(self) -> None:
        """Decodes and compares; the representation then has newer scores."""
        self.representation.measure(self.data, self.droppable, self.first, self.sources)


class LiveRepresentation:
    """A video representation."""

    def __init__(
        self,
        settings: Representation,
        folder: TrackFolder,
        timeline: Timeline,
        choice: FrameChoice,
        reference_size: tuple[int, int],
    ) -> None:
        """`reference_size`: that of the top representation, in which pictures are compared."""
        self.settings = settings
        self.encoder = RepresentationEncoder(settings, timeline.rate, choice)
        self._meter = RepresentationMeter(self.encoder.codec, *reference_size)
        self.scores: Scores | None = None
        self.folder = folder
        self._timeline = timeline

    def measure(self, data: bytes, droppable: Collection[int], first: int, sources: Mapping[int, VideoFrame]) -> None:
        """Adds a measurement to the running means (`RepresentationMeter.measure`)."""
        scores = self.measured(data, droppable, first, sources)
        self.scores = scores if self.scores is None else self.scores.mixed(scores)

    def measured(
        self, data: bytes, droppable: Collection[int], first: int, sources: Mapping[int, VideoFrame]
    ) -> Scores:
        """A measurement alone."""
        return self._meter.measure(data, droppable, first, self._timeline.frame_ticks, sources)

    def write_init(self) -> None:
        """The initialization segment."""
        codec, width, height = self.encoder.codec, self.settings.width, self.settings.height
        entry = VideoEntry(codec.sample_entries[0], codec.configuration_box, codec.configuration, width, height)
        self.folder.write_init(video_init(entry, self._timeline.timescale))


class RepresentationWriter:
    """Encodes a representation's pictures from a segment's start on and writes them."""

    def __init__(
        self,
        representation: LiveRepresentation,
        timeline: Timeline,
        choice: FrameChoice,
        first_segment: int,
        is_measured: Callable[[int], bool],
        measure: Callable[[Measurement], None],
        on_record: OnRecord,
    ) -> None:
        self._representation = representation
        self._timeline = timeline
        self._is_measured = is_measured
        self._measure = measure
        self._on_record = on_record
        self._chunks = VideoChunks(representation.encoder.codec, representation.settings, timeline, choice)
        first = first_segment * choice.segment_frames
        self._choice = choice
        self._chunker: Chunker[EncodedFrame] = Chunker(
            video_segments(choice.segment_frames),
            choice.chunk_frames,
            first,
            first_chunk_frames=choice.first_chunk_frames,
        )
        self._captured: dict[int, int] = {}
        self._end = first
        self._segments: dict[int, SegmentSource] = {}
        self._data = bytearray()
        self._droppable: set[int] = set()

    def encode(self, picture: Picture) -> None:
        """Encodes a picture, and writes what is finished with it."""
        self._captured[picture.time] = picture.captured
        self._end = picture.time + 1
        self._segments[picture.time // self._choice.segment_frames] = picture.segment
        for frame in self._representation.encoder.encode(picture.frame, picture.time):
            self._add(self._chunker.add(frame))

    def finish(self) -> None:
        """Writes what the encoder has held back, and ends the segment."""
        self._end_segment()
        for frame in self._representation.encoder.flush():
            self._add(self._chunker.add(frame))
        self._add(self._chunker.flush())
        self._representation.folder.close()

    def _end_segment(self) -> None:
        """The encoder ends the GOP with the pictures that it has, of which the last may be written already."""
        for number, segment in self._segments.items():
            count = self._end - number * self._choice.segment_frames
            if 0 < count < self._choice.segment_frames:
                costs = segment.costs.ended(self._choice.gop(count))
                self._segments[number] = SegmentSource(costs, segment.pictures)

    def _add(self, chunk: Chunk[EncodedFrame] | None) -> None:
        if chunk is None:
            return
        folder, segment = self._representation.folder, self._segments[chunk.segment]
        captured = self._captured[min(frame.time for frame in chunk.frames)]
        start = folder.begin(self._timeline.number(chunk.segment))
        made = self._chunks.make(
            *(chunk, start, captured, segment.costs.cost),
            lambda data, droppable: self._scores(data, {chunk.position + at for at in droppable}, chunk.segment),
        )
        folder.append(made.data, made.record)
        self._on_record(captured)
        for frame in chunk.frames:
            del self._captured[frame.time]
        self._data += made.data
        self._droppable.update(frame.index for frame in made.record.frames)
        if chunk.is_last:
            folder.finish()
            self._finished(chunk.segment)

    def _scores(self, data: bytes, droppable: Collection[int], segment: int) -> Scores:
        """The representation's present ones. At the very start those of the segment with its next chunk `data`, which
        stay until there are others once some of its frames, those at the positions `droppable`, may be missing.
        """
        representation = self._representation
        if representation.scores is not None:
            return representation.scores
        first, pictures = segment * self._choice.segment_frames, self._segments[segment].pictures
        try:
            scores = representation.measured(
                bytes(self._data) + data, self._droppable.union(droppable), first, pictures
            )
        except RepairError:  # it is completely reliable
            scores = Scores(1, 1)
        if droppable:
            representation.scores = scores
        return scores

    def _finished(self, segment: int) -> None:
        source = self._segments.pop(segment)
        if self._is_measured(segment) and source.pictures:
            first = segment * self._choice.segment_frames
            self._measure(
                Measurement(self._representation, bytes(self._data), frozenset(self._droppable), first, source.pictures)
            )
        self._data.clear()
        self._droppable.clear()


class PictureQueue:
    """The pictures that wait for a writer, which works in a thread of its own."""

    def __init__(self, writer: RepresentationWriter) -> None:
        self._writer = writer
        self._pictures: SimpleQueue[Picture | None] = SimpleQueue()

    def put(self, picture: Picture | None) -> None:
        """The next picture; None: no more come."""
        self._pictures.put(picture)

    def waiting(self) -> int:
        """Pictures that are not encoded yet."""
        return self._pictures.qsize()

    def work(self) -> None:
        """Encodes until no more pictures come."""
        last: VideoFrame | None = None
        while picture := self._pictures.get():
            if last is None or self.waiting() <= MAX_WAITING:
                last = picture.frame
            self._writer.encode(replace(picture, frame=last))
        self._writer.finish()
