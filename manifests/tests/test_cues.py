"""Cues of SCTE 35: what they say of time, and that whatever an input sends is a cue or is none."""

from base64 import b64decode
from pathlib import Path

import pytest
from cue_streams import (
    BREAK,
    Insertion,
    breaks,
    first_picture,
    sealed,
    segmentation,
    splice_info,
    splice_insert,
    splice_time,
    with_cues,
)
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from mpd_schema import DASH, check_mpd
from test_copied_sounds import make_stream
from test_copied_streams import SECONDS, copy
from voxel_prepare.live.copied.cues import Cue, read_cue
from voxel_prepare.live.copied.events import MOST, MOST_AHEAD, Events

CLOCK = 1 << 33
SIGNAL = "{http://www.scte.org/schemas/35/2016}"


def read(section: bytes) -> Cue:
    cue = read_cue(section)
    assert cue is not None
    return cue


def test_the_time_of_a_splice_is_that_of_its_command_and_the_adjustment() -> None:
    command = splice_insert(7, CLOCK - 5, 900_000)
    cue = read(splice_info(5, command, adjustment=10))
    assert (cue.time, cue.duration) == (5, 900_000)
    assert read(splice_info(6, splice_time(90_000))).time == 90_000


def test_a_splice_without_a_time_is_at_once() -> None:
    assert read(splice_info(5, splice_insert(7, None, None))).time is None
    assert read(splice_info(6, splice_time(None))).time is None


def test_a_segmentation_says_how_long_it_lasts() -> None:
    descriptors = b"\x00\x08CUEI\0\0\0\0" + segmentation(3, 0x34) + segmentation(3, 0x34, 1_234)
    assert read(splice_info(6, splice_time(5), descriptors)).duration == 1_234


def test_a_splice_of_components_has_the_time_of_the_first() -> None:
    command = b"\0\0\0\1\x7f\x0f\2" + b"\1" + splice_time(70) + b"\2" + splice_time(80) + bytes(4)
    assert read(splice_info(5, command)).time == 70


def test_what_is_said_again_at_another_time_is_the_same_but_not_what_differs() -> None:
    first, later = (read(splice_info(5, splice_insert(7, time, 900))) for time in (100, 200))
    assert first.identity == later.identity
    others = [
        splice_info(5, splice_insert(8, 100, 900)),
        splice_info(5, splice_insert(7, 100, 900, is_out=False)),
        splice_info(5, splice_insert(7, 100, 901)),
        splice_info(6, splice_time(100)),
        splice_info(6, splice_time(100), segmentation(7, 0x30)),
    ]
    identities = {read(section).identity for section in others}
    assert len(identities | {first.identity}) == len(others) + 1


@pytest.mark.parametrize(
    "section",
    [
        splice_info(0, b""),  # splice_null, which keeps the stream alive
        splice_info(7, b""),  # bandwidth_reservation
        splice_info(5, splice_insert(7, 100, 900)[:-1]),
        splice_info(5, splice_insert(7, 100, 900), b"\x02\xff")[:-6],
        b"\xfc",
        b"",
        b"\x00" + splice_info(6, splice_time(1))[1:],
        splice_info(6, splice_time(1))[:4] + b"\x80" + splice_info(6, splice_time(1))[5:],  # encrypted
    ],
)
def test_what_says_nothing_that_can_be_read_is_no_cue(section: bytes) -> None:
    assert read_cue(section) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_cue_or_none(data: bytes) -> None:
    read_cue(data)


@given(
    st.sampled_from([0, 4, 5, 6, 7, 0xFF]),
    st.binary(max_size=60),
    st.binary(max_size=60),
    st.integers(0, CLOCK - 1),
    st.integers(0, 0xFFF),
)
def test_any_command_and_descriptors_are_a_cue_within_bounds_or_none(
    kind: int, command: bytes, descriptors: bytes, adjustment: int, length: int
) -> None:
    for said in (len(command), length, 0xFFF):
        section = bytearray(splice_info(kind, command, descriptors, adjustment=adjustment))
        section[11:13] = (int.from_bytes(section[11:13]) & 0xF000 | said).to_bytes(2)
        cue = read_cue(bytes(section))
        if cue is not None:
            assert cue.time is None or 0 <= cue.time < CLOCK
            assert cue.duration is None or 0 <= cue.duration < 1 << 40
            assert cue.section == bytes(section)


def test_a_cue_that_is_repeated_or_comes_by_another_input_is_one_event() -> None:
    events = Events()
    for time in (90_000, 90_000, 91_000):
        events.add(read(splice_info(5, splice_insert(7, time, 900))), time, 0)
    events.add(read(splice_info(5, splice_insert(8, 90_000, 900))), 45_000, 0)
    assert [(event.id, event.time, event.duration) for event in events.listed(0)] == [
        (2, 45_000, 900),
        (1, 90_000, 900),
    ]
    assert [event.id for event in events.listed(50_000)] == [1]


def test_events_of_another_clock_are_left_out_and_a_flood_of_them_is_bounded() -> None:
    events = Events()
    events.add(read(splice_info(6, splice_time(1))), MOST_AHEAD + 2, 1)
    assert events.listed(0) == []
    for number in range(3 * MOST):
        events.add(read(splice_info(5, splice_insert(number, 1, None))), 90_000, 0)
    assert [event.id for event in events.listed(0)] == list(range(2 * MOST + 1, 3 * MOST + 1))


def events_of(folder: Path) -> list[tuple[int, int | None, bytes]]:
    """Time, duration and section of the events in the manifest."""
    found = []
    for event in etree.parse(folder / "manifest.mpd").getroot().iter(f"{{{DASH}}}Event"):
        binary = event.find(f"{SIGNAL}Signal/{SIGNAL}Binary")
        assert binary is not None
        duration = event.get("duration")
        section = b64decode(binary.text or "", validate=True)
        found.append((int(event.get("presentationTime", "")), int(duration) if duration else None, section))
    return found


def test_cues_are_events_at_their_places_among_the_pictures(tmp_path: Path) -> None:
    plain = make_stream(tmp_path / "plain.ts", (440,)).read_bytes()
    stream = tmp_path / "in.ts"
    stream.write_bytes(breaks(plain, (2.5, 4)))
    copy(tmp_path / "out", stream)
    check_mpd(tmp_path / "out" / "manifest.mpd")
    first = first_picture(plain)
    assert events_of(tmp_path / "out") == [
        (
            round(90_000 * at),
            90_000 * BREAK,
            splice_info(5, splice_insert(event, first + round(90_000 * at), 90_000 * BREAK)),
        )
        for event, at in enumerate((2.5, 4), 1)
    ]


def test_cues_of_a_clock_that_wraps_are_where_they_should_be(tmp_path: Path) -> None:
    offset = CLOCK / 90_000 - 3 - 1.4  # the muxer adds 1.4 s
    plain = make_stream(tmp_path / "plain.ts", (440,), "-output_ts_offset", f"{offset:.3f}").read_bytes()
    stream = tmp_path / "in.ts"
    stream.write_bytes(breaks(plain, (2, 4, 5)))
    copy(tmp_path / "out", stream)
    assert [time for time, *_ in events_of(tmp_path / "out")] == [180_000, 360_000, 450_000]


@pytest.mark.parametrize("is_sealed", [False, True])
def test_nonsense_among_the_cues_leaves_everything_else_as_it_is(tmp_path: Path, *, is_sealed: bool) -> None:
    plain = make_stream(tmp_path / "plain.ts", (440,)).read_bytes()
    good = splice_info(6, splice_time(first_picture(plain) + 4 * 90_000))
    bad = [
        bytes([0xFC, 0x30, 0x11]) + bytes(range(13)),
        bytes([0xFC, 0x3F, 0xFF]) + bytes(range(170)),
        b"\xff" * 183,
        good[:-4],
        bytes(183),
    ]
    made = [sealed(section) for section in bad] if is_sealed else bad
    insertions = [Insertion(1 + place / 10, section[:1000]) for place, section in enumerate(made)]
    stream = tmp_path / "in.ts"
    stream.write_bytes(with_cues(plain, [*insertions, Insertion(3, good)]))
    copy(tmp_path / "out", stream)
    assert (360_000, None, good) in events_of(tmp_path / "out")
    assert len(list((tmp_path / "out" / "v0").glob("*.m4s"))) == SECONDS
