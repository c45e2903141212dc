"""Sources of every kind, each prepared whole: what comes out plays, and is as long and as large as what went in."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from clips import ffmpeg, make_clip, make_clip_with_sound
from manifest_reader import Representation, read_manifest
from runs import make_request
from voxel_prepare.errors import InputError
from voxel_prepare.isobmff import Track, parse_track
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.media.ladder import parse_representations


def prepare_clip(*clips: Path, out: Path, **settings: object) -> list[Representation]:
    """Prepares in segments of 1 s; every file that comes out decodes without a complaint."""
    prepare(make_request(*clips, out=out, segment_seconds=1, **settings))
    representations = read_manifest(out)
    for representation in representations:
        ffmpeg("-xerror", "-err_detect", "explode", "-i", representation.media, "-f", "null", "-")
    return representations


def track_of(representation: Representation) -> Track:
    return parse_track(representation.media.read_bytes())


def frames_of(representation: Representation) -> list[int]:
    """How many frames each segment holds."""
    return [len(fragment.samples) for fragment in track_of(representation).fragments]


def check_times(representation: Representation, rate: Fraction) -> None:
    """Pictures are shown from time 0 on, each as long as the rate says, to a tick."""
    track = track_of(representation)
    samples = [sample for fragment in track.fragments for sample in fragment.samples]
    times = sorted(sample.presentation_time for sample in samples)
    assert times[0] == 0
    tick = Fraction(1, track.timescale)
    assert all(abs((two - one) * tick - 1 / rate) <= tick for one, two in pairwise(times))


def check_partly_reliable(representation: Representation) -> None:
    """Bytes of every segment may be missing, and the table says what that costs."""
    for segment in representation.segments:
        assert segment.unreliable
        assert segment.steps[0][0] < segment.steps[-1][0]
        assert segment.reliable_size + segment.steps[-1][2] == segment.media_range.size


@pytest.mark.parametrize(
    ("rate", "frames"),
    [
        ("24000/1001", [24, 24]),
        ("24", [24, 24]),
        ("25", [25, 25]),
        ("30000/1001", [30, 30]),
        ("30", [30, 30]),
        ("50", [50, 50]),
        ("60000/1001", [60, 60]),
        ("60", [60, 60]),
    ],
)
def test_every_frame_rate_is_kept(tmp_path: Path, rate: str, frames: list[int]) -> None:
    clip = make_clip(tmp_path / "clip.mp4", rate=rate, seconds=2)
    (representation,) = prepare_clip(clip, out=tmp_path / "out")
    assert sum(frames_of(representation)) == pytest.approx(sum(frames), abs=1)
    assert frames_of(representation)[0] == frames[0]
    check_times(representation, Fraction(rate))
    check_partly_reliable(representation)


def test_a_variable_frame_rate_becomes_the_nearest_standard_one(tmp_path: Path) -> None:
    half_of_the_pictures_after_1_s = ("-vf", r"select=lt(t\,1)+not(mod(n\,2))", "-fps_mode", "vfr")
    clip = make_clip(tmp_path / "clip.mp4", *half_of_the_pictures_after_1_s, rate="30", seconds=3)
    (representation,) = prepare_clip(clip, out=tmp_path / "out")
    rate = Fraction(representation.frame_rate)
    assert sum(frames_of(representation)) == pytest.approx(3 * rate, abs=2)
    check_times(representation, rate)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("321x181", ("256", "144")),
        ("180x320", ("144", "256")),
        ("322x242", ("192", "144")),
        ("640x150", ("256", "60")),
        ("256x143", ("256", "144")),
    ],
)
def test_odd_and_upright_sizes_become_even_and_keep_their_shape(
    tmp_path: Path, size: str, expected: tuple[str, str]
) -> None:
    # testsrc2 and H.264 take even sizes only.
    scaled = f"scale={size.replace('x', ':')},setsar=1"
    clip = make_clip(tmp_path / "clip.mkv", "-vf", scaled, "-c:v", "ffv1", seconds=1)
    (representation,) = prepare_clip(clip, out=tmp_path / "out", representations=tuple(parse_representations("144p")))
    assert (representation.attributes["width"], representation.attributes["height"]) == expected
    check_partly_reliable(representation)


@pytest.mark.parametrize("media", ["encode", "copy"])
def test_every_sound_track_becomes_an_adaptation_set(tmp_path: Path, media: str) -> None:
    one = make_clip_with_sound(tmp_path / "one.mp4", seconds=3)
    clip = tmp_path / "clip.mp4"
    languages = ("-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu")
    ffmpeg("-i", one, "-map", "0:v", "-map", "0:a", "-map", "0:a", "-c", "copy", *languages, clip)
    picture, *sounds = prepare_clip(clip, out=tmp_path / "out", media=media)
    assert [(sound.attributes["id"], sound.language) for sound in sounds] == [("audio-0", "eng"), ("audio-1", "deu")]
    assert {len(sound.segments) for sound in sounds} == {len(picture.segments)}


def test_a_clip_without_sound_has_no_audio(clip: Path, tmp_path: Path) -> None:
    representations = prepare_clip(clip, out=tmp_path, representations=tuple(parse_representations("144p")))
    assert [representation.content_type for representation in representations] == ["video"]


@pytest.mark.parametrize(
    "options",
    [
        ("-x264-params", "b-pyramid=normal:bframes=5:b-adapt=0:open-gop=0"),
        ("-x264-params", "b-pyramid=strict:bframes=3:b-adapt=0"),
        ("-x264-params", "cabac=0:bframes=2"),
        ("-profile:v", "baseline"),
        ("-x264-params", "slices=4"),
        ("-x264-params", "ref=5:weightp=2:weightb=1"),
        ("-x264-params", "8x8dct=1:cqm=jvt"),
        ("-pix_fmt", "yuv420p10le"),
        ("-vf", "scale=180:320"),
        ("-vf", "scale=322:182"),  # cropped by less than a macroblock
        ("-x264-params", "bframes=0"),
        ("-x264-params", "keyint=5"),  # more key frames than segments
    ],
    ids=" ".join,
)
def test_every_kind_of_progressive_stream_is_partly_reliable_as_it_is(tmp_path: Path, options: tuple[str, ...]) -> None:
    clip = make_clip(tmp_path / "clip.mp4", *options, seconds=2)
    (representation,) = prepare_clip(clip, out=tmp_path / "out", media="copy")
    assert sum(frames_of(representation)) == 50
    assert len(representation.segments) == 2
    check_partly_reliable(representation)
    check_times(representation, Fraction(25))


@pytest.mark.parametrize(
    "options",
    [("-flags", "+ilme+ildct", "-x264-params", "interlaced=1"), ("-pix_fmt", "yuv422p"), ("-pix_fmt", "yuv444p")],
    ids=" ".join,
)
def test_frames_are_removed_where_no_all_skip_slice_stands_in_for_them(
    tmp_path: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", *options, seconds=2)
    low = make_clip(tmp_path / "low.mp4", "-vf", "scale=160:90", seconds=2)
    representations = prepare_clip(clip, low, out=tmp_path / "out", media="copy")
    for representation in representations:
        check_partly_reliable(representation)
    frames = [representation.segments[0].steps[-1][1] for representation in representations]
    assert frames[1] < frames[0]  # B frames alone
    assert "warning" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["clip.264", "clip.avi"])
def test_what_does_not_say_when_pictures_are_shown_cannot_be_copied(tmp_path: Path, name: str) -> None:
    in_order = make_clip(tmp_path / name, "-bf", "0", seconds=2)
    prepare_clip(in_order, out=tmp_path / "in order", media="copy")
    with pytest.raises(InputError, match=rf"{name}: does not state when its pictures are shown"):
        prepare_clip(make_clip(tmp_path / name, "-bf", "2", seconds=2), out=tmp_path / "out", media="copy")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-x264-params", "open-gop=1:bframes=3:b-adapt=0"), "open GOP"),
        (("-g", "40"), "expected a key frame at 1 s"),
        (("-g", "1000"), "expected a key frame at 1 s"),
        (("-vf", r"select=lt(t\,1)+not(mod(n\,2))", "-fps_mode", "vfr"), "the frame rate must be constant"),
        (("-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "1" * 32, "-encryption_kid", "2" * 32), "encrypted"),
        (("-c:v", "mpeg4"), "VP9 or AV1 video only"),
    ],
    ids=str,
)
def test_what_cannot_be_copied_is_refused_with_the_reason(
    tmp_path: Path, options: tuple[str, ...], reason: str
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", *options, seconds=2)
    with pytest.raises(InputError, match=reason):
        prepare_clip(clip, out=tmp_path / "out", media="copy")
    assert not (tmp_path / "out" / "manifest.mpd").exists()
