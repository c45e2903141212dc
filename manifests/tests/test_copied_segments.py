"""`voxel-live --copy`: frames become chunks and segments, sound goes on, and what is missing is stood in for."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.isobmff.decode_times import reordering
from voxel_prepare.live.copied.aac import from_configuration, read_adts
from voxel_prepare.live.copied.costs import FrameCosts, copied_scores
from voxel_prepare.live.copied.cuts import Cuts
from voxel_prepare.live.copied.packets import TICKS, Packet, Placed
from voxel_prepare.live.copied.segments import CutChunk, Cutter
from voxel_prepare.live.copied.sound import FRAME_SAMPLES, SoundChunk, SoundLine
from voxel_prepare.repair.frames import Frame

FRAME = 3000


def frames(order: Sequence[int], first: int = 0, lost: Sequence[int] = ()) -> list[Placed]:
    """A group of pictures of which each is shown at a place of `order`, in decode order; `lost` never come."""
    delay = reordering(order)
    return [
        Placed(
            Packet("video", 0, b"%d" % (first + place), 0, 0, 0, is_key=place == 0),
            first + place * FRAME,
            first + (at - delay) * FRAME,
            (first + place * FRAME) // 90,
        )
        for at, place in enumerate(order)
        if at not in lost
    ]


def mini_groups(runs: Sequence[int]) -> list[int]:
    """Decode order of pictures with so many B pictures before each P picture, the middle one first."""
    order = [0]
    for run in runs:
        anchor = max(order)
        between = list(range(anchor + 1, anchor + run + 1))
        middle = between[len(between) // 2 : len(between) // 2 + 1]
        order += [anchor + run + 1, *middle, *(place for place in between if place not in middle)]
    return order


def check(chunks: Sequence[CutChunk]) -> None:
    """Whatever comes: what is written is decoded in order, never after it is shown, and records have no gap."""
    for one, other in pairwise(chunks):
        assert one.end == other.start
        assert one.is_last == (other.segment == one.segment + 1)
        assert other.segment in {one.segment, one.segment + 1}
    written = [frame for chunk in chunks for frame in chunk.frames]
    assert all(frame.shown >= frame.decoded and frame.duration > 0 for frame in written)
    assert all(one.decoded < other.decoded for one, other in pairwise(written))
    for before, after in pairwise(written):
        if not after.is_key:  # a browser waits for a key frame after a gap
            assert before.decoded + before.duration == after.decoded


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=12), min_size=1, max_size=4), st.integers(1, 8))
def test_every_structure_of_frames_is_written_whole_and_in_time(groups: list[list[int]], chunk_frames: int) -> None:
    orders = [mini_groups(runs) for runs in groups]
    length = max(map(len, orders))
    cuts = Cuts(Fraction(length * FRAME))
    cutter = Cutter(cuts, chunk_frames)
    came = [one for at, order in enumerate(orders) for one in frames(order, at * length * FRAME)]
    chunks = [chunk for one in came for chunk in cutter.add(one)] + list(cutter.finish())
    check(chunks)
    assert [frame.data for chunk in chunks for frame in chunk.frames] == [one.packet.data for one in came]
    assert [frame.shown for chunk in chunks for frame in chunk.frames] == [one.shown for one in came]
    assert [chunk.frames[0].decoded for chunk in chunks if chunk.position == 0] == [
        at * length * FRAME for at in range(len(orders))
    ]


@given(st.lists(st.integers(0, 3), min_size=4, max_size=12), st.sets(st.integers(1, 30), max_size=8))
def test_frames_that_are_lost_leave_no_gap_in_decoding(runs: list[int], lost: set[int]) -> None:
    order = mini_groups(runs)
    cuts = Cuts(Fraction(len(order) * FRAME))
    cutter = Cutter(cuts, 4)
    came = frames(order, lost=list(lost)) + frames(order, len(order) * FRAME)
    chunks = [chunk for one in came for chunk in cutter.add(one)] + list(cutter.finish())
    check(chunks)
    assert [frame.data for chunk in chunks for frame in chunk.frames] == [one.packet.data for one in came]


def test_chunks_are_a_key_frame_and_then_groups_that_can_be_shown() -> None:
    order = mini_groups([3, 3, 1, 3, 0, 0])
    cutter = Cutter(Cuts(Fraction(len(order) * FRAME)), 4)
    chunks = [chunk for one in frames(order) for chunk in cutter.add(one)] + list(cutter.finish())
    assert [len(chunk.frames) for chunk in chunks] == [1, 4, 4, 6, 2]
    for chunk, other in pairwise(chunks):
        assert max(frame.shown for frame in chunk.frames) < min(frame.shown for frame in other.frames)


def test_without_b_frames_chunks_have_as_many_frames_as_wanted() -> None:
    cutter = Cutter(Cuts(Fraction(10 * FRAME)), 4)
    chunks = [chunk for one in frames(range(10)) for chunk in cutter.add(one)] + list(cutter.finish())
    assert [len(chunk.frames) for chunk in chunks] == [4, 4, 2]


def test_the_last_picture_stays_and_then_the_last_key_frame_until_the_next_cut() -> None:
    cutter = Cutter(Cuts(Fraction(TICKS)), 4)
    chunks = [chunk for one in frames(range(20)) for chunk in cutter.add(one)]
    assert list(cutter.overdue(19 * FRAME)) == []
    chunks += cutter.overdue(21 * FRAME)
    assert (chunks[-1].is_last, chunks[-1].end) == (True, TICKS)
    assert chunks[-1].frames[-1].shown + chunks[-1].frames[-1].duration == TICKS
    chunks += cutter.overdue(2 * TICKS)
    assert [(chunk.segment, chunk.is_still, chunk.frames[0].data) for chunk in chunks[-1:]] == [(1, True, b"0")]
    chunks += [chunk for one in frames(range(30), 3 * TICKS) for chunk in cutter.add(one)]
    check(chunks)
    assert [chunk.segment for chunk in chunks if chunk.is_still] == [1, 2]
    assert cutter.stills == 0


@pytest.mark.parametrize("off", [-9000, 5 * FRAME // 4])
@pytest.mark.parametrize("stills", [0, 2])
def test_records_have_no_gap_where_the_next_cut_is_not_where_it_was_expected(off: int, stills: int) -> None:
    cutter = Cutter(Cuts(Fraction(TICKS)), 4)
    chunks = [chunk for one in frames(range(20)) for chunk in cutter.add(one)]
    chunks += cutter.overdue(21 * FRAME if stills == 0 else stills * TICKS + TICKS)
    next_ = frames(range(30), TICKS * (1 + stills) + off)
    chunks += [chunk for one in next_ for chunk in cutter.add(one)] + list(cutter.finish())
    check(chunks)
    assert [chunk.segment for chunk in chunks if chunk.is_still] == list(range(1, 1 + stills))
    assert [frame.shown for frame in chunks[-1].frames] == [one.shown for one in next_[-len(chunks[-1].frames) :]]


def test_a_still_begins_where_the_segment_before_it_ended_though_others_were_cut_later() -> None:
    cuts = Cuts(Fraction(TICKS))
    cutter = Cutter(cuts, 4)
    chunks = [chunk for one in frames(range(20)) for chunk in cutter.add(one)]
    chunks += cutter.overdue(21 * FRAME)
    cuts.cut(TICKS + 1500)
    chunks += cutter.overdue(2 * TICKS)
    check(chunks)
    assert [chunk.start for chunk in chunks if chunk.is_still] == [TICKS]


def test_what_comes_too_late_for_its_segment_waits_for_the_next_cut() -> None:
    cutter = Cutter(Cuts(Fraction(TICKS)), 4)
    late = frames(range(30)) + frames(range(30), TICKS) + frames(range(30), 2 * TICKS)
    chunks = [chunk for one in late[:20] for chunk in cutter.add(one)]
    chunks += cutter.overdue(2 * TICKS)
    chunks += [chunk for one in late[20:] for chunk in cutter.add(one)]
    check(chunks)
    assert {chunk.segment for chunk in chunks if not chunk.is_still} == {0, 2}


def test_a_segment_without_its_key_frame_is_left_out() -> None:
    cutter = Cutter(Cuts(Fraction(TICKS)), 4)
    came = frames(range(30)) + frames(range(30), TICKS)[1:] + frames(range(30), 2 * TICKS)
    chunks = [chunk for one in came for chunk in cutter.add(one)]
    check(chunks)
    assert [chunk.segment for chunk in chunks if chunk.is_still] == [1]


def test_a_key_frame_inside_a_segment_is_one_of_its_frames() -> None:
    cutter = Cutter(Cuts(Fraction(2 * TICKS)), 4)
    came = frames(range(30)) + frames(range(30), TICKS) + frames(range(30), 2 * TICKS)
    chunks = [chunk for one in came for chunk in cutter.add(one)]
    check(chunks)
    assert sum(frame.is_key for chunk in chunks if chunk.segment == 0 for frame in chunk.frames) == 2


def sound(line: SoundLine, places: Sequence[float], first: int = 0) -> list[SoundChunk]:
    """Frames at places in frames since media time 0."""
    return [
        chunk for place in places for chunk in line.add(b"s", round(place * FRAME_SAMPLES * TICKS / 48_000), first)
    ] + list(line.finish())


def written(chunks: Sequence[SoundChunk]) -> list[bytes]:
    return [data for chunk in chunks for data, _ in chunk.frames]


@given(st.lists(st.floats(-0.2, 0.2), min_size=1, max_size=300))
def test_sound_with_rounded_times_is_appended_without_a_gap(jitter: list[float]) -> None:
    chunks = sound(SoundLine(48_000, Fraction(1), 6, b"-"), [1 + at + off for at, off in enumerate(jitter)])
    assert written(chunks) == [b"s"] * len(jitter)
    for one, other in pairwise(chunks):
        assert one.start + sum(duration for _, duration in one.frames) == other.start
        assert one.is_last == (other.start // 48_000 > one.start // 48_000)


@given(st.floats(0.6, 200), st.integers(1, 60))
def test_sound_after_a_gap_is_where_its_sender_has_it(gap: float, before: int) -> None:
    places = [*range(before), *(before + gap + at for at in range(60))]
    chunks = sound(SoundLine(48_000, Fraction(1), 6, b"-"), places)
    found = [
        start + sum(duration for _, duration in chunk.frames[:at])
        for chunk in chunks
        for start in [chunk.start]
        for at, (data, _) in enumerate(chunk.frames)
        if data == b"s"
    ]
    assert len(found) == before + 60
    assert all(abs(at - place * FRAME_SAMPLES) <= 1 for at, place in zip(found, places, strict=True))
    assert written(chunks).count(b"-") == int(gap + 0.001) or written(chunks).count(b"-") == int(gap)


def test_sound_that_comes_again_is_left_out() -> None:
    assert len(written(sound(SoundLine(48_000, Fraction(1), 6, b"-"), [0, 1, 2, 3, 2, 3, 4]))) == 5


def test_sound_begins_with_the_pictures() -> None:
    chunks = sound(SoundLine(48_000, Fraction(1), 6, b"-"), [at + 0.5 for at in range(100)], first=1)
    assert chunks[0].start >= 48_000
    assert chunks[0].start == round(47.5 * FRAME_SAMPLES) - FRAME_SAMPLES or chunks[0].start < 48_000 + FRAME_SAMPLES


def test_adts_is_taken_off_and_says_how_sound_is_decoded() -> None:
    raw = bytes(range(40))
    head = 0xFFF1 << 40 | 1 << 38 | 3 << 34 | 2 << 30 | (7 + len(raw)) << 13 | 0x7FF << 2
    found = read_adts(head.to_bytes(7) + raw)
    assert found is not None
    assert (found[0].rate, found[0].channels, found[0].codecs) == (48_000, 2, "mp4a.40.2")
    assert found[1] == raw
    assert from_configuration(found[0].configuration) == found[0]


@given(st.binary(max_size=64))
def test_any_bytes_are_read_as_sound_or_refused(data: bytes) -> None:
    read_adts(data)
    read_adts(b"\xff\xf1" + data)
    from_configuration(data)


def coded(order: Sequence[int], sizes: dict[int, int]) -> list[Frame]:
    return [
        Frame(
            at,
            "I" if place == 0 else "P" if at and place > max(order[:at]) else "B",
            place in {0, 2, 4, 6},
            place,
            (ByteRange(0, sizes.get(place, 100)),) if place else (),
        )
        for at, place in enumerate(order)
    ]


def test_costs_tell_references_from_leaves_and_great_changes_from_small_ones() -> None:
    order = [0, 2, 1, 4, 3, 6, 5]
    costs = FrameCosts()
    costs.begin()
    costs.of(coded(order, {}))
    costs.begin()
    of_place = dict(zip(order, costs.of(coded(order, {3: 400})), strict=True))
    assert of_place[2] > of_place[4] > of_place[6] > 0
    assert of_place[3] == pytest.approx(2 * of_place[1])
    assert of_place[2] > of_place[1]


def test_scores_fall_with_the_bitrate_and_the_reliable_part_is_worth_less() -> None:
    top, low = copied_scores(2e6, 2e6, 30), copied_scores(5e5, 2e6, 30)
    assert top.whole == 1
    assert low.whole == pytest.approx(0.954)
    assert 0.8 < low.reliable < low.whole
