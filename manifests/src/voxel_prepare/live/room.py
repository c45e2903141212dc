"""A disk that is full: what is to be written waits for room."""

import errno
from collections.abc import Callable
from threading import Event
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

    def write(self, attempt: Callable[[], Result]) -> Result:
        """What the attempt returns that has room; one that fails must leave things as they were.

        Raises `OSError`: that of a full disk, too, once `stop` is set.
        """
        has_said = False
        began = monotonic()
        while True:
            try:
                result = attempt()
            except OSError as error:
                if error.errno not in FULL or self._stop is None or self._stop.is_set():
                    raise
                if not has_said and monotonic() - self._said >= SAID_SECONDS:
                    has_said, self._said = True, monotonic()
                    where = f"{error.filename}: " if error.filename else ""
                    say(f"{where}{error.strerror}: waiting until there is room")
                self._stop.wait(AGAIN_SECONDS)
                continue
            if has_said:
                say(f"there is room again after {monotonic() - began:.1f} s: going on")
            return result


AT_ONCE = Room()
"""Does not wait."""
