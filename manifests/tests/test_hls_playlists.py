"""The playlists beside the manifest: valid by the rules that players rely on, and of the same media."""

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import av
import pytest
from manifest_reader import read_manifest
from processes import parts
from runs import make_request
from test_mpd import presentation
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.manifest.hls_playlists import MULTIVARIANT, media_playlist, multivariant_playlist
from voxel_prepare.manifest.index_file import read_index
from voxel_prepare.manifest.mpd import Presentation
from voxel_prepare.media.ladder import parse_representations

NAMES = {"q00": "q00.m3u8", "audio-0": "audio-0.m3u8"}


def lines_of(content: Presentation) -> list[str]:
    return multivariant_playlist(content, NAMES).decode().splitlines()


def test_the_multivariant_playlist_names_variant_sound_and_index() -> None:
    content = presentation()
    first, *rest = lines_of(content)
    assert first == "#EXTM3U"
    average = content.video[0].average_score
    assert f'DATA-ID="urn:voxel-dash:index:2:q00",VALUE="avgSSIM={average:.5f} index=q00.index"' in "\n".join(rest)
    (sound,) = (line for line in rest if line.startswith("#EXT-X-MEDIA:"))
    assert 'TYPE=AUDIO,GROUP-ID="audio",NAME="audio-0",LANGUAGE="deu",DEFAULT=YES' in sound
    *_, variant, uri = rest
    assert uri == "q00.m3u8"
    # 2 segments of 143 and 100 bytes, each 2 s long, of picture and of sound.
    assert "BANDWIDTH=1144,AVERAGE-BANDWIDTH=972," in variant
    assert 'CODECS="avc1.64000C,mp4a.40.2",RESOLUTION=256x144,FRAME-RATE=25.000' in variant
    assert 'STABLE-VARIANT-ID="q00",AUDIO="audio"' in variant


@pytest.mark.parametrize("language", ["und", "", "not a language", 'x",URI="y'])
def test_a_language_that_is_none_is_left_out(language: str) -> None:
    assert "LANGUAGE" not in "\n".join(lines_of(presentation(language=language)))


def test_without_sound_no_group_is_named() -> None:
    content = presentation()
    silent = Presentation(content.duration, content.segment, content.ladders, audio=[])
    assert "AUDIO" not in "\n".join(lines_of(silent))


def test_a_media_playlist_has_the_ranges_and_durations_of_the_segments() -> None:
    content = presentation(rate="30000/1001")
    shorter = Presentation(content.duration - Fraction(1, 2), content.segment, content.ladders, content.audio)
    text = media_playlist(content.video[0].media, shorter).decode()
    assert '#EXT-X-MAP:URI="q00.mp4",BYTERANGE="757@0"' in text
    assert re.findall(r"#EXT-X-BYTERANGE:(.*)", text) == ["143@757", "100@900"]
    durations = [float(duration) for duration in re.findall(r"#EXTINF:(.*),", text)]
    assert durations == pytest.approx([2.002, 1.502], abs=1e-6)
    assert "#EXT-X-TARGETDURATION:2\n" in text
    assert text.endswith("#EXT-X-ENDLIST\n")


def test_ffmpeg_plays_every_variant_and_the_sound(sound_clip: Path, tmp_path: Path) -> None:
    representations = tuple(parse_representations("144p:0.1,144p:0.2"))
    prepare(make_request(sound_clip, out=tmp_path, representations=representations))
    assert {MULTIVARIANT, "q00.m3u8", "q01.m3u8", "audio-0.m3u8"} < parts(tmp_path)
    with av.open(str(tmp_path / MULTIVARIANT)) as container:
        kinds = [stream.type for stream in container.streams]
        packets = Counter(packet.stream.index for packet in container.demux() if packet.size)
    assert [packets[index] for index, kind in enumerate(kinds) if kind == "video"] == [125, 125]
    assert sum(packets[index] for index, kind in enumerate(kinds) if kind == "audio") > 200  # of AAC, in 5 s


@pytest.mark.parametrize("media", ["encode", "copy"])
def test_segments_in_files_of_their_own_are_those_of_the_ranges(sound_clip: Path, tmp_path: Path, media: str) -> None:
    prepare(make_request(sound_clip, out=tmp_path, media=media, hls_files=True))
    picture, sound = read_manifest(tmp_path)
    for one, id_ in ((picture, "q00"), (sound, "audio-0")):
        (playlist,) = tmp_path.glob(f"{id_}.*.m3u8")
        text = playlist.read_text()
        assert "BYTERANGE" not in text
        names = [line for line in text.splitlines() if line and not line.startswith("#")]
        assert [(tmp_path / name).read_bytes() for name in names] == [
            one.bytes_of(segment.media_range) for segment in one.segments
        ]
        (initialization,) = re.findall('EXT-X-MAP:URI="(.*)"', text)
        assert (tmp_path / initialization).read_bytes() == one.bytes_of(one.initialization)
    (index,) = re.findall('index=(.*)"', (tmp_path / MULTIVARIANT).read_text())
    for analysis, segment in zip(read_index((tmp_path / index).read_bytes()), picture.segments, strict=True):
        assert analysis is not None
        assert analysis.range == segment.media_range.moved(-segment.media_range.start)
        assert analysis.reliable == [range_.moved(-segment.media_range.start) for range_ in segment.reliable]
        assert analysis.unreliable == [range_.moved(-segment.media_range.start) for range_ in segment.unreliable]
    with av.open(str(tmp_path / MULTIVARIANT)) as container:
        packets = Counter(packet.stream.type for packet in container.demux() if packet.size)
    assert packets["video"] == 125
    assert packets["audio"] > 200


def test_segments_in_files_are_not_made_again(sound_clip: Path, tmp_path: Path) -> None:
    request = make_request(
        sound_clip, out=tmp_path, representations=tuple(parse_representations("144p")), hls_files=True
    )
    prepare(request)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*-*.m*")}
    assert len(before) > 6
    prepare(request)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*-*.m*")} == before


def test_with_an_mpd_there_are_no_playlists_for_the_files(tmp_path: Path) -> None:
    request = make_request(tmp_path / "film.mpd", out=tmp_path, media="existing", hls_files=True)
    with pytest.raises(InputError, match="--hls-files cannot be used with --copy of an MPD"):
        request.check()


def test_a_second_run_keeps_the_playlists_and_their_names(sound_clip: Path, tmp_path: Path) -> None:
    request = make_request(sound_clip, out=tmp_path, representations=tuple(parse_representations("144p")))
    prepare(request)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("q00.*.m3u8")}
    prepare(request)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.m3u8")}.items() >= before.items()
    assert len(list(tmp_path.glob("q00.*.m3u8"))) == 1
