"""`voxel-inspect`: what it says agrees with index and attributes; bad folders are reported in one line."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from processes import call
from runs import make_request
from voxel_prepare.analysis.segment_analysis import Metric, Step
from voxel_prepare.cli.inspect import main
from voxel_prepare.inspect.described import DescribedRepresentation, DescribedSegment, Droppable, read_described
from voxel_prepare.inspect.report import TARGETS, as_json
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.media.ladder import parse_representations

COMMAND = "from voxel_prepare.cli.inspect import main; main()"
NO_MATPLOTLIB = f"import sys; sys.modules['matplotlib'] = None; {COMMAND}"

inspect = partial(call, main=main)


def test_table_and_object_tell_of_every_segment(prepared: Path) -> None:
    table, found = inspect(prepared), inspect(prepared, "--json")
    assert table.returncode == found.returncode == 0
    representations = json.loads(found.stdout)["representations"]
    assert [len(representation["segments"]) for representation in representations] == [3, 3]
    assert table.stdout.count("\n all ") == 2
    for segment in (segment for representation in representations for segment in representation["segments"]):
        assert segment["order"]
        assert 0 < segment["reliableBytes"] < segment["bytes"]
        shares = [share for share in segment["droppable"] if share is not None]
        assert shares == sorted(shares)
        assert all(0 <= share <= 1 - segment["reliableBytes"] / segment["bytes"] for share in shares)


def test_what_may_be_dropped_keeps_the_score(prepared: Path) -> None:
    for segment in (segment for representation in read_described(prepared) for segment in representation.segments):
        for target in TARGETS[Metric.SSIM]:
            step = segment.least_step(target)
            assert (step is None) == (max(step.score for step in segment.steps) < target)
            assert step is None or step.score >= target


@pytest.mark.parametrize(
    ("steps", "at_least"),
    [
        ([(0.5, 0), (0.95, 20), (1, 30)], True),
        ([(0.948, 0), (0.95, 20), (1, 30)], False),
        ([(0.5, 0), (0.95, 1), (1, 30)], False),
        ([(0.5, 0), (0.93, 10), (0.948, 19), (0.95, 20), (1, 30)], False),
    ],
)
def test_it_says_where_more_may_be_dropped_than_was_measured(steps: list[tuple[float, int]], at_least: bool) -> None:
    measured = [Step(score, frames, 10 * frames) for score, frames in steps]
    segment = DescribedSegment(bytes=400, reliable_bytes=100, steps=measured, order_name=None, order=())
    found = segment.droppable(0.95, Metric.SSIM)
    assert found == Droppable((300 - segment.least_step(0.95).bytes) / 400, at_least)  # type: ignore[union-attr]


def test_attributes_tell_the_same_as_the_index_but_for_the_frames(clip: Path, tmp_path: Path) -> None:
    quick = {"representations": tuple(parse_representations("144p")), "duration": 2.0}
    prepare(make_request(clip, out=tmp_path, facts="index and attributes", **quick))
    by_index = read_described(tmp_path)
    manifest = tmp_path / "manifest.mpd"
    manifest.write_text(manifest.read_text().replace("urn:voxel-dash:index:1", "urn:other"))
    by_attributes = read_described(tmp_path)
    assert numbers(by_index) == numbers(by_attributes)
    assert by_attributes[0].segments[0].order_name is None


def numbers(representations: list[DescribedRepresentation]) -> list[object]:
    """What both say."""
    return [[segment["droppable"], segment["bytes"], segment["reliableBytes"]] for segment in segments(representations)]


def segments(representations: list[DescribedRepresentation]) -> list[dict[str, object]]:
    return [
        segment
        for representation in as_json(representations)["representations"]
        for segment in representation["segments"]
    ]


def test_a_picture_is_drawn(prepared: Path, tmp_path: Path) -> None:
    assert inspect(prepared, "--plot", tmp_path / "out.png").returncode == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("command", "picture", "message"),
    [
        (["-c", COMMAND], "out.unknown", "not supported"),
        (["-c", NO_MATPLOTLIB], "out.png", "pip install 'voxel-prepare[plot]'"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_reported_in_one_line(
    prepared: Path, command: list[str], picture: str, message: str
) -> None:
    arguments = [sys.executable, *command, str(prepared), "--plot", picture]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, "no such file"),
        ("<MPD", "not an MPD"),
        ("<MPD/>", "expected representations with an index or attributes"),
    ],
)
def test_a_bad_folder_is_reported_in_one_line(tmp_path: Path, manifest: str | None, message: str) -> None:
    if manifest is not None:
        (tmp_path / "manifest.mpd").write_text(manifest)
    result = inspect(tmp_path)
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
