"""docs/PROTOCOL.md, "Limits": what one client address may hold, and what the system lets the server have."""

import asyncio
import contextlib
import http.client
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from .client import VoxelClient, connect, eventually, request_head, until
from .conftest import Start
from .servers import Server
from .test_operation import long_lived_certificate

TIMEOUT_SECONDS = 30.0
"""More than the ten seconds that a head or a handshake may take."""

CONNECTION_REFUSED = 0x2
"""RFC 9000 section 20.1."""

HALF_HEAD = b"GET /media.mp4 HTTP/1.1\r\nhost:"

TOO_MANY = 429


@pytest.fixture
async def clients() -> AsyncIterator[AsyncExitStack]:
    """Holds connections until the test ends."""
    async with AsyncExitStack() as stack:
        yield stack


def tcp(server: Server, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.http_port), TIMEOUT_SECONDS, (source, 0))


def answers(connection: socket.socket) -> bool:
    """Whether the server answers on this connection; otherwise it closes it."""
    try:
        connection.sendall(b"HEAD /empty.bin HTTP/1.1\r\nhost: localhost\r\n\r\n")
        return connection.recv(4096).startswith(b"HTTP/1.1 200")
    except ConnectionError:
        return False


def status_over_tcp(server: Server, path: str) -> int:
    with contextlib.closing(
        http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=TIMEOUT_SECONDS)
    ) as client:
        client.request("GET", path)
        return client.getresponse().status


async def with_session(clients: AsyncExitStack, server: Server) -> VoxelClient:
    client = await clients.enter_async_context(connect(server.quic_port))
    assert (await client.open_session())[0] == 200
    return client


async def refusal(server: Server) -> int | None:
    """The error code with which a new QUIC connection ends; None if it is served."""
    async with connect(server.quic_port, wait_connected=False) as client:
        stream = client.quic.get_next_available_stream_id()
        fields = {":method": "GET", ":scheme": "https", ":authority": "127.0.0.1", ":path": "/empty.bin"}
        client.send_headers(stream, fields, end_stream=True)
        await client.ended(stream)
        return None if client.terminated is None else client.terminated.error_code


# --- connections


@pytest.mark.parametrize("option", ["--max-connections", "--max-connections-per-address"])
async def test_tcp_connections_beyond_the_limit_are_closed(starts: Start, option: str) -> None:
    server = starts(option, "3")
    held = [tcp(server) for _ in range(3)]
    assert all(answers(connection) for connection in held)
    assert not answers(tcp(server))
    held.pop().close()
    await eventually(lambda: answers(tcp(server)))


@pytest.mark.parametrize("option", ["--max-connections", "--max-connections-per-address"])
async def test_quic_connections_beyond_the_limit_are_refused(
    starts: Start, clients: AsyncExitStack, option: str
) -> None:
    server = starts(option, "2")
    first, second = [await with_session(clients, server) for _ in range(2)]
    assert await refusal(server) == CONNECTION_REFUSED
    first.close()
    await until(lambda: refusal(server), None)
    assert (await second.request("/media.mp4", range="bytes=0-1")).status == 206


async def test_one_address_leaves_room_for_others(starts: Start) -> None:
    server = starts("--max-connections-per-address", "2")
    held = [tcp(server) for _ in range(2)]
    assert all(answers(connection) for connection in held)
    assert not answers(tcp(server))
    assert answers(tcp(server, "127.0.0.2"))


async def test_zero_is_no_limit(starts: Start) -> None:
    server = starts("--max-connections", "0", "--max-connections-per-address", "0")
    held = [tcp(server) for _ in range(260)]
    assert answers(held[-1])


async def test_by_default_an_address_has_250_connections(starts: Start) -> None:
    server = starts()
    held = [tcp(server) for _ in range(250)]
    assert answers(held[-1])
    assert not answers(tcp(server))


async def test_silent_tls_handshakes_count_and_end(starts: Start, tmp_path: Path) -> None:
    _, chain, key = long_lived_certificate(tmp_path)
    certificate = ("--certificate", str(chain), "--key", str(key))
    server = starts("--host", "0.0.0.0", *certificate, "--max-connections-per-address", "3")
    silent = [tcp(server) for _ in range(3)]
    with pytest.raises(OSError, match=r"EOF|reset|closed"):
        await asyncio.to_thread(shake_hands, server, chain)
    # Ended by the server, not by this test.
    assert [await asyncio.to_thread(connection.recv, 1) for connection in silent] == [b""] * 3
    await asyncio.to_thread(shake_hands, server, chain)


def shake_hands(server: Server, chain: Path) -> None:
    trusting = ssl.create_default_context(cafile=str(chain))
    with trusting.wrap_socket(tcp(server), server_hostname="127.0.0.1") as connection:
        assert answers(connection)


# --- sessions and requests


async def test_sessions_of_an_address_are_limited(starts: Start, clients: AsyncExitStack) -> None:
    server = starts("--max-sessions-per-address", "1")
    first = await with_session(clients, server)
    second = await clients.enter_async_context(connect(server.quic_port))
    assert (await second.open_session())[0] == TOO_MANY
    assert (await second.get("/empty.bin"))[0] == 200
    first.close()

    async def opened() -> int:
        return (await second.open_session())[0]

    await until(opened, 200)


async def test_requests_of_an_address_are_limited_over_all_connections(starts: Start, clients: AsyncExitStack) -> None:
    server = starts("--max-requests-per-address", "4")
    first, second = [await with_session(clients, server) for _ in range(2)]
    floods = [
        (client, client.send(request_head("/huge.bin", x_voxel_unreliable=f"?1;flow={flow}")))
        for client in (first, second)
        for flow in range(2)
    ]
    await eventually(lambda: all(client.received(stream).data for client, stream in floods))
    response = await first.request("/media.mp4", range="bytes=0-1")
    assert (response.status, response.body.count(b"\n")) == (TOO_MANY, 1)
    assert (await second.get("/media.mp4"))[0] == TOO_MANY
    assert status_over_tcp(server, "/media.mp4") == TOO_MANY
    for client, stream in floods:
        client.cancel(stream)

    async def requested() -> int:
        return (await first.request("/media.mp4", range="bytes=0-1")).status

    await until(requested, 206)
    assert status_over_tcp(server, "/media.mp4") == 200


async def test_half_read_heads_are_requests_in_flight_and_end(starts: Start, clients: AsyncExitStack) -> None:
    server = starts("--max-requests-per-address", "3")
    client = await with_session(clients, server)
    half = [client.send(HALF_HEAD, end_stream=False) for _ in range(3)]
    assert (await client.request("/media.mp4", range="bytes=0-1")).status == TOO_MANY
    async with asyncio.timeout(TIMEOUT_SECONDS):
        for stream in half:
            await client.received(stream).ended.wait()
            assert client.received(stream).reset
    assert (await client.request("/media.mp4", range="bytes=0-1")).status == 206


async def test_half_read_heads_fill_their_connection(session: VoxelClient) -> None:
    half = [session.send(HALF_HEAD, end_stream=False) for _ in range(64)]
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == TOO_MANY
    session.send_more(half[0], b" localhost\r\nrange: bytes=0-1\r\n\r\n", end_stream=True)
    assert (await session.response(half[0])).status == 206
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206


# --- descriptors


def limited(server: Server) -> list[dict[str, int]]:
    """What the server says of its descriptors."""
    events = [json.loads(line) for line in server.log.read_text().splitlines()]
    return [event for event in events if event["event"] == "descriptors limited"]


def soft_limit(server: Server) -> int:
    lines = Path(f"/proc/{server.process.pid}/limits").read_text().splitlines()
    return next(int(line.split()[3]) for line in lines if line.startswith("Max open files"))


async def test_the_soft_limit_is_raised_to_the_hard_one(starts: Start) -> None:
    server = starts(descriptors=(200, 4096))
    assert soft_limit(server) == 4096
    assert limited(server) == []


async def test_connections_are_limited_to_what_the_descriptors_suffice_for(starts: Start) -> None:
    server = starts(descriptors=(200, 200))
    (event,) = limited(server)
    connections, files = event["connections"], event["files"]
    assert event["descriptors"] == 200
    assert 0 < connections < 200
    assert 0 < files < 200
    assert connections + files < 200
    held = [tcp(server) for _ in range(connections)]
    assert answers(held[-1])
    assert not answers(tcp(server))
    held[0].close()
    await eventually(lambda: answers(tcp(server)))


async def test_files_leave_descriptors_for_connections(starts: Start, clients: AsyncExitStack, tmp_path: Path) -> None:
    for number in range(240):
        with (tmp_path / f"{number}.bin").open("wb") as file:
            file.truncate(50_000_000)
    server = starts("--mount", f"/many={tmp_path}", descriptors=(200, 200))
    (event,) = limited(server)
    unread = [await clients.enter_async_context(connect(server.quic_port)) for _ in range(4)]
    for number, client in enumerate(unread):
        client.quic._write_stream_limits = lambda *_, **__: None  # type: ignore[method-assign]
        for file_number in range(60 * number, 60 * (number + 1)):
            stream = client.quic.get_next_available_stream_id()
            path = f"/many/{file_number}.bin"
            fields = {":method": "GET", ":scheme": "https", ":authority": "127.0.0.1", ":path": path}
            client.send_headers(stream, fields, end_stream=True)

    def statuses() -> list[str]:
        streams = [received for client in unread for received in client.streams.values()]
        return [received.headers[":status"] for received in streams if received.headers]

    await eventually(lambda: len(statuses()) == 240)
    assert set(statuses()) == {"200", "503"}
    assert statuses().count("200") <= event["files"]
    # Who comes now is answered, though no more files can be opened, and told no lies about the file.
    assert status_over_tcp(server, "/media.mp4") == 503
    assert status_over_tcp(server, "/.well-known/voxel.json") == 200
    for client in unread:
        client.close()
    await until(lambda: asyncio.to_thread(status_over_tcp, server, "/media.mp4"), 200)
