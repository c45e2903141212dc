"""Cues of SCTE 35: what they say of time, and that whatever an input sends is a cue or is none."""

import os
import signal
from base64 import b64decode
from fractions import Fraction
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
from processes import wait_for
from test_copied_sounds import make_stream
from test_copied_streams import SECONDS, copy, samples, sent, start
from voxel_prepare.live.copied.cues import Cue, read_cue
from voxel_prepare.live.copied.events import MOST, MOST_AHEAD, Events
from voxel_prepare.manifest.date_ranges import date_ranges
from voxel_prepare.manifest.live_mpd import LiveEvent

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
    cue = read(splice_info(6, splice_time(5), descriptors))
    assert (cue.duration, cue.splice, cue.splice_id) == (None, "OUT", 3)
    assert read(splice_info(6, splice_time(5), segmentation(3, 0x34, 1_234))).duration == 1_234


@pytest.mark.parametrize(
    ("section", "splice", "id_"),
    [
        (splice_info(5, splice_insert(7, 1, 900)), "OUT", 7),
        (splice_info(5, splice_insert(7, 1, None, is_out=False)), "IN", 7),
        (splice_info(5, b"\0\0\0\7\xff"), None, 7),  # cancelled
        (splice_info(6, splice_time(1)), "CMD", None),
        (splice_info(6, splice_time(1), segmentation(8, 0x10)), "CMD", 8),
        (splice_info(6, splice_time(1), segmentation(8, 0x10) + segmentation(9, 0x34)), "OUT", 9),
        (splice_info(6, splice_time(1), segmentation(9, 0x35)), "IN", 9),
        (splice_info(0xFF, b"CUEIxy"), "CMD", None),
    ],
)
def test_what_begins_and_ends_a_break_is_known(section: bytes, splice: str | None, id_: int | None) -> None:
    assert (read(section).splice, read(section).splice_id) == (splice, id_)


def test_both_ends_of_a_break_have_the_id_of_its_date_range() -> None:
    events = [
        LiveEvent(1, 0, 900, b"\1", "OUT", 5),
        LiveEvent(2, 90_000, 180_000, b"\2", "OUT", 7),
        LiveEvent(3, 135_000, None, b"\xab"),
        LiveEvent(4, 225_000, None, b"\3", "IN", 7),
        LiveEvent(5, 225_000, None, b"\4", None, 8),  # called off
        LiveEvent(6, 315_000, None, b"\5", "IN", 7),
    ]
    assert date_ranges(events, 1_795_000_000_007, Fraction(1)) == [
        f"#EXT-X-DATERANGE:{attributes}"
        for attributes in (
            'ID="2",START-DATE="2026-11-18T11:06:41.007Z",PLANNED-DURATION=2.000,SCTE35-OUT=0x02',
            'ID="3",START-DATE="2026-11-18T11:06:41.507Z",SCTE35-CMD=0xAB',
            'ID="2",START-DATE="2026-11-18T11:06:41.007Z",END-DATE="2026-11-18T11:06:42.507Z",DURATION=1.500,'
            "SCTE35-IN=0x03",
            'ID="6",START-DATE="2026-11-18T11:06:43.507Z",SCTE35-IN=0x05',
        )
    ]


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
    for name in ("v0/media.m3u8", "v0/whole.m3u8", "a0/media.m3u8"):
        lines = (tmp_path / "out" / name).read_text().splitlines()
        assert [line.count("SCTE35-OUT=0xFC30") for line in lines if "DATERANGE" in line] == [1, 1], name
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


def test_cues_of_an_encoder_that_begins_anew_are_among_its_pictures(tmp_path: Path) -> None:
    plain = make_stream(tmp_path / "plain.ts", (440,)).read_bytes()
    stream, pipe, out = tmp_path / "in.ts", tmp_path / "pipe", tmp_path / "out"
    stream.write_bytes(breaks(plain, (2.5, 4)))
    os.mkfifo(pipe)
    process = start(out, pipe)
    for _ in range(2):  # the pipe is read no faster than the stream plays
        pipe.write_bytes(stream.read_bytes())
    last = sent(stream)[-1][1]
    wait_for(lambda: [data for _, data in samples(out / "v0")].count(last) == 2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    first = sent(stream)[0][1]
    begins = [one.presentation_time for one, data in samples(out / "v0") if data == first]
    # What stands in for it between the two may be its first picture again.
    wanted = [begin + round(90_000 * at) for begin in (begins[0], begins[-1]) for at in (2.5, 4)]
    assert [time for time, *_ in events_of(out)] == wanted
