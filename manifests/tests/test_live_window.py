"""The work for a segment is the same however long the window is: names of files that are used or looked through, and
lines that are written again.
"""

import sys
from collections import Counter
from pathlib import Path

import pytest
from test_live_presentation import NOW, PICTURE, STATE, add_segments
from voxel_prepare.live.playlists import MOST_SECONDS
from voxel_prepare.live.presentation import Presentation

WINDOWS = (2 * MOST_SECONDS, 3 * MOST_SECONDS)
"""Seconds, and segments. Playlists have their full length with both."""
LATE = 20
"""More segments than the window has, which are deleted."""
LOOKED_THROUGH = {"os.listdir", "os.scandir"}


class Work:
    """Counts what the interpreter tells of files below a folder, between `begin` and `end`."""

    def __init__(self) -> None:
        self._below: str | None = None
        self.names: Counter[str] = Counter()
        sys.addaudithook(self._heard)

    def begin(self, folder: Path) -> None:
        self.names = Counter()
        self._below = str(folder)

    def end(self) -> Counter[str]:
        self._below = None
        return self.names

    def _heard(self, event: str, arguments: tuple[object, ...]) -> None:
        below = self._below
        if below is None or not arguments or not str(arguments[0]).startswith(below):
            return
        self._below = None
        path = str(arguments[0])
        self.names[event] += len(list(Path(path).iterdir())) if event in LOOKED_THROUGH else 1
        self._below = below


@pytest.fixture(scope="module")
def work() -> Work:
    return Work()


def running(folder: Path, window: int) -> tuple[Presentation, int]:
    """A presentation whose window is full, and its next segment."""
    folder.mkdir()
    presentation = Presentation(folder, STATE, 1, window, keep=False)
    presentation.begin(PICTURE, NOW)
    track = presentation.representations[0].folder
    grown, track.on_growth = track.on_growth, None
    add_segments(presentation, range(window - MOST_SECONDS))
    track.on_growth = grown
    following = window + LATE
    add_segments(presentation, range(window - MOST_SECONDS, following))
    presentation.update(NOW + 1000 * following, 25 * following)
    return presentation, following


def test_a_segment_takes_no_more_work_in_a_longer_window(work: Work, tmp_path: Path) -> None:
    done: list[tuple[Counter[str], int]] = []
    for window in WINDOWS:
        folder = tmp_path / str(window)
        presentation, following = running(folder, window)
        track = presentation.representations[0].folder
        oldest = track.numbers()[0]
        work.begin(folder)
        add_segments(presentation, range(following, following + 1))
        presentation.update(NOW + 1000 * (following + 1), 25 * (following + 1))
        names = work.end()
        assert track.numbers()[0] == oldest + 1
        assert names["open"] > 3
        written = sum(len((folder / name).read_text().splitlines()) for name in ("v0/media.m3u8", "manifest.mpd"))
        done.append((names, written))
    assert done[0] == done[1]


def test_to_go_on_takes_no_more_files_in_a_longer_window(work: Work, tmp_path: Path) -> None:
    opened: list[int] = []
    for window in WINDOWS:
        folder = tmp_path / str(window)
        _, following = running(folder, window)
        again = Presentation(folder, STATE, 1, window, keep=False)
        work.begin(folder)
        again.begin(PICTURE, NOW + 1000 * following)
        opened.append(work.end()["open"])
        assert len(again.representations[0].folder.numbers()) > window
    assert opened[0] == opened[1] > MOST_SECONDS
