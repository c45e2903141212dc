"""CUBIC (RFC 9438) for bursts of datagrams, as a congestion controller of aioquic's. No I/O, no clock.

aioquic's own loses up to 8 % of a segment in a short queue: its slow start ends at the first loss, the window grows
while nothing fills it and while the connection is idle, and after two seconds of that slow start begins anew. Here slow
start ends when the round-trip time rises (`slow_start.py`), only a window that was used grows (RFC 9002 section 7.8),
and an idle time leaves the window and its curve as they were: aioquic's pacer spreads what follows over the round trip,
so it is no burst (RFC 9002 section 7.7).
"""

from collections.abc import Iterable
from typing import Any, Final

from aioquic.quic.congestion.base import K_MINIMUM_WINDOW, QuicCongestionControl, register_congestion_control
from aioquic.quic.packet_builder import QuicSentPacket

from .delivery_rate import DeliveryRate
from .slow_start import SlowStart

NAME: Final = "voxel-cubic"
"""Value of `QuicConfiguration.congestion_control_algorithm`, once `register` has been called."""

C: Final = 0.4
"""Packets per second cubed (RFC 9438 section 5.1)."""

BETA: Final = 0.7
"""Factor on the window after a loss (RFC 9438 section 4.6)."""

ALPHA: Final = 3 * (1 - BETA) / (1 + BETA)
"""Packets per round trip that equal the growth of Reno with that BETA (RFC 9438 section 4.3)."""

MOST_GROWTH: Final = 1.5
"""Greatest growth of the window in one round trip, as a factor (RFC 9438 section 4.2)."""

USED_SHARE: Final = 0.85
USED_SHARE_IN_SLOW_START: Final = 0.5
"""A window counts as used if this share is in flight: a paced sender is slower than a window that doubles."""


class Cubic(QuicCongestionControl):
    """All sizes in bytes, all times in seconds on the connection's clock."""

    def __init__(self, *, max_datagram_size: int) -> None:
        super().__init__(max_datagram_size=max_datagram_size)
        self._packet = max_datagram_size
        self._rtt = 0.0
        self._slow_start = SlowStart()
        self.delivery_rate = DeliveryRate()
        self._last_sent = 0.0
        self._last_used = 0.0
        """The last time at which the window was used after a packet was sent."""
        self._recovery_start = -1.0
        self._epoch: float | None = None
        """Start of the curve; None: it starts at the next acknowledgement."""
        self._window_max = 0.0
        """The plateau of the curve: the window before the last loss."""
        self._prior_window = 0.0
        self._reno_window = 0.0
        self._k = 0.0
        """Time from the start of the curve to its plateau."""

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        sent_time = _sent_time(packet)
        if self.bytes_in_flight == 0:
            self.delivery_rate.interrupted()
        if self.bytes_in_flight == 0 and self._epoch is not None:
            self._epoch += sent_time - self._last_sent  # The curve rests meanwhile (RFC 9438 section 5.8).
        self._last_sent = sent_time
        self.bytes_in_flight += packet.sent_bytes
        share = USED_SHARE_IN_SLOW_START if self._in_slow_start else USED_SHARE
        if self.bytes_in_flight >= share * self.congestion_window:
            self._last_used = sent_time

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        sent_time = _sent_time(packet)
        self.bytes_in_flight -= packet.sent_bytes
        if sent_time <= self._last_used:
            self.delivery_rate.acknowledged(now, packet.sent_bytes, self._rtt)
        else:
            self.delivery_rate.interrupted()
        if not self._recovery_start < sent_time <= self._last_used:
            return
        if not self._in_slow_start:
            self._follow_curve(now, packet.sent_bytes)
        elif self._slow_start.may_grow(now):
            self.congestion_window += packet.sent_bytes
        elif self._slow_start.finished(sent_time):
            self.ssthresh = self.congestion_window

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        self.bytes_in_flight -= sum(packet.sent_bytes for packet in packets)

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        last_sent = -1.0
        for packet in packets:
            self.bytes_in_flight -= packet.sent_bytes
            last_sent = _sent_time(packet)
        if last_sent <= self._recovery_start:
            return
        self._recovery_start = now
        self._epoch = None
        window = self.congestion_window
        # Fast convergence (RFC 9438 section 4.7): a plateau that was not reached again makes room for others.
        self._window_max = window * (1 + BETA) / 2 if window < self._window_max else window
        self._prior_window = window
        self.congestion_window = self.ssthresh = max(int(window * BETA), K_MINIMUM_WINDOW * self._packet)

    def on_persistent_congestion(self) -> None:
        self.congestion_window = K_MINIMUM_WINDOW * self._packet
        self._recovery_start = -1.0
        self._epoch = None

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        self._rtt = rtt
        self._slow_start.measured(rtt)

    def get_log_data(self) -> dict[str, Any]:
        return super().get_log_data() | {"cubic-wmax": int(self._window_max)}

    @property
    def _in_slow_start(self) -> bool:
        return self.ssthresh is None or self.congestion_window < self.ssthresh

    def _follow_curve(self, now: float, acked: int) -> None:
        """RFC 9438 sections 4.2 to 4.5."""
        window = self.congestion_window
        if self._epoch is None:
            self._epoch = now
            self._reno_window = window
            self._window_max = max(self._window_max, window)
            self._k = ((self._window_max - window) / self._packet / C) ** (1 / 3)
        alpha = ALPHA if self._reno_window < self._prior_window else 1.0
        self._reno_window += alpha * self._packet * acked / window
        elapsed = now - self._epoch
        if self._curve(elapsed) < self._reno_window:
            self.congestion_window = max(window, int(self._reno_window))
        else:
            target = min(max(self._curve(elapsed + self._rtt), window), MOST_GROWTH * window)
            self.congestion_window += int((target - window) * acked / window)

    def _curve(self, elapsed: float) -> float:
        return self._window_max + C * self._packet * (elapsed - self._k) ** 3


def _sent_time(packet: QuicSentPacket) -> float:
    assert packet.sent_time is not None  # It has been sent.
    return packet.sent_time


def register() -> None:
    """Registers the controller with aioquic as `NAME`."""
    register_congestion_control(NAME, Cubic)
