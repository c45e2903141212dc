"""`voxel-live --ingest`: what a CMAF track says, whatever its bytes are."""

import struct
from fractions import Fraction
from pathlib import Path

import pytest
from fmp4_builder import avcc_of, box, init_segment, u32
from hypothesis import given, settings
from hypothesis import strategies as st
from ingested import AAC_LC, AVCC, FRAME, GOP, HEVC, SOUND, TIMESCALE, VIDEO, picture, pictures
from voxel_prepare.errors import InputError
from voxel_prepare.isobmff import Mp4Error, UnsupportedMp4
from voxel_prepare.isobmff.descriptors import AAC, decoder_config
from voxel_prepare.isobmff.edits import edit_offset
from voxel_prepare.isobmff.writer import NewSample, VideoEntry, sample_flags, video_init, write_fragment
from voxel_prepare.live.copied.aac import AacFormat
from voxel_prepare.live.copied.ingest.address import Ingest, parse_ingest
from voxel_prepare.live.copied.ingest.body import MOST_BYTES, MOST_MEDIA_BYTES, BodyReader, Header, Media
from voxel_prepare.live.copied.ingest.header import read_header
from voxel_prepare.live.copied.ingest.names import header_name, is_manifest, media_names
from voxel_prepare.live.copied.ingest.samples import MOST_SAMPLES, TrackSamples
from voxel_prepare.live.copied.ingest.tracks import MOST_TRACKS, IngestTracks, NoHeader, TooManyTracks
from voxel_prepare.live.copied.notes import Note, Opened, SoundFound, VideoFacts
from voxel_prepare.live.copied.packets import TICKS, Packet

NOW = 1_700_000_000 * TICKS


def moov(init: bytes) -> bytes:
    (header,) = [part for part in BodyReader().feed(init) if isinstance(part, Header)]
    return header.data


def media(data: bytes) -> list[bytes]:
    return [part.data for part in BodyReader().feed(data) if isinstance(part, Media)]


def read(samples: TrackSamples, data: bytes) -> list[Packet]:
    return [packet for one in media(data) for packet in samples.read(one, NOW)]


def new_samples(init: bytes = VIDEO) -> TrackSamples:
    return TrackSamples(read_header(moov(init)), 0)


def with_edits(init: bytes, *edits: tuple[int, int]) -> bytes:
    """The `moov` with an edit list of durations, in units of 1/1000 s, and times of the media."""
    entries = b"".join(struct.pack(">IiI", duration, time, 0x10000) for duration, time in edits)
    list_ = box("edts", box("elst", u32(0, len(edits)), entries))
    header = moov(init)
    at = header.index(b"trak")
    size = int.from_bytes(header[at - 4 : at])
    inside = header[8 : at - 4] + u32(size + len(list_)) + b"trak" + list_ + header[at + 4 :]
    return box("moov", inside)


@pytest.mark.parametrize(
    ("header", "segments", "name"),
    [
        ("/live/init-stream0.m4s", ["/live/chunk-stream0-00001.m4s", "/live/chunk-stream0-99999.m4s"], "live/stream0"),
        ("/live/init-0.m4s", ["/live/chunk-0-00001.m4s"], "live/0"),
        ("/live/v1/init.mp4", ["/live/v1/1.m4s", "/live/v1/seg-7.m4s", "/live/v1/segment12.m4s"], "live/v1"),
        ("/live/video_init.cmfv", ["/live/video_17.cmfv"], "live/video"),
        ("/live/video-1.cmfv", ["/live/video-1.cmfv"], "live/video-1"),
        ("/a.isml/Streams(video.cmfv)", ["/a.isml/Streams(video.cmfv)"], "a.isml/video"),
        ("/init.mp4", ["/1.m4s"], "/"),
    ],
)
def test_header_and_segments_of_a_track_have_one_name(header: str, segments: list[str], name: str) -> None:
    assert header_name(header) == name
    for segment in segments:
        assert name in media_names(segment)


def test_manifests_are_known_by_their_names() -> None:
    assert is_manifest("/live/manifest.MPD")
    assert is_manifest("/live/media_0.m3u8")
    assert not is_manifest("/live/init-stream0.m4s")


def test_a_header_says_what_pictures_are() -> None:
    header = read_header(moov(VIDEO))
    assert isinstance(header.content, VideoFacts)
    assert (header.content.codec.configuration, header.content.width, header.content.height) == (AVCC, 320, 180)
    assert header.timescale == TIMESCALE
    assert header.offset == Fraction()


def test_a_header_says_what_sound_is() -> None:
    assert read_header(moov(SOUND)).content == AacFormat(AAC_LC, 2, 48_000, 2)


@pytest.mark.parametrize(
    ("init", "reason"),
    [
        (HEVC, "expected H.264 to be copied, found hvc1"),
        (video_init(VideoEntry("avc3", "avcC", avcc_of(AVCC, []), 320, 180), TIMESCALE), "expected parameter sets"),
        (SOUND.replace(b"esds", b"dac3"), "expected H.264 or AAC to be copied, found mp4a"),
        (SOUND.replace(b"\x40\x15" + bytes(11), b"\x6b\x15" + bytes(11)), "found object type 0x6b"),
        (SOUND.replace(b"soun", b"subt"), "expected H.264 or AAC to be copied"),
        (init_segment(AVCC, AVCC), "expected one sample description, found 2"),
    ],
)
def test_what_cannot_be_copied_is_unsupported(init: bytes, reason: str) -> None:
    with pytest.raises(UnsupportedMp4, match=reason):
        read_header(moov(init))


@pytest.mark.parametrize(
    ("edits", "offset"),
    [
        ([(0, 1024)], Fraction(-1024, 48_000)),
        ([(500, -1), (0, 1024)], Fraction(1, 2) - Fraction(1024, 48_000)),
        ([(250, -1)], Fraction(1, 4)),
    ],
)
def test_an_edit_list_moves_the_times(edits: list[tuple[int, int]], offset: Fraction) -> None:
    assert edit_offset(with_edits(SOUND, *edits)) == offset
    samples = TrackSamples(read_header(with_edits(SOUND, *edits)), 0)
    flags = sample_flags(is_sync=True, is_reference=True)
    (packet,) = read(samples, write_fragment([NewSample(b"sound", flags, 1024, 0)], 48_000, 1))
    assert packet.shown == packet.decoded == round(TICKS * (1 + offset))


def test_an_edit_list_of_several_edits_is_unsupported() -> None:
    with pytest.raises(UnsupportedMp4, match="one edit"):
        edit_offset(with_edits(SOUND, (10, 0), (10, 4800)))


@given(st.binary(max_size=60))
def test_any_descriptors_are_read_or_refused(data: bytes) -> None:
    try:
        decoder_config(data)
    except Mp4Error:
        return


def test_descriptors_may_have_long_sizes() -> None:
    specific = b"\x05\x80\x80\x80\x02" + AAC_LC
    decoder = b"\x04\x80\x80\x80" + bytes([13 + len(specific)]) + bytes([AAC]) + bytes(12) + specific
    stream = b"\x03\x80\x80\x80" + bytes([3 + len(decoder)]) + bytes(3) + decoder
    assert decoder_config(bytes(4) + stream).specific == AAC_LC


@given(st.lists(st.integers(1, 50), max_size=60))
def test_a_body_is_read_the_same_however_it_is_cut(cuts: list[int]) -> None:
    data = VIDEO + pictures(range(3))
    reader, found, at = BodyReader(), [], 0
    for cut in [*cuts, len(data)]:
        found += list(reader.feed(data[at : at + cut]))
        at += cut
    assert found == list(BodyReader().feed(data))
    assert [type(part) for part in found] == [Header, Media, Media, Media]
    assert reader.is_whole


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (u32(MOST_BYTES + 1) + b"moov", "moov box must have"),
        (u32(MOST_BYTES + 1) + b"free", "free box must have"),
        (u32(16) + b"moof" + bytes(8) + u32(MOST_MEDIA_BYTES + 1) + b"mdat", "mdat box must have"),
        (u32(1) + b"mdat" + u32(0xFFFF_FFFF, 0), "mdat box must have"),
        (u32(0) + b"mdat", "mdat box must have"),
        (u32(8) + b"mdat", "expected a moof box before"),
        (u32(8) + b"moof" + u32(8) + b"moof", "found another moof"),
        (b"GET / HTTP/1.1\r\n", "box must have"),
        (bytes(8), "expected boxes of MP4"),
    ],
)
def test_bodies_that_are_no_track_are_refused_before_they_are_held(data: bytes, reason: str) -> None:
    with pytest.raises(Mp4Error, match=reason):
        list(BodyReader().feed(data))


def test_times_of_a_clock_since_1970_keep_the_tick() -> None:
    since_1970 = 1_700_000_000 * 30 // GOP * GOP
    packets = read(new_samples(), pictures(range(2), first=since_1970))
    assert [packet.decoded for packet in packets] == [3000 * (since_1970 + number) for number in range(2)]
    assert [packet.data for packet in packets] == [picture(0), picture(1)]
    assert [packet.is_key for packet in packets] == [True, False]


def test_what_is_sent_again_is_not_taken_twice() -> None:
    samples = new_samples()
    assert len(read(samples, pictures(range(6)))) == 6
    packets = read(samples, pictures(range(4, 9)))
    assert [packet.data for packet in packets] == [picture(number) for number in range(6, 9)]


def test_after_a_gap_nothing_is_taken_before_the_next_key_frame() -> None:
    samples = new_samples()
    read(samples, pictures(range(2)))
    packets = read(samples, pictures([3, 5, 6, 8, 9]))
    assert [packet.data for packet in packets] == [picture(8), picture(9)]


def test_pictures_before_the_first_key_frame_are_not_taken() -> None:
    assert [packet.data for packet in read(new_samples(), pictures(range(2, 6)))] == [picture(4), picture(5)]


def test_an_encoder_that_begins_anew_is_taken_from_its_key_frame_on() -> None:
    samples = new_samples()
    read(samples, pictures(range(6)))
    packets = read(samples, pictures(range(1, 6), b" of another run"))
    assert [packet.decoded * TIMESCALE // TICKS // FRAME for packet in packets] == [4, 5]


def test_a_fragment_says_when_it_is_decoded() -> None:
    (fragment,) = media(pictures([0]).replace(b"tfdt", b"free"))
    with pytest.raises(Mp4Error, match="no tfdt box"):
        list(new_samples().read(fragment, NOW))


def test_a_fragment_has_a_bounded_number_of_samples() -> None:
    traf = box("traf", box("tfhd", u32(0x10, 1, 1)), box("tfdt", u32(0, 0)), box("trun", u32(0, MOST_SAMPLES + 1)))
    with pytest.raises(Mp4Error, match="samples, found"):
        list(new_samples().read(box("moof", box("mfhd", u32(0, 1)), traf) + box("mdat"), NOW))


def test_a_picture_is_not_shown_years_after_it_is_decoded() -> None:
    late = [NewSample(picture(0), sample_flags(is_sync=True, is_reference=True), FRAME, 1 << 30)]
    with pytest.raises(Mp4Error, match="decoded"):
        read(new_samples(), write_fragment(late, 0, 1))


def new_tracks() -> tuple[IngestTracks, list[Note]]:
    notes: list[Note] = []
    return IngestTracks(0, notes.append, lambda: NOW), notes


def test_tracks_become_representations_in_the_order_in_which_they_come() -> None:
    tracks, notes = new_tracks()
    for name, init in (("low", VIDEO), ("sound", SOUND), ("high", VIDEO), ("low", VIDEO)):
        tracks.header(name, moov(init))
    tracks.media("high", media(pictures([0]))[0])
    contents = [note.content for note in notes]
    assert [len(one.video) if isinstance(one, Opened) else type(one) for one in contents] == [1, SoundFound, 2, Packet]
    assert isinstance(contents[-1], Packet)
    assert contents[-1].track == 1


def test_several_tracks_of_sound_are_told_apart_by_their_languages() -> None:
    tracks, notes = new_tracks()
    german = SOUND.replace(u32(48_000, 0) + b"\x55\xc4", u32(48_000, 0) + b"\x10\xb5")
    for name, init in (("one", SOUND), ("two", german), ("one", SOUND)):
        tracks.header(name, moov(init))
    found = [note.content for note in notes]
    assert [(one.track, one.language) for one in found if isinstance(one, SoundFound)] == [(0, "und"), (1, "deu")]


def test_the_number_of_tracks_is_bounded() -> None:
    tracks, _ = new_tracks()
    for number in range(MOST_TRACKS):
        tracks.header(str(number), moov(VIDEO))
    with pytest.raises(TooManyTracks):
        tracks.header("another", moov(VIDEO))


def test_media_without_a_header_belongs_to_no_track() -> None:
    with pytest.raises(NoHeader):
        new_tracks()[0].known(("a", "b"))


STREAM = VIDEO + pictures(range(5))


def feed(data: bytes) -> None:
    """Does with the bytes what a request does."""
    tracks, _ = new_tracks()
    try:
        for part in BodyReader().feed(data):
            if isinstance(part, Header):
                tracks.header("a", part.data)
            else:
                tracks.media(tracks.known(("a",)), part.data)
    except (Mp4Error, NoHeader):
        return


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    feed(data)
    feed(VIDEO + data)
    feed(VIDEO + box("moof", data) + box("mdat", data))


@pytest.mark.parametrize("stream", [STREAM, SOUND, with_edits(SOUND, (500, -1), (0, 1024))])
def test_damaged_streams_are_read_or_refused(stream: bytes) -> None:
    @settings(max_examples=500)
    @given(
        st.lists(st.tuples(st.integers(0, len(stream) - 1), st.integers(0, 255)), min_size=1, max_size=8),
    )
    def check(flips: list[tuple[int, int]]) -> None:
        damaged = bytearray(stream)
        for position, value in flips:
            damaged[position] = value
        feed(bytes(damaged))

    check()


TOKEN = "a-token-of-the-test"


@pytest.mark.parametrize("text", ["", "8081", "host", "host:x", "host:99999", "a b:1", "[::1:1", "http://host:80"])
def test_addresses_are_checked(text: str) -> None:
    with pytest.raises(InputError, match="HOST:PORT"):
        parse_ingest(text, TOKEN)


@pytest.mark.parametrize(
    ("text", "host"), [(":1", ""), ("host:1", "host"), ("[::1]:1", "::1"), ("127.0.0.1:1", "127.0.0.1")]
)
def test_addresses_are_read(text: str, host: str) -> None:
    assert parse_ingest(text, TOKEN) == Ingest(host, 1, TOKEN)


def test_only_on_loopback_no_token_is_needed(tmp_path: Path) -> None:
    assert parse_ingest("127.0.0.1:1", None).token is None
    with pytest.raises(InputError, match="expected --ingest-token"):
        parse_ingest(":1", None)
    with pytest.raises(InputError, match="16 or more"):
        parse_ingest(":1", "short")
    file = tmp_path / "token"
    with pytest.raises(InputError, match="No such file"):
        parse_ingest(":1", f"@{file}")
    file.write_text(f"{TOKEN}\n")
    assert parse_ingest(":1", f"@{file}").token == TOKEN
    assert TOKEN not in repr(parse_ingest(":1", TOKEN))
