"""HLS playlists of a window of hours: what they list, and the comment that servers put the segments before it for."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from live_playlist_reader import ReadPlaylist, read_playlist
from test_live_presentation import NOW, PICTURE, STATE, add_segments
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.live import playlists
from voxel_prepare.live.folder import LATE_REQUESTS_SECONDS
from voxel_prepare.live.presentation import Presentation
from voxel_prepare.live.sound import FRAME_SECONDS
from voxel_prepare.manifest.live_playlists import PAST, Pace, Part, PartedSegment, Past, live_playlist

Playlist = pytest.importorskip("voxel_serve.playlist", reason="voxel-serve is not installed here").Playlist

LISTED = 20
WINDOW = 100
REACH = (WINDOW + LATE_REQUESTS_SECONDS - 1) // 2
"""A segment stays as long after it has left playlists as they and it last."""


@pytest.fixture(autouse=True)
def few_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playlists, "MOST_SECONDS", LISTED)


def begun(folder: Path, window: int = WINDOW, now: int = NOW) -> Presentation:
    folder.mkdir(exist_ok=True)
    presentation = Presentation(folder, STATE, 1, window, keep=True)
    presentation.begin(PICTURE, now)
    return presentation


def text(folder: Path) -> str:
    return (folder / "v0" / "media.m3u8").read_text()


def served(content: str) -> ReadPlaylist:
    found = Playlist.read(content.encode())
    assert found is not None
    return read_playlist(found.served(skip=False).decode())


def test_servers_list_half_the_time_that_files_stay_and_the_file_some_of_it(tmp_path: Path) -> None:
    add_segments(begun(tmp_path), range(80))
    alone = read_playlist(text(tmp_path).replace("#VOXEL-BLOCKING:", "#"))
    assert [segment.number for segment in alone.segments] == list(range(80 - LISTED, 80))
    whole = served(text(tmp_path))
    assert [segment.number for segment in whole.segments] == list(range(80 - REACH, 80))
    assert whole.segments[0].map == "init.mp4"
    assert whole.last == alone.last


def test_a_segment_stays_as_it_was_listed_before(tmp_path: Path) -> None:
    presentation = begun(tmp_path)
    listed: dict[int, tuple[object, ...]] = {}
    for number in range(60):
        add_segments(presentation, range(number, number + 1))
        for segment in served(text(tmp_path)).segments:
            facts = segment.uri, segment.seconds, segment.date
            assert listed.setdefault(segment.number, facts) == facts
    assert list(listed) == list(range(60))


@pytest.mark.parametrize("segment", [Fraction(1), Fraction(1001, 1000), Fraction(24, 25), Fraction(80, 81)])
@pytest.mark.parametrize("unit", [FRAME_SECONDS, Fraction(1, 81)])
def test_durations_are_those_that_the_segments_had(segment: Fraction, unit: Fraction) -> None:
    """A segment has the frames that start in it."""
    count, zero = 40, 7
    starts = [-(-number * segment // unit) * unit for number in range(count + 1)]
    all_ = [
        PartedSegment(
            zero + number, start, (Part(end - start, ByteRange(0, 1), is_independent=True),), is_finished=True
        )
        for number, (start, end) in enumerate(pairwise(starts))
    ]
    pace = Pace(1, Fraction(1), NOW + 123, zero)
    own = served(live_playlist(all_, pace, segment, []).decode())
    past = Past(zero, zero, segment, unit)
    assert served(live_playlist(all_[30:], pace, segment, [], past).decode()).segments[:30] == own.segments[:30]


def test_nothing_stands_for_segments_that_are_all_listed_or_gone(tmp_path: Path) -> None:
    add_segments(begun(tmp_path / "short", 2 * LISTED - LATE_REQUESTS_SECONDS), range(80))
    assert PAST not in text(tmp_path / "short")
    add_segments(begun(tmp_path / "new"), range(LISTED))
    assert PAST not in text(tmp_path / "new")
    presentation = begun(tmp_path / "gap")
    add_segments(presentation, range(40))
    for number in range(10):
        (tmp_path / "gap" / "v0" / f"{number}.m4s").unlink()
    again = begun(tmp_path / "gap", now=NOW + 40_000)
    add_segments(again, range(40, 41))
    assert served(text(tmp_path / "gap")).segments[0].number == 10
