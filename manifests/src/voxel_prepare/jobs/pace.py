"""How fast work goes, and how long the rest will take."""

from dataclasses import dataclass, field

LEAST_SECONDS = 3
LEAST_SHARE = 0.01
"""Less time, or less work, foretells nothing."""


@dataclass
class Pace:
    """Work as a share of all, from 0 to 1, over time in seconds."""

    start: float
    """When all of it began."""
    done: float = 0
    _since: float | None = field(default=None)
    """When the work began by which the rest is foretold."""
    _from: float = 0
    """What was done by then."""
    _end: float | None = field(default=None)
    """When all will be done, as foretold by the last step."""

    def begin(self, now: float) -> None:
        """What comes now goes as fast as the rest; what came before did not."""
        self._since, self._from, self._end = now, self.done, None

    def reach(self, now: float, done: float) -> None:
        """So much is done; never less than before, never more than all."""
        done = min(1, max(self.done, done))
        is_step, self.done = done > self.done, done
        if self._since is None or not is_step:
            return
        passed, work = now - self._since, done - self._from
        is_enough = passed >= LEAST_SECONDS and work >= LEAST_SHARE
        self._end = now + passed / work * (1 - done) if is_enough else None

    def skip(self, share: float) -> None:
        """So much comes to what is done without having taken time."""
        self._from += share

    def remaining(self, now: float) -> float | None:
        """Seconds that the rest takes; None if that cannot be told: a step that takes longer than foretold ends it."""
        left = 0 if self._end is None else self._end - now
        return left if left > 0 else None


def clock(seconds: float) -> str:
    """Minutes and seconds, such as 3:05, and hours if there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
