"""One segment of two representations, analysed."""

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from repair_vectors import Gaps, punch
from runs import make_request
from voxel_prepare.analysis.analyse import AnalysisSettings, analyse_segments
from voxel_prepare.analysis.encoded_segment import EncodedSegment, SegmentSource
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.references import ReferencePictures
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import HOLD_REACH, SegmentScorer
from voxel_prepare.analysis.segment_analysis import CHOSEN_ORDERS, SCALES, Metric, OrderName, SegmentAnalysis
from voxel_prepare.errors import PreparationError
from voxel_prepare.isobmff import parse_track
from voxel_prepare.jobs.plan import make_plan
from voxel_prepare.media.tracks import VideoTrack, read_video
from voxel_prepare.repair.hold import HoldableFrame
from voxel_prepare.repair.repair import hold_or_replace

REPRESENTATIONS = 2

SSIM_COMPARER = PictureComparer(Metric.SSIM)


@pytest.fixture(scope="module")
def tracks(clip: Path, prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[VideoTrack]:
    """The representations of `prepared`."""
    segment = make_plan(make_request(clip, out=tmp_path_factory.mktemp("unused"))).segment
    return [read_video(path.stem, path, path.name, segment) for path in sorted(prepared.glob("q*.mp4"))]


def sources(tracks: list[VideoTrack], index: int = 0) -> list[SegmentSource]:
    return [track.segments[index] for track in tracks]


def analyse(
    tracks: list[VideoTrack], metric: Metric, order: OrderName | None = None, index: int = 0
) -> list[SegmentAnalysis]:
    representations = sources(tracks, index)
    return analyse_segments(representations, representations[-1], AnalysisSettings(metric, order))


@pytest.fixture(scope="module")
def analyses(tracks: list[VideoTrack]) -> list[SegmentAnalysis]:
    """With SSIM, in the best order."""
    return analyse(tracks, Metric.SSIM)


@pytest.mark.parametrize(
    ("metric", "index"),
    [(Metric.SSIM, 0), (Metric.PSNR, 0), (Metric.VMAF, 2)],  # VMAF is slow: the short last segment
)
def test_scores_are_of_the_metric_and_steps_no_wider_than_its_scale(
    metric: Metric, index: int, tracks: list[VideoTrack]
) -> None:
    low, top = analyse(tracks, metric, index=index)
    assert low.metric is top.metric is metric
    assert low.score < top.score <= SCALES[metric].best
    assert low.steps[0].score < low.score
    for analysis in (low, top):
        useful = analysis.steps[1:]
        for step, above in pairwise(useful):
            assert abs(above.score - step.score) <= SCALES[metric].step or above.frames == step.frames + 1


@pytest.mark.parametrize("order", CHOSEN_ORDERS)
def test_an_order_can_be_forced(order: OrderName, tracks: list[VideoTrack]) -> None:
    assert [analysis.order_name for analysis in analyse(tracks, Metric.SSIM, order)] == [order] * REPRESENTATIONS


def test_what_is_useful_ends_at_the_score_of_the_representation_below(analyses: list[SegmentAnalysis]) -> None:
    low, top = analyses
    assert all(step.score >= low.score for step in top.steps[1:-1])


def test_a_frame_that_none_refers_to_costs_what_a_decode_without_it_says(tracks: list[VideoTrack]) -> None:
    low, _ = analyse(tracks, Metric.SSIM, OrderName.UNREFERENCED)
    source, reference = sources(tracks)
    representation = RepairableSegment.of(source.read())
    references = ReferencePictures(reference.read())
    scorer = SegmentScorer(representation, references, PictureComparer(Metric.SSIM), lambda index, picture: None)
    last = low.order[-1]
    assert not representation.frames[last].is_reference
    assert low.loss_costs[-1] == pytest.approx(low.score - scorer.scores([frozenset([last])])[0], abs=1e-4)


def test_every_picture_costs_what_a_decode_of_the_repaired_segment_shows(tracks: list[VideoTrack]) -> None:
    """With any frames missing, replaced or held."""
    source, reference = sources(tracks)
    encoded, track = source.read(), parse_track(source.path.read_bytes())
    segment, references, comparer = RepairableSegment.of(encoded), ReferencePictures(reference.read()), SSIM_COMPARER
    scorer = SegmentScorer(segment, references, comparer, lambda index, picture: None, HOLD_REACH)
    ranges = {index: segment.frames[index].unreliable for index in segment.droppable}
    plan = [HoldableFrame(*range_, scorer.reach[index]) for index in ranges for range_ in ranges[index]]
    times = [segment.frames[index].presentation_time for index in segment.presented]
    whole = list(map(comparer.measure, encoded.pictures(), references))
    random, held = Random(1), 0
    for share in (0.1, 0.3, 0.6, 1):
        missing = frozenset(index for index in segment.droppable if random.random() < share)
        gaps = [(range_.start, range_.end) for index in missing for range_ in ranges[index]]
        repaired = hold_or_replace(track, encoded.codec, punch(encoded.data, gaps), Gaps(gaps), plan)
        shown = EncodedSegment(encoded.codec, encoded.defaults, repaired.bytes).pictures_at(times)
        lost = [before - after for before, after in zip(whole, map(comparer.measure, shown, references), strict=True)]
        costs = scorer.cost_by_picture(missing)
        assert [costs[index] * len(lost) for index in segment.presented] == pytest.approx(lost, abs=1e-9)
        assert {frame.index for frame in repaired.frames if frame.removed} == scorer.held(missing)
        held += len(scorer.held(missing))
    assert held > 0


def test_every_frame_that_may_be_missing_has_a_cost(analyses: list[SegmentAnalysis]) -> None:
    for analysis in analyses:
        assert len(analysis.loss_costs) == len(analysis.order) == len(analysis.slices)
        assert min(analysis.loss_costs) >= 0
        assert max(analysis.loss_costs) > 0


def test_the_result_is_the_same_every_time(tracks: list[VideoTrack], analyses: list[SegmentAnalysis]) -> None:
    assert analyse(tracks, Metric.SSIM) == analyses


def test_representations_of_different_length_are_refused(tracks: list[VideoTrack]) -> None:
    """The last segment is the shorter one."""
    with pytest.raises(PreparationError, match="expected as many pictures"):
        analyse_segments([tracks[0].segments[-1]], tracks[1].segments[0], AnalysisSettings(Metric.SSIM, None))
