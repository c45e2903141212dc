"""`voxel-prepare --copy` of a `voxel-live` that has ended, also of encoders that did not deliver the same frames."""

import subprocess
import sys
from pathlib import Path

import pytest
from clips import ffmpeg, make_clip_with_sound
from mpd_schema import check_mpd
from processes import call
from test_copied_streams import RATE, SECONDS, copy, make_streams
from voxel_prepare.inspect.described import DescribedRepresentation, read_described
from voxel_prepare.isobmff import parse_fragments

LIVE = [sys.executable, "-c", "from voxel_prepare.cli.live import main; main()"]

AWAY = range(RATE + RATE // 2, 3 * RATE + RATE // 2)
"""The frames that the encoder of the second representation does not send."""
SHORTER = 10
"""Frames by which the top one ends earlier."""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ended")
    low, middle, top = make_streams(folder)
    dropped = {
        middle: f"between(n\\,{AWAY.start}\\,{AWAY.stop - 1})",
        top: f"gte(n\\,{SECONDS * RATE - SHORTER})",
    }
    for path, drop in dropped.items():
        ffmpeg("-i", path, "-c", "copy", "-bsf:v", f"noise=amount=0:drop={drop}", folder / f"cut-{path.name}")
    copy(folder / "live", low, *(folder / f"cut-{path.name}" for path in dropped))
    return folder / "live"


@pytest.fixture(scope="module")
def measured(ended: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("measured")
    result = call("--copy", ended / "manifest.mpd", "--out", out, "--jobs", "1")
    assert result.returncode == 0, result.stderr
    return out


@pytest.fixture(scope="module")
def described(measured: Path) -> list[DescribedRepresentation]:
    return read_described(measured)


def frames(track: Path) -> list[int]:
    segments = [parse_fragments((track / f"{number}.m4s").read_bytes()) for number in range(SECONDS)]
    return [sum(len(fragment.samples) for fragment in fragments) for fragments in segments]


def test_the_representations_have_other_frames(ended: Path) -> None:
    whole = [RATE] * SECONDS
    assert frames(ended / "v0") == whole
    assert frames(ended / "v1") == [RATE, AWAY.start - RATE, 1, 1, *whole[4:]]
    assert frames(ended / "v2") == [*whole[:-1], RATE - SHORTER]


def test_all_segments_are_measured(measured: Path, described: list[DescribedRepresentation]) -> None:
    check_mpd(measured / "manifest.mpd")
    assert [len(one.segments) for one in described] == [SECONDS] * 3
    scores = [[segment.steps[-1].score for segment in one.segments] for one in described]
    assert scores[2] == [1] * SECONDS
    assert max(scores[0]) < min(scores[1][0], *scores[1][4:]) < 1


def test_a_picture_that_stands_in_scores_less_than_those_that_came(described: list[DescribedRepresentation]) -> None:
    scores = [segment.steps[-1].score for segment in described[1].segments]
    assert max(scores[1:4]) < min(scores[0], *scores[4:])


def test_where_frames_are_missing_all_bytes_are_reliable(described: list[DescribedRepresentation]) -> None:
    reliable = [[segment.reliable_bytes == segment.bytes for segment in one.segments] for one in described]
    assert reliable == [
        [place == SECONDS - 1 for place in range(SECONDS)],
        [place in {1, 2, 3, SECONDS - 1} for place in range(SECONDS)],
        [False] * SECONDS,
    ]


def test_a_last_segment_that_lasts_longer_is_no_reason_to_ask_for_one_more(tmp_path: Path) -> None:
    stream, *_ = make_streams(tmp_path, "-bf", "0")
    key = (SECONDS - 1) * RATE
    drop = f"eq(n\\,{key})+gt(n\\,{key + 3})"
    ffmpeg("-i", stream, "-an", "-c", "copy", "-bsf:v", f"noise=amount=0:drop={drop}", tmp_path / "cut.ts")
    copy(tmp_path / "live", tmp_path / "cut.ts")
    last = parse_fragments((tmp_path / "live" / "v0" / f"{SECONDS - 2}.m4s").read_bytes())
    assert sum(len(fragment.samples) for fragment in last) == RATE + 3
    assert 'mediaPresentationDuration="PT5S"' in (tmp_path / "live" / "manifest.mpd").read_text()


def test_an_encoded_stream_is_measured(tmp_path: Path) -> None:
    clip = make_clip_with_sound(tmp_path / "clip.mp4", seconds=3)
    ffmpeg("-i", clip, "-vf", "scale=432:240", "-c:v", "libx264", "-c:a", "aac", tmp_path / "clip.ts")
    words = ["-", "--out", str(tmp_path / "live"), "--representations", "144p:0.1,240p:0.3", "--keep"]
    with (tmp_path / "clip.ts").open("rb") as pipe:
        subprocess.run([*LIVE, *words], stdin=pipe, check=True, capture_output=True)
    foretold = read_described(tmp_path / "live")
    out = tmp_path / "measured"
    result = call("--copy", tmp_path / "live" / "manifest.mpd", "--out", out, "--jobs", "1")
    assert result.returncode == 0, result.stderr
    check_mpd(out / "manifest.mpd")
    low, top = read_described(out)
    assert [len(one.segments) for one in (low, top)] == [len(one.segments) for one in foretold]
    assert [segment.steps[-1].score for segment in top.segments] == [1] * len(top.segments)
    assert all(len(segment.steps) > 2 for segment in low.segments[:2])
