"""docs/PROTOCOL.md, "Changed files": `etag` and `if-match`, the same on every way to a file."""

import asyncio
import http.client
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from .client import VoxelClient
from .servers import Server

Fetch = Callable[..., Awaitable[tuple[int, dict[str, str], bytes]]]

MODIFIED_NS = 1_700_000_000_123_456_789


@pytest.fixture
def changing(folder: Path) -> Path:
    """A file with a known validator."""
    file = folder / "changing.mp4"
    replace(file, b"0123456789", MODIFIED_NS)
    return file


def replace(file: Path, content: bytes, modified_ns: int) -> None:
    """Replaces a file as a publisher should: never half of it."""
    new = file.with_suffix(".new")
    new.write_bytes(content)
    os.utime(new, ns=(modified_ns, modified_ns))
    new.replace(file)


def etag(modified_ns: int, size: int) -> str:
    return f'"{modified_ns:x}-{size:x}"'


@pytest.fixture(params=["http/1.1", "http/3", "voxel", "datagrams"])
def fetch(request: pytest.FixtureRequest, server: Server, session: VoxelClient) -> Fetch:
    """Status, headers and bytes of a path, in four ways."""

    def over_tcp(path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        tcp = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=20)
        tcp.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = tcp.getresponse()
        result = response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        tcp.close()
        return result

    flows = iter(range(100))

    async def get(path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        if request.param == "http/1.1":
            return await asyncio.to_thread(over_tcp, path, headers)
        if request.param == "http/3":
            return await session.get(path, **headers)
        if request.param == "datagrams":
            headers |= {"x_voxel_unreliable": f"?1;flow={next(flows)}"}
        response = await session.request(path, **headers)
        return response.status, response.headers, response.body

    return get


async def test_the_etag_is_made_of_time_and_size(fetch: Fetch, changing: Path) -> None:
    status, headers, _ = await fetch("/changing.mp4")
    assert (status, headers["etag"]) == (200, etag(MODIFIED_NS, 10))
    status, headers, _ = await fetch("/changing.mp4", range="bytes=0-1")
    assert (status, headers["etag"]) == (206, etag(MODIFIED_NS, 10))


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("{}", 206),
        ("*", 206),
        ('"other", {}', 206),
        ('"other"', 412),
        ("W/{}", 412),
        ('W/"other", {}', 206),
        ("other", 412),
    ],
)
async def test_if_match(fetch: Fetch, changing: Path, value: str, status: int) -> None:
    current = etag(MODIFIED_NS, 10)
    answer, headers, body = await fetch("/changing.mp4", if_match=value.format(current), range="bytes=2-4")
    assert (answer, headers["etag"]) == (status, current)
    if status == 412:
        assert headers["content-type"].startswith("text/plain")
        assert (body.count(b"\n"), body.endswith(b"\n")) == (1, True)


async def test_a_replaced_file_is_not_mixed_with_its_successor(fetch: Fetch, changing: Path) -> None:
    known = (await fetch("/changing.mp4", range="bytes=0-1"))[1]["etag"]
    replace(changing, b"abcdefghij", MODIFIED_NS + 1)
    status, headers, _ = await fetch("/changing.mp4", if_match=known, range="bytes=2-3")
    assert (status, headers["etag"]) == (412, etag(MODIFIED_NS + 1, 10))
    assert (await fetch("/changing.mp4", if_match=headers["etag"], range="bytes=2-3"))[0] == 206


async def test_the_condition_comes_before_the_ranges(fetch: Fetch, changing: Path) -> None:
    replace(changing, b"ab", MODIFIED_NS)
    assert (await fetch("/changing.mp4", if_match=etag(MODIFIED_NS, 10), range="bytes=8-9"))[0] == 412
    assert (await fetch("/changing.mp4", if_match=etag(MODIFIED_NS, 2), range="bytes=8-9"))[0] == 416


async def test_what_is_not_there_is_not_found_whatever_the_condition(fetch: Fetch) -> None:
    assert (await fetch("/absent.mp4", if_match="*"))[0] == 404


async def test_pages_may_ask_with_the_condition_and_read_the_validator(server: Server, session: VoxelClient) -> None:
    _, headers, _ = await session.get("/media.mp4", "OPTIONS", origin=server.url.rstrip("/"))
    assert "if-match" in headers["access-control-allow-headers"].split(", ")
    _, headers, _ = await session.get("/media.mp4", range="bytes=0-1", origin=server.url.rstrip("/"))
    assert "etag" in headers["access-control-expose-headers"].split(", ")
