from fractions import Fraction
from pathlib import Path

import pytest
from runs import make_request
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.jobs.plan import make_plan
from voxel_prepare.media.profile import Profile
from voxel_prepare.media.tracks import read_video


@pytest.mark.parametrize(("rate", "run"), [(60, 15), (30, 15), (25, 12), (12.5, 6), (1, 1)])
def test_half_a_second_of_b_pictures_as_far_as_x264_goes(rate: float, run: int) -> None:
    assert f":bframes={run}:" in Profile.DROPPABLE.x264(Fraction(rate))


def test_the_thesis_has_no_settings_of_its_own() -> None:
    assert Profile.THESIS.x264(Fraction(30)) == ""


def test_most_frames_of_a_segment_are_no_references(prepared: Path, clip: Path, tmp_path: Path) -> None:
    """Eleven of twelve B pictures in a row are no references."""
    segment = make_plan(make_request(clip, out=tmp_path)).segment
    path = next(prepared.glob("q*.mp4"))
    frames = RepairableSegment.of(read_video(path.stem, path, path.name, segment).segments[0].read()).frames
    assert sum(not frame.is_reference for frame in frames) > 0.7 * len(frames)
