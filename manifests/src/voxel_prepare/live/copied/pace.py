"""How fast a file or a pipe is read: not much faster than it plays, as who writes it may not keep time."""

from threading import Event

from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.copied.packets import TICKS
from voxel_prepare.live.copied.stamps import INTERLEAVED, LEAP

AHEAD_SECONDS = 1.0
"""What may be read before its time."""
FINE_SECONDS = 0.2
"""What is read before a clock that waits goes on."""
HOLE_SECONDS = 10.0
"""So long a hole of a file is waited for, as nobody writes to it meanwhile."""


class Pace:
    """That of one input."""

    def __init__(self, clock: WallClock, stop: Event, *, is_file: bool) -> None:
        """`is_file`: a regular one, not a pipe."""
        self._clock, self._stop = clock, stop
        self._longest_hole = HOLE_SECONDS if is_file else LEAP / TICKS
        self._last: float | None = None
        """Seconds, by the clock of the input."""
        self._due = clock.now()
        """When what was read last is to be shown, in ms since 1970."""
        clock.hold(self, self._due)

    def opened(self) -> None:
        """The input begins, or begins again."""
        self._last = None

    def read(self, seconds: float) -> None:
        """Waits until a packet with this time, by the clock of the input, may be passed on."""
        if self._last is None:
            self._due = self._clock.now()
        elif -INTERLEAVED / TICKS <= (passed := seconds - self._last) <= self._longest_hole:
            self._due += 1000 * passed
        # else its clock has jumped, and goes on from where it is
        self._last = seconds
        self._clock.hold(self, self._due - 1000 * (AHEAD_SECONDS - FINE_SECONDS))
        self._clock.wait(self._stop, self._due - 1000 * AHEAD_SECONDS)

    def ended(self) -> None:
        """Nothing more comes."""
        self._clock.hold(self, None)
