"""A disk that is full: what is to be written waits for room."""

import errno
from collections.abc import Callable
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from voxel_prepare.jobs.progress import say

FULL = (errno.ENOSPC, errno.EDQUOT)
AGAIN_SECONDS = 0.1
"""Time until the next attempt."""
SAID_SECONDS = 10.0
"""A disk that is now full and now not is spoken of as often."""

Result = TypeVar("Result")


class Room:
    """Makes attempts to write until the disk has room."""

    def __init__(self, stop: Event | None = None) -> None:
        """`stop`: ends the waiting; None: there is none."""
        self._stop = stop
        self._said = -SAID_SECONDS
        self._saying = Lock()
        """Tracks have threads of their own, and one line is enough."""

    def write(self, attempt: Callable[[], Result]) -> Result:
        """What the attempt returns that has room; one that fails must leave things as they were.

        Raises `OSError`: that of a full disk, too, once `stop` is set.
        """
        has_said: bool | None = None
        began = monotonic()
        while True:
            try:
                result = attempt()
            except OSError as error:
                if error.errno not in FULL or self._stop is None or self._stop.is_set():
                    raise
                if has_said is None and (has_said := self._is_to_be_said()):
                    where = f"{error.filename}: " if error.filename else ""
                    say(f"{where}{error.strerror}: waiting until there is room")
                self._stop.wait(AGAIN_SECONDS)
                continue
            if has_said:
                say(f"there is room again after {monotonic() - began:.1f} s: going on")
            return result

    def _is_to_be_said(self) -> bool:
        with self._saying:
            now = monotonic()
            if now - self._said < SAID_SECONDS:
                return False
            self._said = now
            return True


AT_ONCE = Room()
"""Does not wait."""
