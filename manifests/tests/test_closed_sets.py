"""Closed sets of frames, their order and what they cost, on made-up segments."""

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from voxel_prepare.analysis.closed_order import HeldPictures, additive_costs, closed_order
from voxel_prepare.analysis.closed_sets import LEAST_BYTES, ClosedSets, PicturedFrame, closed_sets, members
from voxel_prepare.analysis.hold_losses import corrected, pair_losses
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import MalformedStream
from voxel_prepare.isobmff import Sample
from voxel_prepare.repair.codec import DependentFrame

STEP = 0.005


@st.composite
def segments(draw: st.DrawFn) -> ClosedSets:
    """A segment of up to 24 frames in any order of presentation, some of them hidden."""
    count = draw(st.integers(1, 24))
    hidden = [False, *(draw(st.booleans()) and draw(st.booleans()) for _ in range(count - 1))]
    shown = [index for index in range(count) if not hidden[index]]
    places = dict(zip([0, *draw(st.permutations(shown[1:]))], range(len(shown)), strict=True))
    frames: list[PicturedFrame] = []
    at = 0
    for index in range(count):
        size = draw(st.integers(1, 3000))
        needs = tuple(sorted(draw(st.sets(st.integers(0, index - 1), max_size=3)))) if index else ()
        frames.append(PicturedFrame(ByteRange(at, at + size), needs, places.get(index)))
        at += size
    return ClosedSets(frames, [0, *draw(st.sets(st.integers(0, count - 1), max_size=2))])


def random_losses(sets: ClosedSets, seed: int) -> NDArray[np.float64]:
    """They grow with the time for which a picture is held, more or less."""
    places = np.arange(sets.pictures)
    apart = np.maximum(places[None, :] - places[:, None], 0)
    return np.asarray(apart * np.random.default_rng(seed).uniform(0.5, 1.5, apart.shape) / 1000)


def loss(sets: ClosedSets, losses: NDArray[np.float64], missing: int) -> float:
    return float(sum(losses[shown, place] for place, shown in enumerate(sets.shown(missing))))


@given(segments())
def test_a_frame_may_be_missing_unless_one_that_must_arrive_needs_it(sets: ClosedSets) -> None:
    assert 0 not in sets.droppable
    for index in sets.droppable:
        assert sets.is_closed(sets.with_dependents(index))
        assert set(members(sets.with_dependents(index))) <= set(sets.droppable)
    everything = sum(1 << index for index in sets.droppable)
    assert sets.is_closed(everything)
    for index, frame in enumerate(sets.frames):
        if index not in sets.droppable:
            assert not set(frame.needs) & set(sets.droppable)


@given(segments())
def test_direct_needs_lead_to_all_needs(sets: ClosedSets) -> None:
    for index in sets.droppable:
        reached, waiting = set[int](), sets.direct_needs(index)
        while waiting:
            needed = waiting.pop()
            reached.add(needed)
            waiting += sets.direct_needs(needed)
        expected = {other for other in sets.droppable if other != index and sets.with_dependents(other) >> index & 1}
        assert reached == expected


@given(segments(), st.integers(0, 1 << 32))
def test_every_prefix_of_the_order_decodes_and_loses_what_is_predicted(sets: ClosedSets, seed: int) -> None:
    losses = random_losses(sets, seed)
    ordered = closed_order(sets, losses, STEP)
    assert sorted(ordered.order) == sets.droppable
    for prefix, predicted in enumerate(ordered.losses):
        missing = sum(1 << index for index in ordered.order[prefix:])
        assert sets.is_closed(missing)
        assert predicted == pytest.approx(loss(sets, losses, missing))


@settings(max_examples=30)
@given(segments(), st.integers(0, 1 << 32), st.data())
def test_held_pictures_add_what_a_count_over_all_times_says(sets: ClosedSets, seed: int, data: st.DataObject) -> None:
    losses = random_losses(sets, seed)
    held, missing = HeldPictures(losses), 0
    by_place = {frame.picture: index for index, frame in enumerate(sets.frames)}
    left = list(range(1, sets.pictures))
    while left:
        some = sorted(data.draw(st.sets(st.sampled_from(left), min_size=1)))
        more = missing | sum(1 << by_place[place] for place in some)
        assert held.added(some) == pytest.approx(loss(sets, losses, more) - loss(sets, losses, missing))
        place = some[0]
        held.remove(place)
        missing |= 1 << by_place[place]
        left.remove(place)


@given(segments(), st.integers(0, 1 << 32))
def test_costs_of_a_frame_and_all_that_need_it_add_up(sets: ClosedSets, seed: int) -> None:
    losses = random_losses(sets, seed)
    costs = additive_costs(sets, losses)
    assert sorted(costs) == sets.droppable
    for index in sets.droppable:
        closed = sets.with_dependents(index)
        total = sum(costs[one] for one in members(closed))
        assert costs[index] >= 0
        assert total >= loss(sets, losses, closed) - 1e-9
        if costs[index] > 0:
            assert total == pytest.approx(loss(sets, losses, closed), abs=1e-9)


def test_a_frame_that_takes_no_more_than_its_place_in_an_index_must_arrive() -> None:
    small = ByteRange(0, LEAST_BYTES - 1)
    frames = [PicturedFrame(ByteRange(0, 900), (), 0), PicturedFrame(small, (0,), 1), PicturedFrame(small, (1,), 2)]
    assert ClosedSets(frames, [0]).droppable == []
    large = PicturedFrame(ByteRange(0, LEAST_BYTES), (0,), 1)
    assert ClosedSets([frames[0], large, frames[2]], [0]).droppable == [1, 2]


def sample(shown: int) -> Sample:
    return Sample(0, 100, 1, shown, 0, 0, None)


def frame(place: int, *needs: int, is_shown: bool = True, must_arrive: bool = False) -> DependentFrame:
    return DependentFrame(place, 100 * place, 100 * place + 100, needs, is_shown, must_arrive)


def test_what_is_shown_first_must_arrive() -> None:
    """Before it nothing can be held: here the second in decode order, as leading pictures of HEVC are."""
    sets = closed_sets([frame(0, must_arrive=True), frame(1, 0), frame(2, 0)], [sample(1), sample(0), sample(2)], None)
    assert sets.droppable == [2]
    assert sets.shown(1 << 2) == [0, 1, 1]


def test_no_picture_stands_in_for_others_for_long() -> None:
    """Groups of eight as encoders make them in pyramids, ten pictures a second: one of two groups must arrive."""

    def needs(place: int) -> tuple[int, ...]:
        step = place & -place if place % 8 else 8
        return tuple(other for other in (place - step, place + step) if other % 8 == 0 or other < place or step < 8)

    order = [0, *(8 * group + place for group in range(4) for place in (8, 4, 2, 1, 3, 6, 5, 7))]
    at = {place: index for index, place in enumerate(order)}
    frames = [
        frame(at[place], *(at[other] for other in needs(place) if other in at and at[other] < at[place]))
        for place in order
    ]
    samples = [replace(sample(0), decode_time=place) for place in order]
    free = closed_sets(frames, samples, None)
    assert free.shown(sum(1 << index for index in free.droppable)) == [0] * 33
    sets = closed_sets(frames, samples, 10)
    shown = sets.shown(sum(1 << index for index in sets.droppable))
    assert max(shown.count(place) for place in shown) <= 14
    assert len(sets.droppable) >= 0.7 * len(frames)
    assert sets.is_closed(sum(1 << index for index in sets.droppable))


def test_each_sample_has_one_picture() -> None:
    with pytest.raises(MalformedStream, match="expected a picture in each of 2 samples, found 1"):
        closed_sets([frame(0), frame(1, is_shown=False)], [sample(0), sample(1)], None)


def test_pair_losses_are_those_of_ssim() -> None:
    random = np.random.default_rng(1)
    one, other = random.uniform(0, 255, (2, 400, 64)).astype(np.float32)
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    expected = fmean(
        1
        - (2 * a.mean() * b.mean() + c1)
        / (a.mean() ** 2 + b.mean() ** 2 + c1)
        * (2 * ((a - a.mean()) * (b - b.mean())).mean() + c2)
        / (a.var() + b.var() + c2)
        for a, b in zip(one.astype(float), other.astype(float), strict=True)
    )
    losses = pair_losses([one, other])
    assert losses[0, 1] == losses[1, 0] == pytest.approx(expected, abs=1e-4)
    assert losses[0, 0] == pytest.approx(0, abs=1e-5)


def test_corrected_losses_are_those_that_were_measured() -> None:
    losses = np.array([[0.0, 0.1, 0.3], [0.1, 0.0, 0.2], [0.3, 0.2, 0.0]])
    result = corrected(losses, [([0, 0, 1], [0.0, 0.01, 0.02]), ([0, 0, 0], [0.0, 0.01, 0.05])])
    assert result[0, 1] == pytest.approx(0.01)
    assert result[1, 2] == pytest.approx(0.02)
    assert result[0, 2] == pytest.approx(0.05)
    assert result[2, 2] == 0
