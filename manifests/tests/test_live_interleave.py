"""Material of a container comes in the order of its times, whatever lies in front of what in the file."""

from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.live.interleave import MARGIN_SECONDS, WAIT_SECONDS, Interleaver

PICTURE, SOUND = 0, 1
Item = tuple[int, float]


def fragments(seconds: float, count: int) -> list[Item]:
    """All pictures of a fragment, then all of its sound, and so on."""
    items: list[Item] = []
    for fragment in range(count):
        start = fragment * seconds
        items += [(PICTURE, start + place / 25) for place in range(round(seconds * 25))]
        items += [(SOUND, start + place / 50) for place in range(round(seconds * 50))]
    return items


def put_through(items: list[Item], waited: float = 0.0) -> list[Item]:
    tracks: Interleaver[Item] = Interleaver(2)
    out: list[Item] = []
    for item in items:
        out += tracks.add(*item, item)
        out += tracks.ready(waited)
    return out + list(tracks.rest())


@given(st.sampled_from([0.2, 1.0, 2.0, 10.0]), st.integers(1, 4))
def test_fragments_come_in_the_order_of_their_times(seconds: float, count: int) -> None:
    items = fragments(seconds, count)
    assert put_through(items) == sorted(items, key=lambda item: (item[1], item[0]))


@given(st.lists(st.tuples(st.integers(0, 1), st.one_of(st.none(), st.floats(-1e6, 1e6))), max_size=60))
def test_whatever_the_times_are_everything_comes_once_and_a_track_in_its_order(
    items: list[tuple[int, float | None]],
) -> None:
    tracks: Interleaver[int] = Interleaver(2)
    out: list[int] = []
    for number, (track, seconds) in enumerate(items):
        out += tracks.add(track, seconds, number)
        out += tracks.ready(0.0)
    out += tracks.rest()
    assert sorted(out) == list(range(len(items)))
    for track in (PICTURE, SOUND):
        numbers = [number for number in out if items[number][0] == track]
        assert numbers == sorted(numbers)


def test_a_track_that_has_ended_is_not_awaited() -> None:
    tracks: Interleaver[Item] = Interleaver(2)
    lag = 0.8
    held = 0
    out: list[Item] = []
    for place in range(200):
        now = place / 25
        out += tracks.add(PICTURE, now, (PICTURE, now))
        if lag <= now < 4:  # sound comes .8 s after the pictures of its time, until it ends
            out += tracks.add(SOUND, now - lag, (SOUND, now - lag))
        out += tracks.ready(now)
        if now > 4 + lag + MARGIN_SECONDS:
            held = max(held, place + 1 - sum(track == PICTURE for track, _ in out))
    assert held == 0


def test_in_real_time_the_first_sound_is_awaited_for_a_second() -> None:
    tracks: Interleaver[int] = Interleaver(2)
    assert [*tracks.add(PICTURE, 0.0, 1), *tracks.ready(0.0)] == []
    assert [*tracks.add(PICTURE, 0.5, 2), *tracks.ready(WAIT_SECONDS / 2)] == []
    assert [*tracks.add(PICTURE, 1.1, 3), *tracks.ready(WAIT_SECONDS)] == [1, 2, 3]
