"""Ranks and scores segments: everything that the MPD and its indexes say about them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from av.error import FFmpegError

from voxel_prepare.analysis.choose_order import RankedFrames, measured_best, predicted_best
from voxel_prepare.analysis.curve import CurveRequest, measure_curve
from voxel_prepare.analysis.encoded_segment import EncodedSegment, SegmentSource
from voxel_prepare.analysis.evidence import Evidence, UndamagedPictures, gather_evidence
from voxel_prepare.analysis.foretold import METRIC, foretell, foretold_score
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.references import ReferencePictures
from voxel_prepare.analysis.removed import HeldSegment, analyse_removed, read_closed_sets
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import SegmentScorer, score_pictures
from voxel_prepare.analysis.segment_analysis import (
    CHOSEN_ORDERS,
    SCALES,
    SCORE_DECIMALS,
    Metric,
    OrderChoice,
    OrderName,
    SegmentAnalysis,
    Step,
)
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import PreparationError, RepairError

ANALYSIS_VERSION = 11
"""Increment it with every change of the result for the same media and settings: results of another version are not
reused."""

CHOICE_VERSION = 1
"""The same for what only a measured choice of the order changes."""


NOTHING_TO_REMOVE = "every frame is needed by another"
MOST_MISSING = 0.5
"""Share of the frames that the top representation has at least where others are compared with it."""
OTHER_FRAMES = "it has other frames than the same segment of another representation"


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """How to score and rank."""

    metric: Metric
    order: OrderName | None
    """None: the best one for each segment."""
    choice: OrderChoice = OrderChoice.MEASURED
    """How the best one is found."""
    most_held: int = 0
    """Missing frames in a row in whose place the picture before them may be held."""

    @property
    def measures_choice(self) -> bool:
        """True if orders are compared by decodes."""
        return self.order is None and self.choice is OrderChoice.MEASURED

    @property
    def orders(self) -> list[OrderName]:
        """The orders to choose from."""
        return [self.order] if self.order else list(CHOSEN_ORDERS)


def analyse_segments(
    sources: Sequence[SegmentSource], reference: SegmentSource, settings: AnalysisSettings
) -> list[SegmentAnalysis]:
    """Analyses the same segment of all representations; `reference` is that of the top one. Raises `PreparationError`.

    The useful part of a curve ends at the score of the best untouched segment with fewer bytes. Without the key of one
    all scores are foretold. Where an encoder has not delivered all frames of a representation, it is compared as it is
    shown with one that has them.
    """
    reference = _best(sources, reference)
    is_opaque = any(source.is_opaque for source in (*sources, reference))
    if is_opaque and settings.metric is not METRIC:
        raise PreparationError(f"without a key only {METRIC.upper()} is foretold, not {settings.metric.upper()}")
    references = ReferencePictures(reference.read(), reference.frames)
    analyses: dict[int, SegmentAnalysis] = {}
    for number, source in sorted(enumerate(sources), key=lambda numbered: numbered[1].range.size):
        useful_from = max((analysis.score for analysis in analyses.values()), default=0.0)
        try:
            analyses[number] = (
                _foretold(source, reference.range.size, useful_from, settings)
                if is_opaque
                else _analyse(source, references, useful_from, settings)
            )
        except (FFmpegError, ValueError) as error:
            raise PreparationError(
                f"{source.path.name}, bytes {source.range}: the segment cannot be decoded: {error}"
            ) from error
    return [analyses[number] for number in range(len(sources))]


def _best(sources: Sequence[SegmentSource], top: SegmentSource) -> SegmentSource:
    """The segment to compare with: the top representation's, or the last one of those that have most frames where most
    of that one's are missing.
    """
    most = max(source.frames or 0 for source in sources)
    if (top.frames or 0) >= MOST_MISSING * most:
        return top
    return next(source for source in reversed(sources) if source.frames == most)


def _analyse(
    source: SegmentSource, references: ReferencePictures, useful_from: float, settings: AnalysisSettings
) -> SegmentAnalysis:
    encoded = source.read()
    comparer = PictureComparer(settings.metric)
    if references.frames != source.frames:
        score = score_pictures(references.shown_of(encoded), references, comparer)
        return _completely_reliable(source.range, score, settings, OTHER_FRAMES)
    try:
        segment = RepairableSegment.of(encoded)
    except RepairError:
        return _removed(source, encoded, references, useful_from, settings)
    undamaged = UndamagedPictures(segment.frames)
    scorer = SegmentScorer(segment, references, comparer, undamaged.see, settings.most_held)
    if not segment.droppable:
        return _completely_reliable(source.range, scorer.whole, settings, None)
    evidence = gather_evidence(segment, undamaged, scorer, useful_from)
    if settings.measures_choice:
        ranked = measured_best(evidence, settings.orders, scorer.scores)
    else:
        ranked = predicted_best(evidence, settings.orders)
    curve = measure_curve(
        CurveRequest(
            predicted_losses=ranked.predicted_losses,
            reliable_only=evidence.reliable_only,
            whole=evidence.whole,
            useful_from=useful_from,
            widest_step=SCALES[settings.metric].step,
            known=ranked.scores,
        ),
        lambda prefixes: scorer.scores([ranked.missing(prefix) for prefix in prefixes]),
    )
    analysis = _partly_reliable(source.range, settings.metric, evidence, ranked, curve)
    reach = [scorer.reach[index] for index in ranked.order]
    return replace(analysis, reach=reach if any(reach) else None)


def _removed(
    source: SegmentSource,
    encoded: EncodedSegment,
    references: ReferencePictures,
    useful_from: float,
    settings: AnalysisSettings,
) -> SegmentAnalysis:
    """The analysis of a segment in which nothing stands in for missing frames."""
    comparer = PictureComparer(settings.metric)
    pictures = references if references.are_of(encoded) else ReferencePictures(encoded)
    try:
        sets = read_closed_sets(encoded)
    except RepairError as error:
        score = score_pictures(pictures, references, comparer)
        return _completely_reliable(source.range, score, settings, str(error))
    if not sets.droppable:
        score = score_pictures(pictures, references, comparer)
        return _completely_reliable(source.range, score, settings, NOTHING_TO_REMOVE)
    segment = HeldSegment(sets, pictures, references, comparer)
    return analyse_removed(source.range, segment, settings.metric, useful_from)


def _foretold(source: SegmentSource, top: int, useful_from: float, settings: AnalysisSettings) -> SegmentAnalysis:
    """The analysis of a segment without pictures; `top`: bytes of the top representation's."""
    warning = NOTHING_TO_REMOVE
    try:
        sets = read_closed_sets(source.read())
        if sets.droppable:
            return foretell(source.range, sets, top, useful_from)
    except RepairError as error:
        warning = str(error)
    score = foretold_score(source.range.size, top)
    return replace(_completely_reliable(source.range, score, settings, warning), is_foretold=True)


def _partly_reliable(
    range_: ByteRange, metric: Metric, evidence: Evidence, ranked: RankedFrames, curve: dict[int, float]
) -> SegmentAnalysis:
    return SegmentAnalysis.partly_reliable(
        range_,
        metric,
        ranked.name,
        ranked.order,
        [evidence.frames[index].unreliable for index in ranked.order],
        [evidence.loss_costs[index] for index in ranked.order],
        curve,
    )


def _completely_reliable(
    range_: ByteRange, score: float, settings: AnalysisSettings, warning: str | None
) -> SegmentAnalysis:
    return SegmentAnalysis(
        range=range_,
        reliable=[range_],
        unreliable=[],
        metric=settings.metric,
        order_name=settings.order or OrderName.ORIGINAL,
        order=[],
        slices=[],
        loss_costs=[],
        steps=[Step(round(score, SCORE_DECIMALS), 0, 0)],
        warning=warning,
    )
