from collections.abc import Collection, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.analysis.curve import CurveRequest, measure_curve

WIDEST = 0.005


class Segment:
    """A segment whose score rises with every frame, measured at will."""

    def __init__(self, gains: list[float]) -> None:
        total = sum(gains)
        self.scores = [0.7]
        for gain in gains:
            self.scores.append(self.scores[-1] + 0.3 * gain / total)
        self.measured: list[int] = []

    def measure(self, prefixes: Sequence[int]) -> list[float]:
        self.measured += prefixes
        return [self.scores[prefix] for prefix in prefixes]

    def curve(
        self, useful_from: float, predicted: list[float] | None = None, known: Collection[int] = ()
    ) -> dict[int, float]:
        losses = predicted or [self.scores[-1] - score for score in self.scores]
        scores = {prefix: self.scores[prefix] for prefix in known}
        request = CurveRequest(losses, self.scores[0], self.scores[-1], useful_from, WIDEST, scores)
        return measure_curve(request, self.measure)


segments = st.lists(st.floats(0.001, 1), min_size=1, max_size=120).map(Segment)


@given(segments, st.floats(0.6, 1.1))
def test_every_useful_prefix_is_told_by_the_step_below_it(segment: Segment, useful_from: float) -> None:
    curve = segment.curve(useful_from)
    steps = sorted(curve)
    assert steps[0] == 0
    assert steps[-1] == len(segment.scores) - 1
    assert all(curve[prefix] == segment.scores[prefix] for prefix in steps)
    for low, high in pairwise(steps[1:]):
        assert all(abs(segment.scores[prefix] - curve[low]) <= WIDEST for prefix in range(low, high))
    if len(steps) > 1:
        assert segment.scores[steps[1]] >= useful_from or steps[1] == steps[-1]


@given(segments)
def test_what_is_predicted_badly_is_found_all_the_same(segment: Segment) -> None:
    frames = len(segment.scores) - 1
    curve = segment.curve(0, predicted=[1 - prefix / frames for prefix in range(frames + 1)])
    for low, high in pairwise(sorted(curve)):
        assert curve[high] - curve[low] <= WIDEST + 1e-9 or high - low == 1


def test_a_narrow_useful_range_gets_smaller_steps() -> None:
    curve = Segment([1] * 100).curve(0.99)
    useful = [prefix for prefix in curve if prefix > 0]
    assert len(useful) >= 4


def test_nothing_is_measured_below_the_useful_range() -> None:
    segment = Segment([1] * 100)
    segment.curve(0.9)
    assert min(segment.scores[prefix] for prefix in segment.measured) > 0.9 - 2 * WIDEST


def test_a_segment_that_another_representation_always_beats_keeps_its_two_ends() -> None:
    assert list(Segment([1] * 10).curve(1.1)) == [0, 10]


def test_scores_that_fall_with_more_frames_are_followed() -> None:
    segment = Segment([1] * 40)
    for prefix in range(5, 15):
        segment.scores[prefix] = 0.6
    curve = segment.curve(0, predicted=[1 - prefix / 40 for prefix in range(41)])
    assert any(curve[prefix] == pytest.approx(0.6) for prefix in curve)


@given(segments, st.lists(st.integers(1, 120), max_size=3))
def test_what_is_known_is_not_measured_again(segment: Segment, known: list[int]) -> None:
    useful = [prefix for prefix in known if prefix < len(segment.scores) and segment.scores[prefix] >= 0.8]
    curve = segment.curve(0.8, known=useful)
    assert not set(useful) & set(segment.measured)
    assert set(useful) <= set(curve)


def test_what_falls_below_the_reliable_bytes_alone_has_no_wide_steps() -> None:
    segment = Segment([1] * 40)
    segment.scores[3] = 0.69
    curve = segment.curve(0, known=[3])
    steps = sorted(curve)
    assert all(curve[high] - curve[low] <= WIDEST or high == low + 1 for low, high in pairwise(steps))
