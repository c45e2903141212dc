"""What the figures of all clips come to."""

from collections.abc import Mapping, Sequence
from statistics import fmean, median, quantiles
from typing import Any, TypeAlias

from delivered import Deviation
from droppable import CHOSEN, PREDICTED, TARGETS
from frontier import TARGETS as FRONTIER_TARGETS
from frontier import Bytes, gains
from rich.console import Console
from rich.table import Table
from voxel_prepare.analysis.segment_analysis import OrderName

LOW_BITRATE = 300_000
"""bit/s: the index may take more of representations below."""

Shares: TypeAlias = dict[str, list[float]]
"""Share of bytes that is droppable at each target, by order."""


COST_LIMIT = 1.0
MEASURED_GOAL = 1.15
FRONTIER_GOAL = 0.90
"""At `TARGETS[1]`, .95: one of these two goals is enough."""


def summarise(results: Sequence[dict[str, Any]], frontiers: Mapping[str, Bytes]) -> dict[str, Any]:
    """Over all clips, which count alike; each of the two may be empty."""
    summary = {
        **(_of_all(results) if results else {}),
        **({"frontier": gains(frontiers)} if frontiers else {}),
    }
    return {"bars": _bars(summary), **summary}


def _bars(summary: dict[str, Any]) -> list[dict[str, Any]]:
    bars = []
    if "costRatio" in summary:
        cost = summary["costRatio"]
        bars.append(_bar(f"costRatio {cost:.3g} ≤ {COST_LIMIT:g}", cost <= COST_LIMIT))
    if "frontier" in summary:
        gain, measured = summary["frontier"]["all clips"][1], summary.get("measuredOverUnreferenced", 0)
        name = f"frontier at .95: {gain:.3g} ≤ {FRONTIER_GOAL:g}"
        if measured:
            name += f", or measured/unreferenced: {measured:.3g} ≥ {MEASURED_GOAL:g}"
        bars.append(_bar(name, gain <= FRONTIER_GOAL or measured >= MEASURED_GOAL))
    return bars


def _bar(name: str, holds: bool) -> dict[str, Any]:
    return {"name": name, "holds": holds}


def _of_all(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    indexes = [share for result in results for share in result["indexShares"]]
    representations: dict[str, list[Shares]] = {}
    deviations: dict[str, list[Deviation]] = {}
    for result in results:
        for representation, rows in result["droppable"].items():
            representations.setdefault(representation, []).extend(rows)
        for kind, of_kind in result["deviations"].items():
            deviations.setdefault(kind, []).extend(Deviation(*pair) for pair in of_kind)
    clips = [_of_clip(result) for result in results]
    return {
        "costRatio": sum(result["analysisSeconds"] for result in results)
        / sum(result["encodingSeconds"] for result in results),
        "largestProcessBytes": max(result["largestProcessBytes"] for result in results),
        "indexShareMaxAbove300k": max((share for bitrate, share in indexes if bitrate > LOW_BITRATE), default=None),
        "indexShareMaxBelow300k": max((share for bitrate, share in indexes if bitrate <= LOW_BITRATE), default=None),
        "mpdRatio": max(result["mpdRatio"] for result in results),
        "measuredOverTail": fmean(clip["measuredOverTail"] for clip in clips),
        "measuredOverUnreferenced": fmean(clip["measuredOverUnreferenced"] for clip in clips),
        "chosenOverUnreferenced": fmean(clip["chosenOverUnreferenced"] for clip in clips),
        "droppable": _mean([clip["shares"] for clip in clips]),
        "droppableByLevel": {representation: _mean(rows) for representation, rows in sorted(representations.items())},
        "deviations": {kind: _spread(of_kind) for kind, of_kind in deviations.items()},
        "clips": clips,
    }


def _of_clip(result: dict[str, Any]) -> dict[str, Any]:
    """With means over its representations and segments, without single deviations."""
    shares = _mean([row for rows in result["droppable"].values() for row in rows])
    return {
        **{key: value for key, value in result.items() if key != "deviations"},
        "shares": shares,
        "measuredOverTail": _ratio(shares, OrderName.ORIGINAL),
        "measuredOverUnreferenced": _ratio(shares, OrderName.UNREFERENCED),
        "chosenOverUnreferenced": _ratio(shares, OrderName.UNREFERENCED, CHOSEN),
    }


def print_summary(summary: dict[str, Any]) -> None:
    """On standard output: it is what the command is for."""
    console = Console(width=None if Console().is_terminal else 120)
    for name, value in summary.items():
        if isinstance(value, float | int):
            console.print(f"{name}: {value:.4g}", highlight=False)
    if "droppable" in summary:
        console.print(_droppable_table(summary))
        console.print(_deviations_table(summary["deviations"]))
    if "frontier" in summary:
        console.print(_frontier_table(summary["frontier"]))
    for bar in summary["bars"]:
        console.print(f"{'holds ' if bar['holds'] else 'MISSED'}  {bar['name']}", highlight=False)


def _droppable_table(summary: dict[str, Any]) -> Table:
    table = Table(
        "representation",
        "order",
        title="Bytes that may be dropped at SSIM against the own decode",
        box=None,
    )
    for target in TARGETS:
        table.add_column(f"≥ {target:g}", justify="right")
    means = {clip["clip"]: clip["shares"] for clip in summary["clips"]}
    for representation, shares in {**summary["droppableByLevel"], **means, "all clips": summary["droppable"]}.items():
        for order, of_order in shares.items():
            table.add_row(representation, order, *(f"{share:.1%}" for share in of_order))
    return table


def _deviations_table(deviations: dict[str, dict[str, float]]) -> Table:
    table = Table("stated or estimated less decoded", title="Scores", box=None)
    for name in ("count", "greatest", "p95", "median", "mean"):
        table.add_column(name, justify="right")
    for kind, spread in deviations.items():
        table.add_row(
            kind, f"{spread['count']}", *(f"{spread[name]:.6f}" for name in ("greatest", "p95", "median", "mean"))
        )
    return table


def _frontier_table(of_clips: dict[str, Sequence[float]]) -> Table:
    table = Table("clip", title="Bytes with `droppable` for a score, per byte with `thesis`", box=None)
    for target in FRONTIER_TARGETS:
        table.add_column(f"{target:g} of the top’s score", justify="right")
    for clip, ratios in of_clips.items():
        table.add_row(clip, *(f"{ratio:.2f}" for ratio in ratios))
    return table


def _mean(rows: Sequence[Shares]) -> Shares:
    names = [name for name in (*OrderName, CHOSEN, PREDICTED) if all(name in row for row in rows)]
    return {str(name): [fmean(row[name][target] for row in rows) for target in range(len(TARGETS))] for name in names}


def _ratio(shares: Shares, other: OrderName, own: str = OrderName.MEASURED) -> float:
    """Ratio of the mean shares of two orders at each target; the mean over the targets."""
    pairs = zip(shares[own], shares[other], strict=True)
    return fmean(measured / share for measured, share in pairs)


def _spread(deviations: Sequence[Deviation]) -> dict[str, float]:
    """Spread of what was told less what a decode gives; all but the mean of the absolute values."""
    sizes = [abs(deviation.error) for deviation in deviations]
    return {
        "count": len(sizes),
        "greatest": max(sizes),
        "median": median(sizes),
        "p95": quantiles(sizes, n=20, method="inclusive")[-1] if len(sizes) > 1 else sizes[0],
        "mean": fmean(deviation.error for deviation in deviations),
    }
