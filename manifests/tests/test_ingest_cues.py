"""Cues in `emsg` boxes of CMAF tracks, whatever their bytes are."""

import struct
import time as clock
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from clips import ffmpeg
from cue_streams import splice_info, splice_insert
from fmp4_builder import box
from hypothesis import given
from hypothesis import strategies as st
from ingested import FRAME, TIMESCALE, VIDEO, Sender, chunked, head, pictures
from test_copied_streams import make_streams
from test_cues import events_of
from test_ingest_encoders import Ingest
from voxel_prepare.live.copied.ingest.body import MOST_EVENTS, BodyReader, Header, Media
from voxel_prepare.live.copied.ingest.events import read_event
from voxel_prepare.live.copied.ingest.tracks import IngestTracks
from voxel_prepare.live.copied.notes import CueFound, Note
from voxel_prepare.live.copied.packets import TICKS, Packet

SCHEME = b"urn:scte:scte35:2013:bin\0\0"
SECTION = splice_info(5, splice_insert(7, 1234, None))


def event(version: int, time: int, duration: int, section: bytes = SECTION, scheme: bytes = SCHEME) -> bytes:
    if version == 0:
        fields = scheme + struct.pack(">4I", 1000, time, duration, 1)
    else:
        fields = struct.pack(">IQII", 1000, time, duration, 1) + scheme
    return box("emsg", bytes([version, 0, 0, 0]), fields, section)


def notes(*parts: bytes) -> list[Note]:
    """What a body says, with the header before it."""
    found: list[Note] = []
    tracks = IngestTracks(0, found.append, lambda: 0)
    for part in BodyReader().feed(VIDEO + b"".join(parts)):
        if isinstance(part, Header):
            tracks.header("v", part.data)
        else:
            tracks.media("v", part.data, part.events)
    return found


@pytest.mark.parametrize(("version", "time"), [(0, 500), (1, 1500)])
def test_a_cue_has_the_time_of_its_box(version: int, time: int) -> None:
    found = notes(event(version, time, 2000), pictures(range(2), first=TIMESCALE // FRAME))
    (cue,) = [note.content.cue for note in found if isinstance(note.content, CueFound)]
    assert (cue.section, cue.time, cue.duration, cue.splice) == (SECTION, 3 * TICKS // 2, 2 * TICKS, "OUT")
    assert sum(isinstance(note.content, Packet) for note in found) == 2


def test_other_events_are_passed_over_and_too_many_too() -> None:
    (media,) = BodyReader().feed(event(1, 0, 1) * 3 * MOST_EVENTS + pictures([0]))
    assert isinstance(media, Media)
    assert len(media.events) == MOST_EVENTS
    for other in (event(1, 0, 1, scheme=b"urn:other\0\0"), event(2, 0, 1), event(1, 0, 1, section=b"")):
        assert not [note for note in notes(other, pictures([0])) if isinstance(note.content, CueFound)]


def test_a_body_may_end_after_an_event() -> None:
    reader = BodyReader()
    assert list(reader.feed(event(1, 0, 1))) == []
    assert reader.is_whole


def test_cues_of_an_encoder_are_events_among_its_pictures(tmp_path: Path) -> None:
    (stream, *_) = make_streams(tmp_path)
    plain = tmp_path / "plain.mp4"
    fragmented = ("-movflags", "frag_keyframe+empty_moov+default_base_moof")
    ffmpeg("-i", stream, "-map", "0:v", "-c", "copy", "-tag:v", "avc1", *fragmented, plain)
    first, *rest = plain.read_bytes().split(b"moof")
    fragments = [data[:-4] for data in rest[:-1]] + [rest[-1]]
    sizes = [first[-4:], *(data[-4:] for data in rest)]
    ingest = Ingest(tmp_path / "out")
    url = urlsplit(ingest.url)
    sender = Sender(url.port or 0)
    sender.send(head(f"{url.path}video.cmfv", "Transfer-Encoding: chunked") + chunked(first[:-4]))
    for place, (size, fragment) in enumerate(zip(sizes, fragments, strict=False)):
        cue = event(0, 2500, 1000) if place == 2 else b""
        sender.send(chunked(cue + size + b"moof" + fragment))
        clock.sleep(0.5)  # as an encoder does, but in a hurry
    sender.send(b"0\r\n\r\n")
    assert sender.answer() == 200
    ingest.end()
    assert events_of(tmp_path / "out") == [(round(4.5 * TICKS), TICKS, SECTION)]


@given(st.sampled_from([0, 1, 2]), st.binary(max_size=60), st.booleans())
def test_any_event_is_a_cue_or_none(version: int, data: bytes, is_scheme: bool) -> None:
    for fields in (data, SCHEME + data + SECTION, data[:20].ljust(20, b"\0") + SCHEME + SECTION):
        cue = read_event(box("emsg", bytes([version, 0, 0, 0]), fields if is_scheme else data), lambda time, _: time, 0)
        assert cue is None or cue.time is not None
    assert read_event(data, lambda time, _: time, 0) is None or data
