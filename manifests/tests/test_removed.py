"""A segment of each codec whose missing frames are removed, analysed."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import pytest
from clips import make_clip
from coded_clips import ENCODINGS, encode
from voxel_prepare.analysis.analyse import AnalysisSettings, analyse_segments
from voxel_prepare.analysis.encoded_segment import EncodedSegment, SegmentSource, split_samples
from voxel_prepare.analysis.held_scores import HeldScorer
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.removed import read_closed_sets
from voxel_prepare.analysis.segment_analysis import SCALES, Metric, OrderName, SegmentAnalysis
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement
from voxel_prepare.codecs import codec_of
from voxel_prepare.errors import PreparationError
from voxel_prepare.isobmff import Track, parse_fragments, parse_track
from voxel_prepare.repair.removal import RemovableFrame, remove_missing

STEPS = 5
"""How many of a curve are compared with a decode, spread evenly."""

INTERLACED = "x264-interlaced"
"""No all-skip slice stands in for a frame of it."""

CLIPS = ("svt", "x265-layers", "vp9-resilient", INTERLACED)


class Clip:
    """A clip of one segment."""

    def __init__(self, path: Path) -> None:
        self.track: Track = parse_track(path.read_bytes())
        range_ = ByteRange(self.track.fragments[0].start, self.track.fragments[-1].end)
        track = self.track
        self.source = SegmentSource(path, range_, codec_of(track.description), track.defaults, track.timescale)
        self.segment: EncodedSegment = self.source.read()

    def analyse(self, metric: Metric = Metric.SSIM) -> SegmentAnalysis:
        (analysis,) = analyse_segments([self.source], self.source, AnalysisSettings(metric, None))
        return replace(analysis.from_start(), range=self.source.range)


@pytest.fixture(scope="module", params=CLIPS)
def clip(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Clip:
    folder = tmp_path_factory.mktemp("clip")
    if request.param == INTERLACED:
        fragments = ("-movflags", "+frag_keyframe+delay_moov+default_base_moof+cmaf")
        options = ("-flags", "+ilme+ildct", "-x264-params", "interlaced=1", "-g", "64", *fragments)
        return Clip(make_clip(folder / "clip.mp4", *options, size="192x108", seconds=64 / 25))
    return Clip(encode(next(one for one in ENCODINGS if one.name == request.param), folder))


@pytest.fixture(scope="module")
def analysis(clip: Clip) -> SegmentAnalysis:
    return clip.analyse()


def decoded_score(clip: Clip, missing: list[ByteRange], plan: list[RemovableFrame], metric: Metric) -> float:
    """The score of what the player makes of the segment without these ranges, shown by the times in it."""
    received = ReceivedRanges(complement(ByteRange(0, len(clip.segment.data)), missing))
    repaired = remove_missing(clip.track, clip.segment.data, received, plan).bytes
    defaults = clip.track.defaults
    samples = [sample for one in parse_fragments(repaired, defaults) for sample in one.samples]
    assert len(split_samples(repaired, defaults)) == len(samples)
    pictures = dict(
        zip(
            sorted(sample.presentation_time for sample in samples),
            replace(clip.segment, data=repaired).pictures(),
            strict=True,
        )
    )
    whole = [sample for one in parse_fragments(clip.segment.data, defaults) for sample in one.samples]
    times = sorted(sample.presentation_time for sample in whole)
    meter = PictureComparer(metric).start()
    for time, reference in zip(times, clip.segment.pictures(), strict=True):
        meter.add(pictures[max(shown for shown in pictures if shown <= time)], reference)
    return fmean(meter.result())


def plan_of(analysis: SegmentAnalysis) -> list[RemovableFrame]:
    assert analysis.needs is not None
    return [
        RemovableFrame(range_.start, range_.end, tuple(needs))
        for range_, needs in zip(analysis.unreliable, analysis.needs, strict=True)
    ]


def test_steps_have_the_score_of_a_decode_of_what_is_left(clip: Clip, analysis: SegmentAnalysis) -> None:
    plan = plan_of(analysis)
    for step in analysis.steps[:: max(1, len(analysis.steps) // STEPS)]:
        score = decoded_score(clip, analysis.unreliable[step.frames :], plan, Metric.SSIM)
        assert step.score == pytest.approx(score, abs=1e-5)


def test_frames_are_told_with_all_their_bytes_and_needs(clip: Clip, analysis: SegmentAnalysis) -> None:
    sets = read_closed_sets(clip.segment)
    assert analysis.order_name is OrderName.CLOSED
    assert sorted(analysis.order) == sets.droppable
    assert analysis.unreliable == [sets.frames[index].range for index in analysis.order]
    assert analysis.slices == [1] * len(analysis.order)
    assert analysis.needs is not None
    assert all(need < place for place, needs in enumerate(analysis.needs) for need in needs)
    for step, above in pairwise(analysis.steps[1:]):
        assert abs(above.score - step.score) <= SCALES[Metric.SSIM].step or above.frames == step.frames + 1


def test_a_frame_that_none_needs_costs_what_a_decode_without_it_says(clip: Clip, analysis: SegmentAnalysis) -> None:
    assert analysis.needs is not None
    needed = {need for needs in analysis.needs for need in needs}
    free = [place for place in range(len(analysis.order)) if place not in needed and analysis.loss_costs[place] > 0]
    place = free[-1]
    score = decoded_score(clip, [analysis.unreliable[place]], plan_of(analysis), Metric.SSIM)
    assert analysis.loss_costs[place] == pytest.approx(analysis.score - score, abs=1e-6)


def test_other_metrics_are_as_exact(clip: Clip, analysis: SegmentAnalysis) -> None:
    for metric in (Metric.PSNR, Metric.VMAF) if clip.segment.codec.name == "av1" else (Metric.PSNR,):  # VMAF is slow
        other = clip.analyse(metric)
        assert sorted(other.order) == sorted(analysis.order)
        step = other.steps[len(other.steps) // 2]
        score = decoded_score(clip, other.unreliable[step.frames :], plan_of(other), metric)
        assert step.score == pytest.approx(score, abs=1e-4)


def test_an_encrypted_sample_goes_as_a_whole(clip: Clip) -> None:
    sets = read_closed_sets(replace(clip.segment, whole_samples=True))
    samples = [one for fragment in parse_fragments(clip.segment.data, clip.track.defaults) for one in fragment.samples]
    assert [frame.range for frame in sets.frames] == [ByteRange(one.offset, one.offset + one.size) for one in samples]
    assert all(frame.picture is not None for frame in sets.frames)


def test_as_many_pictures_as_references_are_needed(clip: Clip) -> None:
    pictures = list(clip.segment.pictures())
    scorer = HeldScorer(pictures, len(pictures), pictures[:-1], PictureComparer(Metric.SSIM))
    with pytest.raises(PreparationError, match="expected as many pictures as in the top representation"):
        scorer.scores([list(range(len(pictures)))])
    scorer = HeldScorer(pictures, len(pictures) + 1, pictures, PictureComparer(Metric.SSIM))
    with pytest.raises(PreparationError, match="expected 65 pictures from as many samples, the decoder put out 64"):
        scorer.scores([list(range(len(pictures)))])
