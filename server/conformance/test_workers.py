"""`voxel-quiche --workers`: several threads on one port, each with its own connections."""

import asyncio
import contextlib
import functools
import re
import signal
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from .client import VoxelClient, connect, eventually
from .conftest import Start
from .servers import Server

WORKERS = 3

CLIENTS = 12
"""All of them fall to one worker once in 177,000 runs."""

CHANGES = 10
"""Changes of a client's address: none of them leads to another worker once in 59,000 runs."""


@pytest.fixture
def server(quiche_program: list[str], folder: Path, launch: Start) -> Server:
    return launch([*quiche_program, str(folder)], "--workers", str(WORKERS))


def counter(server: Server, name: str) -> int:
    assert server.metrics is not None
    page = urllib.request.urlopen(server.metrics).read().decode()
    (value,) = re.findall(rf"^{name} (\d+)$", page, re.MULTILINE)
    return int(value)


async def strays(server: Server) -> int:
    """Packets that came to another worker than that of their connection."""
    return await asyncio.to_thread(counter, server, "voxel_stray_packets_total")


def sockets_of(server: Server) -> int:
    """Sockets of its UDP port."""
    lines = Path(f"/proc/{server.process.pid}/net/udp").read_text().splitlines()
    return sum(f":{server.quic_port:04X} " in line for line in lines)


@contextlib.asynccontextmanager
async def sessions(server: Server, count: int) -> AsyncIterator[list[VoxelClient]]:
    async with contextlib.AsyncExitStack() as open_ones:
        clients = [await open_ones.enter_async_context(connect(server.quic_port)) for _ in range(count)]
        for client in clients:
            assert (await client.open_session())[0] == 200
        yield clients


async def test_clients_are_divided_and_all_are_served(server: Server, media: bytes) -> None:
    async with sessions(server, CLIENTS) as clients:
        bodies = await asyncio.gather(*(client.request("/media.mp4") for client in clients))
        assert all(response.body == media for response in bodies)
        # None of them has gone anywhere, so none has met another's worker.
        assert await strays(server) == 0
        assert await asyncio.to_thread(counter, server, "voxel_sessions") == CLIENTS
        assert await asyncio.to_thread(counter, server, "voxel_quic_connections") == CLIENTS
    assert sockets_of(server) == WORKERS


async def test_a_client_stays_with_its_session_wherever_it_goes(server: Server, media: bytes) -> None:
    async with sessions(server, 1) as (client,):
        for number in range(CHANGES):
            await eventually(lambda: client.quic._peer_cid_available)
            await client.migrate()
            first = 1000 * number
            response = await client.request("/media.mp4", range=f"bytes={first}-{first + 49_999}")
            assert response.body == media[first : first + 50_000]
        assert await strays(server) > 0
        response = await client.request("/media.mp4", range="bytes=0-99999", x_voxel_unreliable="?1;flow=1")
        assert response.trailers["x-voxel-sent"].startswith("100000;")


async def test_all_workers_finish_what_they_send_and_end(server: Server, media: bytes) -> None:
    async with sessions(server, CLIENTS) as clients:
        streams = [client.send(b"GET /media.mp4 HTTP/1.1\r\nhost: media.example\r\n\r\n") for client in clients]
        received = [client.received(stream) for client, stream in zip(clients, streams, strict=True)]
        await eventually(lambda: all(one.data for one in received))
        server.process.send_signal(signal.SIGTERM)
        bodies = [await client.response(stream) for client, stream in zip(clients, streams, strict=True)]
        assert all(response.body == media for response in bodies)
        assert await asyncio.to_thread(server.process.wait, 15) == 0
        for client in clients:
            await eventually(functools.partial(getattr, client, "terminated"))
            assert client.terminated is not None
            assert client.terminated.reason_phrase == "the server is stopping"


async def test_a_certificate_that_is_made_anew_is_every_workers(server: Server) -> None:
    async def seen() -> set[bytes]:
        async with sessions(server, CLIENTS) as clients:
            return {client.quic.tls._peer_certificate.tbs_certificate_bytes for client in clients}  # type: ignore[union-attr]

    (before,) = await seen()
    server.process.send_signal(signal.SIGHUP)
    await eventually(lambda: "certificate renewed" in server.log.read_text())
    (after,) = await seen()
    assert before != after
