"""Runs `voxel-live` in a time of its own, which goes on when it waits: as on a machine that is fast enough, and in the
seconds that encoding takes.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread

import pytest
from clips import RATE
from voxel_prepare.live import decoding, representation, run, source
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.request import LiveRequest
from voxel_prepare.media.ladder import parse_representations

START = 1_795_000_000.0
QUEUED = 8
"""So many pictures may time be ahead of what is encoded, and one at each end of their queue."""
AHEAD_SECONDS = (QUEUED + 2) / RATE


class Time(Event):
    """The time since the start, in seconds. As the event that ends the encoder: set after so many."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__()
        self._lock = Lock()
        self._now = 0.0
        self._end = seconds

    def now(self) -> float:
        with self._lock:
            return self._now

    def wait(self, timeout: float | None = None) -> bool:
        with self._lock:
            self._now += timeout or 0.0
            if self._end is not None and self._now >= self._end:
                self.set()
        return self.is_set()


class Clock(WallClock):
    """The time of day that belongs to it."""

    def __init__(self, time: Time) -> None:
        super().__init__()
        self._time = time
        self._opening = 0.0

    def now(self) -> float:
        # An encoder does not open in a whole number of frames.
        self._opening = min(self._opening + 0.013, 0.04)
        return 1000 * (START + self._opening + self._time.now())


def encode_unhurried(input_: Path, out: Path, *, seconds: float | None = None, **settings: object) -> None:
    """Encodes a file in a loop for at least so many seconds, or once, through a pipe. `settings` are the request's.

    How many pictures more there are when time is over is a race, as it is for `voxel-live` itself.
    """
    time = Time(None if seconds is None else seconds + AHEAD_SECONDS)
    fields = {
        "input": "-" if seconds is None else str(input_),
        "out": out,
        "representations": tuple(parse_representations("144p:0.1")),
        "segment": 1,
        "chunk": None,
        "latency": 1,
        "window": 60,
        "keep": True,
        "clock": False,
    }
    with pytest.MonkeyPatch.context() as patch, _standard_input(input_):
        patch.setattr(run, "WallClock", lambda: Clock(time))
        patch.setattr(source, "monotonic", time.now)
        patch.setattr(source, "QUEUED", QUEUED)
        patch.setattr(decoding, "monotonic", time.now)
        patch.setattr(representation, "MAX_WAITING", 10_000)
        run.run_live(LiveRequest(**{**fields, **settings}), time)  # type: ignore[arg-type]


def joined(folder: Path) -> Path:
    """A file of all segments of a representation."""
    segments = sorted(folder.glob("[0-9]*.m4s"), key=lambda path: int(path.stem))
    whole = folder.with_suffix(".mp4")
    whole.write_bytes(b"".join(part.read_bytes() for part in [folder / "init.mp4", *segments]))
    return whole


@contextmanager
def _standard_input(path: Path) -> Iterator[None]:
    """A file's bytes come on standard input, through a pipe."""
    before = os.dup(0)
    reading, writing = os.pipe()
    feeder = Thread(target=_feed, args=(path, writing))
    feeder.start()
    os.dup2(reading, 0)
    os.close(reading)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)
        feeder.join()


def _feed(path: Path, pipe: int) -> None:
    with suppress(BrokenPipeError), os.fdopen(pipe, "wb") as file:
        file.write(path.read_bytes())
