"""What the user sees on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from voxel_prepare.manifest.mpd import Presentation

SPEED_WINDOW_SECONDS = 120
"""Over which the time left is estimated: long enough to smooth levels of different size."""

console = Console(stderr=True)


class WorkProgress:
    """One bar over all the work, in the units of cost.py."""

    def __init__(self, bar: Progress, total: float) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=total)

    def phase(self, name: str) -> None:
        """Says what is being done now."""
        self._bar.update(self._task, description=name)

    def advance(self, cost: float) -> None:
        """More work is done."""
        self._bar.advance(self._task, cost)


@contextmanager
def work_progress(total: float) -> Iterator[WorkProgress]:
    """Shows a bar while the block runs; nothing where standard error is no terminal."""
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
    console.print(message, highlight=False, markup=False, soft_wrap=True)


def summarise(presentation: Presentation) -> None:
    """The table at the end."""
    table = Table("level", "size", box=None)
    for name in ("kbit/s", "SSIM", "reliable only", "reliable bytes", "segments"):
        table.add_column(name, justify="right")
    for level in presentation.video:
        reliable = sum(analysis.reliable_bytes for analysis in level.analyses)
        total = sum(analysis.range.size for analysis in level.analyses)
        table.add_row(
            level.media.id,
            f"{level.width}x{level.height}",
            f"{level.media.bandwidth(presentation.duration) / 1000:.0f}",
            f"{level.average_score:.4f}",
            f"{level.reliable_score:.4f}",
            f"{reliable / total:.1%}",
            str(len(level.analyses)),
        )
    console.print(table)
