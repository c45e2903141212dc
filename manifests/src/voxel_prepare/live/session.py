"""Runs an encoder: from an input's pictures and sound to a growing presentation."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread, get_native_id

from av.video.frame import VideoFrame

from voxel_prepare.errors import PreparationError, RepairError
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.inputs import Input
from voxel_prepare.live.pictures import PictureLine
from voxel_prepare.live.presentation import Presentation
from voxel_prepare.live.representation import Measurement, Picture, PictureQueue, RepresentationWriter
from voxel_prepare.live.scores import is_measured
from voxel_prepare.live.sound import SoundWriter
from voxel_prepare.live.source import Material, Reader
from voxel_prepare.live.status import LiveStatus, LiveSummary
from voxel_prepare.live.timeline import Anchor

LATE_SECONDS = 0.25
"""Lateness from which a picture or sound counts as missing."""
POLL_SECONDS = 0.02
MEASURING_NICENESS = 10


class Session:
    """One run of an encoder."""

    def __init__(
        self, input_: Input, presentation: Presentation, clock: WallClock, stop: Event, *, has_clock: bool
    ) -> None:
        """`has_clock`: the time of capture is drawn into the pictures."""
        self._input = input_
        self._presentation = presentation
        self._clock = clock
        self._stop = stop
        self._has_clock = has_clock
        self._measurements: SimpleQueue[Measurement | None] = SimpleQueue()
        self._status = LiveStatus(presentation.state.representations, clock.now)
        self._queues: list[PictureQueue] = []
        self._anchor = Anchor(0, input_.rate)

    def run(self) -> LiveSummary | None:
        """Encodes until the input ends or `stop` is set; None if no picture came. Raises `PreparationError`."""
        reader = Reader(self._input, self._stop)
        reader.start()
        measuring = Thread(target=self._measure_all, name="scores", daemon=True)
        measuring.start()
        try:
            first = self._first_picture(reader)
            if first is not None:
                self._encode_all(reader, first)
        finally:
            self._stop.set()
            self._measurements.put(None)
            self._status.close()
        if first is not None:
            self._presentation.end()
        if reader.error is not None:
            raise reader.error
        return None if first is None else self._status.summary()

    def _first_picture(self, reader: Reader) -> VideoFrame | None:
        """The reader begins with a picture."""
        while not self._stop.is_set():
            try:
                material = reader.material.get(timeout=POLL_SECONDS)
            except Empty:
                continue
            return material.frame if material and isinstance(material.frame, VideoFrame) else None
        return None

    def _encode_all(self, reader: Reader, first: VideoFrame) -> None:
        captured = self._clock.now()
        start = self._presentation.begin(first, captured)
        timeline, choice = self._presentation.state.timeline, self._presentation.state.choice
        count = len(self._presentation.representations)
        for number, representation in enumerate(self._presentation.representations):
            measured = partial(_is_measured, start, [number], count)
            writer = RepresentationWriter(
                representation, timeline, choice, start, measured, self._measurements.put, self._status.on_record
            )
            self._queues.append(PictureQueue(writer))
        measured = partial(_is_measured, start, range(count), count)
        line = PictureLine(timeline, choice, start, measured, self._put, has_clock=self._has_clock)
        sound = self._presentation.sound(self._status.on_record)
        # What a network brings was captured when it came, while this was opened; a file is read from now on.
        if not self._input.is_network:
            captured = self._clock.now()
            reader.begin()
        self._anchor.begin((captured - timeline.availability_start) / 1000)
        with ThreadPoolExecutor(count) as pool:
            work = [pool.submit(queue.work) for queue in self._queues]
            try:
                self._take(Material(first, 0), line, sound)
                self._loop(reader, line, sound, lambda: any(future.done() for future in work))
            finally:
                for queue in self._queues:
                    queue.put(None)
        for future in work:
            future.result()
        if sound is not None:
            sound.finish(float(line.next / timeline.rate))

    def _loop(
        self, reader: Reader, line: PictureLine, sound: SoundWriter | None, has_failed: Callable[[], bool]
    ) -> None:
        while not self._stop.is_set() and not has_failed():
            try:
                material = reader.material.get(timeout=POLL_SECONDS)
            except Empty:
                pass
            else:
                if material is None:
                    break
                self._take(material, line, sound)
            if reader.material.empty():
                late = self._media_time() - LATE_SECONDS
                line.fill(late)
                if sound is not None:
                    sound.fill(late)
            self._presentation.update(self._clock.now(), line.next)
            waiting = max(queue.waiting() for queue in self._queues)
            self._status.show(float(waiting / self._presentation.state.timeline.rate))

    def _media_time(self) -> float:
        """The present one, in seconds."""
        return (self._clock.now() - self._presentation.state.timeline.availability_start) / 1000

    def _take(self, material: Material, line: PictureLine, sound: SoundWriter | None) -> None:
        """Puts material on the timeline."""
        frame = material.frame
        seconds = self._anchor.place(material.seconds, self._media_time(), is_picture=isinstance(frame, VideoFrame))
        if seconds is None:
            return
        if isinstance(frame, VideoFrame):
            line.add(frame, seconds)
        elif sound is not None:
            sound.add(frame, seconds)

    def _put(self, picture: Picture) -> None:
        for queue in self._queues:
            queue.put(picture)

    def _measure_all(self) -> None:
        os.setpriority(os.PRIO_PROCESS, get_native_id(), MEASURING_NICENESS)
        while measurement := self._measurements.get():
            try:
                measurement.run()
            except (RepairError, PreparationError):
                continue  # the scores stay as they are


def _is_measured(start: int, numbers: Iterable[int], count: int, segment: int) -> bool:
    """Whether one of these of `count` representations is measured in a segment; the encoder has begun with `start`."""
    return any(is_measured(segment - start, number, count) for number in numbers)
