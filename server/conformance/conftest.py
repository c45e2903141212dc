"""Every test runs against every server that is there."""

import contextlib
import functools
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .client import VoxelClient, connect
from .edges import edge, edges, origin
from .gatekeeper import gatekeeper
from .servers import AIOQUIC, Server, quiche, start

MEDIA_BYTES = 1_000_000

Start = Callable[..., Server]

__all__ = ["edge", "edges", "gatekeeper", "origin"]
"""Fixtures that are written elsewhere."""


EDGE_MODULES = {
    "test_authorize",
    "test_requests",
    "test_changed_files",
    "test_http",
    "test_dashboard",
    "test_playlists",
}
"""What an edge is held to by default: the rest of it is the same program as `quiche`."""

NOT_OF_EDGES = {
    "test_files_leave_descriptors_for_connections",
    "test_the_next_chunks_reliable_bytes_come_before_the_rest_of_the_last_ones_frames",
    "test_frames_on_the_stream_let_the_next_chunk_pass",
    "test_each_chunk_has_a_deadline_of_its_own",
    "test_a_group_ends_with_the_first_chunk_that_is_cut",
    "test_a_cancelled_answer_leaves_nothing",
    "test_ranges_are_of_what_is_there_and_not_followed",
}
"""Tests. An edge holds no descriptor of a file, follows no file with frames as large as some tests need them, follows
a file to its end, and has what is new a moment later."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole-edge", action="store_true", help="hold the edge to all rules, not only to a part of them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    whole = config.getoption("--whole-edge")

    def is_left_out(item: pytest.Item) -> bool:
        callspec = getattr(item, "callspec", None)
        if callspec is None or callspec.params.get("command") != "edge":
            return False
        module, test = item.path.stem, item.originalname if isinstance(item, pytest.Function) else item.name
        return bool({module, test} & NOT_OF_EDGES) or not (whole or module in EDGE_MODULES)

    left_out = [item for item in items if is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not is_left_out(item)]


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


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def quiche_program() -> list[str]:
    command = quiche()
    if command is None:
        pytest.skip("voxel-quiche is not built (server/quiche/README.md)")
    return command


@pytest.fixture(scope="session", params=["aioquic", "quiche", "edge"])
def command(request: pytest.FixtureRequest, folder: Path, cache: Path) -> Iterator[list[str]]:
    """The command line of the server under test, with what it serves."""
    if request.param == "aioquic":
        yield [*AIOQUIC, str(folder)]
        return
    program = request.getfixturevalue("quiche_program")
    if request.param == "quiche":
        yield [*program, str(folder)]
        return
    origin = start([*program, str(folder)], cache, "--no-webtransport")
    yield [*program, "--origin", origin.url]
    assert origin.process.poll() is None, "the origin has crashed"
    origin.stop()


@pytest.fixture(scope="session")
def server(command: list[str], cache: Path) -> Iterator[Server]:
    """The server with default options, for all tests that do it no harm."""
    server = start(command, cache)
    yield server
    assert server.process.poll() is None, "the server has crashed"
    server.stop()


@pytest.fixture
def launch(cache: Path) -> Iterator[Start]:
    """Starts servers by their command; they are stopped after the test."""
    with contextlib.ExitStack() as running:

        def launch_one(command: list[str], *options: str, **settings: Any) -> Server:
            server = start(command, cache, *options, **settings)
            running.callback(server.stop)
            return server

        yield launch_one


@pytest.fixture
def starts(command: list[str], launch: Start) -> Start:
    """Starts servers with other options."""
    return functools.partial(launch, command)


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
