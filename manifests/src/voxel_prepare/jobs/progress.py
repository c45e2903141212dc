"""Messages, progress bar and summary on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from voxel_prepare.errors import printable
from voxel_prepare.manifest.mpd import Presentation

SPEED_WINDOW_SECONDS = 120
"""Window for the estimate of the remaining time: long enough to smooth representations of different size."""

console = Console(stderr=True, markup=False, emoji=False)
"""Plain text: ids of representations may come out of foreign manifests."""


class WorkProgress:
    """One bar for all work, in the units of cost.py; a line for each tenth where nobody sees a bar."""

    def __init__(self, bar: Progress, total: float) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=total)
        self._phase = ""
        self._tenths = 0

    def phase(self, name: str) -> None:
        """Names the current work."""
        self._phase = name
        self._bar.update(self._task, description=name)

    def advance(self, cost: float) -> None:
        """Reports finished work."""
        self._bar.advance(self._task, cost)
        tenths = round(self._bar.tasks[self._task].percentage) // 10
        if tenths > self._tenths and not console.is_terminal:
            say(f"{self._phase}: {tenths * 10} %")
        self._tenths = tenths


@contextmanager
def work_progress(total: float) -> Iterator[WorkProgress]:
    """Shows how far the work is while the block runs."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, speed_estimate_period=SPEED_WINDOW_SECONDS, disable=not console.is_terminal
    ) as bar:
        yield WorkProgress(bar, total)


def say(message: str) -> None:
    """One line for the user."""
    console.print(printable(message), highlight=False, soft_wrap=True)


def summarise(presentation: Presentation) -> None:
    """Prints a table of the representations."""
    table = Table("id", "size", box=None)
    for name in ("kbit/s", "SSIM", "SSIM, reliable only", "reliable bytes", "segments"):
        table.add_column(name, justify="right")
    for representation in presentation.video:
        reliable = sum(analysis.reliable_bytes for analysis in representation.analyses)
        total = sum(analysis.range.size for analysis in representation.analyses)
        table.add_row(
            printable(representation.media.id),
            f"{representation.width}x{representation.height}",
            f"{representation.media.bandwidth(presentation.duration) / 1000:.0f}",
            f"{representation.average_score:.4f}",
            f"{representation.reliable_score:.4f}",
            f"{reliable / total:.1%}",
            str(len(representation.analyses)),
        )
    console.print(table)
