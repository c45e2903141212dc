"""The command as an operator runs it."""

import asyncio
import contextlib
import json
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner
from voxel_serve.cli import app

TIMEOUT_SECONDS = 60.0
COMMAND = [sys.executable, "-c", "from voxel_serve.cli import main; main()"]
ANY_PORTS = ["--http-port", "0", "--quic-port", "0"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


async def start(*arguments: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*COMMAND, *arguments, stdout=pipe, stderr=pipe)


@contextlib.asynccontextmanager
async def running(*arguments: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, dict[str, object]]]:
    """The process and its ready line."""
    process = await start(*arguments)
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), TIMEOUT_SECONDS)
        yield process, json.loads(line)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def failure(*arguments: str) -> str:
    """The one line that a command ends with."""
    process = await start(*arguments)
    stdout, stderr = await asyncio.wait_for(process.communicate(), TIMEOUT_SECONDS)
    assert process.returncode == 2
    assert stdout == b""
    (line,) = stderr.decode().splitlines()
    return line


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_says_when_it_is_ready_and_stops_cleanly(folder: Path, number: signal.Signals) -> None:
    async with running(str(folder), *ANY_PORTS, "--log-format", "json") as (process, ready):
        assert ready["event"] == "ready"
        assert str(ready["url"]).startswith("http://127.0.0.1:")
        assert ready["endpoint"] == f"https://127.0.0.1:{ready['quicPort']}/voxel"
        assert isinstance(ready["certificateHashes"], list)
        process.send_signal(number)
        stdout, stderr = await asyncio.wait_for(process.communicate(), TIMEOUT_SECONDS)
    assert process.returncode == 0
    assert stdout == b""  # the ready line was the only one
    assert [json.loads(line)["event"] for line in stderr.splitlines()] == ["ready", "drained"]


async def test_a_port_in_use_is_one_clear_line(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = await failure(str(folder), "--http-port", port, "--quic-port", "0")
        assert line == f"voxel-serve: cannot listen on TCP 127.0.0.1 port {port}: Address already in use"
    with socket.socket(type=socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
        line = await failure(str(folder), "--http-port", "0", "--quic-port", port)
        assert line == f"voxel-serve: cannot listen on UDP 127.0.0.1 port {port}: Address already in use"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/absent-folder"], "no such folder: /absent-folder"),
        (["FOLDER", "--mount", "media"], "--mount must have the form /PREFIX=DIR, got 'media'"),
        (["FOLDER", "--mount", "/media=/absent-folder"], "no such folder: /absent-folder"),
        (
            ["FOLDER", "--metrics", "9000"],
            "--metrics must be none or have the form HOST:PORT, got '9000'",
        ),
        (["FOLDER", "--metrics", "host.invalid:0"], "--metrics: host.invalid cannot be resolved"),
        (
            ["FOLDER", "--allow-origin", "player.example"],
            "--allow-origin must be * or have the form https://host[:port], got 'player.example'",
        ),
        (["FOLDER", "--certificate", "/absent.pem"], "--certificate and --key must be used together"),
        (["FOLDER", "--certificate", "/absent.pem", "--key", "/absent.pem"], "the certificate or key cannot be read"),
        (
            ["FOLDER", "--public-endpoint", "127.0.0.1:5555"],
            "--public-endpoint must have the form https://host:port/voxel, got '127.0.0.1:5555'",
        ),
        (
            ["FOLDER", "--path", "https://b.example/voxel;cost=-1"],
            "--path: cost must be a number from 0, got '-1'",
        ),
        (["FOLDER", "--host", "0.0.0.0"], "--host 0.0.0.0 is not a loopback address"),
        (["FOLDER", "--host", "host.invalid", "--insecure"], "--host: host.invalid cannot be resolved"),
        (["FOLDER", "--qlog", "/proc/absent"], "--qlog: /proc/absent must be a writable folder"),
    ],
)
def test_bad_configuration_is_one_clear_line(folder: Path, arguments: list[str], message: str) -> None:
    arguments = [str(folder) if argument == "FOLDER" else argument for argument in arguments]
    result = CliRunner().invoke(app, [*arguments, *ANY_PORTS])
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"voxel-serve: {message}")
