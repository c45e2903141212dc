"""The time of day."""

from math import inf
from threading import Event, Lock
from time import monotonic, time

LEAST_WAIT = 0.0005
"""Seconds."""


class WallClock:
    """The time of day, without jumps while the encoder runs."""

    speed = 1.0
    """Its seconds to one."""

    def __init__(self) -> None:
        self._difference = 1000 * (time() - monotonic())

    def now(self) -> float:
        """Ms since 1970 (UTC)."""
        return self._difference + 1000 * monotonic()

    def hold(self, holder: object, until: float | None) -> None:
        """`holder` needs time to stand still from `until` on until it says another; None: it does not. Ms since 1970.

        The time of day waits for nobody.
        """

    def wait(self, stop: Event, until: float) -> None:
        """Waits for a time, in ms since 1970, or for `stop` to be set."""
        while not stop.is_set() and (left := until - self.now()) > 0:
            stop.wait(max(LEAST_WAIT, left / 1000 / self.speed))


class FastClock(WallClock):
    """A clock that goes so many times as fast, and stands still where those who work cannot keep up with it."""

    def __init__(self, speed: float) -> None:
        super().__init__()
        self.speed = speed
        self._lock = Lock()
        self._holds: dict[object, float] = {}
        self._passed = monotonic()
        self._now = super().now()

    def now(self) -> float:
        with self._lock:
            return self._go_on()

    def hold(self, holder: object, until: float | None) -> None:
        with self._lock:
            self._go_on()
            if until is None:
                self._holds.pop(holder, None)
            else:
                self._holds[holder] = until

    def _go_on(self) -> float:
        before, self._passed = self._passed, monotonic()
        wanted = self._now + 1000 * self.speed * (self._passed - before)
        self._now = max(self._now, min(wanted, *self._holds.values(), inf))
        return self._now
