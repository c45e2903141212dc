"""Slow start that observes the round-trip time: it pauses while a queue exists, and ends if it lasts a round trip.

HyStart++ (RFC 9406) compares the least RTT of one round trip with that of the one before. That ends slow start one or
two doublings late, for which a queue of 32 packets has no room. Here every sample counts, by the same thresholds.
"""

import math
from typing import Final

LEAST_RISE_SECONDS: Final = 0.004
RISE_DIVISOR: Final = 8
"""Share of the least RTT (RFC 9406 section 4.3, without its upper bound: bursts on a long path are long)."""


class SlowStart:
    """Times in seconds on the connection's clock."""

    def __init__(self) -> None:
        self._least = math.inf
        self._latest = 0.0
        self._last_growth: float | None = None

    def measured(self, rtt: float) -> None:
        """Takes a sample of the round-trip time."""
        self._latest = rtt
        self._least = min(self._least, rtt)

    def may_grow(self, now: float) -> bool:
        """Whether the path has had no considerable queue lately; must be called at each acknowledgement."""
        if self._latest > self._least + max(LEAST_RISE_SECONDS, self._least / RISE_DIVISOR):
            return False
        self._last_growth = now
        return True

    def finished(self, sent_time: float) -> bool:
        """Whether the window has not grown since before a packet was sent, at `sent_time`, that is now acknowledged."""
        return self._last_growth is not None and sent_time > self._last_growth
