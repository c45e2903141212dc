"""`voxel-live --clip`: spans of streams that have ended, and of one that goes on."""

import os
import re
import shutil
import signal
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from clips import ffmpeg
from live_playlist_reader import read_playlist
from lxml import etree
from mpd_schema import check_mpd
from processes import call, wait_for
from published import check_published, records_of
from test_copied_streams import RATE, SECONDS, copy, make_streams, push, start
from voxel_prepare.cli import live
from voxel_prepare.inspect.described import read_described

TRACKS = ("v0", "v1", "a0")
SPAN = (3.5, 1.5)
"""Seconds before the end: in the third segment and the fifth."""
INSIDE = [2, 3, 4]


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_streams(tmp_path_factory.mktemp("streams"))[:2]


@pytest.fixture(scope="module")
def ended(streams: Sequence[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ended")
    copy(out, *streams)
    return out


def clip(folder: Path, out: Path, *words: str) -> tuple[int, list[str]]:
    """Exit code and lines."""
    result = call(folder, "--clip", "--out", out, *words, main=live.main)
    return result.returncode, result.stderr.splitlines()


def span(before: float, until: float) -> tuple[str, ...]:
    return "--from", str(before), "--to", str(until)


@pytest.fixture(scope="module")
def made(ended: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A clip of a stream that has been deleted meanwhile, and what was said."""
    folder = tmp_path_factory.mktemp("clip")
    shutil.copytree(ended, folder / "stream")
    code, said = clip(folder / "stream", folder / "clip", *span(*SPAN))
    assert code == 0, said
    shutil.rmtree(folder / "stream")
    return folder / "clip", said


@pytest.mark.parametrize("name", TRACKS)
def test_it_has_the_segments_in_which_the_span_lies(made: tuple[Path, list[str]], ended: Path, name: str) -> None:
    out, _ = made
    assert list(records_of(out / name)) == INSIDE
    for path in [f"{name}/init.mp4", *(f"{name}/{number}.m4s" for number in INSIDE)]:
        assert (out / path).read_bytes() == (ended / path).read_bytes()


def test_its_manifest_begins_and_ends_with_them(made: tuple[Path, list[str]]) -> None:
    out, _ = made
    check_mpd(out / "manifest.mpd")
    mpd = etree.parse(out / "manifest.mpd").getroot()
    assert (mpd.get("type"), mpd.get("mediaPresentationDuration")) == ("static", f"PT{len(INSIDE)}S")
    for template in mpd.findall(".//{*}SegmentTemplate"):
        offset, scale = (int(template.get(name, "")) for name in ("presentationTimeOffset", "timescale"))
        assert (template.get("startNumber"), offset / scale) == (str(INSIDE[0]), INSIDE[0])
    assert [len(one.segments) for one in read_described(out)] == [len(INSIDE)] * 2


def test_it_says_from_when_to_when(made: tuple[Path, list[str]]) -> None:
    out, said = made
    times = [datetime.fromisoformat(time) for time in re.findall(r"\d{4}-[0-9T:.-]+Z", said[0])]
    assert times[1] - times[0] == timedelta(seconds=len(INSIDE))
    assert "cut where segments of 1 s are: v0, v1, a0" in said[0]
    listed = read_playlist((out / "v0" / "whole.m3u8").read_text()).segments
    assert listed[0].date == times[0]
    assert [segment.seconds for segment in listed] == [1, 1, 1]


def test_hls_players_play_it(made: tuple[Path, list[str]]) -> None:
    out, _ = made
    strict = ("-xerror", "-err_detect", "explode")
    said = ffmpeg(*strict, "-i", out / "master.m3u8", "-map", "0:v:1", "-map", "0:a:0", "-f", "framecrc", "-")
    assert sum(line.startswith("0,") for line in said.splitlines()) == len(INSIDE) * RATE


def test_its_scores_can_be_measured(made: tuple[Path, list[str]], tmp_path: Path) -> None:
    result = call("--copy", made[0] / "manifest.mpd", "--out", tmp_path / "out", "--jobs", "1")
    assert result.returncode == 0, result.stderr
    assert [len(one.segments) for one in read_described(tmp_path / "out")] == [len(INSIDE)] * 2


def test_times_may_be_dates(made: tuple[Path, list[str]], ended: Path, tmp_path: Path) -> None:
    begin, end = re.findall(r"\d{4}-[0-9T:.-]+Z", made[1][0])
    assert clip(ended, tmp_path / "utc", "--from", begin, "--to", end)[0] == 0
    assert list(records_of(tmp_path / "utc" / "v0")) == INSIDE
    elsewhere = datetime.fromisoformat(begin).isoformat().replace("+00:00", "") + "-00:00"
    assert clip(ended, tmp_path / "zone", "--from", elsewhere)[0] == 0
    assert list(records_of(tmp_path / "zone" / "v0")) == [*INSIDE, SECONDS - 1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (span(SECONDS + 1, 1), f"--from {SECONDS + 1}: not there: the stream begins at 20"),
        (("--from", "2000-01-01"), "--from 2000-01-01: not there: the stream begins at 20"),
        (("--from", "9000-01-01T00:00:00Z"), "not there: the stream ends at 20"),
        (
            ("--from", "2", "--to", "9000-01-01T00:00:00Z"),
            "--to 9000-01-01T00:00:00Z: not there: the stream ends at 20",
        ),
        (("--from", "0"), "--from 0: not there: the stream ends at 20"),
        (span(1, 2), "--from must be before --to, got 1 and 2"),
        (("--from", "noon"), "--from must be seconds before the newest, or a time such as"),
        (("--from", "1e400"), "--from must be seconds before the newest, or a time such as"),
        ((), "--clip takes one folder, --from TIME"),
        (("--from", "1", "--copy"), "--clip takes one folder, --from TIME, and neither --copy nor --replay"),
    ],
)
def test_a_span_that_is_not_there_is_said_in_a_line(
    ended: Path, tmp_path: Path, words: Sequence[str], said: str
) -> None:
    code, lines = clip(ended, tmp_path / "out", *words)
    assert code == 2
    assert len(lines) == 1
    assert said in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(ended: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    code, (said,) = clip(ended, tmp_path / "out", "--from", "2")
    assert (code, (tmp_path / "out" / "mine").read_text()) == (2, "mine")
    assert "expected an empty folder, or none, found mine in it" in said
    assert clip(ended, tmp_path / "out" / "mine", "--from", "2")[0] == 2
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine"]


def test_what_the_window_has_left_behind_is_not_there_any_more(ended: Path, tmp_path: Path) -> None:
    shutil.copytree(ended, tmp_path / "stream")
    for path in tmp_path.glob("stream/*/0.m4s*"):
        path.unlink()
    code, (said,) = clip(tmp_path / "stream", tmp_path / "out", "--from", str(SECONDS))
    assert code == 2
    assert f"--from {SECONDS}: not there any more: the stream goes back to 20" in said


def test_a_representation_that_has_not_all_of_it_is_left_out(ended: Path, tmp_path: Path) -> None:
    shutil.copytree(ended, tmp_path / "stream")
    (tmp_path / "stream" / "v1" / "3.m4s").unlink()
    code, said = clip(tmp_path / "stream", tmp_path / "out", *span(*SPAN))
    assert (code, said[0]) == (0, "v1: left out: it has not all of these segments")
    assert [one.id for one in read_described(tmp_path / "out")] == ["v0"]
    assert not (tmp_path / "out" / "v1").exists()


def test_a_stream_that_grows_goes_on_and_so_does_the_clip(streams: Sequence[Path], tmp_path: Path) -> None:
    pipes = [tmp_path / f"{number}.pipe" for number in range(2)]
    for pipe in pipes:
        os.mkfifo(pipe)
    out = tmp_path / "out"
    process = start(out, *pipes)
    pushed = [push(path, pipe, "-stream_loop", "-1") for path, pipe in zip(streams, pipes, strict=True)]
    manifest = out / "manifest.mpd"
    wait_for(lambda: manifest.exists() and all(len(records_of(out / name)) > 3 for name in TRACKS))
    code, said = clip(out, tmp_path / "clip", "--from", "2")
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    refused = clip(out, tmp_path / "later", "--from", "1", "--to", later)
    before = manifest.read_text()
    wait_for(lambda: manifest.read_text() != before)
    process.send_signal(signal.SIGINT)
    _, ending = process.communicate(timeout=60)
    for one in pushed:
        one.kill()
        one.wait()
    assert process.returncode == 0, ending
    assert code == 0, said
    assert refused[0] == 2
    assert "not there yet: the newest segment ends at" in refused[1][0]
    check_mpd(tmp_path / "clip" / "manifest.mpd")
    for name in TRACKS:
        assert len(records_of(tmp_path / "clip" / name)) == 2
        assert all(records.length for records in records_of(tmp_path / "clip" / name).values())
        check_published(out / name)
