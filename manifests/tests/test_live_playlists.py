"""Playlists of a growing presentation beside its files: what they go on with, where they begin, and their end."""

from fractions import Fraction
from pathlib import Path

import pytest
from live_playlist_reader import ReadPlaylist, read_playlist
from test_live_presentation import NOW, PICTURE, STATE, add_segments, begun
from voxel_prepare.live.folder import LATE_REQUESTS_SECONDS
from voxel_prepare.live.playlists import MOST_SECONDS, reach
from voxel_prepare.live.presentation import Presentation
from voxel_prepare.manifest.live_playlists import part_hold_back, round_half_up, target_duration


def read(folder: Path, name: str = "media.m3u8") -> ReadPlaylist:
    """A playlist with what is in comments."""
    return read_playlist((folder / "v0" / name).read_text().replace("#VOXEL-BLOCKING:", "#"))


def test_a_playlist_is_written_with_each_chunk_and_names_what_comes_next(tmp_path: Path) -> None:
    presentation = begun(tmp_path, NOW)
    assert not (tmp_path / "v0" / "media.m3u8").exists()
    add_segments(presentation, range(3))
    state = read(tmp_path)
    assert [segment.uri for segment in state.segments] == ["0.m4s", "1.m4s", "2.m4s"]
    assert [segment.seconds for segment in state.segments] == [1, 1, 1]
    assert state.segments[0].map == "init.mp4"
    assert not state.open.parts
    assert '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="3.m4s",BYTERANGE-START=0' in state.lines
    assert not [path for path in (tmp_path / "v0").iterdir() if path.suffix == ".new"]


def test_after_an_interruption_the_playlist_goes_on_with_the_stills(tmp_path: Path) -> None:
    add_segments(begun(tmp_path, NOW), range(2))
    presentation = Presentation(tmp_path, STATE, 1, 10, keep=False)
    first = presentation.begin(PICTURE, NOW + 5400)
    state = read(tmp_path)
    assert [segment.number for segment in state.segments] == list(range(first))
    assert "#EXT-X-DISCONTINUITY-SEQUENCE" not in state.tags
    add_segments(presentation, range(first, first + 1))
    assert read(tmp_path).segments[-1].number == first


def test_another_presentation_in_the_folder_has_another_discontinuity_sequence(tmp_path: Path) -> None:
    add_segments(begun(tmp_path, NOW), range(2))
    presentation = begun(tmp_path, NOW + 100_000)
    first = presentation.state.timeline.first_number
    add_segments(presentation, range(first, first + 2))
    state = read(tmp_path)
    assert [segment.number for segment in state.segments] == [first, first + 1]
    assert state.tags["#EXT-X-DISCONTINUITY-SEQUENCE"] == str(first)
    assert (tmp_path / "master.m3u8").exists() is False


def test_at_the_end_a_playlist_ends_and_another_has_all_that_is_left(tmp_path: Path) -> None:
    presentation = begun(tmp_path, NOW, keep=True)
    add_segments(presentation, range(20))
    listed = [segment.number for segment in read(tmp_path).segments]
    presentation.end()
    assert "#EXT-X-ENDLIST" in read(tmp_path).tags
    assert [segment.number for segment in read(tmp_path).segments] == listed
    whole = read(tmp_path, "whole.m3u8")
    assert [segment.number for segment in whole.segments] == list(range(20))
    for state in (read(tmp_path), whole):
        assert not {"#EXT-X-PART-INF", "#EXT-X-SERVER-CONTROL"} & set(state.tags)
        assert not [line for line in state.lines if "PRELOAD-HINT" in line or "EXT-X-PART:" in line]
    assert "v0/whole.m3u8" in (tmp_path / "master.m3u8").read_text().splitlines()


@pytest.mark.parametrize("window", [60, 600, 86_400])
def test_a_segment_stays_after_it_has_left_a_playlist_as_long_as_that_and_it_last(window: int) -> None:
    far = reach(window, Fraction(1), 1)
    # It leaves a playlist that reaches back so far, and is deleted `window` and some seconds after its end.
    assert window + LATE_REQUESTS_SECONDS - far >= far + 1 or far == MOST_SECONDS
    assert far <= MOST_SECONDS


def test_a_playlist_reaches_back_three_target_durations_whatever_the_window() -> None:
    assert reach(10, Fraction(10), 10) == 40


def test_the_hold_back_is_the_latency_less_what_encoding_takes_but_three_parts_at_least() -> None:
    assert part_hold_back(1, Fraction(6, 25), [Fraction(4, 25)]) == Fraction(76, 100)
    assert part_hold_back(0.5, Fraction(6, 25), [Fraction(4, 25), Fraction(512, 3000)]) == Fraction(512, 1000)


@pytest.mark.parametrize(("seconds", "rounded"), [("0.49", 0), ("0.5", 1), ("1.49", 1), ("1.5", 2)])
def test_durations_are_rounded_as_players_do(seconds: str, rounded: int) -> None:
    assert round_half_up(Fraction(seconds)) == rounded
    assert target_duration(Fraction(seconds)) == max(1, rounded)
