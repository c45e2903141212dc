import asyncio
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from clips import RATE, ffmpeg, make_clip
from voxel_prepare.errors import InputError, PreparationError
from voxel_prepare.ffmpeg import ffmpeg_program, run_ffmpeg
from voxel_prepare.media.source import check_encodable, output_rate, probe
from voxel_prepare.media.timeline import timeline_of


@pytest.mark.parametrize(
    ("average", "base", "expected"),
    [
        (Fraction(24000, 1001), Fraction(24000, 1001), Fraction(24000, 1001)),
        (Fraction(2997, 100), Fraction(2997, 100), Fraction(30000, 1001)),
        (Fraction(25, 2), Fraction(25, 2), Fraction(25, 2)),
        (Fraction(2897, 100), Fraction(90000), Fraction(30000, 1001)),  # a phone's variable rate
        (Fraction(1250, 67), Fraction(25), Fraction(15)),
        (Fraction(1000), Fraction(1000), Fraction(60)),
    ],
)
def test_constant_rates_are_kept_and_others_become_the_nearest_standard(
    average: Fraction, base: Fraction, expected: Fraction
) -> None:
    assert output_rate(average, base) == expected


def test_size_is_as_displayed(tmp_path: Path) -> None:
    upright = make_clip(tmp_path / "clip.mp4", "-vf", "setsar=2", size="160x240", seconds=0.4)
    rotated = tmp_path / "rotated.mp4"
    ffmpeg("-display_rotation", "90", "-i", upright, "-c", "copy", rotated)
    assert (probe(upright).width, probe(upright).height) == (320, 240)
    assert (probe(rotated).width, probe(rotated).height) == (240, 320)


def test_sound_tracks_are_found(sound_clip: Path) -> None:
    (track,) = probe(sound_clip).audio
    assert (track.codec, track.profile, track.channels, track.sample_rate) == ("aac", "LC", 1, 48000)


def test_what_is_no_video_is_refused(tmp_path: Path, sound_clip: Path) -> None:
    text, picture, sound = tmp_path / "text.txt", tmp_path / "picture.png", tmp_path / "sound.m4a"
    text.write_text("hello")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180", "-frames:v", "1", picture)
    ffmpeg("-i", sound_clip, "-vn", "-c", "copy", sound)
    for path, reason in (
        (tmp_path / "missing.mp4", "no such file"),
        (tmp_path, "expected a file"),
        (text, "not a video"),
        (picture, "not a video"),
        (sound, "expected a video track"),
    ):
        with pytest.raises(InputError, match=reason):
            probe(path)


PLAYLISTS = {
    "list.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nclip.mp4\n#EXT-X-ENDLIST\n",
    "concat.mp4": "ffconcat version 1.0\nfile clip.mp4\n",
    "session.sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\n"
    "m=video 9 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
}


@pytest.mark.parametrize("name", PLAYLISTS)
def test_a_file_that_makes_ffmpeg_read_others_is_refused(tmp_path: Path, clip: Path, name: str) -> None:
    (tmp_path / "clip.mp4").write_bytes(clip.read_bytes())
    playlist = tmp_path / name
    playlist.write_text(PLAYLISTS[name])
    with pytest.raises(InputError, match="playlists and pictures are not read"):
        probe(playlist)
    with pytest.raises(PreparationError):
        asyncio.run(run_ffmpeg(["-i", str(playlist), "-f", "null", "-"]))


@pytest.mark.parametrize("suffix", ["mov", "mkv", "avi", "ts", "mpg", "flv", "mxf", "nut", "y4m", "h264", "asf"])
def test_every_usual_container_is_read(tmp_path: Path, clip: Path, suffix: str) -> None:
    path = tmp_path / f"clip.{suffix}"
    codec = {"mpg": "mpeg2video", "y4m": "rawvideo"}.get(suffix, "copy")
    ffmpeg("-i", clip, "-c:v", codec, path)
    asyncio.run(run_ffmpeg(["-i", str(path), "-f", "null", "-"]))
    if suffix != "h264":  # which states no duration
        assert probe(path).width == 432


def test_interlaced_pictures_are_refused(tmp_path: Path) -> None:
    source = probe(make_clip(tmp_path / "clip.mp4", "-vf", "interlace", "-flags", "+ilme+ildct", seconds=1))
    with pytest.raises(InputError, match="found interlaced"):
        check_encodable(source)


MS = Fraction(1, 1000)


def rounded(*times: Fraction) -> list[int]:
    return [round(1000 * time) for time in times]


def test_a_constant_rate_is_found_in_rounded_times() -> None:
    timeline = timeline_of(rounded(*(number * Fraction(1001, 24000) for number in range(240))), MS)
    assert timeline.is_constant
    assert float(timeline.rate) == pytest.approx(24000 / 1001, rel=1e-4)
    assert float(timeline.duration) == pytest.approx(10.01, abs=0.001)


def test_a_few_dropped_pictures_make_no_variable_rate() -> None:
    timeline = timeline_of([40 * number for number in range(250) if number % 50], MS)
    assert timeline.is_constant
    assert timeline.rate == 25


def test_a_variable_rate_is_that_of_the_busy_parts() -> None:
    bursts = [Fraction(number, 30) for number in range(240) if number % 15 < 6]
    timeline = timeline_of(rounded(*bursts), MS)
    assert not timeline.is_constant
    assert float(timeline.rate) == pytest.approx(30, abs=0.1)


def test_a_single_picture_lasts_as_long_as_its_packet_says() -> None:
    timeline = timeline_of([80], MS, 40)
    assert (timeline.first, timeline.end, timeline.rate) == (80 * MS, 120 * MS, Fraction(25))


def test_pictures_that_an_edit_list_hides_are_not_counted(tmp_path: Path, sound_clip: Path) -> None:
    trimmed = tmp_path / "trimmed.mp4"
    ffmpeg("-ss", "0.72", "-i", sound_clip, "-c", "copy", trimmed)
    timeline = probe(trimmed).timeline
    assert float(timeline.hidden) == pytest.approx(0.72, abs=0.04)
    assert float(timeline.duration) == pytest.approx(4.28, abs=0.04)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("pipe.mkv", ("-f", "matroska")),
        ("pipe.webm", ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-f", "webm")),
        ("raw.264", ("-f", "h264")),
        ("segment.ts", ("-f", "mpegts")),
        ("film.flv", ("-f", "flv")),
    ],
)
def test_durations_and_rates_are_those_of_the_pictures(
    tmp_path: Path, clip: Path, name: str, arguments: tuple[str, ...]
) -> None:
    path = tmp_path / name
    # A pipe: the duration cannot be written when it is known.
    command = [ffmpeg_program(), "-v", "error", "-i", str(clip), "-c:v", "copy", *arguments, "pipe:"]
    path.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    source = probe(path)
    assert float(source.timeline.duration) == pytest.approx(5, abs=0.04)
    assert source.rate == RATE


def test_tags_in_another_encoding_do_not_stop_a_file(tmp_path: Path, clip: Path) -> None:
    tagged = tmp_path / "tagged.mp4"
    ffmpeg("-i", clip, "-c", "copy", "-metadata", "title=XXXX", tagged)
    data = tagged.read_bytes()
    assert data.count(b"XXXX") == 1
    tagged.write_bytes(data.replace(b"XXXX", "Café".encode("latin-1")))
    assert probe(tagged).rate == RATE
