"""What one client can make an edge ask for and keep: server/quiche/README.md, "Bounds"."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest

from .client import connect, eventually, request_head, until
from .edges import TIMEOUT_SECONDS, StartEdge, counters, fetch, film, viewing
from .origin import BLOCK_BYTES, File, Origin, holding
from .servers import Server

FRESH = {"cache-control": "max-age=60"}

CREDIT_BYTES = 4 * 1024 * 1024
"""So much an edge fetches for an address beyond twice what that has got."""

SHARE = 16
"""Requests to the origin that one address may have under way."""

CREDIT_BYTES_PER_SECOND = 64 * 1024
"""Growth of that by itself."""

HELD = 100
"""More than the requests that an edge has under way at a time."""

UNREAD = 8
"""Blocks of files that must not be stored which one address may leave unread."""

ATTACKER, OTHER = "127.0.0.2", "127.0.0.3"


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Set at the end in any case: the origin cannot be closed before."""
    event = threading.Event()
    yield event
    event.set()


async def test_few_bytes_all_over_a_file_do_not_fetch_all_of_it(edge: Server, origin: Origin, media: bytes) -> None:
    content = media * 24
    origin.files["/film.mp4"] = File(content, fields=FRESH)
    places = range(0, len(content), len(content) // 250)
    began = monotonic()
    wanted = ",".join(f"{place}-{place}" for place in places)
    async with viewing(edge) as client:
        body = (await client.request("/film.mp4", range=f"bytes={wanted}")).body
        assert body == bytes(content[place] for place in places)
        asked = sum(request.body_bytes for request in origin.requests)
        credit = CREDIT_BYTES + CREDIT_BYTES_PER_SECOND * (monotonic() - began)
        assert asked <= credit + BLOCK_BYTES + 2 * len(places) < len(content) / 4
        # Who goes on to ask for all of it gets all of it, in blocks that are kept.
        assert (await client.request("/film.mp4")).body == content
    asked = sum(request.body_bytes for request in origin.requests) - asked
    assert asked <= len(content)
    assert counters(edge)["cache_bytes"] > len(content) / 2


def test_small_files_take_no_more_of_the_disk_than_they_may(edges: StartEdge, origin: Origin, tmp_path: Path) -> None:
    edge = edges("--cache-dir", str(tmp_path), "--cache-bytes", "2M")
    paths = [f"/{number}.mp4" for number in range(300)]
    origin.files = {path: File(b"small", fields=FRESH) for path in paths}
    with ThreadPoolExecutor(8) as threads:
        assert {answer[2] for answer in threads.map(lambda path: fetch(edge, path), paths)} == {b"small"}
    edge.stop()
    assert 1_000_000 < occupied(tmp_path) <= 2_200_000


def occupied(folder: Path) -> int:
    """Bytes of the disk, of the folder itself, too."""
    return 512 * sum(file.stat().st_blocks for file in [folder, *folder.iterdir()])


def test_one_address_does_not_hold_all_requests_to_the_origin(
    edges: StartEdge, origin: Origin, release: threading.Event
) -> None:
    edge = edges("--origin-timeout", "60")
    paths = [f"/{number}.mp4" for number in range(50)]
    origin.files = {path: File(b"film", fields=FRESH) for path in paths}
    begun = threading.Semaphore(0)
    origin.wrong = holding("/held", begun, release)
    with ThreadPoolExecutor(HELD + len(paths)) as threads:
        held = [threads.submit(fetch, edge, f"/held-{number}.mp4", client=ATTACKER) for number in range(HELD)]
        for _ in range(SHARE):
            assert begun.acquire(timeout=TIMEOUT_SECONDS)
        # The attacker wants these, too, and waits.
        wanted = [threads.submit(fetch, edge, path, client=ATTACKER) for path in paths]
        for path in paths:
            assert fetch(edge, path)[::2] == (200, b"film")
        assert not any(answer.done() for answer in held)
        release.set()
        assert {answer.result()[0] for answer in held} == {404}
        assert {answer.result()[0] for answer in wanted} == {200}


async def test_clients_that_do_not_read_pin_no_bodies_that_must_not_be_stored(
    edge: Server, origin: Origin, media: bytes
) -> None:
    body = film(media, 1)
    origin.files["/live.mpd"] = File(body, fields={"cache-control": "no-store"})
    async with connect(edge.quic_port, stream_window=10_000) as client:
        # What it reads makes no room for more.
        client.quic._write_stream_limits = lambda *_, **__: None  # type: ignore[method-assign]
        assert (await client.open_session())[0] == 200
        streams = [client.send(request_head("/live.mpd")) for _ in range(20)]

        def statuses() -> list[bytes]:
            return [bytes(client.received(stream).data[9:12]) for stream in streams]

        await eventually(lambda: all(statuses()))
        assert statuses().count(b"200") == UNREAD
        assert statuses().count(b"429") == 20 - UNREAD
        assert fetch(edge, "/live.mpd", client=OTHER)[::2] == (200, body)
        for stream in streams:
            client.cancel(stream)
        await until(lambda: asyncio.to_thread(lambda: fetch(edge, "/live.mpd")[0]), 200)
