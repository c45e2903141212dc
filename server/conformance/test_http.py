"""docs/PROTOCOL.md on ordinary HTTP, over HTTP/1.1 and HTTP/3, and "stopping"."""

import asyncio
import contextlib
import functools
import http.client
import socket
from collections.abc import Iterator

import pytest
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import FrameType

from .client import Received, VoxelClient, connect, eventually, request_head, until
from .conftest import Start
from .servers import Server

TIMEOUT_SECONDS = 10.0

DOWNLOADS = 4
"""Clients, and requests of each, of 50 MB: 800 MB are more than a client in Python takes while a server drains."""

WRITE_TIMEOUT_SECONDS = 30.0
"""After so long without progress both servers reset a response."""


@pytest.fixture
def tcp(server: Server) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=TIMEOUT_SECONDS)
    yield connection
    connection.close()


def fetch(
    tcp: http.client.HTTPConnection, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    tcp.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = tcp.getresponse()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


PATHS = [
    ("/media.mp4", 200),
    ("/with%20space%20%C3%A9.txt", 200),
    ("/", 200),
    ("/sub/", 200),
    ("/sub", 308),
    ("/sub?x=1", 308),
    ("/absent", 404),
    ("/../outside.txt", 404),
    ("/%2e%2e/outside.txt", 404),
    ("/out.txt", 404),
    ("/.secret", 404),
]


@pytest.mark.parametrize(("path", "status"), PATHS)
async def test_paths_are_the_same_on_both(
    tcp: http.client.HTTPConnection, client: VoxelClient, path: str, status: int
) -> None:
    over_tcp, over_quic = fetch(tcp, path), await client.get(path)
    assert over_tcp[0] == over_quic[0] == status
    assert over_tcp[2] == over_quic[2]
    for name in ("content-type", "content-length", "location", "etag"):
        assert over_tcp[1].get(name) == over_quic[1].get(name)


def test_the_redirect_of_a_folder_keeps_the_query(tcp: http.client.HTTPConnection) -> None:
    assert fetch(tcp, "/sub?x=1")[1]["location"] == "/sub/?x=1"


async def test_a_short_head_that_stands_for_a_long_one_is_refused(client: VoxelClient) -> None:
    # :method GET, :scheme https, :path /, :authority, then accept-encoding over and over (RFC 9204 appendix A).
    pseudo = bytes([0xC0 | 17, 0xC0 | 23, 0xC0 | 1, 0x50, 9]) + b"127.0.0.1"
    section = bytes(2) + pseudo + bytes([0xC0 | 31]) * 60_000
    stream_id = client.quic.get_next_available_stream_id()
    head = encode_uint_var(FrameType.HEADERS) + encode_uint_var(len(section)) + section
    client.quic.send_stream_data(stream_id, head, end_stream=True)
    client.transmit()
    assert (await client.ended(stream_id)).headers[":status"] == "431"
    assert (await client.get("/media.mp4"))[0] == 200


async def test_a_client_that_never_reads_loses_its_response(client: VoxelClient) -> None:
    client.quic._write_stream_limits = lambda *_, **__: None  # type: ignore[method-assign]
    stream_id = client.quic.get_next_available_stream_id()
    fields = {":method": "GET", ":scheme": "https", ":authority": "127.0.0.1", ":path": "/huge.bin"}
    client.send_headers(stream_id, fields, end_stream=True)
    async with asyncio.timeout(4 * WRITE_TIMEOUT_SECONDS):
        # The connection stays alive.
        while not client.received(stream_id).reset:
            assert (await client.get("/empty.bin"))[0] == 200
            await asyncio.sleep(1)


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("bytes=0-9", 206),
        ("bytes=-5", 206),
        ("bytes=999990-2000000", 206),
        ("bytes=1000000-", 416),
        ("bytes=x", 400),
        ("bytes=" + ",".join(["0-"] * 3), 416),
        ("bytes=" + ",".join(["0-0"] * 4097), 431),
    ],
)
async def test_ranges(tcp: http.client.HTTPConnection, client: VoxelClient, value: str, status: int) -> None:
    over_tcp, over_quic = fetch(tcp, "/media.mp4", range=value), await client.get("/media.mp4", range=value)
    assert over_tcp[0] == over_quic[0] == status
    assert over_tcp[1].get("content-range") == over_quic[1].get("content-range")
    assert over_tcp[2] == over_quic[2]


def test_several_ranges_come_as_multipart(tcp: http.client.HTTPConnection, media: bytes) -> None:
    status, headers, body = fetch(tcp, "/media.mp4", range="bytes=5-9,0-0")
    boundary = headers["content-type"].removeprefix("multipart/byteranges; boundary=").encode()
    first, second = body.split(b"--" + boundary)[1:3]
    assert status == 206
    assert first.endswith(b"\r\n\r\n" + media[5:10] + b"\r\n")
    assert second.endswith(b"\r\n\r\n" + media[:1] + b"\r\n")


async def test_http_stays_reliable(tcp: http.client.HTTPConnection, client: VoxelClient, media: bytes) -> None:
    for name in ("x_voxel_unreliable", "x_slipstream_unreliable"):
        headers = {name: "?1;flow=1", "range": "bytes=0-9"}
        assert fetch(tcp, "/media.mp4", **headers)[2] == media[:10]
        assert (await client.get("/media.mp4", **headers))[2] == media[:10]


async def test_cors_is_for_allowed_origins(tcp: http.client.HTTPConnection, client: VoxelClient) -> None:
    for origin, allowed in (("http://localhost:5000", True), ("https://evil.example", False)):
        for headers in (fetch(tcp, "/", origin=origin)[1], (await client.get("/", origin=origin))[1]):
            assert headers.get("access-control-allow-origin") == (origin if allowed else None)
            assert headers.get("timing-allow-origin") == (origin if allowed else None)
    status, headers, _ = fetch(tcp, "/media.mp4", "OPTIONS", origin="http://localhost:5000")
    assert status == 204
    assert "x-voxel-unreliable" in headers["access-control-allow-headers"]
    assert "range" in headers["access-control-allow-headers"]


def test_head_and_other_methods(tcp: http.client.HTTPConnection) -> None:
    status, headers, body = fetch(tcp, "/media.mp4", "HEAD")
    assert (status, headers["content-length"], body) == (200, "1000000", b"")
    assert fetch(tcp, "/media.mp4", "DELETE")[0] == 405


def test_a_validator_spares_the_body(tcp: http.client.HTTPConnection) -> None:
    etag = fetch(tcp, "/media.mp4", "HEAD")[1]["etag"]
    assert fetch(tcp, "/media.mp4", if_none_match=etag)[0] == 304
    assert fetch(tcp, "/media.mp4", range="bytes=0-0", if_range=etag)[0] == 206
    assert fetch(tcp, "/media.mp4", range="bytes=0-0", if_range='"other"')[0] == 200


def test_on_loopback_only_names_of_this_machine_are_answered(tcp: http.client.HTTPConnection) -> None:
    for host, status in (("evil.example", 403), ("localhost:80", 200), ("[::1]", 200), ("a b", 400)):
        assert fetch(tcp, "/", host=host)[0] == status


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\nhost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nhello", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\nhost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\n\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\nx: a\r\n b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 70_000, 431),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 70_000 + b"\r\n\r\n", 431),
        (b"GET /" + b"a" * 150_000, 431),
    ],
)
def test_absurd_requests_are_refused(server: Server, data: bytes, status: int) -> None:
    with socket.create_connection(("127.0.0.1", server.http_port), TIMEOUT_SECONDS) as connection:
        connection.sendall(data)
        answer = connection.makefile("rb").read()  # To the end: the connection is closed.
        assert answer.split(b" ")[1] == str(status).encode()
        assert answer.count(b"HTTP/1.1 ") == 1


async def test_garbage_packets_are_ignored(server: Server, client: VoxelClient) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as garbage:
        for data in (b"", b"\x00", b"\xff" * 1200, b"\xc0\x00\x00\x00\x01\xff", bytes(1500), b"\xc3" + bytes(1199)):
            garbage.sendto(data, ("127.0.0.1", server.quic_port))
    assert (await client.get("/"))[0] == 200


def all_begun(received: list[Received]) -> bool:
    return all(one.data for one in received)


async def test_stopping_tells_clients_whose_downloads_it_cuts(starts: Start) -> None:
    server = starts()
    async with contextlib.AsyncExitStack() as connections:
        clients = [await connections.enter_async_context(connect(server.quic_port)) for _ in range(DOWNLOADS)]
        for client in clients:
            assert (await client.open_session())[0] == 200
            received = [client.received(client.send(request_head("/huge.bin"))) for _ in range(DOWNLOADS)]
            await eventually(functools.partial(all_begun, received))
        server.process.terminate()
        assert await asyncio.to_thread(server.process.wait, TIMEOUT_SECONDS) == 0
        for client in clients:
            await eventually(functools.partial(getattr, client, "terminated"))


async def test_stopping_lets_what_is_in_flight_finish_and_refuses_what_is_new(starts: Start, media: bytes) -> None:
    server = starts()
    async with connect(server.quic_port) as client:
        await client.open_session()
        flood = client.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1"))
        await eventually(lambda: client.datagrams)
        server.process.terminate()

        async def status() -> int:
            return (await client.request("/media.mp4", range="bytes=0-1")).status

        await until(status, 503)
        assert not client.received(flood).ended.is_set()
        client.cancel(flood)
        assert await asyncio.to_thread(server.process.wait, TIMEOUT_SECONDS) == 0
