"""When a presentation goes on and when another begins, and what is deleted behind the window."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from av.video.frame import VideoFrame
from live_vectors import FIRST
from voxel_prepare.isobmff.writer import NewSample, write_fragment
from voxel_prepare.live.encoder import FrameChoice
from voxel_prepare.live.presentation import Presentation
from voxel_prepare.live.state import LiveState
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.live_mpd import UPDATE_SECONDS
from voxel_prepare.media.ladder import Representation

NOW = 1_795_000_000_000
CHOICE = FrameChoice.of(25, 1, None)
STATE = LiveState(Timeline(0, Fraction(25), 25, 0), CHOICE, (Representation("v0", 64, 48, 100_000),), has_audio=False)
PICTURE = VideoFrame.from_ndarray(np.full((72, 64), 100, np.uint8), format="yuv420p")


def begun(folder: Path, now: int, state: LiveState = STATE, *, keep: bool = False) -> Presentation:
    presentation = Presentation(folder, state, 1, 10, keep=keep)
    presentation.begin(PICTURE, now)
    return presentation


def add_segments(presentation: Presentation, numbers: range) -> None:
    """Adds segments of one chunk each, which plays one second."""
    timeline, folder = presentation.state.timeline, presentation.representations[0].folder
    for number in numbers:
        folder.begin(number)
        start = (number - timeline.first_number) * timeline.timescale
        folder.append(_chunk(FIRST.range.size), replace(FIRST, decode_time=start, duration=timeline.timescale))
        folder.finish()


def _chunk(size: int) -> bytes:
    """A chunk of that size, as the disk has one that was brought to it."""
    boxes = len(write_fragment([NewSample(b"", 0, 1)], 0, 1))
    return write_fragment([NewSample(b"\x01" * (size - boxes), 0, 1)], 0, 1)


def test_a_presentation_begins_when_its_first_picture_is_captured(tmp_path: Path) -> None:
    presentation = begun(tmp_path, NOW)
    assert presentation.state.timeline == replace(STATE.timeline, availability_start=NOW)
    assert LiveState.read(tmp_path) == presentation.state


@pytest.mark.parametrize("pause", [0, 3, 59])
def test_after_a_pause_of_less_than_a_minute_it_goes_on_and_has_all_segments(tmp_path: Path, pause: int) -> None:
    add_segments(before := begun(tmp_path, NOW), range(2))
    presentation = Presentation(tmp_path, STATE, 1, 10, keep=False)
    first = presentation.begin(PICTURE, NOW + 1000 * (2 + pause) + 400)
    assert (presentation.state, first) == (before.state, 2 + pause)
    folder = presentation.representations[0].folder
    for number in range(2, first):
        records = folder.records(number)
        assert records.length == len(folder.media(number))
        assert sum(chunk.duration for chunk in records.chunks) == STATE.timeline.timescale
        assert records.chunks[0].decode_time == number * STATE.timeline.timescale
    assert folder.numbers() == list(range(first + 2))


@pytest.mark.parametrize(
    ("pause", "change"),
    [
        (62, {}),
        (3, {"choice": replace(CHOICE, chunk_frames=2)}),
        (3, {"representations": (Representation("v0", 64, 48, 200_000),)}),
        (3, {"has_audio": True}),
        (-8, {}),
    ],
)
def test_otherwise_another_one_begins_with_the_next_numbers(
    tmp_path: Path, pause: int, change: dict[str, object]
) -> None:
    add_segments(begun(tmp_path, NOW), range(2))
    now = NOW + 1000 * (2 + pause)
    presentation = begun(tmp_path, now, replace(STATE, **change))  # type: ignore[arg-type]  # any field
    timeline = presentation.state.timeline
    assert (timeline.availability_start, timeline.first_number) == (now, 3)


def test_an_ended_presentation_does_not_go_on(tmp_path: Path) -> None:
    add_segments(before := begun(tmp_path, NOW), range(2))
    before.representations[0].folder.close()
    before.end()
    assert begun(tmp_path, NOW + 3000).state.timeline.first_number == 2


@pytest.mark.parametrize(("keep", "oldest"), [(False, 20), (True, 0)])
def test_what_the_window_has_left_behind_is_deleted_unless_it_is_kept(tmp_path: Path, keep: bool, oldest: int) -> None:
    """A window of 10 s, and 10 s for late requests; looked at whenever the manifest is written."""
    add_segments(presentation := begun(tmp_path, NOW, keep=keep), range(40))
    presentation.update(NOW + 1000 * UPDATE_SECONDS - 1, 40 * 25)
    assert presentation.representations[0].folder.numbers()[0] == 0
    presentation.update(NOW + 40_000, 40 * 25)
    assert presentation.representations[0].folder.numbers() == list(range(oldest, 41))
