"""HTTP/1.1 over raw sockets: correct, absurd and hostile requests."""

import asyncio
import email
import json
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from voxel_serve.app import Server, running
from voxel_serve.certificate import make_certificate
from voxel_serve.config import Config
from voxel_serve.limits import Limits

from .test_certificate import write_pem

TIMEOUT_SECONDS = 60.0


class Client:
    """One TCP connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def receive(self, *, has_body: bool = True) -> tuple[int, Message, bytes]:
        """The next response."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
            status_line, _, fields = head.partition("\r\n")
            headers = email.message_from_string(fields)
            length = int(headers.get("content-length", "0")) if has_body else 0
            return int(status_line.split(" ")[1]), headers, await self.reader.readexactly(length)

    async def get(self, path: str, *lines: str, method: str = "GET") -> tuple[int, Message, bytes]:
        await self.send("\r\n".join([f"{method} {path} HTTP/1.1", "host: 127.0.0.1", *lines, "", ""]).encode())
        return await self.receive(has_body=method != "HEAD")

    async def closed(self) -> bool:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await self.reader.read() == b""


async def connect(server: Server) -> Client:
    return Client(*await asyncio.open_connection("127.0.0.1", server.http_port))


@pytest.fixture
async def http(server: Server) -> AsyncIterator[Client]:
    client = await connect(server)
    yield client
    client.writer.close()


async def test_files_on_one_connection(http: Client, media: bytes) -> None:
    status, headers, body = await http.get("/media.mp4")
    assert (status, headers["content-type"], body) == (200, "video/mp4", media)
    assert headers["accept-ranges"] == "bytes"
    assert (await http.get("/"))[2] == b"<!doctype html>\n"
    assert (await http.get("http://127.0.0.1/sub/?query"))[2] == b"<!doctype html>sub\n"
    assert (await http.get("/media.mp4", "range: bytes=5-9"))[2] == media[5:10]


async def test_one_range(http: Client, media: bytes) -> None:
    status, headers, body = await http.get("/media.mp4", "range: bytes=999990-2000000")
    assert (status, body) == (206, media[999_990:])
    assert headers["content-range"] == "bytes 999990-999999/1000000"


async def test_several_ranges_come_as_parts(http: Client, media: bytes) -> None:
    status, headers, body = await http.get("/media.mp4", "range: bytes=100-199,-10,5-5")
    assert status == 206
    message = email.message_from_bytes(f"content-type: {headers['content-type']}\r\n\r\n".encode("latin-1") + body)
    boundary = message.get_boundary()
    assert boundary is not None
    parts = body.split(f"\r\n--{boundary}".encode())[1:-1]
    payloads = [part.partition(b"\r\n\r\n")[2] for part in parts]
    assert payloads == [media[100:200], media[-10:], media[5:6]]
    assert b"content-range: bytes 999990-999999/1000000" in parts[1]


async def test_validators(http: Client) -> None:
    _, headers, _ = await http.get("/media.mp4")
    etag = headers["etag"]
    assert (await http.get("/media.mp4", f"if-none-match: {etag}"))[0] == 304
    assert (await http.get("/media.mp4", 'if-none-match: "other"'))[0] == 200
    assert (await http.get("/media.mp4", f"if-range: {etag}", "range: bytes=0-1"))[0] == 206
    assert (await http.get("/media.mp4", 'if-range: "other"', "range: bytes=0-1"))[0] == 200


async def test_unreliable_headers_change_nothing(http: Client, media: bytes) -> None:
    for name in ("x-voxel-unreliable", "x-slipstream-unreliable"):
        assert (await http.get("/media.mp4", f"{name}: ?1;flow=1", "range: bytes=0-9"))[2] == media[:10]


async def test_head(http: Client) -> None:
    status, headers, _ = await http.get("/media.mp4", method="HEAD")
    assert (status, headers["content-length"]) == (200, "1000000")
    assert (await http.get("/"))[0] == 200


async def test_a_folder_without_its_slash(http: Client) -> None:
    status, headers, _ = await http.get("/sub")
    assert (status, headers["location"]) == (308, "/sub/")
    _, headers, _ = await http.get("/sub?token=x")
    assert headers["location"] == "/sub/?token=x"


async def test_cors(http: Client) -> None:
    own, other = "http://127.0.0.1:3000", "https://evil.example"
    _, headers, _ = await http.get("/media.mp4", f"origin: {own}")
    assert headers["access-control-allow-origin"] == headers["timing-allow-origin"] == own
    assert "content-range" in headers["access-control-expose-headers"]
    _, headers, _ = await http.get("/media.mp4", f"origin: {other}")
    assert "access-control-allow-origin" not in headers
    assert headers["vary"] == "origin"
    status, headers, _ = await http.get("/media.mp4", f"origin: {own}", method="OPTIONS")
    assert status == 204
    for name in ("range", "cmcd-request", "x-voxel-unreliable"):
        assert name in headers["access-control-allow-headers"]


async def test_discovery(server: Server, http: Client) -> None:
    status, headers, body = await http.get("/.well-known/voxel.json")
    assert (status, headers["cache-control"]) == (200, "no-store")
    document = json.loads(body)
    assert document["endpoint"] == f"https://127.0.0.1:{server.quic_port}/voxel"
    assert document["versions"] == ["voxel-1"]
    assert document["certificateHashes"] == server.ready_event()["certificateHashes"]


async def test_without_webtransport_there_is_no_discovery(config: Config) -> None:
    async with running(replace(config, webtransport=False)) as server:
        assert (await (await connect(server)).get("/.well-known/voxel.json"))[0] == 404
        assert server.ready_event()["endpoint"] is None


async def test_a_wildcard_server_announces_the_name_it_was_asked_by(config: Config) -> None:
    async with running(replace(config, host="0.0.0.0", insecure=True)) as server:
        client = await connect(server)
        for host, announced in (("media.example:80", "media.example"), ("[::1]:80", "[::1]")):
            await client.send(f"GET /.well-known/voxel.json HTTP/1.1\r\nhost: {host}\r\n\r\n".encode())
            endpoint = json.loads((await client.receive())[2])["endpoint"]
            assert endpoint == f"https://{announced}:{server.quic_port}/voxel"


async def test_https_with_a_given_certificate(config: Config, tmp_path: Path) -> None:
    certificate, key = write_pem(tmp_path, make_certificate(["127.0.0.1"], datetime.now(UTC)))
    async with running(replace(config, host="0.0.0.0", certificate=certificate, key=key)) as server:
        assert server.url.startswith("https://")
        context = ssl.create_default_context(cafile=certificate)
        streams = await asyncio.open_connection("127.0.0.1", server.http_port, ssl=context)
        client = Client(*streams)
        assert (await client.get("/"))[0] == 200

        write_pem(tmp_path, make_certificate(["127.0.0.1"], datetime.now(UTC)))
        server.certificates.renew_if_due(datetime.now(UTC))
        context = ssl.create_default_context(cafile=certificate)
        streams = await asyncio.open_connection("127.0.0.1", server.http_port, ssl=context)
        assert (await Client(*streams).get("/"))[0] == 200
        assert (await client.get("/"))[0] == 200


async def test_the_counters_do_not_count_those_who_look(server: Server, http: Client) -> None:
    await http.get("/media.mp4")
    port = urlsplit(server.metrics_url).port
    counters = Client(*await asyncio.open_connection("127.0.0.1", port))
    for _ in range(2):
        _, _, body = await counters.get("/metrics")
        assert b'voxel_requests_total{status="200",transport="http1"} 1\n' in body
        assert b"voxel_stream_bytes_total 1000000\n" in body
    counters.writer.close()


async def test_counters_can_be_left_out(config: Config) -> None:
    async with running(replace(config, metrics=None)) as server:
        assert server.ready_event()["metrics"] is None


@pytest.mark.parametrize(
    ("path", "lines", "status"),
    [
        ("/absent", [], 404),
        ("/../outside.txt", [], 404),
        ("/%2e%2e/outside.txt", [], 404),
        ("/.secret", [], 404),
        ("*", [], 400),
        ("/media.mp4", ["range: bytes=x"], 400),
        ("/media.mp4", ["range: bytes=1000000-"], 416),
        ("/media.mp4", ["range: bytes=" + ",".join(["0-"] * 3)], 416),
        ("/media.mp4", ["range: bytes=" + ",".join(["0-0"] * 4097)], 431),
    ],
)
async def test_errors_keep_the_connection(http: Client, path: str, lines: list[str], status: int) -> None:
    answer, headers, body = await http.get(path, *lines)
    assert answer == status
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert body.count(b"\n") == 1
    assert (await http.get("/"))[0] == 200


async def test_on_loopback_only_names_of_this_machine_are_answered(config: Config, http: Client) -> None:
    head = "GET /media.mp4 HTTP/1.1\r\nhost: {}\r\nrange: bytes=0-0\r\n\r\n"
    for host, status in (("evil.example", 403), ("localhost:80", 206), ("[::1]", 206)):
        await http.send(head.format(host).encode())
        assert (await http.receive())[0] == status
    config = replace(
        config, public_endpoint="https://a.example:1/voxel", allowed_origins=frozenset({"http://b.example"})
    )
    async with running(config) as server:
        client = await connect(server)
        for host, status in (("a.example", 206), ("b.example:80", 206), ("c.example", 403)):
            await client.send(head.format(host).encode())
            assert (await client.receive())[0] == status


async def test_other_methods_are_refused(http: Client) -> None:
    status, headers, _ = await http.get("/media.mp4", method="DELETE")
    assert (status, headers["allow"]) == (405, "GET, HEAD, OPTIONS")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\nhost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nhello", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 70_000, 431),
        (b"GET /" + b"a" * 150_000, 431),
    ],
)
async def test_absurd_requests_are_refused_and_the_server_stays_up(
    server: Server, http: Client, data: bytes, status: int
) -> None:
    await http.send(data)
    assert (await http.receive())[0] == status
    assert (await (await connect(server)).get("/"))[0] == 200


async def test_pipelined_requests_are_answered_in_order(http: Client, media: bytes) -> None:
    head = "GET /media.mp4 HTTP/1.1\r\nhost: localhost\r\nrange: bytes={0}-{0}\r\n\r\n"
    await http.send("".join(head.format(position) for position in range(3, 33)).encode())
    assert [(await http.receive())[2] for _ in range(30)] == [
        media[position : position + 1] for position in range(3, 33)
    ]


async def test_http_1_0_closes(http: Client) -> None:
    await http.send(b"GET / HTTP/1.0\r\nhost: localhost\r\n\r\n")
    assert (await http.receive())[0] == 200
    assert await http.closed()


@pytest.mark.parametrize("begun", [b"", b"GET / HT"])
async def test_a_silent_client_is_cut_off(config: Config, begun: bytes) -> None:
    config = replace(config, limits=Limits(head_timeout=0.1, keep_alive=0.1))
    async with running(config) as server:
        client = await connect(server)
        await client.send(begun)
        assert await client.closed()


async def test_a_client_that_reads_nothing_is_cut_off(config: Config, server: Server) -> None:
    (config.folders["/"] / "large.bin").write_bytes(bytes(50_000_000))
    async with running(replace(config, limits=Limits(write_timeout=0.2))) as impatient:
        client = await connect(impatient)
        await client.send(b"GET /large.bin HTTP/1.1\r\nhost: localhost\r\n\r\n")
        await asyncio.sleep(0.1)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while impatient.http1.answers:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


async def test_connections_are_limited(config: Config) -> None:
    async with running(replace(config, limits=Limits(connections=1))) as server:
        first, second = await connect(server), await connect(server)
        assert (await first.get("/"))[0] == 200
        assert await second.closed()
        assert (await first.get("/"))[0] == 200


async def test_draining_refuses(server: Server, http: Client) -> None:
    assert (await http.get("/"))[0] == 200
    await server.drain()
    assert (await http.get("/"))[0] == 503
