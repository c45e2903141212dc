"""Reads the description of video back from a finished manifest, from its indexes or attributes, without the media."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Literal, TypeAlias

from lxml import etree

from voxel_prepare.analysis.segment_analysis import SCALES, Metric, OrderName, Step
from voxel_prepare.errors import InputError
from voxel_prepare.manifest.addresses import NUMBER, number
from voxel_prepare.manifest.index_entry import IndexFormatError
from voxel_prepare.manifest.index_file import INDEX_SCHEMES, read_index
from voxel_prepare.manifest.mpd_file import (
    AVERAGES,
    FORETOLD,
    MANIFEST,
    SCORES,
    base_url,
    get_voxel,
    local_path,
    parse_mpd,
    regular_file,
)

MAX_INDEX_BYTES = 1 << 28
"""A day's index has about a megabyte: a larger file is none."""


MANY = 4
"""Frames that are removed with one are not counted further: the sum over all of a hostile index would have no bound."""

Fate: TypeAlias = Literal["replaced", "held", "removed"]
"""What becomes of missing frames: another one stands in, or the picture before may be held, or they are removed."""


@dataclass(frozen=True, slots=True)
class Droppable:
    """The droppable share of a segment."""

    share: float
    """Share of all its bytes."""
    at_least: bool
    """Perhaps more is droppable: the next measured score below is far away."""


@dataclass(frozen=True, slots=True)
class DescribedSegment:
    """The description of a segment."""

    bytes: int
    reliable_bytes: int
    steps: Sequence[Step]
    order_name: OrderName | None
    """None if only attributes describe the segment: they do not contain it."""
    order: Sequence[int]
    """Positions of frames in decode order, the most important first; empty if only attributes describe the segment."""
    needs: Sequence[Sequence[int]] | None = None
    """If missing frames are removed, the places in `order` of what each frame needs."""
    reach: Sequence[int] | None = None
    """If pictures may be held, the reach of each frame of `order`."""

    @property
    def score(self) -> float:
        """The score of the untouched segment."""
        return self.steps[-1].score

    @property
    def fate(self) -> Fate:
        """What becomes of missing frames."""
        if self.needs is not None:
            return "removed"
        return "replaced" if self.reach is None else "held"

    def dependents(self) -> list[int]:
        """For each frame of `order` how many others are removed with it, counted up to `MANY`; empty unless missing
        frames are removed."""
        needs = self.needs or []
        others: list[set[int]] = [set() for _ in needs]
        for place in reversed(range(len(needs))):  # all that need it come later in the order
            for need in needs[place]:
                if len(others[need]) < MANY:
                    others[need] |= {place, *others[place]}
        return [min(MANY, len(places)) for places in others]

    def least_step(self, target: float) -> Step | None:
        """The step with the fewest bytes and at least that score; None if no step has it."""
        return next((step for step in self.steps if step.score >= target), None)

    def droppable(self, target: float, metric: Metric) -> Droppable | None:
        """What can be dropped at a score of at least `target`; None if the segment does not have it."""
        step = self.least_step(target)
        if step is None:
            return None
        below = next((other for other in reversed(self.steps) if other.frames < step.frames), step)
        is_measured = step.score - below.score <= SCALES[metric].step or step.frames - below.frames <= 1
        return Droppable((self.steps[-1].bytes - step.bytes) / self.bytes, at_least=not is_measured)


@dataclass(frozen=True, slots=True)
class DescribedRepresentation:
    """A representation."""

    id: str
    width: int
    height: int
    bandwidth: int
    """Bit/s."""
    metric: Metric
    segments: Sequence[DescribedSegment]
    is_foretold: bool = False
    """Scores are foretold from bytes, not measured."""


def read_described(folder: Path) -> list[DescribedRepresentation]:
    """The representations with VOXEL data in the manifest of `folder`. Raises `PreparationError`."""
    path = folder / MANIFEST
    root = parse_mpd(path).getroot()
    representations = [
        representation
        for element in root.iterfind(".//{*}Representation")
        if (representation := _representation(path, element)) is not None
    ]
    if not representations:
        raise InputError(f"{path}: expected representations with an index or attributes of voxel-prepare, found none")
    return representations


def _representation(manifest: Path, element: etree._Element) -> DescribedRepresentation | None:
    metric = next((metric for metric, name in AVERAGES.items() if get_voxel(element, name) is not None), None)
    segments = [] if metric is None else _segments(manifest, element, metric)
    if metric is None or not segments:
        return None
    fields = {str(key): str(value) for key, value in element.attrib.items()}
    return DescribedRepresentation(
        id=element.get("id", ""),
        width=number(fields, "width", 0),
        height=number(fields, "height", 0),
        bandwidth=number(fields, "bandwidth", 0),
        metric=metric,
        segments=segments,
        is_foretold=get_voxel(element, FORETOLD) == "true",
    )


def _segments(manifest: Path, element: etree._Element, metric: Metric) -> list[DescribedSegment]:
    values = {one.get("schemeIdUri"): one.get("value", "") for one in element.iterfind("{*}SupplementalProperty")}
    index = next((values[scheme] for scheme in INDEX_SCHEMES if scheme in values), None)
    if index is not None:
        path = local_path(manifest.resolve().parent, base_url(manifest, element), index)
        return _read_index(regular_file(path), metric)
    urls = element.iterfind("{*}SegmentList/{*}SegmentURL")
    try:
        return [_from_attributes(url, metric) for url in urls if get_voxel(url, SCORES[metric])]
    except ValueError as error:
        raise InputError(f"{manifest}: bad attributes of a SegmentURL: {error}") from error


def _read_index(path: Path, metric: Metric) -> list[DescribedSegment]:
    size = path.stat().st_size
    if size > MAX_INDEX_BYTES:
        raise InputError(f"{path}: an index must have at most {MAX_INDEX_BYTES} bytes, found {size}")
    try:
        analyses = [analysis for analysis in read_index(path.read_bytes()) if analysis is not None]
    except IndexFormatError as error:
        raise InputError(f"{path}: {error}") from error
    if any(analysis.metric is not metric for analysis in analyses):
        raise InputError(f"{path}: expected the metric of the manifest, {metric}, found {analyses[0].metric}")
    return [
        DescribedSegment(one.range.size, one.reliable_bytes, one.steps, one.order_name, one.order, one.needs, one.reach)
        for one in analyses
    ]


def _from_attributes(url: etree._Element, metric: Metric) -> DescribedSegment:
    first, last = map(_integer, url.get("mediaRange", "").split("-"))
    if last < first:
        raise ValueError("mediaRange must not be empty")
    fields = [step.split(":") for step in (get_voxel(url, SCORES[metric]) or "").split(",")]
    steps = [Step(_score(score), _integer(frames), _integer(size)) for score, frames, size in fields]
    if any(later.bytes <= earlier.bytes for earlier, later in pairwise(steps)):
        raise ValueError(f"the bytes in {SCORES[metric]} must ascend")
    reliable = _integer(get_voxel(url, "reliableSize") or "0")
    return DescribedSegment(bytes=last - first + 1, reliable_bytes=reliable, steps=steps, order_name=None, order=())


def _integer(text: str) -> int:
    if not NUMBER.fullmatch(text):
        raise ValueError(f"expected an integer, got {text[:40]!r}")
    return int(text)


def _score(text: str) -> float:
    score = float(text)
    if not isfinite(score):
        raise ValueError(f"expected a finite score, got {text[:40]!r}")
    return score
