"""`voxel-inspect`: what it says agrees with index and attributes; bad folders are reported in one line."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from analyses import DECIMALS, SCALE, make_analysis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from processes import call
from runs import make_request
from voxel_prepare.analysis.segment_analysis import Metric, OrderName, Step
from voxel_prepare.cli.inspect import main
from voxel_prepare.inspect.described import (
    MANY,
    MAX_INDEX_BYTES,
    DescribedRepresentation,
    DescribedSegment,
    Droppable,
    read_described,
)
from voxel_prepare.inspect.report import TARGETS, as_json
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.manifest.index_file import INDEX_SCHEME, write_index
from voxel_prepare.manifest.mpd_file import VOXEL_NAMESPACE
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


STEPS = [Step(0.9, 0, 0), Step(1, 4, 40)]


@pytest.mark.parametrize(
    ("needs", "reach", "fate", "frames"),
    [
        (None, None, "replaced", {}),
        (None, [0, 2, 0, 1], "held", {"reach": [0, 2, 0, 1]}),
        ([[], [0], [0], [1]], None, "removed", {"needs": [[], [3], [3], [1]]}),
    ],
)
def test_it_says_what_becomes_of_each_frame(
    needs: list[list[int]] | None, reach: list[int] | None, fate: str, frames: dict[str, object]
) -> None:
    segment = DescribedSegment(400, 100, STEPS, OrderName.CLOSED, [3, 1, 5, 2], needs, reach)
    (found,) = segments([DescribedRepresentation("q00", 64, 64, 1000, Metric.SSIM, [segment])])
    assert found["missing"] == fate
    assert {name: found[name] for name in ("frames", "needs", "reach") if name in found} == {
        "frames": [3, 1, 5, 2],
        **frames,
    }


def test_it_counts_what_is_removed_with_a_frame() -> None:
    needs = [[], [0], [1], [1], [2, 3], [], [5]]
    segment = DescribedSegment(400, 100, STEPS, OrderName.CLOSED, range(7), needs)
    assert segment.dependents() == [MANY, 3, 1, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("changes", "cell", "note"),
    [
        ({"needs": [[], [0], [1]]}, "3, 1 alone", "frames: may be removed, and how many of them without others"),
        (
            {"reach": [0, 1, 2]},
            "3, 2 held",
            "frames: may be missing, and how many of them the picture before may be held for",
        ),
    ],
)
def test_table_and_picture_show_what_is_removed_or_held(
    changes: dict[str, object], cell: str, note: str, tmp_path: Path
) -> None:
    analysis = make_analysis([[], *[[(9, 100)]] * 3], [0, 1, 2], scores=[SCALE], **changes)  # type: ignore[arg-type]
    (tmp_path / "q.index").write_bytes(write_index([analysis], DECIMALS))
    (tmp_path / "manifest.mpd").write_text(mpd(index="q.index", attributes='id="q00"'))
    table = inspect(tmp_path, "--plot", tmp_path / "out.png").stdout
    assert cell in table
    assert note in table


def test_attributes_tell_the_same_as_the_index_but_for_the_frames(clip: Path, tmp_path: Path) -> None:
    quick = {"representations": tuple(parse_representations("144p")), "duration": 2.0}
    prepare(make_request(clip, out=tmp_path, facts="index and attributes", **quick))
    by_index = read_described(tmp_path)
    manifest = tmp_path / "manifest.mpd"
    manifest.write_text(manifest.read_text().replace("urn:voxel-dash:index:2", "urn:other"))
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


def mpd(url: str = "", *, attributes: str = "", index: str | None = None, average: str = "avgSSIM") -> str:
    """With one representation, one segment and perhaps an index."""
    descriptor = "" if index is None else f'<SupplementalProperty schemeIdUri="{INDEX_SCHEME}" value="{index}"/>'
    return (
        f'<MPD xmlns:v="{VOXEL_NAMESPACE}"><Representation v:{average}="1" {attributes}>{descriptor}'
        f"<SegmentList><SegmentURL {url}/></SegmentList></Representation></MPD>"
    )


def segment_url(media_range: str = "0-99", steps: str = "0.9:0:0,1:1:90", size: str = "10") -> str:
    return f'mediaRange="{media_range}" v:ssims="{steps}" v:reliableSize="{size}"'


HOSTILE = [
    (None, "no such file"),
    ("<MPD", "not an MPD"),
    ("<MPD/>", "expected representations with an index or attributes"),
    ('<!DOCTYPE MPD [<!ENTITY x SYSTEM "file:///etc/passwd">]><MPD>&x;</MPD>', "expected representations with"),
    (mpd(segment_url(), attributes='width="wide"'), "width must be an integer"),
    (mpd(segment_url(), attributes=f'bandwidth="{"9" * 5000}"'), "bandwidth must be an integer"),
    (mpd(segment_url("99-0")), "mediaRange must not be empty"),
    (mpd(segment_url("0-99-100")), "bad attributes of a SegmentURL"),
    (mpd(segment_url("\u0661-\u0662")), "expected an integer"),
    (mpd(segment_url("0&#10;-99")), "expected an integer"),
    (mpd(segment_url(steps="1:1:90,1:1:90")), "must ascend"),
    (mpd(segment_url(steps="1:1")), "bad attributes of a SegmentURL"),
    (mpd(segment_url(steps="1e999:1:90")), "expected a finite score"),
    (mpd(segment_url(steps="nan:1:90")), "expected a finite score"),
    (mpd(segment_url(steps=f"1:{'9' * 5000}:90")), "expected an integer"),
    (mpd(segment_url(size="many")), "expected an integer"),
    (mpd(index=""), "expected b'VXIX'"),
    (mpd(index="missing.index"), "missing.index: no such file"),
    (mpd(index="../secret.index"), "an MPD may only name files in its own folder"),
    (mpd(index="link.index"), "an MPD may only name files in its own folder"),
    (mpd(index="/dev/zero"), "an MPD may only name files in its own folder"),
    (mpd(index="https://media.example/q00.index"), "must be relative to the MPD"),
    (mpd(index="https://["), "not a valid URL"),
    (mpd(index="a%00b"), "not the name of a file"),
    (mpd(index="x" * 300), "no such file"),
    (mpd(index="pipe"), "no such file"),
    (mpd(index="large.index"), "must have at most"),
    (mpd(index="manifest.mpd"), "expected b'VXIX'"),
    (mpd(index="good.index", average="avgVMAF"), "expected the metric of the manifest, vmaf, found ssim"),
]


@pytest.mark.parametrize(("manifest", "message"), HOSTILE)
def test_a_bad_folder_is_reported_in_one_line(
    prepared: Path, tmp_path: Path, manifest: str | None, message: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    if manifest is not None:
        (folder / "manifest.mpd").write_text(manifest)
    (tmp_path / "secret.index").write_bytes(b"of somebody else")
    (folder / "link.index").symlink_to(tmp_path / "secret.index")
    os.mkfifo(folder / "pipe")
    with (folder / "large.index").open("wb") as large:
        large.truncate(MAX_INDEX_BYTES + 1)
    shutil.copy(next(prepared.glob("q00.*.index")), folder / "good.index")
    result = inspect(folder)
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["folder", "pipe"])
def test_a_manifest_that_is_no_file_is_reported_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "manifest.mpd"
    if name == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    result = inspect(tmp_path)
    assert result.returncode == 2
    assert result.stderr == f"voxel-inspect: {path}: no such file\n"


def test_words_out_of_a_manifest_stay_words(tmp_path: Path) -> None:
    id_ = "[/]:smile:&#10;&#x9b;31m$\\frac{"
    (tmp_path / "manifest.mpd").write_text(mpd(segment_url(), attributes=f'id="{id_}"'))
    result = inspect(tmp_path)
    assert result.returncode == 0
    assert result.stdout.splitlines()[0].startswith(r"[/]:smile:\n\x9b31m$\frac{: 0x0")
    assert inspect(tmp_path, "--json").returncode == 0
    drawn = inspect(tmp_path, "--plot", tmp_path / "out.png")
    assert drawn.returncode in {0, 2}
    assert len(drawn.stderr.splitlines()) <= 1


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 400), st.binary(min_size=1, max_size=3)), min_size=1, max_size=4), st.data())
def test_a_damaged_index_is_reported_in_one_line(
    prepared: Path, tmp_path: Path, damage: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    index = bytearray(next(prepared.glob("q00.*.index")).read_bytes())
    for position, content in damage:
        index[position : position + len(content)] = content
    size = data.draw(st.integers(0, len(index)) | st.just(len(index)))
    (tmp_path / "bad.index").write_bytes(index[:size])
    (tmp_path / "manifest.mpd").write_text(mpd(index="bad.index"))
    for options in ([], ["--json"]):
        result = inspect(tmp_path, *options)
        assert result.returncode in {0, 2}
        assert len(result.stderr.splitlines()) == (1 if result.returncode else 0)
        assert "internal error" not in result.stderr
