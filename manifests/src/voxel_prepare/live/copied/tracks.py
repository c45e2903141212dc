"""The representations of copied streams: what comes of each is cut, described and added to its files."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

from voxel_prepare.isobmff.writer import VideoEntry, audio_init, video_init
from voxel_prepare.live.copied.aac import AacFormat
from voxel_prepare.live.copied.chunks import CopiedChunks, make_sound_chunk
from voxel_prepare.live.copied.costs import copied_scores
from voxel_prepare.live.copied.cuts import Cuts
from voxel_prepare.live.copied.notes import SoundFound, VideoFacts
from voxel_prepare.live.copied.packets import TICKS, Placed
from voxel_prepare.live.copied.segments import CutChunk, Cutter
from voxel_prepare.live.copied.silence import silent_frame
from voxel_prepare.live.copied.sound import FRAME_SAMPLES, SoundChunk, SoundLine
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.room import Room
from voxel_prepare.live.scores import Scores
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.live_mpd import LiveAudio, LiveTrack
from voxel_prepare.media.ladder import Representation

LEFT_OUT_STILLS = 2
"""After more segments in a row that did not come the manifest does not list a representation."""

OnRecord = Callable[[int], None]


class CopiedVideo:
    """A representation of pictures."""

    def __init__(
        self,
        facts: VideoFacts,
        representation: Representation,
        folder: Path,
        timeline: Timeline,
        cuts: Cuts,
        chunk_frames: int,
        on_record: OnRecord,
        room: Room,
    ) -> None:
        """`representation`: with a bitrate of 0 where it is not known yet."""
        self.facts = facts
        self.representation = representation
        self.folder = TrackFolder(folder / representation.id, record_head(TICKS), room)
        self._timeline, self._on_record = timeline, on_record
        self._cutter = Cutter(cuts, chunk_frames)
        self._chunks = CopiedChunks(facts.codec)
        self._bytes = 0
        self.bitrate = float(representation.bitrate)
        codec, width, height = facts.codec, facts.width, facts.height
        entry = VideoEntry(codec.sample_entries[0], codec.configuration_box, codec.configuration, width, height)
        self.folder.write_init(video_init(entry, TICKS))

    @property
    def is_listed(self) -> bool:
        """It has segments that came."""
        return self.bitrate > 0 and self._cutter.has_begun and self._cutter.stills <= LEFT_OUT_STILLS

    @property
    def next(self) -> int:
        """The first segment that is not written yet."""
        return self._cutter.next if self._cutter.has_begun else 0

    def add(self, placed: Placed, top: float) -> None:
        """The next frame; `top`: bit/s of the top representation."""
        self._write(self._cutter.add(placed), top)

    def overdue(self, now: int, top: float) -> bool:
        """Fills what should have come before `now`; whether there was something."""
        before = self._cutter.next, self._cutter.stills
        self._write(self._cutter.overdue(now), top)
        return before != (self._cutter.next, self._cutter.stills)

    def finish(self, top: float) -> None:
        """No more frames come."""
        self._write(self._cutter.finish(), top)
        if self._cutter.has_begun:
            self.folder.close()

    def scores(self, top: float) -> Scores:
        """Its present scores."""
        return copied_scores(self.bitrate or top, top, self._chunks.segment_frames)

    def _write(self, chunks: Iterator[CutChunk], top: float) -> None:
        for chunk in chunks:
            start = self.folder.begin(self._timeline.number(chunk.segment))
            made = self._chunks.make(chunk, start, self.scores(top))
            self.folder.append(made.data, made.record)
            if not chunk.is_still:
                self._on_record(chunk.captured)
            self._bytes += len(made.data)
            if chunk.is_last:
                self.folder.finish()
                if not self.bitrate and not chunk.is_still:
                    self.bitrate = float(8 * self._bytes / self._timeline.segment_seconds)
                self._bytes = 0


class CopiedSound:
    """A track of sound, of one representation."""

    def __init__(
        self,
        found: SoundFound,
        id_: str,
        folder: Path,
        timeline: Timeline,
        chunk_seconds: Fraction,
        on_record: OnRecord,
        room: Room,
    ) -> None:
        """`id_`: that of the representation, and the name of its folder in `folder`."""
        self._found = found
        self._format = format_ = found.format
        self._timeline, self._on_record = timeline, on_record
        frames = max(1, round(chunk_seconds * format_.rate / FRAME_SAMPLES))
        self._line = SoundLine(format_.rate, timeline.segment_seconds, frames, silent_frame(format_))
        self.folder = TrackFolder(folder / id_, record_head(format_.rate), room)
        self.folder.write_init(audio_init(format_.configuration, format_.channels, format_.rate))
        self._sequence = 0

    @property
    def has_begun(self) -> bool:
        """There is a first frame."""
        return self._line.has_begun

    def described(self, bitrate: int, role: str | None) -> LiveAudio:
        """The representation as manifests have it; bit/s. `role`: that of a sound that has none of its own."""
        found, format_ = self._found, self._format
        track = LiveTrack(self.folder.folder.name, format_.codecs, bitrate, format_.rate)
        return LiveAudio(track, format_.channels, found.language, found.role or role)

    def is_for(self, format_: AacFormat) -> bool:
        """Whether frames of a format can be shown as this sound."""
        ours, theirs = ((one.object_type, one.rate, one.channels) for one in (self._format, format_))
        return ours == theirs

    def add(self, placed: Placed, first: int) -> None:
        """The next frame; `first`: the first segment of pictures."""
        self._write(self._line.add(placed.packet.data, placed.shown, first))

    def fill(self, now: int) -> None:
        """Silence for what should have come before `now`."""
        self._write(self._line.fill(now))

    def finish(self) -> None:
        """No more frames come."""
        self._write(self._line.finish())
        if self._line.has_begun:
            self.folder.close()

    def _write(self, chunks: Iterator[SoundChunk]) -> None:
        for chunk in chunks:
            self._sequence += 1
            captured = self._timeline.availability_start + chunk.start * 1000 // self._format.rate
            start = self.folder.begin(self._timeline.number(chunk.segment))
            made = make_sound_chunk(chunk, self._sequence, start, captured)
            self.folder.append(made.data, made.record)
            self._on_record(captured)
            if chunk.is_last:
                self.folder.finish()
