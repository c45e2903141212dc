"""Reads one input in a thread of its own: opens it, opens it again when it has gone, and passes on its packets."""

import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from io import FileIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

import av
from av.container import InputContainer
from av.error import ExitError, FFmpegError, ProtocolNotFoundError
from av.packet import Packet as AvPacket
from av.stream import Disposition

from voxel_prepare.annex_b import to_sample
from voxel_prepare.codecs import codec_named
from voxel_prepare.errors import InputError, MalformedStream, MisalignedSegments
from voxel_prepare.ffmpeg import ANY_TAGS, INPUT_OPTIONS
from voxel_prepare.isobmff import Sample
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.copied.aac import AacFormat, from_configuration, read_adts
from voxel_prepare.live.copied.cues import SCTE_35, read_cue
from voxel_prepare.live.copied.notes import Content, CueFound, Gone, Note, Opened, SoundFound, VideoFacts
from voxel_prepare.live.copied.pace import Pace
from voxel_prepare.live.copied.packets import TICKS, Packet
from voxel_prepare.live.copied.sounds import MOST_SOUNDS
from voxel_prepare.live.copied.stamps import TS_WRAP
from voxel_prepare.live.inputs import STDIN
from voxel_prepare.manifest.mpd import LANGUAGE, UNKNOWN_LANGUAGE
from voxel_prepare.repair.codec import Codec

COPIED = "h264"
"""FFmpeg's name of the codec that is copied."""

OPEN_SECONDS = 3600.0
"""An encoder may come as late as it wants; a listener goes on listening."""
READ_SECONDS = 10.0
"""After so long without a byte an input is opened again."""
AGAIN_SECONDS = 0.2
"""Time before that."""

LACKS_PROTOCOL = (
    "PyAV lacks this protocol: let ffmpeg read it into a named pipe "
    "(mkfifo in.ts; ffmpeg -i URL -c copy -f mpegts -y in.ts)"
)

PROBING = {"analyzeduration": str(10_000_000), "fpsprobesize": "0"}
SHORT_PROBING = {**PROBING, "analyzeduration": str(1_500_000)}
"""FFmpeg looks for sound, which there may not be, for so many microseconds, and meanwhile passes nothing on. What comes
again is looked at for longer only if that does not show its parameter sets.
"""
UDP = {"buffer_size": str(1 << 22), "overrun_nonfatal": "1", "fifo_size": str(1 << 15)}
ANY_ADDRESS = ("rtmp://0.0.0.0", "rtmp://[::]", "rtmp://:")
"""RTMP at such an address is listened for: nobody can connect to it."""


ROLES = {
    Disposition.visual_impaired: "description",
    Disposition.descriptions: "description",
    Disposition.hearing_impaired: "enhanced-audio-intelligibility",
    Disposition.comment: "commentary",
    Disposition.dub: "dub",
}
"""Roles of the scheme `urn:mpeg:dash:role:2011` (ISO/IEC 23009-1 §5.8.5.5)."""


@dataclass(slots=True)
class _Tracks:
    codecs: list[Codec | None] = field(default_factory=list)
    is_annex_b: list[bool] = field(default_factory=list)
    sounds: list[AacFormat | None] = field(default_factory=list)


class Demuxer(Thread):
    """Puts notes of one input."""

    def __init__(self, number: int, name: str, clock: WallClock, put: Callable[[Note], None], stop: Event) -> None:
        super().__init__(name=f"input {number}", daemon=True)
        self._number, self._input, self._clock = number, name, clock
        self._put_note, self._stop_event = put, stop
        self._pace = None if "://" in name else Pace(clock, stop, is_file=name != STDIN and Path(name).is_file())
        """A network sets the pace itself."""
        self._probing = SHORT_PROBING if comes_again(name) else PROBING

    def run(self) -> None:
        while not self._stop_event.is_set():
            try:
                with _open(self._input, self._probing) as container:
                    self._read(container)
                reason = "has ended"
            except ProtocolNotFoundError:
                self._put(Gone(LACKS_PROTOCOL, is_final=True))
                return
            except (FFmpegError, OSError, ValueError) as error:
                reason = _reason(self._input, error)
            self._put(Gone(reason, not comes_again(self._input)))
            if not comes_again(self._input):
                if self._pace is not None:
                    self._pace.ended()
                return
            self._stop_event.wait(AGAIN_SECONDS)

    def _put(self, content: Content) -> None:
        self._put_note(Note(self._number, content))

    def _read(self, container: InputContainer) -> None:
        tracks = _Tracks()
        if self._pace is not None:
            self._pace.opened()
        pictures = [stream for stream in container.streams.video if not _is_cover(stream)]
        sounds = [stream for stream in container.streams.audio if stream.codec_context.name == "aac"][:MOST_SOUNDS]
        if any(not stream.codec_context.width for stream in pictures) and self._probing is not PROBING:
            self._probing = PROBING
            return
        self._put(_facts(container, pictures, tracks))
        places = {stream.index: place for place, stream in enumerate(pictures)}
        heard = {stream.index: place for place, stream in enumerate(sounds)}
        for place, stream in enumerate(sounds):
            tracks.sounds.append(from_configuration(bytes(stream.codec_context.extradata or b"")))
            self._say_sound(stream, place, tracks)
        cues = {stream.index for stream in container.streams.data if stream.name == SCTE_35}
        for packet in container.demux([*pictures, *sounds, *(container.streams[place] for place in cues)]):
            if self._stop_event.is_set():
                return
            if packet.stream.index in cues:
                cue = read_cue(bytes(packet)) if packet.size else None
                if cue is not None:
                    self._put(CueFound(cue))
                continue
            if packet.dts is None or packet.pts is None or packet.size == 0:
                continue
            if self._pace is not None:
                self._pace.read(float(packet.dts * packet.time_base))
            if packet.stream.index in heard:
                self._sound(packet, heard[packet.stream.index], tracks)
            else:
                self._picture(packet, places[packet.stream.index], tracks)

    def _picture(self, packet: "AvPacket[Any]", place: int, tracks: _Tracks) -> None:
        codec = tracks.codecs[place]
        if codec is None:
            return
        data = to_sample(bytes(packet)) if tracks.is_annex_b[place] else bytes(packet)
        if data:
            self._put(_packet("video", place, data, packet, self._now(), packet.is_keyframe and is_idr(codec, data)))

    def _sound(self, packet: "AvPacket[Any]", place: int, tracks: _Tracks) -> None:
        data = bytes(packet)
        if (found := read_adts(data)) is not None:
            format_, data = found
            if tracks.sounds[place] != format_:
                tracks.sounds[place] = format_
                self._say_sound(packet.stream, place, tracks)
        if tracks.sounds[place] is not None:
            self._put(_packet("audio", place, data, packet, self._now(), is_key=True))

    def _say_sound(self, stream: Any, place: int, tracks: _Tracks) -> None:
        format_ = tracks.sounds[place]
        if format_ is not None:
            language = stream.language or UNKNOWN_LANGUAGE
            known = language if LANGUAGE.fullmatch(language) else UNKNOWN_LANGUAGE
            self._put(SoundFound(format_, place, known, _role(stream.disposition)))

    def _now(self) -> int:
        return round(self._clock.now() * TICKS / 1000)


def comes_again(name: str) -> bool:
    """Whether an input can be opened again: a network's, or a named pipe."""
    return "://" in name or (name != STDIN and _is_pipe(name))


def check_input(name: str) -> None:
    """Raises `InputError` for what is no file, pipe or URL."""
    if "://" not in name and name != STDIN and not (Path(name).is_file() or _is_pipe(name)):
        raise InputError(f"{name}: expected a file or named pipe" if Path(name).exists() else f"{name}: no such file")


def _reason(name: str, error: Exception) -> str:
    if isinstance(error, ExitError):
        return "sends nothing"
    reason = str(getattr(error, "strerror", error))
    if isinstance(error, ConnectionRefusedError) and name.startswith("rtmp://"):
        host, slash, rest = name.removeprefix("rtmp://").partition("/")
        _, colon, port = host.rpartition(":")
        return f"{reason}; rtmp://0.0.0.0{colon}{port if colon else ''}{slash}{rest} waits for an encoder that connects"
    return reason


def _is_pipe(name: str) -> bool:
    try:
        return stat.S_ISFIFO(Path(name).stat().st_mode)
    except OSError:
        return False


def _open(name: str, probing: dict[str, str]) -> InputContainer:
    options = dict(probing)
    if "://" in name:
        options |= UDP if name.startswith("udp:") else {}
        options |= {"listen": "1"} if name.startswith(ANY_ADDRESS) else {}
        return av.open(name, options=options, timeout=(OPEN_SECONDS, READ_SECONDS), metadata_errors=ANY_TAGS)
    options["format_whitelist"] = INPUT_OPTIONS["format_whitelist"]
    file = FileIO(0, closefd=False) if name == STDIN else FileIO(name)
    return av.open(file, mode="r", options=options, metadata_errors=ANY_TAGS)


def _facts(container: InputContainer, pictures: "list[Any]", tracks: _Tracks) -> Opened:
    facts: list[VideoFacts | None] = []
    refused: list[str] = []
    for stream in pictures:
        context = stream.codec_context
        extradata = bytes(context.extradata or b"")
        kind = codec_named(context.name) if context.name == COPIED else None
        found: VideoFacts | None = None
        if kind is None:
            refused.append(f"expected H.264 to be copied, found {context.name}")
        elif not extradata or not context.width:
            refused.append("expected parameter sets, found none: send them with each key frame")
        else:
            try:
                codec = kind(extradata) if extradata[0] == 1 else kind.encoded(extradata)
                found = VideoFacts(codec, context.width, context.height)
            except MalformedStream as error:
                refused.append(str(error))
        facts.append(found)
        tracks.codecs.append(found.codec if found else None)
        tracks.is_annex_b.append(extradata[:1] != b"\1")
    wrap = TS_WRAP if "mpegts" in container.format.name else None
    return Opened(tuple(facts), tuple(refused), wrap)


def _is_cover(stream: Any) -> bool:
    return bool(stream.disposition & stream.disposition.attached_pic)


def _role(disposition: Disposition) -> str | None:
    return next((role for flag, role in ROLES.items() if disposition & flag), None)


def is_idr(codec: Codec, data: bytes) -> bool:
    """Whether decoding can start with a sample."""
    whole = Sample(0, len(data), duration=1, composition_offset=0, decode_time=0, flags=0, size_field=None)
    try:
        codec.check_start(data, whole)
    except MisalignedSegments:
        return False
    return True


def _packet(kind: Any, track: int, data: bytes, packet: "AvPacket[Any]", now: int, is_key: bool) -> Packet:
    base = Fraction(packet.time_base)
    assert packet.pts is not None and packet.dts is not None
    return Packet(kind, track, data, round(packet.pts * base * TICKS), round(packet.dts * base * TICKS), now, is_key)
