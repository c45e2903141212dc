"""What `voxel-live` publishes, as it comes: whether it is whole, and when flashes and tones come in it."""

from collections import deque
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
from voxel_prepare.live.folder import INIT, MEDIA_SUFFIX
from voxel_prepare.manifest.live_mpd import RECORDS_SUFFIX
from voxel_prepare.manifest.live_records import Records, read_records

WHITE, LOUD = 128, 0.1
"""Luma, and of samples to 1, from which on it is a flash, and a tone."""
QUIET_SECONDS = 1.0
"""After so long without one another tone begins."""
TOGETHER_SECONDS = 0.5
"""A tone further from a flash is not its own."""


class Track:
    """A representation: one finished segment after the other."""

    def __init__(self, folder: Path, wrong: list[str]) -> None:
        """`wrong` gets what should not be, in words."""
        self.folder, self.wrong = folder, wrong
        self.segments = self.stills = 0
        self.begins: list[float] = []
        """Seconds of media time at which flashes begin, or tones."""
        self._number: int | None = None
        self._end: int | None = None
        """Where the last chunk ends."""
        self._before = b""
        self._last = float("-inf")
        """When the last picture was white, or the last sample loud."""

    def look(self) -> int:
        """Reads what has been finished since; how many segments."""
        count = 0
        while (records := self._next()) is not None:
            self._check(records)
            count += 1
        self.segments += count
        return count

    def _next(self) -> Records | None:
        if self._number is None:
            numbers = [int(path.name.partition(".")[0]) for path in self.folder.glob(f"*{MEDIA_SUFFIX}")]
            if not numbers:
                return None
            self._number = min(numbers)
        while not (path := self._path(self._number)).exists() and self._path(self._number + 2).exists():
            self._say("is missing, or was deleted before it was looked at")
            self._number += 1
            self.segments += 1
        if not path.exists():
            return None
        records = read_records(path.read_bytes())
        return records if records.length is not None else None

    def _path(self, number: int) -> Path:
        return self.folder / f"{number}{MEDIA_SUFFIX}{RECORDS_SUFFIX}"

    def _check(self, records: Records) -> None:
        data = (self.folder / f"{self._number}{MEDIA_SUFFIX}").read_bytes()
        if len(data) != records.length or not records.chunks:
            self._say(f"has {len(data)} bytes of {records.length}, and {len(records.chunks)} chunks")
        for chunk in records.chunks:
            if self._end not in (None, chunk.decode_time):
                self._say(f"begins at {chunk.decode_time}, and what is before it ends at {self._end}")
            self._end = chunk.decode_time + chunk.duration
        assert records.head is not None
        start = records.chunks[0].decode_time / records.head.timescale
        try:
            self._decode(data, start)
        except av.FFmpegError as error:
            self._say(f"does not play: {error}")
        self._before = data
        assert self._number is not None
        self._number += 1

    def _decode(self, data: bytes, start: float) -> None:
        init = (self.folder / INIT).read_bytes()
        with av.open(BytesIO(init + self._before + data)) as container:
            if container.streams.audio:
                self._hear(container, start)
                return
        with av.open(BytesIO(init + data)) as container:
            times = []
            for frame in container.decode(video=0):
                times.append(time := float(frame.time or 0))
                if frame.to_ndarray(format="gray").mean() > WHITE:
                    self._came(time)
            if times != sorted(set(times)):
                self._say("has pictures that are not one after the other")
            self.stills += len(times) == 1

    def _hear(self, container: "av.container.InputContainer", start: float) -> None:
        for frame in container.decode(audio=0):
            begin = float(frame.time or 0)
            loud = np.flatnonzero(np.abs(frame.to_ndarray()[0]) > LOUD) / frame.sample_rate + begin
            for time in loud[loud >= start]:
                self._came(float(time))

    def _came(self, time: float) -> None:
        if time - self._last > QUIET_SECONDS:
            self.begins.append(time)
        self._last = max(self._last, time)

    def _say(self, what: str) -> None:
        self.wrong.append(f"{self.folder.name}/{self._number}: {what}")


class Late(NamedTuple):
    """How much later than its flash a tone comes, in seconds."""

    time: float
    """The flash, in seconds of media time."""
    seconds: float | None
    """None: there is no tone."""


def lateness(flashes: list[float], tones: list[float]) -> list[Late]:
    """Each flash with its tone."""
    near = [(flash, min((tone - flash for tone in tones), key=abs, default=float("inf"))) for flash in flashes]
    return [Late(flash, late if abs(late) <= TOGETHER_SECONDS else None) for flash, late in near]


def folder_bytes(folder: Path) -> int:
    """The sizes of all files that are there."""
    sizes = deque[int]()
    for path in chain(folder.glob("*"), folder.glob("*/*")):
        try:
            sizes.append(path.stat().st_size if path.is_file() else 0)
        except OSError:  # it was deleted meanwhile
            continue
    return sum(sizes)
