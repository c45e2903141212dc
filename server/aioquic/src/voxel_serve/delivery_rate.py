"""The rate at which a path delivers what is sent while congestion control, and nothing else, holds the sender back.

No I/O, no clock.
"""


class DeliveryRate:
    """Measures once in a round trip, by acknowledgements. Times in seconds on the connection's clock."""

    def __init__(self) -> None:
        self.bytes_per_second: float | None = None
        """In the latest round trip that was measured; None before the first."""
        self._begin: float | None = None
        self._bytes = 0

    def interrupted(self) -> None:
        """Nothing is in flight, or what is acknowledged was sent by a sender with little to send."""
        self._begin = None

    def acknowledged(self, now: float, packet_bytes: int, rtt: float) -> None:
        """Takes in a packet that congestion control held back, and when. `rtt`: of the path."""
        if self._begin is None:
            self._begin, self._bytes = now, 0
            return
        self._bytes += packet_bytes
        elapsed = now - self._begin
        if elapsed > 0 and elapsed >= rtt:
            self.bytes_per_second = self._bytes / elapsed
            self._begin, self._bytes = now, 0
