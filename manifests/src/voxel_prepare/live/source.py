"""Opens an input, and reads it in real time in a thread of its own."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from queue import Full, Queue
from threading import Event, Thread
from time import monotonic
from typing import Any

import av
from av.audio.frame import AudioFrame
from av.container import InputContainer
from av.error import FFmpegError, ProtocolNotFoundError
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from voxel_prepare.errors import InputError, PreparationError
from voxel_prepare.ffmpeg import ANY_TAGS, INPUT_OPTIONS
from voxel_prepare.live.fit import Fit
from voxel_prepare.live.timeline import ASTRAY_SECONDS
from voxel_prepare.media.source import output_rate

STDIN = "-"
QUEUED = 32
"""Pictures and pieces of sound."""
STOP_SECONDS = 0.5
"""How long it may take to notice the end of the encoder."""
ATTEMPTS = 3
"""Attempts to find a network input's size and rate: the first may see a damaged beginning."""
JUMP_SECONDS = 10.0
"""Longer gaps between pictures, and shorter than none, are jumps of the source's clock (FFmpeg's limit)."""
OPEN_SECONDS = 20.0
READ_SECONDS = 60.0
"""How long a network input may be silent before it counts as ended."""


@dataclass(frozen=True, slots=True)
class Material:
    """A picture or a piece of sound."""

    frame: VideoFrame | AudioFrame
    seconds: float
    """Since the first picture; goes on across loops, and of files and pipes across pauses."""


@dataclass(frozen=True, slots=True)
class Input:
    """An opened input."""

    name: str
    container: InputContainer
    width: int
    height: int
    rate: Fraction
    """Frames per second to encode at."""
    has_audio: bool

    @property
    def loops(self) -> bool:
        """A file is played again and again."""
        return not self.is_network and self.name != STDIN

    @property
    def is_network(self) -> bool:
        """It sets the pace itself."""
        return "://" in self.name


def open_input(name: str) -> Input:
    """Opens a file, `-` for standard input, or a URL. Raises `InputError`."""
    is_network = "://" in name
    for attempt in range(ATTEMPTS if is_network else 1):
        container = _open(name, is_network=is_network)
        if not container.streams.video:
            raise InputError(f"{name}: expected a video track, found none")
        stream = container.streams.video[0]
        context, rate = stream.codec_context, stream.average_rate or stream.guessed_rate
        if rate and context.width:
            break
        if attempt < ATTEMPTS - 1:
            container.close()
    else:
        raise InputError(f"{name}: expected a frame rate and a size, found none")
    aspect = stream.sample_aspect_ratio or Fraction(1)
    return Input(
        name=name,
        container=container,
        width=round(context.width * aspect),
        height=context.height,
        rate=output_rate(Fraction(rate), stream.base_rate and Fraction(stream.base_rate)),
        has_audio=bool(container.streams.audio),
    )


def _open(name: str, *, is_network: bool) -> InputContainer:
    if not is_network and name != STDIN and not Path(name).is_file():
        raise InputError(f"{name}: expected a file" if Path(name).exists() else f"{name}: no such file")
    try:
        if is_network:
            return av.open(name, timeout=(OPEN_SECONDS, READ_SECONDS), metadata_errors=ANY_TAGS)
        if name == STDIN:
            formats = {"format_whitelist": INPUT_OPTIONS["format_whitelist"]}
            return av.open(sys.stdin.buffer, mode="r", options=formats, metadata_errors=ANY_TAGS)
        return av.open(str(Path(name).absolute()), options=INPUT_OPTIONS, metadata_errors=ANY_TAGS)
    except ProtocolNotFoundError as error:
        raise InputError(
            f"{name}: PyAV lacks this protocol: let ffmpeg read it (ffmpeg -i URL -c copy -f mpegts - | voxel-live -)"
        ) from error
    except (FFmpegError, OSError) as error:
        raise InputError(f"{name}: cannot be opened: {error.strerror or error}") from error


class Reader(Thread):
    """Puts an input's pictures and sound into a queue when they are due; None at the end.

    The first picture of a file or pipe is due at once, what follows only after `begin`.
    """

    def __init__(self, input_: Input, stop: Event) -> None:
        super().__init__(name="reader", daemon=True)
        self.material: Queue[Material | None] = Queue(QUEUED)
        self.error: PreparationError | None = None
        """Why reading ended."""
        self._input = input_
        self._stop_event = stop
        context = input_.container.streams.video[0].codec_context
        self._fit = Fit(context.width, context.height, (input_.width, input_.height))
        self._has_begun = Event()
        self._origin = 0.0
        self._offset = 0.0
        """Seconds of earlier loops and of pauses."""
        self._reached = 0.0

    def begin(self) -> None:
        """Time 0 of a file or pipe is now."""
        self._origin = monotonic()
        self._has_begun.set()

    def run(self) -> None:
        try:
            while not self._stop_event.is_set():
                played = self._play()
                if not self._input.loops or played == 0:
                    break
                self._offset += played
                self._input.container.seek(0)
        except (FFmpegError, OSError) as error:
            self.error = PreparationError(f"{self._input.name}: reading ended: {error.strerror or error}")
        finally:
            self._put(None)

    def _play(self) -> float:
        """Reads to the end; the seconds that it lasted."""
        container, end = self._input.container, 0.0
        start: float | None = None
        frame_seconds = float(1 / self._input.rate)
        streams = [container.streams.video[0], *container.streams.audio[:1]]
        for packet in container.demux(streams):
            for frame in self._frames(packet):
                if self._stop_event.is_set():
                    return 0
                if frame.time is None or not isinstance(frame, VideoFrame | AudioFrame):
                    continue
                if start is None:
                    if not isinstance(frame, VideoFrame):
                        continue
                    start = frame.time
                if isinstance(frame, VideoFrame):
                    if not 0 <= frame.time - start - (end - frame_seconds) <= JUMP_SECONDS and end > 0:
                        start = frame.time - end  # the source has begun anew: these pictures follow the others
                    end = frame.time - start + frame_seconds
                seconds = frame.time - start
                self._put(Material(frame, self._paced(seconds)))
        return end

    def _frames(self, packet: "Packet[Any]") -> Iterator[Any]:
        """The frames of a packet, pictures in the shape of the first one."""
        for frame in _decoded(packet):
            if isinstance(frame, VideoFrame):
                yield from self._fit.fitted(frame, packet.stream.sample_aspect_ratio or Fraction(1))
            else:
                yield frame
        if packet.dts is None and packet.size == 0 and isinstance(packet.stream, VideoStream):  # the end
            yield from self._fit.rest()

    def _paced(self, seconds: float) -> float:
        """Waits until material of a file or pipe is due, `seconds` after the start of this loop; `Material.seconds`."""
        if self._input.is_network or self._offset + seconds <= 0:
            return self._offset + seconds
        while not self._has_begun.wait(STOP_SECONDS) and not self._stop_event.is_set():
            pass
        # What is read late because a file has sound and pictures far apart is no pause.
        self._reached = max(self._reached, self._offset + seconds)
        late = monotonic() - self._origin - self._reached
        if late > ASTRAY_SECONDS:
            self._offset += late  # it has paused, or this process has: it goes on from now
        self._stop_event.wait(max(0.0, self._origin + self._offset + seconds - monotonic()))
        return self._offset + seconds

    def _put(self, material: Material | None) -> None:
        while not self._stop_event.is_set():
            try:
                self.material.put(material, timeout=STOP_SECONDS)
                break
            except Full:
                continue


def _decoded(packet: "Packet[Any]") -> list[Any]:
    """The frames of a packet; none of a damaged one, as networks deliver them."""
    try:
        return list(packet.decode())
    except av.error.InvalidDataError:
        return []
