from fractions import Fraction
from pathlib import Path

import pytest
from runs import make_request
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.jobs.plan import make_plan
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.encoders import ENCODERS, CodecName, VideoSettings
from voxel_prepare.media.preset import Preset
from voxel_prepare.media.profile import Profile, b_run
from voxel_prepare.media.tracks import read_video


@pytest.mark.parametrize(("rate", "run"), [(60, 15), (30, 15), (25, 12), (12.5, 6), (1, 1)])
def test_half_a_second_of_b_pictures_as_far_as_x264_goes(rate: float, run: int) -> None:
    assert b_run(Fraction(rate)) == run


@pytest.mark.parametrize(
    ("codec", "setting"),
    [("h264", "bframes"), ("hevc", "bframes"), ("av1", "hierarchical-levels"), ("vp9", "-error-resilient default")],
)
def test_the_thesis_has_no_settings_of_its_own(codec: str, setting: str) -> None:
    def arguments(profile: Profile) -> str:
        settings = VideoSettings(Preset.SLOW, 2, 1, SegmentDuration(50, Fraction(25)), profile)
        return " ".join(ENCODERS[CodecName(codec)].arguments(settings, 500_000, 1))

    assert setting in arguments(Profile.DROPPABLE)
    assert setting not in arguments(Profile.THESIS)


def test_most_frames_of_a_segment_are_no_references(prepared: Path, clip: Path, tmp_path: Path) -> None:
    """Eleven of twelve B pictures in a row are no references."""
    segment = make_plan(make_request(clip, out=tmp_path)).segment
    path = next(prepared.glob("q*.mp4"))
    frames = RepairableSegment.of(read_video(path.stem, path, path.name, segment).segments[0].read()).frames
    assert sum(not frame.is_reference for frame in frames) > 0.7 * len(frames)
