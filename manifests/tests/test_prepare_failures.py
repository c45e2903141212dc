"""`voxel-prepare` on a disk that becomes full, or killed, at random moments: nothing half is published, and a second
run ends as one that was never interrupted.
"""

import random
import subprocess
import time
from pathlib import Path

import pytest
from clips import make_clip_with_sound
from disks import resize
from processes import COMMAND, parts, run, wait_for
from voxel_prepare.ffmpeg import ffmpeg_program
from voxel_prepare.manifest.mpd_file import MANIFEST

MOMENTS = 20
FEW = 2
"""Moments of an ordinary run."""
OPTIONS = ("--representations", "144p:0.2", "--preset", "veryfast", "--jobs", "1")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "moment" in metafunc.fixturenames:
        metafunc.parametrize("moment", range(MOMENTS if metafunc.config.getoption("--twenty") else FEW))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip_with_sound(tmp_path_factory.mktemp("source") / "clip.mp4", seconds=3)


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is prepared without an interruption."""
    out = tmp_path_factory.mktemp("whole") / "out"
    assert run(source, "--out", out, *OPTIONS).returncode == 0
    return out


def check(out: Path, whole: Path) -> None:
    """Nothing, or all that an uninterrupted run publishes."""
    if not (out / MANIFEST).exists():
        return
    assert parts(out) == parts(whole)
    for path in out.glob("*.mp4"):
        strict = ("-v", "warning", "-xerror", "-err_detect", "explode", "-i", str(path), "-f", "null", "-")
        played = subprocess.run([ffmpeg_program(), "-nostdin", *strict], capture_output=True, text=True, check=False)
        assert (played.returncode, played.stderr) == (0, "")


def check_again(source: Path, out: Path, whole: Path) -> None:
    again = run(source, "--out", out, *OPTIONS)
    assert again.returncode == 0, again.stderr
    assert (out / MANIFEST).exists()
    check(out, whole)


def test_where_the_disk_is_full_nothing_half_is_published(source: Path, whole: Path, disk: Path, moment: int) -> None:
    needed = sum(path.stat().st_size for path in whole.rglob("*") if path.is_file())
    resize(disk, random.Random(moment).randrange(4096, 2 * needed))
    ended = run(source, "--out", disk / "out", *OPTIONS)
    assert ended.returncode in {0, 1, 2}
    if ended.returncode:
        *_, last = ended.stderr.splitlines()
        assert last.startswith("voxel-prepare: ")
        assert "No space left on device" in last
    check(disk / "out", whole)
    resize(disk, 1 << 26)
    check_again(source, disk / "out", whole)


def test_killed_at_any_moment_nothing_half_is_published(source: Path, whole: Path, tmp_path: Path, moment: int) -> None:
    out = tmp_path / "out"
    process = subprocess.Popen([*COMMAND, str(source), "--out", str(out), *OPTIONS], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: out.exists() or process.poll() is not None)
    time.sleep(random.Random(moment).uniform(0, 3))
    process.kill()
    process.communicate()
    check(out, whole)
    check_again(source, out, whole)
