"""The same work on a Dask cluster of two workers on this machine, started as a user starts one."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from processes import COMMAND, call, parts, processes_of_session, run, visible, wait_for
from runs import make_request
from voxel_prepare.errors import InputError
from voxel_prepare.jobs import cluster
from voxel_prepare.jobs.prepare import prepare

DASK = [sys.executable, "-m", "dask"]
QUICK = ["--preset", "ultrafast", "--representations", "144p,144p:0.3", "--segment", "1"]


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A Dask process in a session of its own, ended with the block."""
    process = subprocess.Popen([*DASK, *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=120)


@contextmanager
def scheduler() -> Iterator[str]:
    """The address of a scheduler without workers."""
    with started("scheduler", "--host", "tcp://127.0.0.1", "--port", "0", "--no-dashboard") as process:
        assert process.stderr is not None
        address = next(found[0] for line in process.stderr if (found := re.search(r"tcp://\S+:\d+", line)))
        yield address


@contextmanager
def workers(address: str, count: int, folder: Path) -> Iterator[int]:
    """`count` workers that the scheduler knows; the number of their session."""
    options = ("--nworkers", str(count), "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder))
    with started("worker", address, *options) as process:
        assert process.stderr is not None
        registered = (line for line in process.stderr if "Registered to" in line)
        for _ in range(count):
            next(registered)
        yield process.pid


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """The address of a scheduler with two workers, and the number of their session."""
    with scheduler() as address, workers(address, 2, tmp_path_factory.mktemp("dask")) as session:
        yield address, session


@pytest.fixture(scope="module")
def address(running: tuple[str, int]) -> str:
    return running[0]


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in sorted(visible(folder))}


def test_a_cluster_makes_the_same_bytes_as_this_machine(address: str, sound_clip: Path, tmp_path: Path) -> None:
    runs = {
        "jobs 2": ["--jobs", "2"],
        "jobs 1": ["--jobs", "1"],
        "dask": ["--scheduler", address],
    }
    for name, options in runs.items():
        result = run(sound_clip, "--out", tmp_path / name, *QUICK, "--duration", "3", *options)
        assert result.returncode == 0, result.stderr
    made = [files(tmp_path / name) for name in runs]
    assert parts(tmp_path / "dask") >= {"manifest.mpd", "q00.mp4", "q01.mp4", "audio-0.mp4"}
    assert made[0] == made[1] == made[2]


def test_what_a_worker_refuses_is_reported_in_one_line(address: str, clip: Path, tmp_path: Path) -> None:
    result = run("--copy", clip, "--out", tmp_path, "--segment", "1.6", "--scheduler", address)
    assert result.returncode == 2
    assert "expected a key frame at 1.6 s" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_interrupted_run_stops_the_encoders_of_the_cluster(
    running: tuple[str, int], large_clip: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    address, session = running
    options = ["--preset", "veryslow", "--representations", "480p:2", "--scheduler", address]
    process = subprocess.Popen([*COMMAND, large_clip, "--out", out, *options], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: any("ffmpeg" in name for name in processes_of_session(session)))
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted" in messages
    wait_for(lambda: not any("ffmpeg" in name for name in processes_of_session(session)))
    assert visible(out) == set()
    assert not list((out / ".voxel-prepare").glob("*.unfinished"))


def test_a_scheduler_that_ends_is_reported_and_what_is_finished_counts(large_clip: Path, tmp_path: Path) -> None:
    quick = [*QUICK, "--passes", "1", "--duration", "8"]
    out = tmp_path / "out"
    with scheduler() as address, workers(address, 1, tmp_path):
        process = subprocess.Popen(
            [*COMMAND, large_clip, "--out", out, *quick, "--scheduler", address], stderr=subprocess.PIPE, text=True
        )
        wait_for(lambda: any((out / ".voxel-prepare").glob("*-0-q0*.json")))
    _, messages = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "was lost" in messages
    result = run(large_clip, "--out", out, *quick)
    assert result.returncode == 0
    assert "parts from an earlier run" in result.stderr


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", "no Dask scheduler answers at tcp://127.0.0.1:9"),
        ("nonsense", "must be an address such as tcp://host:8786, got"),
        ("http://127.0.0.1:9", "must be an address such as tcp://host:8786, got"),
    ],
)
def test_an_absent_scheduler_is_reported_in_one_line(
    clip: Path, tmp_path: Path, address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    result = call(clip, "--out", tmp_path, *QUICK, "--scheduler", address)
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_scheduler_without_workers_is_reported_in_one_line(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with scheduler() as address, pytest.raises(InputError, match="has no workers"):
        prepare(make_request(clip, out=tmp_path, scheduler=address))
