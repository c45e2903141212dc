"""The command as a process: messages, exit codes, interruption."""

import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from clips import ffmpeg, make_clip
from processes import COMMAND, call, parts, processes_of_session, run, visible, wait_for
from voxel_prepare.cli import live, prepare

QUICK = ["--preset", "ultrafast", "--passes", "1", "--representations", "144p"]


def test_a_run_ends_with_a_table_and_a_second_one_reuses_it(sound_clip: Path, tmp_path: Path) -> None:
    first, second = (run(sound_clip, "--out", tmp_path, *QUICK) for _ in range(2))
    assert first.returncode == second.returncode == 0
    assert first.stdout == second.stdout == ""
    assert "256x144" in first.stderr
    assert "scoring: 100 %" in first.stderr
    assert "reusing 3 of 3 parts from an earlier run" in second.stderr
    assert parts(tmp_path) == {
        *("manifest.mpd", "q00.mp4", "q00.index", "audio-0.mp4"),
        *("master.m3u8", "q00.m3u8", "audio-0.m3u8"),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.mp4"], "missing.mp4: no such file"),
        (["text.mp4"], "text.mp4: not a video"),
        (["sound.m4a"], "sound.m4a: expected a video track, found none"),
        (["interlaced.mp4"], "must be progressive, found interlaced"),
        (["clip.mp4", "--representations", "99p"], "1440p, 2160p, got '99p'"),
        (["clip.mp4", "--representations", "720p"], "720p is larger than the source, which has 320x180 pixels"),
        (["clip.mp4", "--start", "60"], "--start must be before the end"),
        (["clip.mp4", "clip.mp4"], "expected one input, or several with --copy, got 2 inputs"),
        (["clip.mp4", "--copy", "--representations", "144p"], "cannot be used with --copy"),
        (["clip.mp4", "--out", "text.mp4/out"], "the output folder cannot be written"),
    ],
)
def test_bad_input_is_reported_in_one_line(
    bad_inputs: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bad_inputs)
    result = call(*arguments) if "--out" in arguments else call(*arguments, "--out", "out")
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert visible(bad_inputs / "out") == set()


@pytest.fixture(scope="module")
def bad_inputs(sound_clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    (folder / "clip.mp4").write_bytes(sound_clip.read_bytes())
    (folder / "text.mp4").write_text("this is no video\n" * 100)
    ffmpeg("-i", sound_clip, "-vn", "-c", "copy", folder / "sound.m4a")
    make_clip(folder / "interlaced.mp4", "-vf", "interlace", "-flags", "+ilme+ildct", seconds=0.4)
    return folder


@pytest.mark.parametrize(
    ("main", "hidden"),
    [
        (prepare.main, {"--choice", "--hold", "--no-next", "--order", "--passes"}),
        (live.main, {"--levels", "--replay", "--speed"}),
    ],
)
def test_options_for_tests_are_under_help_all(main: Callable[[], None], hidden: set[str]) -> None:
    few, all_ = (call(option, main=main) for option in ("--help", "--help-all"))
    assert few.returncode == all_.returncode == 0
    options = [set(re.findall(r"--[a-z-]+", shown.stdout)) for shown in (few, all_)]
    assert options[1] - options[0] == hidden
    assert "--help-all" in options[0]


@pytest.mark.parametrize("options", [["--frobnicate"], ["--segment", "nan"], ["--jobs", "0"], ["--preset", "x"]])
def test_bad_options_are_bad_usage(sound_clip: Path, tmp_path: Path, options: list[str]) -> None:
    result = call(sound_clip, "--out", tmp_path, *options)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1


def test_a_cut_off_file_is_reported_in_one_line(clip: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(clip.read_bytes()[:-60_000])  # the moov stands at the end
    result = run(broken, "--out", tmp_path / "out", *QUICK)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("phase", ["start", "encode", "score"])
def test_an_interrupted_run_leaves_no_half_written_file_and_no_process(
    large_clip: Path, tmp_path: Path, number: signal.Signals, phase: str
) -> None:
    out = tmp_path / "out"
    representations = "480p:9" if phase == "score" else "144p,480p"
    preset = "ultrafast" if phase == "score" else "veryslow"
    process = subprocess.Popen(
        [*COMMAND, large_clip, "--out", out, "--representations", representations, "--preset", preset, "--passes", "1"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    marker = {"start": "*.unfinished", "encode": "*.unfinished/*.mp4", "score": "*-q00.mp4"}[phase]
    wait_for(lambda: any((out / ".voxel-prepare").glob(marker)))
    process.send_signal(number)
    _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    line = "voxel-prepare: interrupted; a second run continues from what is finished\n"
    messages = re.sub(r"(?m)^(encoding|scoring): \d+ %(, about [\d:]+ to go)?\n", "", messages)
    # A worker process that is just starting may add a traceback of its own.
    assert line in messages if phase == "score" else messages == line
    assert visible(out) == set()
    assert not list((out / ".voxel-prepare").glob("*.unfinished"))
    wait_for(lambda: not processes_of_session(process.pid))
