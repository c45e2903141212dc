"""A folder of files and a server of it on loopback."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import settings
from same_examples import use_same_examples
from voxel_serve.app import Server, running
from voxel_serve.config import Config
from voxel_serve.limits import Limits

from server.conformance.client import VoxelClient, connect

MEDIA_BYTES = 1_000_000

use_same_examples()

# `pytest server/aioquic --hypothesis-profile fuzz -k any`: until it is stopped, or for some hours.
settings.register_profile("fuzz", max_examples=10_000_000, deadline=None)


@pytest.fixture
def media() -> bytes:
    """Bytes that differ from place to place."""
    return b"".join(index.to_bytes(4, "big") for index in range(MEDIA_BYTES // 4))


@pytest.fixture
def folder(tmp_path: Path, media: bytes) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "media.mp4").write_bytes(media)
    (root / "with space é.txt").write_text("spaced\n")
    (root / "empty.bin").write_bytes(b"")
    (root / ".secret").write_text("hidden\n")
    (root / "index.html").write_text("<!doctype html>\n")
    (root / "sub" / "index.html").write_text("<!doctype html>sub\n")
    (tmp_path / "outside.txt").write_text("outside\n")
    return root


@pytest.fixture
def config(folder: Path, tmp_path: Path) -> Config:
    return Config(
        folders={"/": folder},
        http_port=0,
        quic_port=0,
        certificate_cache=tmp_path / "cache",
        limits=Limits(drain=60),  # a busy machine may need more than the default
    )


@pytest.fixture
async def server(config: Config) -> AsyncIterator[Server]:
    async with running(config) as server:
        yield server


@pytest.fixture
async def client(server: Server) -> AsyncIterator[VoxelClient]:
    """A client without a session yet."""
    async with connect(server.quic_port) as client:
        yield client
