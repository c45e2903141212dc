"""When the pictures and the sound of an input are shown, whatever its container says of that."""

import pytest
from voxel_prepare.live.input_clock import InputClock, PictureTimes, SoundTimes

FRAME = 0.04


def test_what_the_container_says_holds() -> None:
    times = PictureTimes(FRAME, are_stated=True)
    times.wait()
    decoded = [0.0, 0.04, 0.08, 99.96, 2.96]
    stated = [0.08, 0.12, 0.2, 100.0, 3.0]
    assert [times.of(*each) for each in zip(stated, decoded, strict=True)] == stated
    assert times.of(3.08, None) == 3.08


def test_a_picture_without_a_time_follows_the_one_before() -> None:
    times = PictureTimes(FRAME, are_stated=True)
    assert [times.of(stated, 1.0) for stated in (1.0, None, 1.08)] == pytest.approx([1.0, 1.04, 1.08])


def test_where_only_decoding_has_times_the_first_picture_is_shown_when_the_first_packet_is_decoded() -> None:
    times = PictureTimes(FRAME, are_stated=False)
    times.wait()
    times.wait()
    pictures = [times.of(7.0, 5 + packet * FRAME) for packet in (2, 3, 3, 5)]
    rest = [times.of(7.0, None) for _ in range(2)]
    assert pictures + rest == pytest.approx([5 + place * FRAME for place in (0, 1, 2, 3, 4, 5)])


def test_times_that_are_not_in_the_order_of_the_pictures_are_those_of_decoding() -> None:
    times = PictureTimes(FRAME, are_stated=True)
    times.wait()
    times.wait()
    stated = [1, 3, 4, 2, 6, 7, 5, 9, 10, 8, 12]
    pictures = [times.of(at * FRAME, (2 + number) * FRAME) for number, at in enumerate(stated)]
    assert pictures[6:] == sorted(pictures[6:])
    assert pictures[7:] == pytest.approx([place * FRAME for place in (7, 8, 9, 10)])


def test_without_any_times_pictures_follow_each_other() -> None:
    times = PictureTimes(FRAME, are_stated=False)
    assert [times.of(None, None) for _ in range(3)] == pytest.approx([0.0, FRAME, 2 * FRAME])


def test_sound_of_another_rate_has_times_by_its_samples_between_those_that_the_container_states() -> None:
    """A container states one for some pieces, and FFmpeg counts on from there, with the rate of the beginning."""
    times = SoundTimes()
    assert [times.of(place * 1024 / 48_000, 1024, 48_000) for place in range(3)] == [0.0, 1024 / 48_000, 2048 / 48_000]
    for block in range(3):
        start = 1 + block * 7 * 1024 / 44_100
        found = [times.of(start + place * 1024 / 48_000, 1024, 44_100) for place in range(7)]
        assert found == pytest.approx([start + place * 1024 / 44_100 for place in range(7)])


@pytest.mark.parametrize("sound_first", [False, True])
def test_sound_goes_on_with_its_pictures_where_the_clock_begins_anew(sound_first: bool) -> None:
    """Their packets come mixed there: the last sound of before after the first picture, or the first after the last."""
    clock = InputClock(FRAME)
    assert clock.sound(4.9) is None
    assert clock.picture(5.0) == 0.0
    assert clock.sound(5.02) == pytest.approx(0.02)
    if sound_first:
        clock.sound(0.0)
        assert clock.picture(0.0) == pytest.approx(FRAME)
    else:
        assert clock.picture(0.0) == pytest.approx(FRAME)
        assert clock.sound(5.04) == pytest.approx(0.04)
        assert clock.sound(0.0) == pytest.approx(FRAME)
    assert clock.sound(0.1) == pytest.approx(FRAME + 0.1)
    assert clock.picture(0.04) == pytest.approx(2 * FRAME)
    assert clock.end == pytest.approx(3 * FRAME)
