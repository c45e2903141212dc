"""Reads an input in real time, in a thread of its own."""

from dataclasses import dataclass
from queue import Full, Queue
from threading import Event, Thread
from time import monotonic

from av.audio.frame import AudioFrame
from av.error import FFmpegError
from av.video.frame import VideoFrame

from voxel_prepare.errors import PreparationError
from voxel_prepare.live.decoding import Decoder
from voxel_prepare.live.fit import Fit
from voxel_prepare.live.input_clock import InputClock
from voxel_prepare.live.inputs import Input, pictures_of
from voxel_prepare.live.timeline import ASTRAY_SECONDS

QUEUED = 32
"""Pictures and pieces of sound."""
STOP_SECONDS = 0.5
"""How long it may take to notice the end of the encoder."""


@dataclass(frozen=True, slots=True)
class Material:
    """A picture or a piece of sound."""

    frame: VideoFrame | AudioFrame
    seconds: float
    """Since the first picture; goes on across loops, and of files and pipes across pauses."""


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
        context = pictures_of(input_.container).codec_context
        self._fit = Fit(context.width, context.height, (input_.width, input_.height))
        self._frame_seconds = float(1 / input_.rate)
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
                self._input = self._input.again()
        except (FFmpegError, OSError) as error:
            self.error = PreparationError(f"{self._input.name}: reading ended: {error.strerror or error}")
        finally:
            self._put(None)

    def _play(self) -> float:
        """Reads to the end; the seconds that it lasted."""
        clock = InputClock(self._frame_seconds)
        for container in self._input.containers():
            for frame in Decoder(container, self._fit, self._frame_seconds).frames():
                if self._stop_event.is_set():
                    return 0
                if frame.time is None:
                    continue
                seconds = clock.picture(frame.time) if isinstance(frame, VideoFrame) else clock.sound(frame.time)
                if seconds is not None:
                    self._put(Material(frame, self._paced(seconds)))
        return clock.end

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
