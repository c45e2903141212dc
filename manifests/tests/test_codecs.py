"""A ladder for each codec, encoded and copied: one presentation, in which pictures and sound come when they should."""

import asyncio
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import pytest
from clips import ffmpeg
from flash_and_tone import FLASH_FRAME, RATE, SECONDS, make_flash_and_tone, moments, prepared_moments
from manifest_reader import Representation, read_manifest
from mpd_schema import check_mpd
from processes import call
from runs import make_request
from voxel_prepare.cli.live import main as live
from voxel_prepare.errors import InputError, PreparationError
from voxel_prepare.isobmff import parse_track
from voxel_prepare.jobs.plan import make_plan
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.jobs.request import Request
from voxel_prepare.manifest.existing import read_existing
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.encoders import ENCODERS, CodecName, parse_codecs
from voxel_prepare.media.ladder import choose_representations, parse_representations
from voxel_prepare.media.preset import Preset
from voxel_prepare.media.tracks import check_encoded_video

TOLERANCE = 0.01
"""A tenth of what viewers notice (ITU-R BT.1359)."""

CODECS = tuple(map(CodecName, ("av1", "h264", "hevc", "vp9")))
IDS = ["av1-q00", "q00", "hevc-q00", "vp9-q00"]
STRINGS = ["av01.0.", "avc1.", "hvc1.1.", "vp09.00."]


def request(clip: Path, out: Path) -> Request:
    representations = tuple(parse_representations("144p:0.1"))
    return make_request(
        clip, out=out, codecs=CODECS, representations=representations, segment_seconds=1, preset=Preset.ULTRAFAST
    )


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures without stated colours; the flash comes with the tone."""
    return make_flash_and_tone(tmp_path_factory.mktemp("codecs"), "mp4", "none")


@pytest.fixture(scope="module")
def encoded(clip: Path) -> Path:
    """The clip in every codec."""
    prepare(request(clip, clip.parent / "encoded"))
    return clip.parent / "encoded"


@pytest.fixture(scope="module")
def copied(encoded: Path) -> Path:
    """Each codec copied from the file that was encoded, with the sound of the first."""
    *video, sound = read_manifest(encoded)
    first = encoded.parent / "with-sound.mp4"
    ffmpeg("-i", video[0].media, "-i", sound.media, "-c", "copy", first)
    files = [first, *(one.media for one in video[1:])]
    prepare(make_request(*files, out=encoded.parent / "copied", media="copy", segment_seconds=1))
    return encoded.parent / "copied"


@pytest.fixture(params=["encoded", "copied"])
def prepared(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.getfixturevalue(request.param)
    return folder


def test_every_codec_has_an_adaptation_set_and_all_share_the_sound(prepared: Path) -> None:
    representations = read_manifest(prepared)
    assert [one.attributes["id"] for one in representations] == [*IDS, "audio-0"]
    for one, start in zip(representations, STRINGS, strict=False):
        assert one.attributes["codecs"].startswith(start)
    check_mpd(prepared / "manifest.mpd")
    text = (prepared / "manifest.mpd").read_text()
    assert [text.count(f'<AdaptationSet id="{number}"') for number in range(6)] == [1, 1, 1, 1, 1, 0]
    assert [text.index(f'selectionPriority="{priority}"') for priority in (4, 3, 2, 1)] == sorted(
        text.index(f'selectionPriority="{priority}"') for priority in (1, 2, 3, 4)
    )


def test_the_multivariant_playlist_names_the_codecs_of_every_variant(prepared: Path) -> None:
    lines = (prepared / "master.m3u8").read_text().splitlines()
    variants = [line for line in lines if line.startswith("#EXT-X-STREAM-INF")]
    for variant, id_, codecs in zip(variants, IDS, STRINGS, strict=True):
        assert f'CODECS="{codecs}' in variant and ',mp4a.40.2"' in variant
        assert f'STABLE-VARIANT-ID="{id_}"' in variant


def test_the_tone_comes_with_the_flash(prepared: Path, clip: Path) -> None:
    *video, sound = read_manifest(prepared)
    for one in video:
        found = prepared_moments(one.media, sound.media)
        assert found.flash == FLASH_FRAME / RATE
        assert found.late == pytest.approx(moments(clip).late, abs=TOLERANCE)


def test_every_picture_has_its_time_and_every_segment_its_fragment(prepared: Path) -> None:
    for one in read_manifest(prepared)[:-1]:
        track = parse_track(one.media.read_bytes())
        assert b"edts" not in track.init
        assert [fragment.base_decode_time / track.timescale for fragment in track.fragments] == [0, 1]
        shown = sorted(sample.presentation_time for fragment in track.fragments for sample in fragment.samples)
        assert [time / track.timescale for time in shown] == [number / RATE for number in range(SECONDS * RATE)]
        with av.open(str(one.media)) as container:
            assert [frame.time for frame in container.decode(video=0)] == [
                number / RATE for number in range(len(shown))
            ]


def test_copied_pictures_are_the_encoded_ones(encoded: Path, copied: Path) -> None:
    for one, other in zip(read_manifest(encoded)[:-1], read_manifest(copied)[:-1], strict=True):
        assert hashes(one) == hashes(other)


@pytest.mark.parametrize(
    ("id_", "container"), [("hevc-q00", ("-tag:v", "hev1", "hev1.mp4")), ("vp9-q00", ("vp9.webm",))]
)
def test_other_forms_of_a_codec_are_copied_with_the_same_times(
    encoded: Path, tmp_path: Path, id_: str, container: tuple[str, ...]
) -> None:
    """HEVC whose parameter sets may be in samples; WebM, which has times in ms."""
    (one,) = [one for one in read_manifest(encoded) if one.attributes["id"] == id_]
    *options, name = container
    ffmpeg("-i", one.media, "-c", "copy", *options, tmp_path / name)
    prepare(make_request(tmp_path / name, out=tmp_path / "out", media="copy", segment_seconds=1))
    (other,) = read_manifest(tmp_path / "out")
    assert other.attributes["codecs"].replace("hev1", "hvc1") == one.attributes["codecs"]
    assert hashes(other) == hashes(one)
    with av.open(str(other.media)) as container_:
        times = [float(frame.time or 0) for frame in container_.decode(video=0)]
    assert times == pytest.approx([number / RATE for number in range(SECONDS * RATE)], abs=0.001)


def hashes(representation: Representation) -> list[str]:
    lines = ffmpeg("-i", representation.media, "-f", "framemd5", "-").splitlines()
    return [line.split(",")[-1] for line in lines if not line.startswith("#")]


def test_another_run_gives_the_same_bytes(encoded: Path, clip: Path, tmp_path: Path) -> None:
    for planned, one in zip(make_plan(request(clip, tmp_path)).video, read_manifest(encoded)[:-1], strict=True):
        asyncio.run(planned.recipe.write(path := tmp_path / planned.part.name, lambda share: None))
        assert path.read_bytes() == one.media.read_bytes()


def test_every_set_of_an_mpd_gets_indexes_of_its_own(encoded: Path, tmp_path: Path) -> None:
    prepare(make_request(encoded / "manifest.mpd", out=tmp_path / "out", media="existing"))
    existing = read_existing(encoded / "manifest.mpd")
    assert [[one.name for one in of_set] for of_set in existing.switching_sets] == [[id_] for id_ in IDS]
    assert existing.warnings == []
    assert len(list((tmp_path / "out").glob("*.index"))) == len(IDS)


@pytest.mark.parametrize("codec", ["hevc", "av1", "vp9"])
def test_more_than_one_key_frame_in_a_segment_is_an_encoder_error(encoded: Path, codec: str) -> None:
    """A segment of two seconds has two."""
    (one,) = [one for one in read_manifest(encoded) if one.attributes["id"] == f"{codec}-q00"]
    check_encoded_video(one.media, SegmentDuration.nearest(1, Fraction(RATE)))
    with pytest.raises(PreparationError, match="one key frame in each segment"):
        check_encoded_video(one.media, SegmentDuration.nearest(2, Fraction(RATE)))


def test_other_codecs_take_their_share_of_the_thesis_bitrates_and_all_of_a_stated_one() -> None:
    def bitrates(codec: str, names: str | None = None) -> Sequence[int]:
        parsed = parse_representations(names) if names else None
        return [one.bitrate for one in choose_representations(426, 240, parsed, CodecName(codec))]

    assert bitrates("h264") == [160_000, 230_000, 370_000]
    assert bitrates("av1") == [round(ENCODERS[CodecName.AV1].bitrate_share * rate) for rate in bitrates("h264")]
    assert bitrates("av1", "240p:0.37") == [370_000]


@pytest.mark.parametrize("text", ["h265", "", "av1,", "av1,av1"])
def test_codecs_that_there_are_not(text: str) -> None:
    with pytest.raises(InputError, match="--codec"):
        parse_codecs(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--codec", "av1", "--slices", "2"], "--slices needs --codec h264"),
        (["--codec", "h264,av1", "--inline"], "--inline: attributes cannot say which frames go with a missing one"),
        (["--codec", "av1", "--copy"], "--codec cannot be used with --copy"),
        (["--codec", "vvc"], "--codec must be h264, av1, hevc, vp9, or several of them as a list, got 'vvc'"),
    ],
)
def test_options_that_contradict_each_other(clip: Path, tmp_path: Path, options: list[str], message: str) -> None:
    result = call(clip, "--out", tmp_path / "out", *options)
    assert result.returncode == 2
    assert message in result.stderr


def test_live_says_which_codecs_it_has(clip: Path, tmp_path: Path) -> None:
    result = call(clip, "--out", tmp_path / "out", "--codec", "hevc", main=live)
    assert result.returncode == 2
    assert "--codec must be h264 or av1, got 'hevc'" in result.stderr
