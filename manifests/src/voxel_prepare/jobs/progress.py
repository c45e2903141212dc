"""Messages, progress bar and summary on standard error."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text

from voxel_prepare.errors import printable
from voxel_prepare.jobs.pace import Pace, clock
from voxel_prepare.manifest.mpd import Presentation

READING_SHARE = 0.05
"""How much of the bar is for reading the inputs: what else there is to do is known after that."""

FIRST_LINE_SECONDS = 10
"""Where nobody sees a bar, a first line says that something happens, be it less than a tenth."""

console = Console(stderr=True, markup=False, emoji=False)
"""Plain text: ids of representations may come out of foreign manifests."""


class WorkProgress:
    """One bar for all work, from 0 to 1, which only grows; a line for each tenth where nobody sees a bar."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._pace = Pace(time.monotonic())
        self._task = bar.add_task("", total=1, visible=False, pace=self._pace)
        self._phase = ""
        self._scale = 0.0
        self._said_tenths = 0
        self._has_said = False

    def phase(self, name: str) -> None:
        """Names the current work."""
        self._phase = name
        self._bar.update(self._task, description=name)

    def read(self, share: float) -> None:
        """Reports how much of the inputs has been read."""
        self.phase("reading")
        self._show(READING_SHARE * min(1, share))

    def begin(self, cost: float) -> None:
        """Says how much work there is, in the units of cost.py. Reading has ended."""
        self._show(READING_SHARE)
        self._pace.begin(time.monotonic())
        self._scale = (1 - READING_SHARE) / cost if cost else 0

    def advance(self, cost: float) -> None:
        """Reports finished work."""
        self._show(self._pace.done + cost * self._scale)

    def skip(self, cost: float) -> None:
        """Reports work that was finished before: it says nothing about how fast the rest goes."""
        self._pace.skip(cost * self._scale)
        self.advance(cost)

    def finish(self) -> None:
        """Reports that all work is done."""
        self._show(1)

    def hide(self) -> None:
        """Takes the bar away, for a message to stand alone."""
        self._bar.update(self._task, visible=False)

    def _show(self, done: float) -> None:
        now = time.monotonic()
        self._pace.reach(now, done)
        self._bar.update(self._task, completed=self._pace.done, visible=True)
        if is_watched():
            return
        tenths = int(10 * self._pace.done)
        is_first = not self._has_said and now - self._pace.start >= FIRST_LINE_SECONDS
        if tenths > self._said_tenths or is_first:
            self._said_tenths, self._has_said = tenths, True
            say(f"{self._phase}: {int(100 * self._pace.done)} %{_to_go(self._pace, now)}")


class _Times(ProgressColumn):
    """The time that has passed and the time that is left, each with a word that says which it is."""

    def render(self, task: Task) -> Text:
        pace: Pace = task.fields["pace"]
        now = time.monotonic()
        passed = clock(now - pace.start)
        return Text(f"{passed} in all" if task.finished else f"{passed} so far{_to_go(pace, now)}", no_wrap=True)


def is_watched() -> bool:
    """Whether a bar can be drawn."""
    return console.is_terminal and not console.is_dumb_terminal


@contextmanager
def work_progress() -> Iterator[WorkProgress]:
    """Shows how far the work is while the block runs."""
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), TaskProgressColumn(), _Times())
    with Progress(*columns, console=console, disable=not is_watched()) as bar:
        progress = WorkProgress(bar)
        try:
            yield progress
        except BaseException:
            progress.hide()
            raise


def _to_go(pace: Pace, now: float) -> str:
    left = pace.remaining(now)
    return "" if left is None else f", about {clock(left)} to go"


def say(message: str) -> None:
    """One line for the user."""
    console.print(printable(message), highlight=False, soft_wrap=True)


def summarise(presentation: Presentation) -> None:
    """Prints a table of the representations, and what their scores are compared with."""
    metric = presentation.video[0].analyses[0].metric.upper()
    table = Table("id", "size", box=None)
    for name in ("kbit/s", metric, f"{metric}, reliable only", "reliable bytes", "segments"):
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
    say(f"{metric} compares with the top representation, so its own is {presentation.video[-1].average_score:.4f}.")
