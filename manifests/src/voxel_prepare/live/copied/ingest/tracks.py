"""The tracks that encoders send, by their names; what they bring becomes notes of one input."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voxel_prepare.errors import printable
from voxel_prepare.isobmff import Mp4Error, UnsupportedMp4
from voxel_prepare.live.copied.ingest.events import read_event
from voxel_prepare.live.copied.ingest.header import TrackHeader, read_header
from voxel_prepare.live.copied.ingest.samples import TrackSamples
from voxel_prepare.live.copied.notes import CueFound, Gone, Note, Opened, SoundFound, VideoFacts

NOT_COPIED = "this track is not copied"
MOST_TRACKS = 32
"""Names that are known at a time, those of tracks that are not copied included."""
MOST_SAID = 64
"""Lines about what was refused."""


class TooManyTracks(Exception):
    """Another name than those of the tracks that there are."""


class NoHeader(Exception):
    """Media of a track whose header has not come."""

    def __init__(self, name: str) -> None:
        super().__init__("the header of this track has not come: start its encoder again")
        self.name = name


@dataclass(slots=True)
class _Track:
    number: int
    header: TrackHeader
    samples: TrackSamples


class IngestTracks:
    """Knows what has come of each track. Times in ticks since 1970 (UTC)."""

    def __init__(self, input_: int, put: Callable[[Note], None], now: Callable[[], int]) -> None:
        """`input_`: the number of the input that all tracks are of: they share a clock."""
        self._input, self._put_note, self._now = input_, put, now
        self._tracks: dict[str, _Track | None] = {}
        """None: it cannot be copied."""
        self._video: list[VideoFacts] = []
        self._sounds = 0
        self._said: set[tuple[str, str]] = set()

    def admit(self, name: str) -> None:
        """Raises `TooManyTracks` unless there may be a track of that name."""
        if name not in self._tracks and len(self._tracks) >= MOST_TRACKS:
            raise TooManyTracks(f"expected up to {MOST_TRACKS} tracks, found another one")

    def known(self, names: tuple[str, ...]) -> str:
        """The first of the names that is that of a track. Raises `NoHeader`."""
        for name in names:
            if name in self._tracks:
                return name
        raise NoHeader(names[-1])

    def header(self, name: str, moov: bytes) -> None:
        """The header of a track, which may come again. Raises `Mp4Error`, `TooManyTracks`."""
        self.admit(name)
        try:
            self._open(name, read_header(moov))
        except UnsupportedMp4:
            self._tracks.setdefault(name, None)
            raise

    def media(self, name: str, media: bytes, events: Sequence[bytes] = ()) -> None:
        """A fragment of a track whose header has come, and the `emsg` boxes before it. Raises `Mp4Error`."""
        track = self._tracks[name]
        if track is None:
            raise UnsupportedMp4(NOT_COPIED)
        packets = list(track.samples.read(media, self._now()))
        for box in events if packets else ():
            cue = read_event(box, track.samples.ticks, min(packet.shown for packet in packets))
            if cue is not None:
                self._put(CueFound(cue))
        for packet in packets:
            self._put_note(Note(self._input, packet))

    def broke_off(self, name: str) -> None:
        """A request of a track did not end as it should have."""
        self._put(Gone(f"{printable(name)}: the connection broke off", is_final=False))

    def refused(self, name: str, reason: str) -> None:
        """What was sent of a track cannot be copied: said once, not with each segment."""
        if reason != NOT_COPIED and (name, reason) not in self._said and len(self._said) < MOST_SAID:
            self._said.add((name, reason))
            self._put(Opened(tuple(self._video), (f"{printable(name)}: {printable(reason)}",), None))

    def _open(self, name: str, header: TrackHeader) -> None:
        track = self._tracks.get(name)
        if track is not None and track.header == header:
            return
        content = header.content
        if track is not None and type(content) is not type(track.header.content):
            raise Mp4Error("expected a header of the same kind of track as before, found another")
        if isinstance(content, VideoFacts):
            number = len(self._video) if track is None else track.number
            self._video[number : number + 1] = [content]
            self._put(Opened(tuple(self._video), (), None))
        else:
            number = self._sounds if track is None else track.number
            self._sounds = max(self._sounds, number + 1)
            self._put(SoundFound(content, number, header.language))
        self._tracks[name] = _Track(number, header, TrackSamples(header, number))

    def _put(self, content: Opened | SoundFound | CueFound | Gone) -> None:
        self._put_note(Note(self._input, content))
