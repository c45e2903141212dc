"""The packets of a track's fragments: none twice, and after a gap none that cannot be decoded."""

from collections.abc import Iterator

from voxel_prepare.isobmff import Mp4Error, Sample, parse_fragments
from voxel_prepare.isobmff.boxes import BoxReader
from voxel_prepare.live.copied.demux import is_idr
from voxel_prepare.live.copied.ingest.header import TrackHeader
from voxel_prepare.live.copied.notes import VideoFacts
from voxel_prepare.live.copied.packets import TICKS, Kind, Packet

MOST_SAMPLES = 8192
"""Samples of a fragment."""
MOST_REORDERING_SECONDS = 10
"""A picture is shown no longer before or after it is decoded."""
AGAIN_SECONDS = 5
"""After a connection has broken off encoders send the last segment again."""


class TrackSamples:
    """Takes the fragments of one track in the order in which they were sent."""

    def __init__(self, header: TrackHeader, number: int) -> None:
        """`number`: place of the track among those of its kind."""
        self._header, self._number = header, number
        self._kind: Kind = "video" if isinstance(header.content, VideoFacts) else "audio"
        self._last: Sample | None = None
        self._recent: dict[int, int] = {}
        """Hashes of the last samples by their decode times."""
        self._awaits_key = self._kind == "video"

    def read(self, media: bytes, arrived: int) -> Iterator[Packet]:
        """The packets of a `moof` with its `mdat`; `arrived`: ticks since 1970 (UTC). Raises `Mp4Error`."""
        _check(media)
        (fragment,) = parse_fragments(media, self._header.defaults)
        for sample in fragment.samples:
            if abs(sample.composition_offset) > MOST_REORDERING_SECONDS * self._header.timescale:
                raise Mp4Error(f"a sample may be shown {MOST_REORDERING_SECONDS} s after it is decoded, found more")
        for sample in fragment.samples:
            data = media[sample.offset : sample.offset + sample.size]
            content = self._header.content
            is_key = sample.is_sync and isinstance(content, VideoFacts) and bool(data) and is_idr(content.codec, data)
            if data and self._goes_on(sample, data, is_key):
                scale = self._header.timescale
                shown, decoded = self.ticks(sample.presentation_time, scale), self.ticks(sample.decode_time, scale)
                yield Packet(self._kind, self._number, data, shown, decoded, arrived, is_key or self._kind == "audio")

    def ticks(self, time: int, timescale: int) -> int:
        """A time of the track, in units per second, as its packets have it."""
        offset = self._header.offset
        scale = timescale * offset.denominator
        # Rounded to the nearest, as whole numbers: the times of a clock since 1970 exceed floats.
        return (2 * TICKS * (time * offset.denominator + offset.numerator * timescale) + scale) // (2 * scale)

    def _goes_on(self, sample: Sample, data: bytes, is_key: bool) -> bool:
        """Whether a sample is new and can be decoded."""
        last, time = self._last, sample.decode_time
        if last is not None and time <= last.decode_time:
            if self._recent.get(time) == hash(data):
                return False
            self._recent = {}  # The clock has begun anew.
            self._awaits_key = self._kind == "video"
        elif last is not None and 2 * (time - last.decode_time - last.duration) > last.duration:
            self._awaits_key = self._kind == "video"
        self._last = sample
        self._remember(time, data)
        self._awaits_key = self._awaits_key and not is_key
        return not self._awaits_key

    def _remember(self, time: int, data: bytes) -> None:
        self._recent[time] = hash(data)
        oldest = time - AGAIN_SECONDS * self._header.timescale
        while (first := next(iter(self._recent))) < oldest or len(self._recent) > MOST_SAMPLES:
            del self._recent[first]


def _check(media: bytes) -> None:
    """What a fragment must state, and how many samples, before they are read."""
    with memoryview(media) as view:
        reader = BoxReader(view)
        moof = next(reader.boxes(0, len(view)))
        track = reader.only_child(moof, "traf")
        reader.child(track, "tfdt")
        count = sum(reader.u32(run, 4) for run in reader.children(track) if run.type == "trun")
        if count > MOST_SAMPLES:
            raise Mp4Error(f"a fragment may have {MOST_SAMPLES} samples, found {count}")
