"""Decode times: whatever is shown when, every reader can show it then."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.isobmff.decode_times import decode_time, decode_times, reordering

FRAME = 512

orders = st.integers(1, 40).flatmap(lambda count: st.permutations(range(count)))


@given(orders, st.integers(0, 2**40), st.integers(1, 1001))
def test_nothing_is_decoded_after_it_is_shown_nor_lasts_beyond_the_segment(
    order: list[int], start: int, frame: int
) -> None:
    shown = [start + frame * place for place in order]
    end = start + frame * len(order)
    times = decode_times(shown, end)
    assert times[0] == start
    following = [*times[1:], end]
    assert all(time <= after for time, after in pairwise([*times, end]))
    assert all(time <= picture for time, picture in zip(times, shown, strict=True))
    lasting = [picture + after - time for picture, time, after in zip(shown, times, following, strict=True)]
    assert max(lasting) <= end


@pytest.mark.parametrize(
    ("shown", "delay", "times"),
    [
        ([0, 1, 2, 3], 0, [0, 1, 2, 3]),
        ([0, 2, 1, 4, 3], 1, [0, 1 / 2, 1, 2, 3]),
        # The first three samples after the key frame are decoded by the time the second picture is shown.
        ([0, 4, 2, 1, 3, 8, 6, 5, 7], 2, [0, 1 / 3, 2 / 3, 1, 2, 3, 4, 5, 7]),
        # The last one in decode order is shown last, and must not last beyond the end.
        ([0, 4, 2, 1, 3, 5], 2, [0, 1 / 3, 2 / 3, 1, 2, 5]),
        ([0], 0, [0]),
    ],
)
def test_the_first_few_share_the_duration_of_one(shown: list[int], delay: int, times: list[float]) -> None:
    assert reordering(shown) == delay
    assert decode_times([FRAME * time for time in shown], FRAME * len(shown)) == [int(FRAME * time) for time in times]


@pytest.mark.parametrize("delay", [2, 3])
def test_a_sample_alone_gets_the_time_that_it_has_in_its_segment(delay: int) -> None:
    """A live encoder knows how far frames will be reordered, but not the frames that are still to come."""
    shown = [0, 4, 2, 1, 3, 8, 6, 5, 7]
    grid = range(0, FRAME * (len(shown) + 1), FRAME)
    times = [decode_time(place, grid, delay) for place in range(len(shown) + 1)]
    assert times[: delay + 2] == [FRAME * place // (delay + 1) for place in range(delay + 2)]
    assert all(time < after for time, after in pairwise(times))
    assert all(time <= FRAME * picture for time, picture in zip(times, shown, strict=False))
