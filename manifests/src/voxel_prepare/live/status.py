"""How a running encoder does: the delay of its chunks, and the processor time it takes."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import quantiles
from time import monotonic, process_time

from rich.status import Status

from voxel_prepare.jobs.progress import console, say
from voxel_prepare.media.ladder import Representation

KEPT_DELAYS = 10_000
SHOWN_EVERY = 1.0
SAID_EVERY = 10.0
"""Seconds; lines where nobody sees a display."""


@dataclass(frozen=True, slots=True)
class LiveSummary:
    """What an encoder did."""

    seconds: float
    cores: float
    """Processor time per second."""
    delay_p95: float
    """Time from the capture of a chunk's earliest picture to its record, in ms."""


def listed(representations: Sequence[Representation]) -> str:
    """Size and Mbit/s of each."""
    return "  ".join(f"{min(one.width, one.height)}p {one.bitrate / 1e6:g}M" for one in representations)


class LiveStatus:
    """Collects figures and shows them."""

    def __init__(self, representations: Sequence[Representation], now: Callable[[], float]) -> None:
        """`now`: ms since 1970 (UTC)."""
        self._names = listed(representations)
        self._now = now
        self._delays: deque[float] = deque(maxlen=KEPT_DELAYS)
        self._start = self._shown = monotonic()
        self._processor_start = process_time()
        self._shown_every = SHOWN_EVERY if console.is_terminal else SAID_EVERY
        self._display: Status | None = None

    def on_record(self, captured: int) -> None:
        """Notes that a chunk has just been announced, captured at this time in ms since 1970 (UTC)."""
        self._delays.append(self._now() - captured)

    def summary(self) -> LiveSummary:
        """Figures of all time so far; the delay of the last chunks."""
        delays = sorted(self._delays)
        seconds = monotonic() - self._start
        return LiveSummary(
            seconds=seconds,
            cores=(process_time() - self._processor_start) / max(seconds, 1e-3),
            delay_p95=quantiles(delays, n=20)[-1] if len(delays) > 1 else 0.0,
        )

    def show(self, behind: float) -> None:
        """Shows the present state; `behind`: seconds of pictures that wait for the encoder."""
        now = monotonic()
        if now - self._shown < self._shown_every:
            return
        self._shown = now
        summary = self.summary()
        late = f"  {behind:.1f} s behind: too many representations for this machine" if behind > 1 else ""
        line = (
            f"{summary.seconds:.0f} s  {self._names}  delay {summary.delay_p95:.0f} ms (p95)  "
            f"CPU {summary.cores:.2f} cores{late}"
        )
        if not console.is_terminal:
            say(line)
        elif self._display is None:
            self._display = console.status(line)
            self._display.start()
        else:
            self._display.update(line)

    def close(self) -> None:
        """Removes the display."""
        if self._display is not None:
            self._display.stop()
