"""The result of the analysis of a segment: everything that MPD, index and reports say about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from typing import Any

from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.repair.hold import HoldableFrame

SCORE_DECIMALS = 5
"""Decimals of every score and cost that is stored."""


class Metric(StrEnum):
    """How pictures are compared with the reference: FFmpeg's names, in the order of the codes in docs/MANIFEST.md."""

    SSIM = "ssim"
    PSNR = "psnr"
    VMAF = "vmaf"


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a metric, and where its scores come from."""

    best: float
    """The score of a picture equal to its reference. PSNR would be infinite: this is libvmaf's limit for 8 bits."""
    step: float
    """Greatest distance of neighbouring steps of a curve: about what a viewer does not notice."""
    targets: tuple[float, ...]
    """Scores for which the droppable share is reported. Those of SSIM are from the thesis (§4.2.1)."""
    key: str = ""
    """The metadata in which FFmpeg's filter of that name gives the score of a picture; empty: no filter does."""


SCALES = {
    Metric.SSIM: Scale(1, 0.005, (0.99, 0.95, 0.90), "lavfi.ssim.All"),
    Metric.PSNR: Scale(60, 0.25, (45, 40, 35), "lavfi.psnr.psnr_avg"),
    Metric.VMAF: Scale(100, 0.5, (95, 90, 80)),
}


class OrderName(StrEnum):
    """The orders of frames to choose from; order.py defines them."""

    ORIGINAL = "original"
    UNREFERENCED = "unreferenced"
    SUMMED = "summed"
    CHAINED = "chained"
    MEASURED = "measured"
    CLOSED = "closed"
    """For frames that are removed: again and again the cheapest closed set for its bytes goes to the end."""


CHOSEN_ORDERS = tuple(name for name in OrderName if name is not OrderName.CLOSED)
"""Those to choose from where other frames stand in for missing ones."""


class OrderChoice(StrEnum):
    """How the best order of a segment is found."""

    MEASURED = "measured"
    """Choice by decodes of a few prefixes of each order."""
    PREDICTED = "predicted"
    """Choice by the loss model alone: no decodes."""


@dataclass(frozen=True, slots=True)
class Step:
    """The score of a prefix of `unreliable`: a virtual level."""

    score: float
    frames: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SegmentAnalysis:
    """One segment of one representation; ranges are positions in the file."""

    range: ByteRange
    reliable: list[ByteRange]
    """What must arrive, in file order."""
    unreliable: list[ByteRange]
    """What may be missing, the most important frame first, a frame's slices adjacent."""
    metric: Metric
    order_name: OrderName
    order: list[int]
    """The frames of `unreliable`, as positions in decode order; completely reliable frames are left out."""
    slices: list[int]
    """For each frame of `order` the number of its ranges in `unreliable`."""
    loss_costs: list[float]
    """For each frame of `order` the loss of the segment's score when only that frame is missing; not negative. Where
    frames are removed: such that those of a frame and all that need it add up to the loss without them."""
    steps: list[Step]
    """Ascending; the first takes no frame, the last takes all."""
    warning: str | None = None
    """Why the whole segment is reliable; None if it is not, or if it has only I slices."""
    needs: list[list[int]] | None = None
    """Where missing frames are removed: for each frame of `order` the places in `order` of earlier ones that it needs,
    so that it goes where one of them is missing. None: others stand in for them."""
    reach: list[int] | None = None
    """Where others stand in for missing frames: for each frame of `order` how many frames in a row, up to it, may be
    missing and the picture before them be held instead; 0: another always stands in. None: all are 0."""
    is_foretold: bool = False
    """Scores and costs are foretold from bytes: the segment is encrypted, and the key is not known."""

    @classmethod
    def partly_reliable(
        cls,
        range_: ByteRange,
        metric: Metric,
        order_name: OrderName,
        order: Sequence[int],
        frames: Sequence[Sequence[ByteRange]],
        loss_costs: Sequence[float],
        curve: Mapping[int, float],
    ) -> "SegmentAnalysis":
        """The segment at `range_` of its file; `frames` has what may be missing of each frame of `order`, from the
        segment's first byte, and `curve` the scores of prefixes by their number of frames.
        """
        unreliable = [piece.moved(range_.start) for frame in frames for piece in frame]
        prefix_bytes = list(accumulate((sum(piece.size for piece in frame) for frame in frames), initial=0))
        return cls(
            range=range_,
            reliable=complement(range_, unreliable),
            unreliable=unreliable,
            metric=metric,
            order_name=order_name,
            order=list(order),
            slices=[len(frame) for frame in frames],
            loss_costs=list(loss_costs),
            steps=[Step(round(score, SCORE_DECIMALS), prefix, prefix_bytes[prefix]) for prefix, score in curve.items()],
        )

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "SegmentAnalysis":
        """Reads what `dataclasses.asdict` made of one, after a round trip through JSON."""
        return cls(
            range=ByteRange(*fields["range"]),
            reliable=[ByteRange(*range_) for range_ in fields["reliable"]],
            unreliable=[ByteRange(*range_) for range_ in fields["unreliable"]],
            metric=Metric(fields["metric"]),
            order_name=OrderName(fields["order_name"]),
            order=fields["order"],
            slices=fields["slices"],
            loss_costs=fields["loss_costs"],
            steps=[Step(**step) for step in fields["steps"]],
            warning=fields["warning"],
            needs=fields["needs"],
            reach=fields["reach"],
            is_foretold=fields["is_foretold"],
        )

    def from_start(self) -> "SegmentAnalysis":
        """The same of a segment that is a file of its own."""
        by = -self.range.start
        return replace(
            self,
            range=self.range.moved(by),
            reliable=[range_.moved(by) for range_ in self.reliable],
            unreliable=[range_.moved(by) for range_ in self.unreliable],
        )

    @property
    def hold_plan(self) -> list[HoldableFrame]:
        """In whose place the picture before is held; ranges from the segment's first byte. Empty without a reach."""
        reach = [
            frames
            for frames, slices in zip(self.reach or [], self.slices, strict=bool(self.reach))
            for _ in range(slices)
        ]
        return [
            HoldableFrame(range_.start - self.range.start, range_.end - self.range.start, frames)
            for range_, frames in zip(self.unreliable, reach, strict=bool(reach))
        ]

    @property
    def free_bytes(self) -> int | None:
        """Bytes of the frames that no other needs; None where missing frames are not removed."""
        if self.needs is None:
            return None
        needed = {place for needs in self.needs for place in needs}
        return sum(range_.size for place, range_ in enumerate(self.unreliable) if place not in needed)

    @property
    def reliable_bytes(self) -> int:
        return sum(range_.size for range_ in self.reliable)

    @property
    def score(self) -> float:
        """The score of the untouched segment."""
        return self.steps[-1].score
