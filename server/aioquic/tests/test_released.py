"""Nothing stays of a connection that has ended, even if the cyclic collector never comes."""

import asyncio
import gc
import socket
import ssl
import tracemalloc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aioquic.h3.connection import H3_ALPN
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from voxel_serve import http1
from voxel_serve.app import Server, running
from voxel_serve.certificate import make_certificate
from voxel_serve.config import Config
from voxel_serve.connection import LEAST_AHEAD_BYTES
from voxel_serve.http1 import Http1Service
from voxel_serve.http3 import Http3Protocol

from server.conformance.client import VoxelClient, connect, eventually, request_head

from .test_certificate import write_pem

HUGE_BYTES = 5_000_000


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def huge(folder: Path) -> str:
    (folder / "huge.bin").write_bytes(bytes(HUGE_BYTES))
    return "/huge.bin"


def parts_of(connection: Http3Protocol) -> list[weakref.ref[Any]]:
    parts = [connection, connection.quic, *connection.quic._streams.values()]
    return [weakref.ref(part) for part in parts if part is not None]


async def all_gone(server: Server, parts: list[weakref.ref[Any]]) -> None:
    assert parts
    await eventually(lambda: not server.http3.connections)
    await eventually(lambda: not any(part() for part in parts))


async def busy_client(server: Server, huge: str) -> tuple[Any, VoxelClient, list[weakref.ref[Any]]]:
    """With a session, responses in all ways that are not read, and half a request."""
    manager = connect(server.quic_port)
    client = await manager.__aenter__()
    assert (await client.open_session())[0] == 200
    assert (await client.request("/media.mp4")).status == 200
    client.quic._write_stream_limits = lambda *_, **__: None  # type: ignore[method-assign]
    client.send(request_head(huge))
    client.send(request_head(huge, x_voxel_unreliable="?1;flow=1", x_voxel_deadline="100000"))
    client.send(b"GET / HTTP", end_stream=False)
    client.send(request_head("/absent"))
    await eventually(lambda: client.datagrams)
    (connection,) = server.http3.connections
    return manager, client, parts_of(connection)


async def test_a_client_that_leaves_leaves_nothing(server: Server, huge: str) -> None:
    manager, _, parts = await busy_client(server, huge)
    await manager.__aexit__(None, None, None)
    await all_gone(server, parts)
    assert server.site.requests.total == 0
    assert server.http3.session_shares.total == 0


async def test_a_client_that_vanishes_leaves_nothing(server: Server, huge: str) -> None:
    _, client, parts = await busy_client(server, huge)
    client.transmit = lambda: None  # type: ignore[method-assign]
    client.datagram_received = lambda *_: None  # type: ignore[method-assign]

    def expire() -> bool:
        """Ends the connection as the idle timeout does."""
        for connection in server.http3.connections:
            connection.quic._close_at = asyncio.get_running_loop().time()
            connection.transmit()
        return not server.http3.connections

    await eventually(expire)
    await all_gone(server, parts)


async def test_a_handshake_that_is_not_finished_leaves_nothing(server: Server) -> None:
    quic = QuicConnection(configuration=QuicConfiguration(alpn_protocols=H3_ALPN))
    quic.connect(("127.0.0.1", server.quic_port), now=0)
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        for datagram, _ in quic.datagrams_to_send(now=0):
            udp.sendto(datagram, ("127.0.0.1", server.quic_port))
        await eventually(lambda: server.http3.connections)
    (connection,) = server.http3.connections
    parts = parts_of(connection)
    # As when the time for a handshake is over.
    server.quic._forget(connection)
    del connection
    await all_gone(server, parts)


async def test_responses_that_nobody_reads_share_what_is_read_ahead(server: Server, huge: str) -> None:
    """And of those that are given up nothing stays, before the client has acknowledged that."""
    async with connect(server.quic_port) as client:
        await client.open_session()
        (connection,) = server.http3.connections
        client.quic._write_stream_limits = lambda *_, **__: None  # type: ignore[method-assign]
        client.quic._write_connection_limits = lambda *_, **__: None  # type: ignore[method-assign]
        for _ in range(64):
            client.send(request_head(huge))
        quic = connection.quic
        await eventually(lambda: connection.answers == 64 and quic._remote_max_data_used == quic._remote_max_data)

        def kept() -> int:
            return sum(len(stream.sender._buffer) for stream in quic._streams.values())

        await eventually(lambda: 0 < kept() < 2 * 64 * LEAST_AHEAD_BYTES)
        for stream_id in list(connection._answers):
            connection.cancel_answer(stream_id)
        assert kept() < 1000


def tls_of(folder: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*write_pem(folder, make_certificate(["localhost"], datetime.now(UTC))))
    return context


async def test_a_handshake_of_tls_takes_little_memory(server: Server, tmp_path: Path) -> None:
    service = Http1Service(server.site, tls_of(tmp_path))
    async with await asyncio.start_server(service.serve, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            writers = [(await asyncio.open_connection("127.0.0.1", port))[1] for _ in range(20)]
            await eventually(lambda: len(service._handshakes) == 20)
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        for writer in writers:
            writer.close()
        service.close()
    assert (after - before) / 20 < 100_000


async def test_the_oldest_unfinished_handshake_makes_room_for_the_next(config: Config, tmp_path: Path) -> None:
    limits = replace(config.limits, handshakes=2, head_timeout=1000)
    async with running(replace(config, limits=limits)) as server:
        service = Http1Service(server.site, tls_of(tmp_path))
        async with await asyncio.start_server(service.serve, "127.0.0.1", 0) as listener:
            port = listener.sockets[0].getsockname()[1]
            idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
            await eventually(lambda: len(service._handshakes) == 2)
            trusting = ssl.create_default_context(cafile=str(tmp_path / "certificate.pem"))
            _, honest = await asyncio.open_connection("127.0.0.1", port, ssl=trusting, server_hostname="localhost")
            assert await idle[0][0].read() == b""
            await eventually(lambda: len(service._handshakes) == 1)
            for writer in (honest, idle[0][1], idle[1][1]):
                writer.close()
            service.close()


async def test_tcp_connections_leave_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[weakref.ref[Any]] = []

    class Watched(http1.Http1Connection):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            parts.extend(weakref.ref(part) for part in (self, self._reader, self._writer))

    monkeypatch.setattr(http1, "Http1Connection", Watched)
    for data in (b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", b"GET / HT", b"\x00\r\n\r\n", b"GET /media.mp4 HT"):
        _, writer = await asyncio.open_connection("127.0.0.1", server.http_port)
        writer.write(data)
        await writer.drain()
        await eventually(lambda: parts)
        writer.close()
    await eventually(lambda: len(parts) == 3 * 4)
    await eventually(lambda: not any(part() for part in parts))
    assert server.site.requests.total == 0
