"""Every test runs against every server that is there."""

import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .client import VoxelClient, connect
from .servers import AIOQUIC, Server, quiche, start

MEDIA_BYTES = 1_000_000

Start = Callable[..., Server]


@pytest.fixture(scope="session")
def media() -> bytes:
    """Bytes that differ from place to place and from flow to flow."""
    return b"".join(hashlib.sha256(index.to_bytes(4, "big")).digest() for index in range(MEDIA_BYTES // 32))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, media: bytes) -> Path:
    parent = tmp_path_factory.mktemp("site")
    root = parent / "root"
    (root / "sub").mkdir(parents=True)
    (root / "media.mp4").write_bytes(media)
    (root / "huge.bin").write_bytes(bytes(50_000_000))
    (root / "with space é.txt").write_text("spaced\n")
    (root / "empty.bin").write_bytes(b"")
    (root / ".secret").write_text("hidden\n")
    (root / "index.html").write_text("<!doctype html>\n")
    (root / "sub" / "index.html").write_text("<!doctype html>sub\n")
    (parent / "outside.txt").write_text("outside\n")
    (root / "out.txt").symlink_to("../outside.txt")
    return root


@pytest.fixture(scope="session", params=["aioquic", "quiche"])
def command(request: pytest.FixtureRequest) -> list[str]:
    """The command line of the server under test."""
    command = AIOQUIC if request.param == "aioquic" else quiche()
    if command is None:
        pytest.skip("voxel-quiche is not built (server/quiche/README.md)")
    return command


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def server(command: list[str], folder: Path, cache: Path) -> Iterator[Server]:
    """The server with default options, for all tests that do it no harm."""
    server = start(command, folder, cache)
    yield server
    assert server.process.poll() is None, "the server has crashed"
    server.stop()


@pytest.fixture
def starts(command: list[str], folder: Path, cache: Path) -> Iterator[Start]:
    """Starts servers with other options."""
    servers = []

    def start_one(*options: str, **settings: Any) -> Server:
        servers.append(start(command, folder, cache, *options, **settings))
        return servers[-1]

    yield start_one
    for server in servers:
        server.stop()


@pytest.fixture
async def client(server: Server) -> AsyncIterator[VoxelClient]:
    """A client without a session yet."""
    async with connect(server.quic_port) as client:
        yield client


@pytest.fixture
async def session(client: VoxelClient) -> VoxelClient:
    """A client with a session."""
    status, _ = await client.open_session()
    assert status == 200
    return client
