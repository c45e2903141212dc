"""Plots the report in the style of the thesis' Figs. 4.1, 4.3 and 5.3 to 5.9."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from voxel_prepare.analysis.segment_analysis import Step
from voxel_prepare.errors import InputError, printable
from voxel_prepare.inspect.described import MANY, DescribedRepresentation, DescribedSegment
from voxel_prepare.inspect.report import TARGETS

try:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    raise InputError("--plot needs matplotlib, which is not installed: pip install 'voxel-prepare[plot]'") from error

SIZE_INCHES = (12, 11)
DOTS_PER_INCH = 120
LINE_STYLES = ("-", "--", "-.", ":")

KINDS = {
    "must arrive": "0.9",
    "replaced": "tab:blue",
    "held, one or two in a row": "gold",
    "held, three and more in a row": "tab:orange",
    "removed alone": "tab:green",
    "removed with one to three others": "palegreen",
    "removed with more": "tab:olive",
}
"""What becomes of a frame that is missing, with the colour in which it is drawn."""
REPLACED, HELD, HELD_LONG, ALONE, WITH_FEW, WITH_MANY = range(1, len(KINDS))
LONG = 3
"""Frames in a row."""


def draw(representations: Sequence[DescribedRepresentation], path: Path) -> None:
    """Writes the plot; the suffix of `path` selects the format. Raises `InputError` if it is not known."""
    figure = Figure(figsize=SIZE_INCHES, layout="constrained")
    grid = figure.subplot_mosaic([["tolerance", "scores"], ["positions", "curves"], ["frames", "frames"]])
    tolerance, scores, positions, curves = (grid[name] for name in ("tolerance", "scores", "positions", "curves"))
    _draw_tolerance(tolerance, representations)
    _draw_scores(scores, representations)
    _draw_positions(positions, representations[-1])
    _draw_curves(curves, representations[-1])
    for axes in (tolerance, scores, positions, curves):
        axes.grid(alpha=0.3)
    _draw_frames(grid["frames"], representations[-1])
    try:
        figure.savefig(path, dpi=DOTS_PER_INCH)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


def _draw_tolerance(axes: Axes, representations: Sequence[DescribedRepresentation]) -> None:
    """Fig. 4.1a to c: the share of segments that can lose a share of their frames."""
    target = TARGETS[representations[-1].metric][0]
    for number, representation in enumerate(representations):
        shares = [
            share for segment in representation.segments if (share := _droppable_frames(segment, target)) is not None
        ]
        _draw_distribution(
            axes, [100 * share for share in shares], len(representation.segments), printable(representation.id), number
        )
    axes.set(
        title=f"Frame-drop tolerance at {representations[-1].metric.upper()} ≥ {target:g}",
        xlabel="frames dropped [%]",
        ylabel="share of segments",
        ylim=(0, 1.02),
    )
    axes.legend(fontsize="small")


def _draw_scores(axes: Axes, representations: Sequence[DescribedRepresentation]) -> None:
    """Fig. 4.1d: the scores of untouched segments."""
    for number, representation in enumerate(representations):
        values = [segment.score for segment in representation.segments]
        _draw_distribution(axes, values, len(values), printable(representation.id), number)
    axes.set(
        title="Scores of whole segments",
        xlabel=representations[-1].metric.upper(),
        ylabel="share of segments",
        ylim=(0, 1.02),
    )
    axes.legend(fontsize="small")


def _draw_positions(axes: Axes, representation: DescribedRepresentation) -> None:
    """Fig. 4.3: the positions in the segment of the frames that may be missing."""
    for number, target in enumerate(TARGETS[representation.metric]):
        dropped: Counter[int] = Counter()
        for segment in representation.segments:
            step = segment.least_step(target)
            dropped.update(segment.order[step.frames :] if step else ())
        if dropped:
            frames = range(max(dropped) + 1)
            heights = [dropped[frame] / len(representation.segments) for frame in frames]
            axes.step(frames, heights, LINE_STYLES[number % len(LINE_STYLES)], where="mid", label=f"≥ {target:g}")
            axes.legend(fontsize="small")
    if not any(segment.order for segment in representation.segments):
        axes.text(0.5, 0.5, "attributes do not list the frames", ha="center", transform=axes.transAxes)
    axes.set(
        title=f"Frames that may be dropped, {printable(representation.id)}",
        xlabel="position in the segment, in decode order",
        ylabel="share of segments",
        ylim=(0, 1.02),
    )


def _draw_frames(axes: Axes, representation: DescribedRepresentation) -> None:
    """Every frame of every segment, by what becomes of it when it is missing."""
    rows = [_kinds(segment) for segment in representation.segments]
    width = max(map(len, rows))
    cells = np.full((len(rows), max(1, width)), np.nan)
    for number, row in enumerate(rows):
        cells[number, : len(row)] = row
    colours = ListedColormap(list(KINDS.values()))
    axes.imshow(
        cells,
        colours,
        aspect="auto",
        interpolation="nearest",
        vmin=-0.5,
        vmax=len(KINDS) - 0.5,
        extent=(-0.5, cells.shape[1] - 0.5, len(rows) + 0.5, 0.5),
    )
    if width == 0:
        axes.text(0.5, 0.5, "attributes do not list the frames", ha="center", transform=axes.transAxes)
    present = [(kind, colour) for place, (kind, colour) in enumerate(KINDS.items()) if (cells == place).any()]
    axes.legend(
        handles=[Patch(color=colour, label=kind) for kind, colour in present],
        fontsize="small",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.2),
        ncols=len(KINDS),
        frameon=False,
    )
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(
        title=f"What becomes of each frame that is missing, {printable(representation.id)}",
        xlabel="position in the segment, in decode order",
        ylabel="segment",
    )


def _kinds(segment: DescribedSegment) -> list[int]:
    """For each frame up to the last one that may be missing its place in `KINDS`."""
    kinds = [0] * (max(segment.order, default=-1) + 1)
    dependents = segment.dependents()
    for place, position in enumerate(segment.order):
        if dependents:
            kinds[position] = ALONE if dependents[place] == 0 else WITH_FEW if dependents[place] < MANY else WITH_MANY
        else:
            reach = segment.reach[place] if segment.reach else 0
            kinds[position] = REPLACED if reach == 0 else HELD if reach < LONG else HELD_LONG
    return kinds


def _draw_curves(axes: Axes, representation: DescribedRepresentation) -> None:
    """Figs. 5.3 to 5.9: the score against the share of bytes dropped; every segment, and the mean of all.

    Measured scores end where the next lower representation is as good; a dotted line continues to the score of the
    reliable bytes.
    """
    for segment in representation.segments:
        points = [(_dropped_percent(segment, step), step.score) for step in segment.steps]
        axes.plot(*zip(*points[1:] or points, strict=True), color="0.75", linewidth=0.7)
        axes.plot(*zip(*points[:2], strict=True), color="0.75", linewidth=0.7, linestyle=":")
    grid = range(101)
    means = [fmean(_score_at(segment, percent) for segment in representation.segments) for percent in grid]
    axes.plot(grid, means, color="C0", label="mean")
    for target in TARGETS[representation.metric]:
        axes.axhline(target, color="0.4", linestyle=":", linewidth=0.8)
    axes.set(
        title=f"Score of the remaining frames, {printable(representation.id)} (dotted: not measured)",
        xlabel="unreliable bytes dropped [%]",
        ylabel=representation.metric.upper(),
        xlim=(0, 100),
    )
    axes.legend(fontsize="small")


def _draw_distribution(axes: Axes, values: Sequence[float], total: int, label: str, number: int) -> None:
    """The share of `total` with at least each value; members without a value count as less than any."""
    ordered = sorted(values, reverse=True)
    heights = [(position + 1) / total for position in range(len(ordered))]
    style = LINE_STYLES[number % len(LINE_STYLES)]
    axes.step([*ordered, ordered[-1] if ordered else 0], [*heights, heights[-1] if heights else 0], style, label=label)


def _droppable_frames(segment: DescribedSegment, target: float) -> float | None:
    """The droppable share of all frames; None if the segment does not reach the target."""
    step = segment.least_step(target)
    droppable = segment.steps[-1].frames
    frames = max(segment.order, default=droppable) + 1  # the first one is an I frame
    return None if step is None else (droppable - step.frames) / frames


def _dropped_percent(segment: DescribedSegment, step: Step) -> float:
    """The dropped percentage of the unreliable bytes."""
    return 100 * (1 - step.bytes / max(1, segment.steps[-1].bytes))


def _score_at(segment: DescribedSegment, percent: float) -> float:
    """The score with that percentage of the unreliable bytes missing, interpolated between steps."""
    scores = {_dropped_percent(segment, step): step.score for step in reversed(segment.steps)}
    return float(np.interp(percent, list(scores), list(scores.values())))
