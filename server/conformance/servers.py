"""The servers under test, started as an operator starts them and known by their ready line only."""

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

AIOQUIC = (
    [os.environ["VOXEL_SERVE"]]
    if "VOXEL_SERVE" in os.environ
    else [sys.executable, "-c", "from voxel_serve.cli import main; main()"]
)
"""The command of `voxel-serve`: that of this Python unless `VOXEL_SERVE` says which."""

STOP_SECONDS = 15.0


def quiche() -> list[str] | None:
    """The command of the quiche server; None where it is not built. `VOXEL_QUICHE` says where it is."""
    program = built_program("voxel-quiche", os.environ.get("VOXEL_QUICHE"))
    return None if program is None else [str(program)]


def built_program(name: str, given: str | None) -> Path | None:
    """A program of the Rust workspace where it is given or else built; None: it is not there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    program = Path(given) if given else cache / "voxel-dash" / "cargo-target" / "release" / name
    return program if program.exists() else None


@dataclass(frozen=True)
class Server:
    """A running server."""

    process: subprocess.Popen[bytes]
    url: str
    endpoint: str | None
    http_port: int
    quic_port: int
    certificate_hashes: list[str]
    metrics: str | None
    log: Path
    """What it writes to standard error, a JSON object a line."""

    def stop(self) -> int:
        """Asks it to stop; its exit code."""
        self.process.terminate()
        try:
            return self.process.wait(STOP_SECONDS)
        finally:
            self.process.kill()


def free_port() -> int:
    """A port of 127.0.0.1 that is free for TCP and UDP, below those that Linux gives to whoever asks for any."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            try:
                tcp.bind(("127.0.0.1", port))
                udp.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def start(
    command: list[str],
    cache: Path,
    *options: str,
    http_port: int = 0,
    quic_port: int = 0,
    descriptors: tuple[int, int] | None = None,
) -> Server:
    """A server on free ports of 127.0.0.1.

    `command`: with what it serves; `cache`: where it keeps its certificate, and what it has of an origin, in a folder
    of its own; `descriptors`: its soft and hard limit of open files (`ulimit -n`).
    """
    ports = ["--http-port", str(http_port), "--quic-port", str(quic_port)]
    if "--origin" in command and "--cache-dir" not in options:
        options = ("--cache-dir", tempfile.mkdtemp(dir=cache), *options)
    arguments = [*command, *ports, "--log-format", "json", *options]
    if descriptors is not None:
        limits = "ulimit -Sn {}; ulimit -Hn {}".format(*descriptors)
        arguments = ["sh", "-c", f'{limits}; exec "$@"', "sh", *arguments]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    number, name = tempfile.mkstemp(suffix=".log", dir=cache)
    with os.fdopen(number, "wb") as log:
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=log, env=environment)
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    assert ready["event"] == "ready"
    return Server(
        process,
        ready["url"],
        ready["endpoint"],
        int(ready["url"].rstrip("/").rpartition(":")[2]),
        ready["quicPort"],
        list(ready["certificateHashes"]),
        ready.get("metrics"),
        Path(name),
    )
