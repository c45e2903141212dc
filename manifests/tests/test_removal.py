"""Removal of missing frames: src/repair/README.md, "Removal", and the same cases as src/repair/removal.test.ts."""

import json
import re
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from removal_vectors import DURATION, SELECTED_SEEDS, Case, random_case, vectors
from repair_vectors import Gaps, punch
from voxel_prepare.errors import MalformedStream, MissingReliableBytes, RepairError, UnsupportedStream
from voxel_prepare.isobmff import Track, parse_fragments, parse_track
from voxel_prepare.repair.removal import RemovableFrame, remove_missing
from voxel_prepare.repair.remove_samples import remove_samples

SEEDS = st.integers(0, 1 << 32)


def case(seed: int) -> tuple[Case, Track]:
    made = random_case(Random(seed))
    return made, parse_track(made.init)


def times(track: Track, segment: bytes) -> list[tuple[int, int, int]]:
    """When each sample is shown, decoded, and for how long."""
    samples = [each for fragment in parse_fragments(segment, track.defaults) for each in fragment.samples]
    return [(each.presentation_time, each.decode_time, each.duration) for each in samples]


@settings(max_examples=300)
@given(seed=SEEDS)
def test_what_is_kept_is_shown_when_it_was_and_nothing_has_a_gap(seed: int) -> None:
    made, track = case(seed)
    whole = times(track, made.segment)
    try:
        repaired = remove_missing(track, punch(made.segment, made.gaps), Gaps(made.gaps), made.plan)
    except UnsupportedStream as refused:
        # Random plans move what they keep of many samples into one; those of vp9/dependencies.py leave room.
        assert re.fullmatch(r"(9|\d\d+) frames in a superframe, more than 8", str(refused))
        return
    assert len(repaired.frames) == len(whole)
    if not made.gaps:
        assert repaired.bytes == made.segment
        return
    kept = [time for time, frame in zip(whole, repaired.frames, strict=True) if not frame.removed]
    now = times(track, repaired.bytes)
    assert len(now) == len(kept)
    first = min(shown for shown, _, _ in whole)
    earliest = min(shown for shown, _, _ in kept)
    assert [shown for shown, _, _ in now] == [first if shown == earliest else shown for shown, _, _ in kept]
    ends = [shown + duration for shown, _, duration in sorted(now)]
    assert ends == [*(shown for shown, _, _ in sorted(now)[1:]), first + len(whole) * DURATION]
    assert [decoded for _, decoded, _ in now] == [
        whole[0][1] + sum(duration for _, _, duration in now[:place]) for place in range(len(now))
    ]


@given(seed=SEEDS, data=st.data())
def test_a_chunk_goes_on_where_what_came_before_it_ended(seed: int, data: st.DataObject) -> None:
    made, track = case(seed)
    whole = times(track, made.segment)
    removed = data.draw(st.sets(st.integers(0, len(whole) - 1), max_size=len(whole) - 1))
    late = data.draw(st.integers(0, 3)) * DURATION
    moved = [time for place, time in enumerate(whole) if place not in removed]
    until = max(0, moved[0][1] - late)
    now = times(track, remove_samples(track, made.segment, removed, decoded_until=until))
    assert [shown for shown, _, _ in now] == [shown for shown, _, _ in moved]
    decoded = [until, *(decode for _, decode, _ in moved[1:]), len(whole) * DURATION]
    assert [(decode, decode + duration) for _, decode, duration in now] == list(pairwise(decoded))


def test_a_fragment_without_samples_leaves_the_boxes_before_it() -> None:
    made, track = next((made, track) for made, track in map(case, range(99)) if len(made.segment.split(b"moof")) == 4)
    fragments = parse_fragments(made.segment, track.defaults)
    first = len(fragments[0].samples)
    removed = range(first, first + len(fragments[1].samples))
    left = remove_samples(track, made.segment, removed)
    assert left.count(b"moof") == 2
    assert left.count(b"styp") == 3


def test_the_first_sample_must_be_there() -> None:
    made, track = case(1)
    fragment = parse_fragments(made.segment, track.defaults)[0]
    first = fragment.samples[0]
    gaps = [(first.offset, first.offset + 1)]
    plan = [RemovableFrame(first.offset, first.offset + first.size, ())]
    with pytest.raises(MissingReliableBytes, match="first sample"):
        remove_missing(track, made.segment, Gaps(gaps), plan)
    with pytest.raises(MissingReliableBytes, match="in no frame of the plan"):
        remove_missing(track, made.segment, Gaps(gaps), [])
    with pytest.raises(MissingReliableBytes, match="outside the sample data"):
        remove_missing(track, made.segment, Gaps([(fragment.moof_end - 1, fragment.moof_end)]), [])


@settings(max_examples=300)
@given(seed=SEEDS, data=st.data())
def test_hostile_plans_and_segments_are_taken_or_refused(seed: int, data: st.DataObject) -> None:
    made, track = case(seed)
    segment = bytearray(made.segment)
    positions = st.integers(0, len(segment) + 9)
    for position, value in data.draw(st.lists(st.tuples(positions, st.integers(0, 255)), max_size=3)):
        if position < len(segment):
            segment[position] = value
    frames = st.builds(RemovableFrame, positions, positions, st.lists(st.integers(-1, 3), max_size=2).map(tuple))
    plan = data.draw(st.one_of(st.just(made.plan), st.lists(frames, max_size=3)))
    try:
        repaired = remove_missing(track, bytes(segment), Gaps(made.gaps), plan)
    except RepairError:
        return
    assert len(repaired.bytes) <= 16 * len(segment)
    times(track, repaired.bytes)


@pytest.mark.parametrize(
    ("start", "end", "needs", "message"),
    [
        (0, 1, (0,), "frame 0 of the plan needs one that does not stand before it"),
        (0, 1, (), "frame at 0 lies across others or samples"),
        (-1, 2, (), "frame at -1 lies across others or samples"),
        (1 << 20, 1 << 21, (), "frame at 1048576 lies in no sample"),
    ],
)
def test_plans_that_are_none(start: int, end: int, needs: tuple[int, ...], message: str) -> None:
    made, track = case(1)
    with pytest.raises(MalformedStream, match=message):
        remove_missing(track, made.segment, Gaps([]), [RemovableFrame(start, end, needs)])


def test_the_shared_vectors_are_what_this_package_makes() -> None:
    shared = json.loads((Path(__file__).parents[2] / "test/vectors/removal.json").read_text())
    assert json.loads(json.dumps(list(vectors(SELECTED_SEEDS)))) == shared
