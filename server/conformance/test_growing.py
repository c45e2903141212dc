"""docs/PROTOCOL.md, "Growing files": over HTTP/1.1 and HTTP/3, and the server's time."""

import asyncio
import http.client
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from .client import VoxelClient, eventually
from .live import Encoder
from .servers import Server

TIMEOUT_SECONDS = 40.0

MINUTE = 60.0


@pytest.fixture
def encoder(folder: Path, request: pytest.FixtureRequest) -> Encoder:
    return Encoder(folder / f"{abs(hash(request.node.name))}.m4s")


class Tcp:
    """A GET over HTTP/1.1, which is read in a thread of its own."""

    def __init__(self, server: Server, path: str, **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=TIMEOUT_SECONDS)
        self._connection.request(
            "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        self._response: http.client.HTTPResponse | None = None
        self.data = b""
        self.ended = False
        """Whether all has come."""
        self.failed = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def status(self) -> int | None:
        return None if self._response is None else self._response.status

    @property
    def headers(self) -> dict[str, str]:
        assert self._response is not None
        return {name.lower(): value for name, value in self._response.getheaders()}

    def _read(self) -> None:
        try:
            self._response = response = self._connection.getresponse()
            while data := response.read1(65536):
                self.data += data
            self.ended = True
        except (OSError, http.client.HTTPException):
            self.failed = True

    def close(self) -> None:
        self._connection.close()
        self._thread.join(TIMEOUT_SECONDS)


def get(client: VoxelClient, path: str, **headers: str) -> int:
    """Sends a GET over HTTP/3; its stream."""
    stream_id = client.quic.get_next_available_stream_id()
    pseudo = {":method": "GET", ":scheme": "https", ":authority": "127.0.0.1", ":path": path}
    client.send_headers(stream_id, pseudo | headers, end_stream=True)
    return stream_id


@pytest.fixture
def path(encoder: Encoder) -> str:
    return f"/{encoder.file.name}"


@pytest.fixture
def tcp(server: Server, path: str) -> Iterator[Tcp]:
    """A GET of the growing file."""
    request = Tcp(server, path)
    yield request
    request.close()


async def test_both_versions_get_chunks_as_they_are_made(
    client: VoxelClient, tcp: Tcp, encoder: Encoder, path: str
) -> None:
    quic = client.received(get(client, path))
    await eventually(lambda: tcp.status == 200 and quic.headers)
    encoder.chunk_without_record()
    assert (await client.get("/empty.bin"))[0] == 200
    assert (tcp.data, bytes(quic.data)) == (b"", b"")
    for _ in range(3):
        encoder.chunk()
        encoder.chunk_without_record()
        await eventually(lambda: tcp.data == quic.data == encoder.media[: encoder.size])
    assert not tcp.ended
    assert not quic.ended.is_set()
    encoder.end()
    await eventually(lambda: tcp.ended and quic.ended.is_set())
    assert tcp.data == quic.data == encoder.media[: encoder.size]
    for headers in (tcp.headers, quic.headers):
        assert headers["content-type"] == "video/iso.segment"
        assert not {"content-length", "etag", "last-modified"} & set(headers)
    assert tcp.headers["transfer-encoding"] == "chunked"


async def test_a_finished_file_is_an_ordinary_one(
    client: VoxelClient, server: Server, encoder: Encoder, path: str
) -> None:
    encoder.chunk()
    encoder.end()
    status, headers, body = await client.get(path)
    assert (status, headers["content-length"], body) == (200, str(encoder.size), encoder.media)
    assert "etag" in headers
    assert (await client.get(path, if_none_match=headers["etag"]))[0] == 304


async def test_a_dead_encoder_ends_what_follows_its_file(
    client: VoxelClient, tcp: Tcp, encoder: Encoder, path: str
) -> None:
    quic = client.received(get(client, path))
    encoder.chunk()
    await eventually(lambda: len(tcp.data) == len(quic.data) == encoder.size)
    await eventually(lambda: tcp.failed and quic.reset)


async def test_ranges_of_what_is_there(client: VoxelClient, server: Server, encoder: Encoder, path: str) -> None:
    encoder.chunk()
    encoder.chunk_without_record()
    size, media = encoder.size, encoder.media

    async def fetch(value: str) -> tuple[int, str | None, bytes]:
        status, headers, body = await client.get(path, range=value)
        over_tcp = Tcp(server, path, range=value)
        await eventually(lambda: over_tcp.ended)
        found = over_tcp.status, over_tcp.headers.get("content-range")
        assert found == (status, headers.get("content-range"))
        assert over_tcp.data == body or "multipart" in headers["content-type"]
        over_tcp.close()
        return status, headers.get("content-range"), body

    assert await fetch("bytes=5-9") == (206, "bytes 5-9/*", media[5:10])
    assert await fetch("bytes=5-") == (206, f"bytes 5-{size - 1}/*", media[5:size])
    assert (await fetch("bytes=-5"))[0] == 416
    assert (await fetch(f"bytes={size + 1}-{size + 2}"))[0] == 416
    status, _, body = await fetch("bytes=5-9,20-29")
    assert status == 206
    assert media[5:10] in body
    assert b"content-range: bytes 20-29/*\r\n" in body
    assert (await client.get(path, if_match='"1-1"'))[0] == 412
    assert (await client.get(path, "HEAD"))[0] == 200


async def test_a_range_beyond_what_is_there_is_followed(
    client: VoxelClient, server: Server, encoder: Encoder, path: str
) -> None:
    encoder.chunk()
    size = encoder.size
    long, short = (f"bytes={size}-{last}" for last in (999_999_999_999, size + 99))
    both = client.received(get(client, path, range=long)), client.received(get(client, path, range=short))
    over_tcp = Tcp(server, path, range=long)
    encoder.chunk()
    await eventually(lambda: len(both[0].data) == len(over_tcp.data) == size and both[1].ended.is_set())
    assert both[1].data == encoder.media[size : size + 100]
    encoder.end()
    await eventually(lambda: both[0].ended.is_set() and over_tcp.ended)
    assert both[0].data == over_tcp.data == encoder.media[size:]
    assert over_tcp.headers["content-range"] == both[0].headers["content-range"] == f"bytes {size}-999999999999/*"
    assert over_tcp.status == 206
    over_tcp.close()


async def test_a_range_without_an_end_is_followed_to_the_end_of_the_file(
    client: VoxelClient, encoder: Encoder, path: str
) -> None:
    """RFC 8673 section 2: as LL-HLS players ask for a part that was hinted at."""
    encoder.chunk()
    request = client.received(get(client, path, range=f"bytes={encoder.size}-{2**53 - 1}"))
    encoder.chunk()
    encoder.end()
    await eventually(lambda: request.ended.is_set())
    assert request.headers[":status"] == "206"
    assert request.data == encoder.media[encoder.size // 2 :]


async def test_the_time_is_a_date_of_milliseconds(client: VoxelClient, server: Server) -> None:
    request = Tcp(server, "/.well-known/voxel-time", origin="http://localhost:5000")
    await eventually(lambda: request.ended)
    for headers, body in ((request.headers, request.data), (await client.get("/.well-known/voxel-time"))[1:]):
        assert re.fullmatch(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", body)
        date = datetime.fromisoformat(body.decode())
        assert abs((datetime.now(UTC) - date).total_seconds()) < MINUTE
        assert headers["cache-control"] == "no-store"
    assert request.headers["access-control-allow-origin"] == "http://localhost:5000"
    request.close()


async def test_stopping_waits_for_no_encoder(encoder: Encoder, starts: object) -> None:
    server = starts()  # type: ignore[operator]
    request = Tcp(server, f"/{encoder.file.name}")
    await eventually(lambda: request.status == 200)
    assert await asyncio.to_thread(server.stop) == 0
    await eventually(lambda: request.failed)
    request.close()
