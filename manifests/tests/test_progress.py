"""What a user reads while it works and at its end: in a terminal, and where nobody sees a bar."""

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from clips import make_clip
from hypothesis import given
from hypothesis import strategies as st
from processes import COMMAND, call
from rich.progress import Progress
from voxel_prepare.ffmpeg import list_packets
from voxel_prepare.jobs import progress
from voxel_prepare.jobs.pace import Pace, clock
from voxel_prepare.jobs.progress import WorkProgress

QUICK = ["--preset", "ultrafast", "--passes", "1", "--representations", "144p", "--segment", "1"]


def test_the_rest_takes_as_long_as_the_work_so_far_says() -> None:
    pace = Pace(start=0)
    pace.reach(100, 0.05)  # went faster or slower
    pace.begin(now=100)
    assert pace.remaining(110) is None
    pace.reach(120, 0.25)
    assert pace.remaining(120) == pytest.approx(75)
    assert pace.remaining(130) == pytest.approx(65)


def test_a_step_that_takes_longer_than_foretold_ends_the_forecast_until_the_next_one() -> None:
    pace = Pace(start=0)
    pace.begin(now=0)
    pace.reach(10, 0.5)
    assert pace.remaining(19) == pytest.approx(1)
    assert pace.remaining(21) is None
    pace.reach(30, 0.75)
    assert pace.remaining(30) == pytest.approx(10)


def test_what_was_finished_before_foretells_nothing() -> None:
    pace = Pace(start=0)
    pace.begin(now=0)
    pace.skip(0.5)
    pace.reach(10, 0.5)
    assert pace.remaining(10) is None
    pace.reach(10, 0.75)
    assert pace.remaining(10) == pytest.approx(10)


def test_nothing_is_left_at_the_end() -> None:
    pace = Pace(start=0)
    pace.begin(now=0)
    pace.reach(10, 1)
    assert pace.remaining(10) is None


@pytest.mark.parametrize(("seconds", "said"), [(0, "0:00"), (59.6, "1:00"), (185, "3:05"), (3725, "1:02:05")])
def test_times_are_minutes_and_seconds(seconds: float, said: str) -> None:
    assert clock(seconds) == said


@given(st.lists(st.tuples(st.sampled_from(["read", "begin", "advance", "skip", "finish"]), st.floats(0, 2))))
def test_progress_never_runs_backwards_nor_past_the_end(calls: list[tuple[str, float]]) -> None:
    shown = []
    with Progress(disable=True) as bar:
        work = WorkProgress(bar)
        for name, value in calls:
            getattr(work, name)(*([] if name == "finish" else [value]))
            shown.append(bar.tasks[0].completed)
    assert shown == sorted(shown)
    assert all(0 <= done <= 1 for done in shown)


def test_lines_where_nobody_sees_a_bar_are_a_tenth_apart(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.work_progress() as work:
        for share in range(1001):
            work.read(share / 1000)
        work.begin(1000)
        work.phase("encoding")
        for number in range(1000):
            if number == 500:
                work.phase("scoring")
            work.advance(1)
        work.finish()
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"{'encoding' if ten < 6 else 'scoring'}: {ten * 10} %" for ten in range(1, 11)]


def test_where_the_first_tenth_takes_long_a_line_says_that_something_happens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0)
    with progress.work_progress() as work:
        for share in range(100):
            work.read(share / 100)
    assert capsys.readouterr().err.splitlines() == ["reading: 0 %"]


def test_reading_a_file_is_reported_as_it_goes(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "clip.avi", "-c:v", "rawvideo", size="640x360", seconds=2)
    sizes: list[int] = []
    for _ in list_packets(clip, [0], sizes.append):
        pass
    assert len(sizes) >= 3
    assert sizes == sorted(sizes)
    assert sizes[-1] <= clip.stat().st_size


def in_terminal(*arguments: str | Path, columns: int = 100) -> tuple[str, int]:
    """What `voxel-prepare` writes to a terminal, with its control sequences, and its exit code."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    command = [*COMMAND, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=terminal, stderr=terminal, stdin=terminal, env=environment)
    os.close(terminal)
    written = b""
    try:
        while chunk := os.read(controller, 4096):
            written += chunk
    except OSError:  # the program has ended
        pass
    finally:
        os.close(controller)
    return written.decode(), process.wait()


def test_a_terminal_has_one_bar_that_says_which_time_is_which(large_clip: Path, tmp_path: Path) -> None:
    options = ["--preset", "ultrafast", "--passes", "1", "--representations", "480p:1", "--duration", "12"]
    options += ["--segment", "1", "--jobs", "1"]  # many steps, of which the rest is foretold
    written, code = in_terminal(large_clip, "--out", tmp_path / "out", *options)
    assert code == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)
    bars = [line for line in re.split(r"[\r\n]+", text) if "━" in line]
    percents = [int(found[1]) for line in bars if (found := re.search(r"(\d+)%", line))]
    assert percents == sorted(percents)
    assert percents[-1] == 100
    assert all(re.search(r"\d:\d\d (so far(, about \d+:\d\d to go)?|in all)\s*$", line) for line in bars), bars
    assert any("to go" in line for line in bars)
    phases = [line.split()[0] for line in bars]
    order = ["reading", "encoding", "scoring", "publishing"]
    assert sorted(phases, key=order.index) == phases
    assert {"encoding", "scoring"} <= set(phases)


def test_an_error_in_a_terminal_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("this is no video\n" * 100)
    written, code = in_terminal(tmp_path / "text.mp4", "--out", tmp_path / "out", columns=400)
    assert code == 2
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)
    assert text.split() == f"voxel-prepare: {tmp_path / 'text.mp4'}: not a video".split()


def test_copies_are_not_called_encoded(sound_clip: Path, tmp_path: Path) -> None:
    result = call("--copy", sound_clip, "--out", tmp_path, "--segment", "1")
    assert result.returncode == 0
    assert "encoding" not in result.stderr
    assert re.search(r"(?m)^copying: \d+ %", result.stderr)


def test_the_table_says_why_the_top_score_is_1(clip: Path, tmp_path: Path) -> None:
    result = call(clip, "--out", tmp_path, *QUICK, "--duration", "1")
    assert "SSIM compares with the top representation, so its own is 1.0000." in result.stderr
    result = call(clip, "--out", tmp_path / "psnr", *QUICK, "--duration", "1", "--metric", "psnr")
    assert "PSNR compares with the top representation" in result.stderr
    assert "SSIM" not in result.stderr
