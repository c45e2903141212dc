"""The output of `voxel-inspect`: a row for each segment of each representation, and a mean for each representation."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

from voxel_prepare.analysis.segment_analysis import SCALES, Metric
from voxel_prepare.errors import printable
from voxel_prepare.inspect.described import DescribedRepresentation, DescribedSegment, Droppable, Fate

TARGETS = {metric: scale.targets for metric, scale in SCALES.items()}

TABLE_WIDTH = 120
"""If standard output is not a terminal."""

AT_LEAST = "≥: perhaps more; lower scores are not measured, as the next lower representation is better there"
UNREACHED = "–: does not reach that score, even whole"
UNKNOWN_ORDER = "– as order: the manifest does not list the frames (--inline)"
FORETOLD = "scores are foretold from bytes, as there was no key: they are not measured"
FRAMES: dict[Fate, str] = {
    "held": "frames: may be missing, and how many of them the picture before may be held for",
    "removed": "frames: may be removed, and how many of them without others",
}
REFERENCE = "scores compare with the top representation: its own is {score:.4f}"


def droppable(segments: Sequence[DescribedSegment], metric: Metric) -> list[Droppable | None]:
    """For each target the mean over the segments that reach it; None if none does."""
    result: list[Droppable | None] = []
    for target in TARGETS[metric]:
        reached = [found for segment in segments if (found := segment.droppable(target, metric)) is not None]
        if reached:
            at_least = any(found.at_least for found in reached)
            result.append(Droppable(fmean(found.share for found in reached), at_least))
        else:
            result.append(None)
    return result


def as_json(representations: Sequence[DescribedRepresentation]) -> dict[str, Any]:
    """The report as an object; shares are of a segment's bytes, null if the representation does not reach the target.

    `atLeast` says for each share whether more may be droppable; `missing` what becomes of missing frames; `frames` has
    the positions in decode order of those that may be missing, the most important first, `reach` or `needs` for each of
    them how many in a row may be missing and be held, or the positions of those that it needs.
    """
    return {
        "representations": [
            {
                "id": representation.id,
                "width": representation.width,
                "height": representation.height,
                "bandwidth": representation.bandwidth,
                "metric": representation.metric,
                "foretold": representation.is_foretold,
                "targets": TARGETS[representation.metric],
                **_droppable_fields(representation.segments, representation.metric),
                "segments": [
                    {
                        "order": segment.order_name,
                        "missing": segment.fate,
                        **_frame_fields(segment),
                        "bytes": segment.bytes,
                        "reliableBytes": segment.reliable_bytes,
                        "score": segment.score,
                        "reliableScore": segment.steps[0].score,
                        **_droppable_fields([segment], representation.metric),
                    }
                    for segment in representation.segments
                ],
            }
            for representation in representations
        ]
    }


def print_table(representations: Sequence[DescribedRepresentation]) -> None:
    """Prints the report on standard output."""
    console = Console(width=None if Console().is_terminal else TABLE_WIDTH, markup=False, emoji=False)
    for representation in representations:
        size = f"{representation.width}x{representation.height}"
        bitrate = f"{representation.bandwidth / 1000:.0f} kbit/s"
        title = f"{printable(representation.id)}: {size}, {bitrate}, {representation.metric.upper()}"
        table = Table("segment", "order", "frames", title=title, title_justify="left", box=None, show_footer=True)
        means = droppable(representation.segments, representation.metric)
        total = sum(segment.bytes for segment in representation.segments)
        reliable = sum(segment.reliable_bytes for segment in representation.segments)
        table.columns[0].footer, table.columns[1].footer = "all", _most_common(representation.segments)
        table.columns[2].footer = _frames(representation.segments)
        table.add_column("bytes", str(total), justify="right")
        table.add_column("reliable", f"{reliable / total:.1%}", justify="right")
        table.add_column("score", f"{fmean(segment.score for segment in representation.segments):.4f}", justify="right")
        for target, mean in zip(TARGETS[representation.metric], means, strict=True):
            table.add_column(f"droppable at {target:g}", _percent(mean), justify="right")
        for number, segment in enumerate(representation.segments, start=1):
            table.add_row(
                str(number),
                segment.order_name or "–",
                _frames([segment]),
                str(segment.bytes),
                f"{segment.reliable_bytes / segment.bytes:.1%}",
                f"{segment.score:.4f}",
                *map(_percent, droppable([segment], representation.metric)),
            )
        table.caption, table.caption_justify = "\n".join(_notes(representation, representations)), "left"
        console.print(table)
        console.print()


def _notes(
    representation: DescribedRepresentation, representations: Sequence[DescribedRepresentation]
) -> Iterator[str]:
    """What explains a table's signs."""
    found = [droppable([segment], representation.metric) for segment in representation.segments]
    if any(share is None for shares in found for share in shares):
        yield UNREACHED
    if any(share and share.at_least for shares in found for share in shares):
        yield AT_LEAST
    if any(segment.order_name is None for segment in representation.segments):
        yield UNKNOWN_ORDER
    fates = {segment.fate for segment in representation.segments if segment.order}
    yield from (FRAMES[fate] for fate in FRAMES if fate in fates)
    if representation.is_foretold:
        yield FORETOLD
    if representation is representations[-1]:
        yield REFERENCE.format(score=fmean(segment.score for segment in representation.segments))


def _most_common(segments: Sequence[DescribedSegment]) -> str:
    names = Counter(segment.order_name or "–" for segment in segments)
    return ", ".join(f"{name} {count}" for name, count in names.most_common())


def _frames(segments: Sequence[DescribedSegment]) -> str:
    """How many frames may be missing, and how many of these may be held or be removed alone."""
    total = sum(segment.steps[-1].frames for segment in segments)
    held = sum(1 for segment in segments for reach in segment.reach or [] if reach > 0)
    alone = sum(1 for segment in segments for dependents in segment.dependents() if dependents == 0)
    return ", ".join([str(total), *([f"{held} held"] if held else []), *([f"{alone} alone"] if alone else [])])


def _frame_fields(segment: DescribedSegment) -> dict[str, Any]:
    order = segment.order
    fields: dict[str, Any] = {"frames": order}
    if segment.needs is not None:
        fields["needs"] = [[order[need] for need in needs] for needs in segment.needs]
    if segment.reach is not None:
        fields["reach"] = segment.reach
    return fields


def _droppable_fields(segments: Sequence[DescribedSegment], metric: Metric) -> dict[str, Any]:
    found = droppable(segments, metric)
    return {
        "droppable": [mean.share if mean else None for mean in found],
        "atLeast": [mean.at_least if mean else None for mean in found],
    }


def _percent(found: Droppable | None) -> str:
    if found is None:
        return "–"
    return f"≥ {found.share:.1%}" if found.at_least else f"{found.share:.1%}"
