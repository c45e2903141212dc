"""`voxel-live` on a disk that becomes full, killed, and after a loss of power, at random moments: what was published
plays, and a restart goes on.
"""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from av.video.frame import VideoFrame
from clips import ffmpeg, make_clip_with_sound
from disks import resize
from mpd_schema import check_mpd
from processes import wait_for
from published import check_published, records_of
from unhurried import encode_unhurried
from voxel_prepare.live import sound
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.presentation import Presentation
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.resume import frames_written
from voxel_prepare.live.state import STATE, LiveState, lock_folder
from voxel_prepare.media.ladder import parse_representations

COMMAND = [sys.executable, "-c", "from voxel_prepare.cli.live import main; main()"]
REPRESENTATIONS = "144p:0.1,240p:0.3"
TRACKS = ("v0", "v1", "a0")
MOMENTS = 20
FEW = 2
"""Moments of an ordinary run."""
POWER_LOSSES = 20
FULL = "No space left on device"
WAITS = "waiting until there is room"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "moment" in metafunc.fixturenames:
        metafunc.parametrize("moment", range(MOMENTS if metafunc.config.getoption("--twenty") else FEW))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    clip = make_clip_with_sound(folder / "clip.mp4", seconds=5)
    ffmpeg("-i", clip, "-vf", "scale=432:240", "-c:v", "libx264", "-c:a", "copy", folder / "large.mp4")
    return folder / "large.mp4"


def start(source: Path, out: Path) -> "subprocess.Popen[str]":
    arguments = [str(source), "--out", str(out), "--representations", REPRESENTATIONS, "--segment", "0.64", "--keep"]
    return subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True)


def check(out: Path) -> None:
    if (out / "manifest.mpd").exists():
        check_mpd(out / "manifest.mpd")
        for track in TRACKS:
            check_published(out / track)


def newest(out: Path) -> int:
    return max((int(path.stem) for path in out.glob("v0/*.m4s")), default=0)


def go_on(source: Path, out: Path) -> None:
    """Starts again, for some segments, and ends."""
    begun, last = bool(list(out.glob("*/*.vxl"))), newest(out)
    process = start(source, out)
    wait_for(lambda: newest(out) >= last + 4 or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate()
    assert process.returncode == 0, messages
    assert not begun or "going on with the presentation" in messages
    assert 'type="static"' in (out / "manifest.mpd").read_text()
    check(out)
    assert all(records.length for track in TRACKS for records in records_of(out / track).values())


def until_full(source: Path, disk: Path, moment: int) -> tuple["subprocess.Popen[str]", str]:
    """An encoder whose disk has become full at a random moment, from its first file on, and what it says of that: it
    ends where there is no room for its lock.
    """
    resize(disk, 4096 * random.Random(moment).randrange(8, 130))
    process = start(source, disk / "out")
    assert process.stderr is not None
    return process, next(line for line in process.stderr if FULL in line)


def test_where_the_disk_is_full_an_interrupt_ends_it_and_a_restart_goes_on(
    source: Path, disk: Path, moment: int
) -> None:
    out = disk / "out"
    process, said = until_full(source, disk, moment)
    if WAITS in said:
        process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=120)
    assert process.returncode in {1, 2}, messages
    *_, last = (said + messages).splitlines()
    assert last.startswith("voxel-live: ")
    assert last.endswith(FULL)
    assert "Traceback" not in messages
    check(out)
    resize(disk, 1 << 26)
    go_on(source, out)


def test_where_the_disk_was_full_for_a_while_the_encoder_goes_on(source: Path, disk: Path, moment: int) -> None:
    out = disk / "out"
    process, said = until_full(source, disk, moment)
    time.sleep(1)
    check(out)
    resize(disk, 1 << 26)
    if WAITS not in said:
        process.communicate(timeout=120)
        go_on(source, out)
        return
    last = newest(out)
    wait_for(lambda: newest(out) >= last + 6 or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=120)
    assert process.returncode == 0, messages
    assert "there is room again after" in messages
    check(out)
    first, *others = (set(records_of(out / track)) for track in TRACKS)
    assert all(numbers == first for numbers in others)
    assert all(records.length for track in TRACKS for records in records_of(out / track).values())


def test_killed_at_any_moment_what_was_published_plays_and_a_restart_goes_on(
    source: Path, tmp_path: Path, moment: int
) -> None:
    out = tmp_path / "out"
    process = start(source, out)
    wait_for(lambda: out.exists() or process.poll() is not None)
    time.sleep(random.Random(moment).uniform(0, 4))
    process.kill()
    process.communicate()
    check(out)
    go_on(source, out)


@pytest.fixture(scope="module")
def recorded(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an encoder left that was killed in a segment."""
    out = tmp_path_factory.mktemp("recorded")
    representations = tuple(parse_representations(REPRESENTATIONS))
    encode_unhurried(source, out, seconds=4.2, representations=representations, segment=0.64)
    state = LiveState.read(out)
    assert state is not None
    state_file = (out / STATE).read_text().replace('"ended": true', '"ended": false')
    (out / STATE).write_text(state_file)
    return out


def lose(track: Path, choice: random.Random) -> None:
    """Damages the newest files of a representation as a loss of power may: what was written late is not there."""
    numbers = sorted(records_of(track))[-3:]
    for number in numbers[choice.randrange(3) :]:
        for suffix in (".m4s", ".m4s.vxl"):
            path = track / f"{number}{suffix}"
            data = path.read_bytes()
            kept = choice.randrange(len(data) + 1)
            damage = choice.choice(["none", "short", "zeros", "page", "gone"])
            if damage == "short":
                path.write_bytes(data[:kept])
            elif damage == "zeros":
                path.write_bytes(data[:kept].ljust(len(data), b"\0"))
            elif damage == "page":
                start = kept // 512 * 512
                path.write_bytes(data[:start] + bytes(min(512, len(data) - start)) + data[start + 512 :])
            elif damage == "gone":
                path.unlink()


@pytest.mark.parametrize("loss", range(POWER_LOSSES))
def test_after_a_loss_of_power_a_restart_goes_on_with_what_is_there(recorded: Path, tmp_path: Path, loss: int) -> None:
    out = tmp_path / "out"
    shutil.copytree(recorded, out)
    choice = random.Random(loss)
    for track in TRACKS:
        lose(out / track, choice)
    state = LiveState.read(out)
    assert state is not None
    grey = VideoFrame.from_ndarray(np.full((360, 432), 128, np.uint8), format="yuv420p")
    presentation = Presentation(out, state, 1, 60, keep=True)
    first = presentation.begin(grey, state.timeline.wall_time(0) + 8_000)
    assert presentation.state.timeline == state.timeline
    writer = presentation.sound(lambda captured: None)
    assert writer is not None
    writer.finish(float(first * state.timeline.segment_seconds))
    for track in TRACKS:
        check_published(out / track)
        timescale = sound.SAMPLE_RATE if track == "a0" else state.timeline.timescale
        folder = TrackFolder(out / track, record_head(timescale))
        assert frames_written(folder, timescale) >= int(first * state.timeline.segment_seconds) - 1


def test_what_a_first_start_on_a_full_disk_leaves_is_no_foreign_file(tmp_path: Path) -> None:
    (tmp_path / f"{STATE}.new").write_text("{")
    lock_folder(tmp_path).close()
