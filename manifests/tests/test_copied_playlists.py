"""HLS playlists of `voxel-live --copy` from outside: what they list while streams come, go and come back."""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from clips import ffmpeg
from live_playlist_reader import ReadPlaylist, attributes, read_playlist
from plain_playlists import check_growth, check_plain
from processes import came, wait_for
from published import records_of
from test_copied_streams import RATE, SECONDS, SIZES, TRACKS, copy, make_streams, push, start

NAMES = [*TRACKS, "a0"]
AGAIN_SECONDS = 8
"""An encoder that is started again has key frames between those of others by chance, and is left out with them."""


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_streams(tmp_path_factory.mktemp("streams"))


@pytest.fixture(scope="module")
def ended(streams: Sequence[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ended")
    copy(out, *streams)
    return out


def variants(out: Path) -> dict[str, dict[str, str]]:
    """Attributes of the variants by the URLs of their playlists; none before there is one."""
    master = out / "master.m3u8"
    lines = master.read_text().splitlines() if master.exists() else []
    name = "#EXT-X-STREAM-INF:"
    return {url: attributes(line[len(name) :]) for line, url in pairwise(lines) if line.startswith(name)}


def read(out: Path, track: str, name: str = "media.m3u8") -> ReadPlaylist:
    return read_playlist((out / track / name).read_text())


@pytest.mark.parametrize("name", NAMES)
def test_an_ended_stream_has_all_its_segments_with_their_durations(ended: Path, name: str) -> None:
    records = records_of(ended / name)
    timescale = records[0].head.timescale if records[0].head else 0
    for playlist in ("media.m3u8", "whole.m3u8"):
        state = read(ended, name, playlist)
        check_plain(state)
        assert "#EXT-X-ENDLIST" in state.tags
        assert [segment.number for segment in state.segments] == list(range(SECONDS))
        for segment in state.segments:
            ticks = sum(chunk.duration for chunk in records[segment.number].chunks)
            assert segment.seconds == pytest.approx(ticks / timescale, abs=1e-6)


def test_the_multivariant_playlist_names_the_ladder_with_its_codecs_and_the_sound(ended: Path) -> None:
    found = variants(ended)
    assert list(found) == [f"{name}/whole.m3u8" for name in TRACKS]
    for size, one in zip(SIZES, found.values(), strict=True):
        assert one["RESOLUTION"] == size
        video, sound = one["CODECS"].split(",")
        assert video.startswith("avc1.")
        assert sound == "mp4a.40.2"
        assert float(one["FRAME-RATE"]) == RATE
    assert 'URI="a0/whole.m3u8"' in (ended / "master.m3u8").read_text()


def test_ffmpeg_plays_all_of_it(ended: Path) -> None:
    maps = [word for number in range(len(TRACKS)) for word in ("-map", f"0:v:{number}")]
    strict = ("-xerror", "-err_detect", "explode")
    said = ffmpeg(*strict, "-i", ended / "master.m3u8", *maps, "-map", "0:a:0", "-f", "framecrc", "-")
    for stream in range(len(TRACKS)):
        assert sum(line.startswith(f"{stream},") for line in said.splitlines()) == SECONDS * RATE


def test_playlists_of_an_earlier_presentation_are_gone(streams: Sequence[Path], tmp_path: Path) -> None:
    copy(tmp_path, *streams[:2])
    copy(tmp_path, streams[1])  # it has no sound
    assert sorted(tmp_path.rglob("media.m3u8")) == [tmp_path / "v0" / "media.m3u8"]
    ((url, attributes_of_it),) = variants(tmp_path).items()
    assert url == "v0/whole.m3u8"
    assert "," not in attributes_of_it["CODECS"]
    assert "EXT-X-MEDIA" not in (tmp_path / "master.m3u8").read_text()
    state = read(tmp_path, "v0")
    assert state.segments[0].number == SECONDS
    assert state.tags["#EXT-X-DISCONTINUITY-SEQUENCE"] == str(SECONDS)


@pytest.fixture
def pipes(streams: Sequence[Path], tmp_path: Path) -> Iterator[list[Path]]:
    pipes = [tmp_path / f"{number}.pipe" for number in range(2)]
    for pipe in pipes:
        os.mkfifo(pipe)
    yield pipes


def test_a_representation_that_goes_and_comes_back_leaves_no_gap(
    streams: Sequence[Path], pipes: Sequence[Path]
) -> None:
    out = pipes[0].parent / "out"
    process = start(out, *pipes)
    pushed = [push(path, pipe, "-stream_loop", "-1") for path, pipe in zip(streams, pipes, strict=False)]
    seen: dict[str, list[str]] = {name: [] for name in ("v0", "v1", "a0")}

    def has(*names: str) -> bool:
        for name, states in seen.items():
            path = out / name / "media.m3u8"
            text = path.read_text() if path.exists() else ""
            if text and text not in states[-1:]:
                states.append(text)
        return list(variants(out)) == [f"{name}/media.m3u8" for name in names]

    try:
        wait_for(lambda: has("v0", "v1"))
        _end(pushed.pop())
        wait_for(lambda: has("v0"))
        for _ in range(20):
            pushed.append(push(streams[1], pipes[1], "-stream_loop", "-1"))
            if came(lambda: has("v0", "v1"), AGAIN_SECONDS):
                break
            _end(pushed.pop())
        written = len(seen["v1"])
        wait_for(lambda: has("v0", "v1") and len(seen["v1"]) > written + 1)
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        for one in pushed:
            _end(one)
    assert process.returncode == 0, said
    for name, states in seen.items():
        # A busy machine does not see each state; segments are listed in many.
        listed = {segment.number for state in check_growth(out / name, states) for segment in state.segments}
        assert sorted(listed) == list(range(min(listed), max(listed) + 1))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
