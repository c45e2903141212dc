"""Where pictures and sound go on the timeline, and how frames become chunks and segments."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.live.chunker import Chunker, audio_segments, video_segments
from voxel_prepare.live.timeline import EARLY_SECONDS, Anchor, Grid, Placed, Timeline

RATES = st.sampled_from([Fraction(24), Fraction(30), Fraction(30_000, 1001), Fraction(50), Fraction(12)])


@given(RATES, st.lists(st.floats(-1, 3), max_size=50), st.integers(0, 100))
def test_every_place_gets_exactly_one_picture(rate: Fraction, arrivals: list[float], first: int) -> None:
    grid = Grid(rate, first, 0)
    places = 0
    for seconds in arrivals:
        placed = grid.place(float(first / rate) + seconds)
        assert placed.skipped in {0, 1}
        places += placed.filled + 1 - placed.skipped
        assert grid.next == first + places


@given(RATES, st.integers(0, 10**6))
def test_pictures_in_time_are_neither_repeated_nor_left_out(rate: Fraction, first: int) -> None:
    grid = Grid(rate, first, 0)
    for place in range(first, first + 10):
        placed = grid.place(float(place / rate) + 0.004)
        assert (placed.filled, placed.skipped) == (0, 0)
    assert grid.fill(float((first + 10) / rate) - 0.001) == 0
    assert grid.fill(float((first + 15) / rate) + 0.001) == 5


def test_sound_begins_at_its_time_and_is_then_appended_unless_it_is_far_off() -> None:
    grid = Grid(Fraction(48_000), 0, 2400)
    assert grid.place(0.03, 1000).filled == 1440
    assert grid.place(0.07, 1000).filled == 0
    assert grid.place(1.0, 1000).filled == 48_000 - 3440
    late = grid.place(0.9, 9600)
    assert (late.filled, late.skipped) == (0, 5800)
    assert grid.fill(1.2) == 4800
    assert grid.place(1.21, 1000).filled == 480


@given(st.floats(-0.045, 0.045), st.randoms(use_true_random=False))
def test_sound_whose_times_move_away_is_followed_and_jitter_is_not(moved: float, jitter: Random) -> None:
    grid = Grid(Fraction(48_000), 0, 2400)
    seconds, corrections = 0.0, 0
    for piece in range(200):
        offset = moved if piece >= 50 else 0.0
        placed = grid.place(seconds + offset + jitter.uniform(-0.004, 0.004), 1024)
        corrections += piece > 0 and placed != Placed(0, 0)
        seconds += 1024 / 48_000
    assert corrections <= 3
    assert abs(grid.next / 48_000 - seconds - moved) < 0.01


def test_pictures_that_go_on_between_two_places_are_put_on_them() -> None:
    anchor = Anchor(0, Fraction(25))
    times = [*(place / 25 for place in range(20)), *(2 + (place + 0.4) / 25 for place in range(20))]
    placed = [(anchor.place(seconds, seconds, is_picture=True) or 0) * 25 for seconds in times]
    assert placed[:20] == pytest.approx(list(range(20)))
    assert placed[-10:] == pytest.approx([round(place) for place in placed[-10:]], abs=0.01)


@given(st.sampled_from([24, 30, 50, 60]), st.lists(st.floats(-0.01, 0.01), min_size=100, max_size=100))
def test_pictures_of_another_rate_or_with_jitter_move_nothing(rate: int, jitter: list[float]) -> None:
    anchor = Anchor(0, Fraction(25))
    for place, late in enumerate(jitter):
        seconds = place / rate + (late if rate == 50 else 0)
        anchor.place(seconds, seconds, is_picture=True)
    assert abs(anchor.base) <= 0.01


@given(RATES, st.floats(0, 10), st.floats(0, 3))
def test_pictures_of_the_rate_lie_on_places(rate: Fraction, now: float, jump: float) -> None:
    """Else they were shown half a frame off their sound, or one in two was left out by rounding."""
    anchor = Anchor(0, rate)
    anchor.begin(now)
    assert -1e-6 < anchor.base - now < 1 / rate + 1e-6
    for seconds, present in ((0.0, now), (float(30 / rate), now + float(30 / rate) + jump)):
        place = (anchor.place(seconds, present, is_picture=True) or 0) * rate
        assert place == pytest.approx(round(place), abs=1e-3)


@given(st.floats(1.1, 30), st.floats(1, 50))
def test_after_a_pause_and_the_burst_that_follows_it_pictures_are_dated_as_before(pause: float, speed: float) -> None:
    """A sender's pictures come late after a pause, and `speed` times as fast until it has caught up."""
    anchor = Anchor(5.0, Fraction(25))
    pause_from, now = 4.0, 0.0
    for picture in range(round((pause_from + pause * 3) * 25)):
        seconds = picture / 25
        now = max(now + 0.04 / speed, seconds + (pause if pause_from <= seconds < pause_from + 0.04 else 0))
        placed = anchor.place(seconds, 5.0 + now, is_picture=True) or 0
        assert placed - 5 - now <= EARLY_SECONDS + 1e-6
        if seconds < pause_from:
            assert placed == pytest.approx(5 + seconds)
    if now - seconds < 0.01:  # it has caught up
        assert abs(placed - 5 - seconds) <= EARLY_SECONDS + 0.02


def test_sound_that_is_astray_is_left_out_and_moves_nothing() -> None:
    anchor = Anchor(5.0, Fraction(25))
    assert anchor.place(1.0, 6.4, is_picture=False) == 6.0
    assert anchor.place(1.0, 7.1, is_picture=False) is None
    assert anchor.place(9.0, 6.0, is_picture=False) is None
    assert anchor.base == 5.0


@given(RATES, st.integers(1, 60), st.integers(0, 10**7))
def test_wall_times_and_frames_agree(rate: Fraction, segment_frames: int, frame: int) -> None:
    timeline = Timeline(1_795_000_000_123, rate, segment_frames, 7)
    assert timeline.frame_at(timeline.wall_time(frame) + 1) == frame
    assert Fraction(timeline.frame_ticks, timeline.timescale) == 1 / rate
    assert timeline.number(3) == 10


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 12), st.integers(0, 200), st.integers(0, 5))
def test_chunks_have_all_frames_in_order_and_stay_in_their_segment(
    segment: int, size: int, first_size: int, count: int, first_segment: int
) -> None:
    first = first_segment * segment
    chunker: Chunker[int] = Chunker(video_segments(segment), size, first, first_chunk_frames=first_size)
    chunks = [chunk for frame in range(first, first + count) if (chunk := chunker.add(frame))]
    chunks += [chunk for chunk in [chunker.flush()] if chunk]
    assert [frame for chunk in chunks for frame in chunk.frames] == list(range(first, first + count))
    for chunk in chunks:
        assert chunk.frames[0] == chunk.first == chunk.segment * segment + chunk.position
        assert {frame // segment for frame in chunk.frames} == {chunk.segment}
        wanted = first_size if chunk.position == 0 else size
        assert len(chunk.frames) <= wanted
        ends = chunk.frames[-1] + 1 in {first + count, (chunk.segment + 1) * segment}
        assert len(chunk.frames) == wanted or ends
        assert chunk.is_last == (ends if len(chunk.frames) < wanted else (chunk.frames[-1] + 1) % segment == 0)


def test_a_chunker_can_begin_inside_a_segment() -> None:
    chunker: Chunker[int] = Chunker(video_segments(10), 4, 16, 6)
    assert [chunker.add(frame) is None for frame in range(3)] == [True] * 3
    chunk = chunker.add(3)
    assert chunk is not None
    assert (chunk.segment, chunk.first, chunk.position, chunk.is_last) == (1, 16, 6, True)


def test_sound_belongs_to_the_segment_in_which_it_starts() -> None:
    """1024 samples at 48 kHz are 21.3 ms: 47 of them start in the first second."""
    segment_of = audio_segments(Fraction(1024, 48_000), Fraction(1))
    assert [segment_of(frame) for frame in (0, 46, 47, 93, 94)] == [0, 0, 1, 1, 2]
