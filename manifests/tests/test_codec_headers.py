"""Each codec: its string in manifests, what encoders put out, where decoding can start, what is refused in words."""

from itertools import pairwise
from pathlib import Path
from random import Random

import av
import pytest
from av.video.stream import VideoStream
from clips import ffmpeg
from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.codecs import codec_named, codec_of
from voxel_prepare.errors import MalformedStream, MisalignedSegments, UnsupportedStream
from voxel_prepare.hevc.parameter_sets import ParameterSets
from voxel_prepare.isobmff import Sample, parse_track
from voxel_prepare.repair.codec import Codec, DependentFrame, whole_samples
from voxel_prepare.repair.superframe import join_superframe

HDR = ("-pix_fmt", "yuv420p10le", "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc")
FRAGMENTS = "frag_keyframe+delay_moov+default_base_moof"
SVT = ("-c:v", "libsvtav1", "-preset", "12", "-svtav1-params", "lp=1")
X265 = ("-c:v", "libx265", "-tag:v", "hvc1", "-preset", "ultrafast", "-x265-params", "log-level=none:pools=1")
VP9 = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-dash_segment_type", "mp4")


def codec(name: str, configuration: bytes = b"") -> Codec:
    kind = codec_named(name)
    assert kind is not None
    return kind(configuration)


def samples_of(*contents: bytes) -> list[Sample]:
    """Samples that lie one after the other."""
    starts = [sum(map(len, contents[:place])) for place in range(len(contents))]
    return [Sample(start, len(content), 1, 0, 0, 0, None) for start, content in zip(starts, contents, strict=True)]


def dependencies(codec: Codec, *contents: bytes) -> list[DependentFrame]:
    return codec.dependencies(b"".join(contents), samples_of(*contents))


@pytest.mark.parametrize(
    "options", [SVT, (*SVT, *HDR), (*X265,), (*X265, "-pix_fmt", "yuv420p10le"), VP9, ("-c:v", "libx264")], ids=str
)
def test_the_string_is_that_of_ffmpegs_packager(options: tuple[str, ...], tmp_path: Path) -> None:
    mpd = tmp_path / "dash" / "manifest.mpd"
    mpd.parent.mkdir()
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=192x108:duration=0.2", *options, "-f", "dash", mpd)
    description = parse_track((mpd.parent / "init-stream0.m4s").read_bytes()).description
    codecs = codec_of(description).codecs(description.sample_entry)
    assert f'codecs="{codecs}"'.lower() in mpd.read_text().lower()


@pytest.mark.parametrize(
    ("name", "configuration", "codecs"),
    [
        ("av1", "81040c00", "av01.0.04M.08"),
        ("av1", "81adec00", "av01.5.13H.12"),  # a profile that there is not is told as it is
        ("av1", "81280000", "av01.1.08M.08.0.000.01.01.01.0"),
        ("av1", "81001c00", "av01.0.00M.08.1.110.01.01.01.0"),
        ("av1", "810d4f00" + "0aff", "av01.0.13M.10"),  # with what is no sequence header
        ("vp9", "01000000" + "000a82010101" + "0000", "vp09.00.10.08"),
        ("vp9", "01000000" + "020aa0091009" + "0000", "vp09.02.10.10.00.09.16.09.00"),
        ("vp9", "01000000" + "010a86020202" + "0000", "vp09.01.10.08.03.02.02.02.00"),
        ("hevc", "01" + "02" + "20000000" + "900000000000" + "3f" + "00" * 10, "hvc1.2.4.L63.90"),
        ("hevc", "01" + "a1" + "60000000" + "b00000000100" + "99" + "00" * 10, "hvc1.B1.6.H153.B0.0.0.0.1"),
    ],
)
def test_the_string_says_what_the_configuration_says(name: str, configuration: str, codecs: str) -> None:
    one = codec(name, bytes.fromhex(configuration))
    assert one.codecs(one.sample_entries[0]) == codecs


@pytest.mark.parametrize(
    ("name", "encoder", "options"),
    [
        ("av1", "libsvtav1", {"preset": "12", "svtav1-params": "lp=1"}),
        ("hevc", "libx265", {"preset": "ultrafast", "x265-params": "log-level=none:pools=1"}),
    ],
)
def test_what_an_encoder_puts_out_becomes_what_a_file_has(
    name: str, encoder: str, options: dict[str, str], tmp_path: Path
) -> None:
    made: list[bytes] = []
    with av.open(tmp_path / "clip.mp4", "w", format="mp4", options={"movflags": FRAGMENTS}) as container:
        stream = container.add_stream(encoder, rate=25, options=options)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = 192, 108, "yuv420p"
        for picture in [*(av.VideoFrame(192, 108, "yuv420p") for _ in range(4)), None]:
            for packet in stream.encode(picture):
                made.append(bytes(packet))
                container.mux(packet)
        extradata = bytes(stream.codec_context.extradata or b"")
    data = (tmp_path / "clip.mp4").read_bytes()
    track = parse_track(data)
    told = codec(name).encoded(extradata)
    written = codec_of(track.description).configuration
    if name == "hevc":  # FFmpeg puts x265's SEI beside the parameter sets
        assert told.configuration[:22] == written[:22]
        assert ParameterSets.from_hvcc(told.configuration) == ParameterSets.from_hvcc(written)
    else:
        assert told.configuration == written
    samples = [sample for fragment in track.fragments for sample in fragment.samples]
    assert [told.to_sample(packet) for packet in made] == [
        data[sample.offset : sample.offset + sample.size] for sample in samples
    ]


def test_vp9_has_nothing_that_describes_it_beforehand() -> None:
    with pytest.raises(UnsupportedStream, match="put out nothing"):
        codec("vp9").encoded(b"")


SVT_CONFIGURATION = bytes.fromhex("81000c000a0b020000051daff5805f0008")
"""SVT-AV1's, at 192x108: order hints of seven bits, and each frame says whether it has screen content."""


def bits(text: str) -> bytes:
    return int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")


def obu(type_: int, text: str, layers: int | None = None) -> bytes:
    """An OBU with its size; `layers`: its extension."""
    content = bits(text)
    head = bytes([type_ << 3 | 2]) if layers is None else bytes([type_ << 3 | 6, layers])
    return head + bytes([len(content)]) + content


FRAME, HEADER, METADATA, TILES, SEQUENCE, TEMPORAL = 6, 3, 5, 4, 1, 2
KEY = obu(FRAME, "0" + "00" + "1" + "0" + "0" + "0" + "0000000" + "0" * 40)


def inter(refresh: int = 0, slots: int = 0, shown: int = 1, short: int = 0, showable: str = "") -> str:
    """The bits of an inter frame's header, which names one slot as all of its references."""
    head = f"0{1:02b}{shown}{showable}" + "0" + "0" + "0" + "0" + "0" * 7 + "000"
    return f"{head}{refresh:08b}{short}" + f"{slots:03b}" * 7


def test_av1_frames_need_what_lies_in_the_slots_that_they_name() -> None:
    hidden, shows = obu(FRAME, inter(0b10, shown=0, showable="1")), obu(HEADER, "1001")
    told = obu(METADATA, "0" * 16)
    frames = dependencies(
        codec("av1", SVT_CONFIGURATION),
        KEY,
        told + hidden + obu(15, "0" * 8) + obu(FRAME, inter(0, 1)) + obu(TILES, "0" * 8),
        shows,
        obu(FRAME, inter(0b1, 0)),
        obu(FRAME, inter(0, 0)) + told,
    )
    assert [frame.needs for frame in frames] == [(), (0,), (1,), (1,), (0,), (4,)]
    assert [frame.is_shown for frame in frames] == [True, False, True, True, True, True]
    assert [frame.must_arrive for frame in frames] == [True] + 5 * [False]
    assert (frames[0].start, frames[0].end) == (0, len(KEY))
    assert all(one.end == following.start for one, following in pairwise(frames))


def test_av1_frame_numbers_have_room_for_those_that_are_removed() -> None:
    head = "000" + "00" + "0" + "0" + "00000" + "0" * 12 + "00000"  # no timing, one operating point
    sizes = "0110" + "0110" + f"{95:07b}" + f"{63:07b}"
    numbers = "1" + "0000" + "010"  # differences of 2 bits, numbers of 5
    tools = "0" * 7 + "1" + "00" + "1" + "1" + "110"  # order hints of seven bits, screen content as each frame says
    content = obu(SEQUENCE, head + sizes + numbers + tools + "000" + "000000" + "0")
    configuration = SVT_CONFIGURATION[:4] + content
    key = obu(FRAME, "0" + "00" + "1" + "0" + "0" + "00000" + "0" + "0" * 7 + "0" * 40)
    reference = "000" + "00"
    frame = obu(
        FRAME, "0" + "01" + "1" + "0" + "0" + "0" + "00000" + "0" + "0" * 7 + "000" + "0" * 8 + "0" + reference * 7
    )
    assert [one.needs for one in dependencies(codec("av1", configuration), key, *[frame] * 14)][1:] == [(0,)] * 14
    with pytest.raises(UnsupportedStream, match="numbers of 5 bits in a segment of 16 frames"):
        dependencies(codec("av1", configuration), key, *[frame] * 15)


def test_an_av1_key_frame_that_is_shown_again_fills_all_slots() -> None:
    hidden_key = obu(FRAME, "0" + "00" + "0" + "1" + "1" + "0" + "0" + "0" + "0" * 7 + "00000100" + "0" * 56)
    frames = dependencies(
        codec("av1", SVT_CONFIGURATION), KEY, hidden_key + obu(FRAME, inter()), obu(HEADER, "1010"), obu(FRAME, inter())
    )
    assert [frame.needs for frame in frames] == [(), (), (0,), (1,), (3,)]


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        ([KEY, obu(FRAME, inter(short=1))], "short signalling"),
        ([KEY, obu(FRAME, inter(), layers=1 << 3)], "spatial layers"),
        ([KEY, obu(FRAME, inter(shown=0, showable="0"))], "without a shown frame"),
        ([KEY, obu(FRAME, inter()) * 2], "behind the shown one"),
        ([KEY, SVT_CONFIGURATION[4:-1] + b"\x09" + obu(FRAME, inter())], "change inside a segment"),
        ([obu(FRAME, inter())], "need one before their segment"),
        ([b"\x12\0"], "without a shown frame"),
        ([obu(SEQUENCE, "00011") + KEY], "still picture"),
    ],
)
def test_av1_that_cannot_be_told_is_refused_in_words(contents: list[bytes], reason: str) -> None:
    with pytest.raises(UnsupportedStream, match=reason):
        dependencies(codec("av1", SVT_CONFIGURATION), *contents)


VP9_KEY = bits("1000" + "0" + "0" + "1" + "0" + f"{0x498342:024b}") + bytes(20)


def vp9(shown: int = 1, resilient: int = 0, refresh: int = 0, slot: int = 0) -> bytes:
    """An inter frame that names one slot three times."""
    intra, reset = "" if shown else "0", "" if resilient else "00"
    return bits(f"100001{shown}{resilient}{intra}{reset}{refresh:08b}" + f"{slot:03b}0" * 3) + bytes(20)


VP9_SHOWS = bits("1000" + "1" + "001") + b"\0"
"""Shows slot 1."""


def test_vp9_frames_need_their_predecessor_unless_they_take_nothing_from_it() -> None:
    joined = join_superframe([vp9(shown=0, refresh=0b10), vp9(resilient=1)])
    contents = [VP9_KEY, vp9(), vp9(resilient=1), joined, VP9_SHOWS, vp9(slot=1), vp9(resilient=1, slot=1)]
    frames = dependencies(codec("vp9"), *contents)
    assert [frame.needs for frame in frames] == [(), (0,), (0,), (0, 2), (0,), (3,), (3, 4, 5), (3,)]
    assert [frame.sample for frame in frames] == [0, 1, 2, 3, 3, 4, 5, 6]
    assert [frame.is_shown for frame in frames] == [True, True, True, False, True, True, True, True]
    parts = [b"".join(contents)[frame.start : frame.end] for frame in frames if frame.sample == 3]
    assert join_superframe(parts) == joined


@given(st.randoms(use_true_random=False))
def test_no_vp9_superframe_gets_more_frames_than_it_has_room_for(random: Random) -> None:
    contents = [VP9_KEY]
    for _ in range(60):
        parts = [
            vp9(shown=0, resilient=1, refresh=1 << random.randrange(8)) for _ in range(random.choice((0, 0, 1, 3, 7)))
        ]
        contents.append(
            join_superframe([*parts, vp9(resilient=1, refresh=random.choice((0, 0, 2)), slot=random.randrange(8))])
        )
    frames = dependencies(codec("vp9"), *contents)
    share = random.choice((0.1, 0.5, 0.9))
    gone = {place for place, frame in enumerate(frames) if place and frame.is_shown and random.random() < share}
    for place, frame in enumerate(frames):
        if gone.intersection(frame.needs):
            gone.add(place)
    kept = "".join("s" if frame.is_shown else "h" for place, frame in enumerate(frames) if place not in gone)
    assert max(map(len, kept.split("s")[:-1])) < 8


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        ([vp9()], "need one before their segment"),
        ([VP9_KEY, vp9(shown=0)], "without one shown frame"),
        ([VP9_KEY, join_superframe([vp9(), vp9()])], "without one shown frame"),
    ],
)
def test_vp9_that_cannot_be_told_is_refused_in_words(contents: list[bytes], reason: str) -> None:
    with pytest.raises(UnsupportedStream, match=reason):
        dependencies(codec("vp9"), *contents)


def nal(type_: int, content: bytes = b"\x80", layer: int = 0) -> bytes:
    """An HEVC NAL unit with its length."""
    unit = bytes([type_ << 1 | layer >> 5, (layer & 31) << 3 | 1]) + content
    return len(unit).to_bytes(4, "big") + unit


HEVC_CONFIGURATION = b"\1" + bytes(20) + b"\3" + b"\0"


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        ([nal(20, layer=1)], "several layers"),
        ([nal(20) + nal(36)], "sequences that end"),
        ([nal(20) + nal(20)], "several HEVC pictures"),
    ],
)
def test_hevc_that_cannot_be_told_is_refused_in_words(contents: list[bytes], reason: str) -> None:
    with pytest.raises(UnsupportedStream, match=reason):
        dependencies(codec("hevc", HEVC_CONFIGURATION), *contents)


def test_parameter_sets_in_samples_alone_do(tmp_path: Path) -> None:
    params = "log-level=none:pools=1:keyint=4:min-keyint=4:repeat-headers=1:aud=1"
    video = ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", params, "-tag:v", "hev1")
    ffmpeg(
        "-f", "lavfi", "-i", "testsrc2=size=192x108:duration=0.4", *video, "-movflags", FRAGMENTS, tmp_path / "clip.mp4"
    )
    data = (tmp_path / "clip.mp4").read_bytes()
    track = parse_track(data)
    samples = [sample for fragment in track.fragments for sample in fragment.samples]
    whole = codec_of(track.description)
    frames = whole.dependencies(data, samples)
    assert [frame.must_arrive for frame in frames] == [True] + 9 * [False]
    assert codec("hevc", whole.configuration[:22] + b"\0").dependencies(data, samples) == frames
    bare = samples[2:]  # without the sets of the key frames
    with pytest.raises(MalformedStream, match="parameter sets that there are not"):
        codec("hevc", whole.configuration[:22] + b"\0").dependencies(data, bare)


@pytest.mark.parametrize(
    ("name", "start", "others"),
    [
        (
            "av1",
            [KEY, obu(TEMPORAL, "0") + KEY],
            {"key frame that is shown": [obu(FRAME, inter()), b"", b"\xff", obu(HEADER, "1")]},
        ),
        ("vp9", [VP9_KEY], {"found another frame": [vp9(), b"", b"\xff", VP9_SHOWS]}),
        (
            "hevc",
            [nal(19), nal(20), nal(35) + nal(18)],
            {"open GOP": [nal(21), nal(16)], "found another frame": [nal(1), b"", b"\1"]},
        ),
    ],
)
def test_decoding_can_start_with_key_frames_only(name: str, start: list[bytes], others: dict[str, list[bytes]]) -> None:
    one = codec(name, HEVC_CONFIGURATION)
    for content in start:
        one.check_start(content, samples_of(content)[0])
    for reason, contents in others.items():
        for content in contents:
            with pytest.raises(MisalignedSegments, match=reason):
                one.check_start(content, samples_of(content)[0])


def test_whole_samples_have_all_of_their_bytes_and_needs() -> None:
    joined = join_superframe([vp9(shown=0, refresh=0b10), vp9(resilient=1)])
    contents = [VP9_KEY, joined, vp9(slot=1, resilient=1)]
    samples = samples_of(*contents)
    merged = whole_samples(dependencies(codec("vp9"), *contents), samples)
    assert [(frame.start, frame.end) for frame in merged] == [(one.offset, one.offset + one.size) for one in samples]
    assert [frame.needs for frame in merged] == [(), (0,), (1,)]
    assert [frame.must_arrive for frame in merged] == [True, False, False]
