"""Where the times of inputs are on the timeline: those of one encoder stay together, others are put to key frames."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from voxel_prepare.live.copied.cuts import Cuts
from voxel_prepare.live.copied.packets import TICKS, Packet, Placed
from voxel_prepare.live.copied.stamps import Stamped, Stamps

SETTLE = 3 * TICKS // 10
"""So long after its first key frame an input is looked at: what was sent while it was opened comes at once."""

SHARED = 2 * TICKS
"""Inputs of one encoder arrive no further apart."""

ASTRAY_WINDOW = 4 * TICKS
"""An input whose packets are all late, or early, for so long has another clock than before."""
EARLY = TICKS
PHASE_SHARE = 4
"""Key frames of an input with a clock of its own are at most this part of a segment from those of others."""
AWAY_SEGMENTS = 3
"""After so many segments without a key frame at a cut the place of an input is looked for anew."""
MOST_DELAY = 3 * TICKS
"""A frame that is to be shown so long after it is decoded, or before, has a wrong time."""
MAX_WAITING = 20_000
"""Packets of an input that wait for its place."""
MAX_EARLY = 200
"""Frames of sound that wait for the first key frame: tracks that come in requests of their own overtake each other."""


@dataclass(frozen=True, slots=True)
class Base:
    """What makes media times of an input's times, both in ticks."""

    offset: int
    arrival: int
    """The same for the time at which packets come: the difference is how much later they are shown, to hit a cut."""


class Alignment:
    """What all inputs share."""

    def __init__(self, cuts: Cuts, origin: int) -> None:
        """`origin`: media time 0, in ticks since 1970 (UTC)."""
        self.cuts = cuts
        self.origin = origin
        self._bases: dict[int, Base] = {}
        """Places of the inputs that have one, by their numbers."""

    def leave(self, input_: int) -> None:
        """The input has lost its place, or sends nothing: others need not keep to it."""
        self._bases.pop(input_, None)

    def hold(self, input_: int, base: Base) -> None:
        """The input goes on in its place."""
        self._bases[input_] = base

    def find(self, input_: int, shown: int, arrival: int, least: int) -> Base | None:
        """The place of an input with a key frame shown at `shown` of its clock, which is `arrival` off the clock here.

        `least`: the number of the first segment that is not written yet. None: its key frames are between those of
        others.
        """
        self.leave(input_)
        came = arrival - self.origin
        base = self._shared(shown, came) or self._own(shown, came, least)
        if base is not None:
            self.hold(input_, base)
        return base

    def _shared(self, shown: int, came: int) -> Base | None:
        for other in self._bases.values():
            is_together = abs(other.arrival - came) <= SHARED
            if is_together and self.cuts.fits(shown + other.offset) is not None:
                return Base(other.offset, other.arrival)
        return None

    def _own(self, shown: int, came: int, least: int) -> Base | None:
        if not self._bases:
            number = max(self.cuts.after(shown + came), least)
            return Base(self.cuts.place(number) - shown, came)
        number = max(0, round((shown + came) / self.cuts.segment))
        off = self.cuts.start(number) - (shown + came)
        return Base(came + off, came) if abs(off) * PHASE_SHARE <= self.cuts.segment else None


class InputLine:
    """Puts the packets of one input on the timeline."""

    def __init__(self, number: int, wrap: int | None, on_left_out: Callable[[], None]) -> None:
        """`wrap`: that of its clock in ticks. `on_left_out` is called where its key frames are at no cut."""
        self._number = number
        self._on_left_out = on_left_out
        self._stamps = Stamps(wrap)
        self._run = -1
        self._base: Base | None = None
        self._waiting: list[tuple[Stamped, Packet]] = []
        self._early: deque[tuple[Stamped, Packet]] = deque(maxlen=MAX_EARLY)
        """Sound that came before the first key frame, and may be heard after it."""
        self._latest = _Lateness()
        self._last_cut = 0

    @property
    def waiting(self) -> list[tuple[Stamped, Packet]]:
        """Packets without a place, from the first key frame on."""
        return self._waiting

    def set_wrap(self, wrap: int | None) -> None:
        """An input that is opened again may have another container."""
        self._stamps.wrap = wrap

    def place(self, time: int | None) -> int | None:
        """Where a time of its clock is on the timeline, in ticks; `time` None: at once.

        None while the input has no place.
        """
        found = self._stamps.near(time)
        return None if self._base is None or found is None else found + self._base.offset

    def add(self, packet: Packet, alignment: Alignment | None) -> list[Placed]:
        """The packet on the timeline, and others that waited for it; `alignment`: None before there is a timeline."""
        stamped = self._stamps.add(packet)
        if abs(stamped.shown - stamped.decoded) > MOST_DELAY:
            return []
        if stamped.run != self._run and stamped.run > self._run:
            self._lose(alignment)
            self._run = stamped.run
        if self._base is not None and alignment is not None and stamped.run == self._run:
            if not self._is_astray(stamped, packet, alignment):
                alignment.hold(self._number, self._base)
                return [_placed(stamped, packet, self._base, alignment)]
            self._lose(alignment)
        self._wait(stamped, packet)
        return []

    def settle(self, now: int, alignment: Alignment, least: int) -> list[Placed]:
        """Finds the place of an input that has none, if it is time to; what has waited for it.

        `now`: ticks since 1970 (UTC). `least`: the number of the first segment that is not written yet.
        """
        if self._base is not None or not self._waiting or now - self._waiting[0][1].arrived < SETTLE:
            return []
        # Of what comes at once the last packet has waited least.
        arrival = min(packet.arrived - stamped.decoded for stamped, packet in self._waiting)
        waiting, self._waiting = [*self._early, *self._waiting], []
        self._early.clear()
        for place, (stamped, packet) in enumerate(waiting):
            if packet.kind == "video" and packet.is_key:
                base = alignment.find(self._number, stamped.shown, arrival, least)
                if base is not None:
                    self._base, self._latest, self._last_cut = base, _Lateness(), stamped.shown
                    sounds = [
                        one for one in waiting[:place] if one[1].kind == "audio" and one[0].shown >= stamped.shown
                    ]
                    return [_placed(*one, base, alignment) for one in [*sounds, *waiting[place:]]]
        self._on_left_out()
        return []

    def _lose(self, alignment: Alignment | None) -> None:
        self._base, self._waiting = None, []
        self._early.clear()
        if alignment is not None:
            alignment.leave(self._number)

    def _wait(self, stamped: Stamped, packet: Packet) -> None:
        if stamped.run != self._run:
            return
        if self._waiting or (packet.kind == "video" and packet.is_key):
            self._waiting.append((stamped, packet))
        elif packet.kind == "audio":
            self._early.append((stamped, packet))
        if len(self._waiting) > MAX_WAITING:
            self._waiting = []

    def _is_astray(self, stamped: Stamped, packet: Packet, alignment: Alignment) -> bool:
        """Whether the place has become wrong; a key frame then begins with another."""
        assert self._base is not None
        if packet.kind != "video":
            return False
        late = packet.arrived - alignment.origin - stamped.decoded - self._base.arrival
        is_wrong = self._latest.add(packet.arrived, late)
        if not packet.is_key:
            return False
        if alignment.cuts.fits(stamped.shown + self._base.offset) is not None:
            self._last_cut = stamped.shown
        return is_wrong or stamped.shown - self._last_cut > AWAY_SEGMENTS * alignment.cuts.segment


class _Lateness:
    """The least lateness of packets in the last window."""

    def __init__(self) -> None:
        self._start: int | None = None
        self._least = 0
        self._is_wrong = False

    def add(self, arrived: int, late: int) -> bool:
        """Whether all packets of the last whole window were late, or one was early."""
        if self._start is None:
            self._start, self._least = arrived, late
        self._least = min(self._least, late)
        if arrived - self._start >= ASTRAY_WINDOW:
            self._is_wrong = not -EARLY <= self._least <= EARLY
            self._start, self._least = arrived, late
        return self._is_wrong


def _placed(stamped: Stamped, packet: Packet, base: Base, alignment: Alignment) -> Placed:
    captured = (stamped.shown + base.arrival + alignment.origin) * 1000 // TICKS
    return Placed(packet, stamped.shown + base.offset, stamped.decoded + base.offset, captured)
