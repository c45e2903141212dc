"""The cues of all inputs on the timeline: each once, as events of the presentation."""

from voxel_prepare.live.copied.cues import Cue
from voxel_prepare.live.copied.packets import TICKS
from voxel_prepare.manifest.live_mpd import LiveEvent

SAME = TICKS // 2
"""Cues that say the same are one if their times are no further apart: inputs' clocks differ, and those without a time
have that of their arrival."""
MOST = 100
"""Events that a manifest lists."""
MOST_AHEAD = 3600 * TICKS
"""A cue further ahead, or as far behind, is of another clock."""


class Events:
    """Those of a presentation."""

    def __init__(self) -> None:
        self._events: list[tuple[bytes, LiveEvent]] = []
        self._count = 0
        self.version = 0
        """Grows whenever there is another event."""

    def add(self, cue: Cue, time: int, now: int) -> None:
        """A cue, which takes effect at `time`; `now`: both in ticks since media time 0."""
        if time < 0 or abs(time - now) > MOST_AHEAD:
            return
        for identity, event in self._events:
            if identity == cue.identity and abs(event.time - time) <= SAME:
                return
        self._count += 1
        self.version += 1
        event = LiveEvent(self._count, time, cue.duration, cue.section, cue.splice, cue.splice_id)
        self._events.append((cue.identity, event))
        del self._events[:-MOST]

    def listed(self, since: int) -> list[LiveEvent]:
        """The events that were not over before `since`, in ticks since media time 0; those before are forgotten."""
        self._events = [one for one in self._events if one[1].end >= since]
        return sorted((event for _, event in self._events), key=lambda event: (event.time, event.id))
