"""Edges in front of an origin of the tests (`origin.py`), and what clients see of them."""

import contextlib
import http.client
import re
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from .client import VoxelClient, connect
from .origin import BLOCK_BYTES, Origin
from .servers import Server

TIMEOUT_SECONDS = 20.0

StartEdge = Callable[..., Server]


@pytest.fixture
def origin() -> Iterator[Origin]:
    origin = Origin()
    yield origin
    origin.close()


@pytest.fixture
def edges(quiche_program: list[str], launch: StartEdge, origin: Origin) -> StartEdge:
    def start_one(*options: str, path: str = "/", **settings: Any) -> Server:
        command = [*quiche_program, "--origin", settings.pop("origin", origin).url + path]
        return launch(command, *options, **settings)

    return start_one


@pytest.fixture
def edge(edges: StartEdge) -> Server:
    return edges()


@contextlib.asynccontextmanager
async def viewing(edge: Server) -> AsyncIterator[VoxelClient]:
    async with connect(edge.quic_port) as client:
        assert (await client.open_session())[0] == 200
        yield client


def fetch(
    edge: Server, path: str, method: str = "GET", *, client: str = "127.0.0.1", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body over HTTP/1.1. `client`: its address."""
    tcp = http.client.HTTPConnection("127.0.0.1", edge.http_port, timeout=TIMEOUT_SECONDS, source_address=(client, 0))
    tcp.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = tcp.getresponse()
    result = response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    tcp.close()
    return result


def counters(edge: Server) -> dict[str, int]:
    """Those of the edge, all labels together."""
    assert edge.metrics is not None
    with urllib.request.urlopen(edge.metrics) as response:
        text = response.read().decode()
    values: dict[str, int] = {}
    for name, value in re.findall(r"^voxel_(\w+)(?:\{[^}]*\})? (\d+)$", text, re.MULTILINE):
        values[name] = values.get(name, 0) + int(value)
    return values


def film(media: bytes, blocks: float = 4.5) -> bytes:
    """Content of several blocks."""
    return (media * 5)[: int(blocks * BLOCK_BYTES)]


def assert_is_refused(edge: Server, path: str, reason: str) -> None:
    status, _, body = fetch(edge, path)
    assert status == 502
    assert reason in body.decode()


def ranges_asked(origin: Origin) -> list[str | None]:
    return [request.headers.get("range") for request in origin.requests]
