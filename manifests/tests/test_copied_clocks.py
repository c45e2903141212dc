"""`voxel-live --copy`: times of senders become places on one timeline."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.errors import InputError
from voxel_prepare.live.copied.alignment import Alignment, InputLine
from voxel_prepare.live.copied.cuts import Cuts
from voxel_prepare.live.copied.packets import TICKS, Packet, Placed
from voxel_prepare.live.copied.stamps import TS_WRAP, Stamped, Stamps, unwrapped
from voxel_prepare.live.copied.start import TrackStart, segment_ticks, track_start

FRAME = 3000
GOP = 30
NOW = 1_700_000_000 * TICKS
"""Ticks since 1970."""


def packet(shown: int, arrived: int, *, is_key: bool = False, delay: int = 0, wrap: int | None = None) -> Packet:
    decoded = shown - delay
    if wrap:
        shown, decoded = shown % wrap, decoded % wrap
    return Packet("video", 0, b"x", shown, decoded, arrived, is_key)


def pictures(first: int, arrived: int, count: int, wrap: int | None = None) -> list[Packet]:
    """A key frame each second from a time of the sender on, the first of which comes at `arrived`."""
    return [
        packet(first + place * FRAME, arrived + place * FRAME, is_key=place % GOP == 0, wrap=wrap)
        for place in range(count)
    ]


def line(number: int = 0, wrap: int | None = None) -> InputLine:
    return InputLine(number, wrap, lambda: None)


def place(to: InputLine, packets: list[Packet], alignment: Alignment, least: int = 0) -> list[Placed]:
    """Feeds packets as they come, and looks for a place after each."""
    placed: list[Placed] = []
    for one in packets:
        placed += to.add(one, alignment)
        placed += to.settle(one.arrived, alignment, least)
    return placed


def test_sound_that_overtakes_the_first_key_frame_is_heard_with_it() -> None:
    sounds = [Packet("audio", 0, b"x", at, at, NOW, is_key=True) for at in range(0, 6 * FRAME, 2 * FRAME)]
    before = packet(2 * FRAME, NOW)
    first, *others = pictures(3 * FRAME, NOW, 15)
    placed = place(line(), [*sounds, before, first, *others], Alignment(Cuts(Fraction(TICKS)), NOW))
    heard = [(one.packet.shown, one.shown - placed[-1].shown) for one in placed if one.packet.kind == "audio"]
    assert heard == [(4 * FRAME, -13 * FRAME)]
    assert [one.packet for one in placed if one.packet.kind == "video"] == [first, *others]


@given(st.integers(0, TS_WRAP - 1), st.lists(st.integers(1, 40 * FRAME), min_size=1, max_size=40))
def test_a_clock_of_33_bits_goes_on_across_its_end(start: int, steps: list[int]) -> None:
    time, near = start, start
    for step in steps:
        time += step
        near = unwrapped(time % TS_WRAP, near, TS_WRAP)
        assert near == time


@given(st.integers(0, 3), st.integers(0, 100))
def test_pictures_keep_their_distances_across_a_wrap_whatever_the_delay(delay: int, before: int) -> None:
    stamps = Stamps(TS_WRAP)
    first = TS_WRAP - before * FRAME
    found = [
        stamps.add(packet(first + at * FRAME, NOW + at * FRAME, delay=delay * FRAME, wrap=TS_WRAP)) for at in range(120)
    ]
    assert {one.run for one in found} == {0}
    assert [one.shown - found[0].shown for one in found] == [at * FRAME for at in range(120)]
    assert {one.shown - one.decoded for one in found} == {delay * FRAME}


@pytest.mark.parametrize("begin", [0, 40 * TICKS, 5 * TICKS - FRAME])
def test_a_clock_that_begins_anew_is_another_run(begin: int) -> None:
    stamps = Stamps(None)
    for one in pictures(0, NOW, 150):
        assert stamps.add(one).run == 0
    assert stamps.add(packet(begin, NOW + 5 * TICKS + FRAME)).run == 1


def test_a_clock_that_went_on_while_nothing_came_is_the_same() -> None:
    stamps = Stamps(None)
    stamps.add(packet(0, NOW))
    assert stamps.add(packet(30 * TICKS, NOW + 30 * TICKS)).run == 0
    assert stamps.add(packet(30 * TICKS + FRAME, NOW + 60 * TICKS)).run == 0  # late


@pytest.mark.parametrize("held", [1, 2])
@pytest.mark.parametrize("before", [0, 1])
def test_frames_that_were_held_while_nothing_came_do_not_make_the_silence_shorter(held: int, before: int) -> None:
    """The encoder has begun anew before that, or not; its first clock does not get the packets."""
    stamps = Stamps(TS_WRAP)
    came = pictures(3 * TICKS, NOW - 9 * TICKS, 240)[: 240 * before] + pictures(TICKS, NOW, 240)
    for one in [*came[:-held], *(replace(one, arrived=one.arrived + 10 * TICKS) for one in came[-held:])]:
        run = stamps.add(one).run
    assert run == before
    for at in range(800, 1000):
        opened = max(at, 845)  # What comes meanwhile is read after that.
        found = stamps.add(packet(TICKS + at * FRAME, NOW + opened * FRAME))
        assert (found.run, found.decoded) == (before, TICKS + at * FRAME)


def test_a_clock_that_has_stood_still_does_not_get_the_time_back() -> None:
    stamps = Stamps(None)
    for one in pictures(0, NOW, 30) + pictures(30 * FRAME, NOW + 60 * TICKS, 30):
        assert stamps.add(one).run == 0
    assert stamps.add(packet(20 * TICKS, NOW + 61 * TICKS)).run == 1


def test_sound_of_the_run_before_is_not_of_the_new_one() -> None:
    stamps = Stamps(None)

    def sound(at: int) -> Packet:
        return Packet("audio", 0, b"", at, at, NOW, is_key=True)

    stamps.add(packet(100 * TICKS, NOW))
    stamps.add(sound(100 * TICKS))
    assert stamps.add(packet(0, NOW)).run == 1
    assert stamps.add(sound(100 * TICKS + 1920)).run == 0
    assert stamps.add(sound(0)).run == 1


@given(st.integers(0, 2**40), st.integers(-2, 2))
def test_inputs_of_one_encoder_stay_together_to_the_tick(start: int, late: int) -> None:
    alignment = Alignment(Cuts(Fraction(TICKS)), NOW)
    one, other = line(0), line(1)
    ours = place(one, pictures(start, NOW, 60), alignment)
    # The other one comes a little later, or earlier.
    theirs = place(other, pictures(start, NOW + late * FRAME, 60), alignment)
    assert [each.shown for each in ours] == [at * FRAME for at in range(60)]
    assert [each.shown for each in theirs] == [each.shown for each in ours]


def test_what_was_sent_while_an_input_was_opened_is_not_late() -> None:
    alignment = Alignment(Cuts(Fraction(TICKS)), NOW)
    burst = [packet(at * FRAME, NOW + 2 * TICKS, is_key=at % GOP == 0) for at in range(60)]
    live = pictures(2 * TICKS, NOW + 2 * TICKS, 60)
    placed = place(line(), burst + live, alignment)
    assert placed[0].shown == 0
    assert placed[0].captured == NOW * 1000 // TICKS


def test_an_encoder_that_begins_anew_goes_on_at_the_next_segment() -> None:
    alignment = Alignment(Cuts(Fraction(TICKS)), NOW)
    copied = line()
    place(copied, pictures(0, NOW, 75), alignment)
    again = place(copied, pictures(7, NOW + 4 * TICKS + 5000, 60), alignment, least=4)
    assert again[0].packet.is_key
    assert [each.shown for each in again] == [5 * TICKS + at * FRAME for at in range(len(again))]
    assert again[0].captured == (NOW + 4 * TICKS + 5000) * 1000 // TICKS


def test_all_inputs_of_an_encoder_that_begins_anew_are_together_again() -> None:
    alignment = Alignment(Cuts(Fraction(TICKS)), NOW)
    lines = [line(number) for number in range(3)]
    for one in lines:
        place(one, pictures(0, NOW, 75), alignment)
    for number in range(3):  # silent for long
        alignment.leave(number)
    found = [
        place(one, pictures(7, NOW + 6 * TICKS + 5000 + late * 400, 60), alignment, least=6)
        for late, one in enumerate(lines)
    ]
    assert {tuple(each.shown for each in placed) for placed in found} == {
        tuple(7 * TICKS + at * FRAME for at in range(60))
    }


def test_an_input_with_key_frames_between_those_of_others_is_left_out() -> None:
    alignment = Alignment(Cuts(Fraction(TICKS)), NOW)
    said: list[str] = []
    place(line(0), pictures(0, NOW, 60), alignment)
    other = InputLine(1, None, lambda: said.append("left out"))
    assert place(other, pictures(55 * TICKS, NOW + TICKS // 2, 60), alignment) == []
    assert said
    # And is taken once they are not.
    late = place(other, pictures(500 * TICKS, NOW + 10 * TICKS + 100, 60), alignment)
    assert [each.shown for each in late[:2]] == [10 * TICKS, 10 * TICKS + FRAME]


@pytest.mark.parametrize("off", [-2000, 2000])
def test_key_frames_of_one_clock_that_are_a_little_apart_are_put_together(off: int) -> None:
    """An encoder's first output may have sound, which begins before the pictures."""
    cuts = Cuts(Fraction(TICKS))
    alignment = Alignment(cuts, NOW)
    for one in place(line(0), pictures(TICKS, NOW, 60), alignment):
        if one.packet.is_key:
            cuts.cut(one.shown)
    theirs = place(line(1), pictures(TICKS + off, NOW + 300, 60), alignment)
    assert [each.shown for each in theirs] == [at * FRAME for at in range(60)]


def test_what_another_input_sent_before_the_beginning_is_left_out() -> None:
    alignment = Alignment(Cuts(Fraction(TICKS)), NOW)
    said: list[str] = []
    place(line(0), pictures(5 * TICKS, NOW, 60), alignment)
    other = InputLine(1, None, lambda: said.append("left out"))
    theirs = place(other, [packet(4 * TICKS, NOW, is_key=True), *pictures(5 * TICKS, NOW, 60)], alignment)
    assert [each.shown for each in theirs] == [at * FRAME for at in range(60)]
    assert said == []


def test_an_input_that_is_late_for_good_gets_another_place() -> None:
    alignment = Alignment(Cuts(Fraction(TICKS)), NOW)
    copied = line()
    place(copied, pictures(0, NOW, 60), alignment)
    late = place(copied, pictures(2 * TICKS, NOW + 12 * TICKS, 300), alignment)
    assert late[0].shown == 2 * TICKS
    off = [one.packet.arrived - NOW - one.shown for one in late]
    assert off[0] == 10 * TICKS
    assert abs(off[-1]) <= TICKS


def test_key_frames_that_drift_away_from_their_places_get_another_place() -> None:
    cuts = Cuts(Fraction(TICKS))
    alignment = Alignment(cuts, NOW)
    drifting = [packet(at * 3300, NOW + at * 3300, is_key=at % GOP == 0) for at in range(1200)]
    placed = [one for one in place(line(), drifting, alignment) if one.packet.is_key]
    assert len({one.shown - one.packet.shown for one in placed}) > 1
    at_cuts = [cuts.near(one.shown) is not None for one in placed]
    assert at_cuts.count(True) >= len(at_cuts) // 2


@pytest.mark.parametrize("off", [-100 * TICKS, 100 * TICKS])
def test_a_picture_with_a_wrong_time_is_left_out_and_moves_no_other(off: int) -> None:
    came = pictures(200 * TICKS, NOW, 90)
    came[GOP] = replace(came[GOP], shown=came[GOP].shown + off)
    placed = place(line(), came, Alignment(Cuts(Fraction(TICKS)), NOW))
    assert [one.shown for one in placed] == [at * FRAME for at in range(90) if at != GOP]


def test_cuts_are_the_same_in_all_representations() -> None:
    cuts = Cuts(Fraction(TICKS))
    assert cuts.cut(30) == 0
    assert cuts.cut(TICKS + 3000) == 1
    assert cuts.cut(TICKS + 3000 + 90) == 1
    assert cuts.cut(TICKS) is None  # of another picture
    assert cuts.cut(TICKS * 3 // 2) is None  # inside a segment
    assert cuts.start(1) == TICKS + 3000
    assert cuts.start(2) == 2 * TICKS


def start_of(rate: Fraction, gop: int) -> TrackStart:
    times = [round(TICKS * at / rate) for at in range(4 * gop)]
    waiting = [
        (Stamped(0, time, time), Packet("video", 0, bytes(100), time, time, 0, at % gop == 0))
        for at, time in enumerate(times)
    ]
    found = track_start(waiting, 0)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("rate", "gop", "wanted", "seconds"),
    [
        (Fraction(30), 30, None, Fraction(1)),
        (Fraction(30), 15, None, Fraction(1)),
        (Fraction(25), 50, None, Fraction(2)),
        (Fraction(30_000, 1001), 30, None, Fraction(1001, 1000)),
        (Fraction(24_000, 1001), 30, None, Fraction(1001, 800)),
        (Fraction(30), 30, 4, Fraction(4)),
    ],
)
def test_segments_last_as_long_as_groups_of_pictures(
    rate: Fraction, gop: int, wanted: float | None, seconds: Fraction
) -> None:
    assert segment_ticks([start_of(rate, gop)], wanted) == seconds * TICKS


def test_a_segment_that_is_no_multiple_is_refused() -> None:
    with pytest.raises(InputError, match=r"--segment: key frames come every 2 s: expected a multiple, got 3"):
        segment_ticks([start_of(Fraction(30), 60)], 3)
    with pytest.raises(InputError, match="a key frame every 10 s"):
        segment_ticks([start_of(Fraction(30), 600)], None)
