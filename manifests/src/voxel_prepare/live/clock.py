"""The time of day."""

from time import monotonic, time


class WallClock:
    """The time of day, without jumps while the encoder runs."""

    def __init__(self) -> None:
        self._difference = 1000 * (time() - monotonic())

    def now(self) -> float:
        """Ms since 1970 (UTC)."""
        return self._difference + 1000 * monotonic()
