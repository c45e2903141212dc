"""The clock of a sender: it wraps (33 bits in MPEG-TS, ISO/IEC 13818-1 §2.4.3.7), begins anew with it, and jumps."""

from dataclasses import dataclass, field

from voxel_prepare.live.copied.packets import TICKS, Kind, Packet

TS_WRAP = 1 << 33

INTERLEAVED = 2 * TICKS
"""How far tracks of one input may be apart."""
LEAP = TICKS
"""A clock that goes on for so much more than has passed here has jumped."""
HELD = 4
"""FFmpeg holds the last frame of an input, or two, until others come or the input is given up, seconds later."""


def unwrapped(time: int, near: int, wrap: int | None) -> int:
    """The time nearest to `near` that a clock which begins anew after `wrap` ticks shows as `time`."""
    if wrap is None:
        return time
    return near + (time - near + wrap // 2) % wrap - wrap // 2


@dataclass(slots=True)
class _Run:
    """A run of the clock without jumps."""

    number: int
    began: int
    """When its first packet came."""
    newest: int
    """The latest time of decoding."""
    arrived: int
    """When that came, or should have if it was held on the way."""
    late: int = 0
    """Packets in a row that came later than their times say."""
    last: dict[tuple[Kind, int], int] = field(default_factory=dict)
    """The latest time of each track."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """Times of a packet that go on while its clock does."""

    run: int
    """How often the clock has begun anew."""
    shown: int
    decoded: int


class Stamps:
    """Follows the clock of one input."""

    def __init__(self, wrap: int | None = None) -> None:
        """`wrap`: ticks after which the clock begins anew; None: never."""
        self.wrap = wrap
        self._runs: list[_Run] = []

    def add(self, packet: Packet) -> Stamped:
        """The times of the next packet. One of another track may still be of the run before."""
        track = packet.kind, packet.track
        for run in self._live_runs(packet.arrived):
            decoded = unwrapped(packet.decoded, run.newest, self.wrap)
            if _goes_on(run, track, decoded, packet.arrived):
                break
        else:
            decoded = packet.decoded
            run = _Run(self._runs[0].number + 1 if self._runs else 0, packet.arrived, decoded, packet.arrived)
            self._runs = [run, *self._runs[:1]]
        run.last[track] = decoded
        if decoded >= run.newest:
            expected = run.arrived + decoded - run.newest
            run.late = run.late + 1 if packet.arrived > expected + LEAP else 0
            run.newest, run.arrived = decoded, expected if 0 < run.late <= HELD else packet.arrived
        return Stamped(run.number, unwrapped(packet.shown, decoded, self.wrap), decoded)

    def near(self, time: int | None) -> int | None:
        """A time of the sender that comes with its packets, as theirs are; None of it: that of the newest packet.

        None before there is a packet.
        """
        if not self._runs:
            return None
        newest = self._runs[0].newest
        return newest if time is None else unwrapped(time, newest, self.wrap)

    def _live_runs(self, arrived: int) -> list[_Run]:
        """Runs that a packet may be of: soon after a run has begun, the one before it too."""
        is_new = self._runs and arrived - self._runs[0].began <= INTERLEAVED
        return self._runs if is_new else self._runs[:1]


def _goes_on(run: _Run, track: tuple[Kind, int], decoded: int, arrived: int) -> bool:
    last = run.last.get(track)
    if last is not None and decoded <= last:
        return False
    passed = max(0, arrived - run.arrived)
    return -INTERLEAVED <= decoded - run.newest <= passed + LEAP
