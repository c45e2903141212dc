"""Files that grow at the origin of an edge (docs/PROTOCOL.md, "Growing files"; server/quiche/README.md).

All of `test_growing.py` and `test_follow.py` holds through an edge, too.
"""

import asyncio
import contextlib
import http.client
import json
import re
import threading
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from .client import VoxelClient, connect, eventually, request_head
from .edges import counters, fetch
from .live import HEAD, Encoder, Followed, followed
from .origin import Answer, FolderFiles, Origin
from .servers import Server

VIEWERS = 12

REFUSAL = "no range lies inside the file\n"

Launch = Callable[..., Server]


@dataclass(frozen=True)
class Live:
    """An edge, what is made at its origin, and how many bytes that has sent."""

    edge: Server
    encoder: Encoder
    sent: Callable[[], int]

    @property
    def path(self) -> str:
        return f"/v0/{self.encoder.file.name}"

    def encoder_of(self, name: str) -> Encoder:
        return Encoder(self.encoder.file.with_name(name))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "v0").mkdir()
    return tmp_path


@pytest.fixture
def origin(root: Path) -> Iterator[Origin]:
    """An ordinary web server: it sends what is there."""
    origin = Origin()
    origin.files = FolderFiles(root)
    yield origin
    origin.close()


@pytest.fixture(params=["streamed", "polled"])
def live(request: pytest.FixtureRequest, quiche_program: list[str], launch: Launch, root: Path) -> Live:
    """An edge of an origin whose answers go on for as long as a file grows, and of one that sends what is there."""
    encoder = Encoder(root / "v0" / "1.m4s")
    if request.param == "streamed":
        server = launch([*quiche_program, str(root)], "--no-webtransport")
        edge = launch([*quiche_program, "--origin", server.url])
        return Live(edge, encoder, lambda: media_bytes_of(server))
    return polled(quiche_program, launch, request.getfixturevalue("origin"), encoder)


def media_bytes_of(server: Server) -> int:
    """Without the text that refuses a range past the end of a file, from which an edge may learn that it is whole."""
    assert server.metrics is not None
    with urllib.request.urlopen(server.metrics) as response:
        refused = re.findall(r'^voxel_requests_total\{status="416".*\} (\d+)$', response.read().decode(), re.MULTILINE)
    return counters(server)["stream_bytes_total"] - len(REFUSAL) * sum(map(int, refused))


def polled(quiche_program: list[str], launch: Launch, origin: Origin, encoder: Encoder) -> Live:
    edge = launch([*quiche_program, "--origin", origin.url])
    return Live(edge, encoder, lambda: sum(request.body_bytes for request in origin.requests))


@contextlib.asynccontextmanager
async def viewing(edge: Server) -> AsyncIterator[VoxelClient]:
    async with connect(edge.quic_port) as client:
        assert (await client.open_session())[0] == 200
        yield client


class Viewer:
    """One that follows a file over VOXEL; its frames come on the stream."""

    def __init__(self, client: VoxelClient, path: str) -> None:
        self._client = client
        self._stream = client.send(request_head(path, x_voxel_follow="?1"))

    @property
    def seen(self) -> Followed:
        return followed(bytes(self._client.received(self._stream).data))

    async def until_sent(self, chunks: int) -> None:
        await eventually(lambda: len(self.seen.sent) == chunks)

    async def whole(self) -> Followed:
        received = await self._client.ended(self._stream)
        assert not received.reset
        return self.seen

    async def cut(self) -> None:
        await self._client.wait_reset(self._stream)


async def until_stored(live: Live) -> None:
    """Once the file is an ordinary one."""
    await eventually(lambda: "etag" in fetch(live.edge, live.path, "HEAD")[1])


def test_an_edge_says_that_it_follows(live: Live) -> None:
    with urllib.request.urlopen(f"{live.edge.url}.well-known/voxel.json") as response:
        assert json.load(response)["features"] == ["follow"]


async def test_all_viewers_get_chunks_as_they_are_made_and_the_origin_sends_each_byte_once(live: Live) -> None:
    encoder = live.encoder
    encoder.chunk()
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(viewing(live.edge)) for _ in range(VIEWERS)]
        viewers = [Viewer(client, live.path) for client in clients]
        over_http3 = asyncio.ensure_future(clients[0].get(live.path))
        over_tcp = asyncio.ensure_future(asyncio.to_thread(fetch, live.edge, live.path))
        for chunks in range(1, 4):
            await asyncio.gather(*(viewer.until_sent(chunks) for viewer in viewers))
            encoder.chunk()
        assert not over_http3.done()
        assert not over_tcp.done()
        late = Viewer(clients[1], live.path)
        await late.until_sent(4)
        encoder.end()
        for viewer in [*viewers, late]:
            seen = await viewer.whole()
            assert seen.verbatim == encoder.content
            assert [sent[0] for sent in seen.sent.values()] == [3700] * 4
            frames = b"".join(found.number_and_rest()[1] for found in seen.of(18))
            assert frames == encoder.frames_concatenated()
        assert (await over_http3)[2] == (await over_tcp)[2] == encoder.media
    assert live.sent() == len(encoder.media) + len(encoder.content)


async def test_viewers_at_many_addresses_have_one_fetch_too(
    quiche_program: list[str], launch: Launch, origin: Origin, root: Path
) -> None:
    live = polled(quiche_program, launch, origin, Encoder(root / "v0" / "1.m4s"))
    live.encoder.chunk()
    all_wait = threading.Event()

    def slow(answer: Answer) -> None:
        all_wait.wait()
        answer.ordinary()

    def view(number: int) -> bytes:
        tcp = http.client.HTTPConnection("127.0.0.1", live.edge.http_port, source_address=(f"127.0.0.{number}", 0))
        with contextlib.closing(tcp):
            tcp.request("GET", live.path)
            return tcp.getresponse().read()

    origin.wrong = slow
    views = [asyncio.ensure_future(asyncio.to_thread(view, number)) for number in range(2, 2 + VIEWERS)]
    await asyncio.sleep(0.5)  # Those that have not asked by then do so later.
    all_wait.set()
    await eventually(lambda: counters(live.edge)["watched_files"] == 1)
    live.encoder.chunk()
    live.encoder.end()
    for viewed in views:
        assert await viewed == live.encoder.media
    assert live.sent() == len(live.encoder.media) + len(live.encoder.content)


async def test_a_file_that_is_whole_is_an_ordinary_one_and_not_asked_for_again(live: Live) -> None:
    encoder = live.encoder
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        encoder.chunk()
        await viewer.until_sent(1)
        encoder.end()
        await viewer.whole()
        await until_stored(live)
        status, headers, body = fetch(live.edge, live.path)
        assert (status, headers["content-length"], body) == (200, str(encoder.size), encoder.media)
        assert (await client.request(live.path, range="bytes=3-9", if_match=headers["etag"])).body == encoder.media[
            3:10
        ]
        assert (await Viewer(client, live.path).whole()).verbatim == encoder.content
    assert live.sent() == len(encoder.media) + len(encoder.content)


async def test_a_file_that_was_whole_before_anybody_asked_is_followed_too(live: Live) -> None:
    encoder = live.encoder
    encoder.chunk()
    encoder.end()
    async with viewing(live.edge) as client:
        assert fetch(live.edge, live.path)[2] == encoder.media
        assert (await Viewer(client, live.path).whole()).verbatim == encoder.content
    assert live.sent() == len(encoder.media) + len(encoder.content)


async def test_a_file_that_has_just_been_made_is_held(live: Live) -> None:
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        await eventually(lambda: viewer.seen.head)
        assert viewer.seen.records == []
        live.encoder.chunk()
        await viewer.until_sent(1)


async def test_what_no_record_names_is_not_served(live: Live) -> None:
    encoder = live.encoder
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        encoder.chunk()
        await viewer.until_sent(1)
        size = encoder.size
        encoder.chunk_without_record()
        assert (await client.request(live.path, range=f"bytes=0-{size - 1}")).body == encoder.media[:size]
        assert (await client.request(live.path, range=f"bytes={size}-{size}")).status == 416


async def test_a_player_over_http_alone_gets_a_file_as_it_grows(live: Live) -> None:
    request = asyncio.ensure_future(asyncio.to_thread(fetch, live.edge, live.path))
    await eventually(lambda: counters(live.edge)["watched_files"] == 1)
    live.encoder.chunk()
    live.encoder.chunk()
    live.encoder.end()
    assert (await request)[2] == live.encoder.media


async def test_segments_of_a_folder_without_records_are_asked_about_once_a_minute(
    quiche_program: list[str], launch: Launch, origin: Origin, root: Path
) -> None:
    edge = launch([*quiche_program, "--origin", origin.url])
    for number in range(5):
        (root / "v0" / f"{number}.m4s").write_bytes(b"film")
        assert fetch(edge, f"/v0/{number}.m4s")[::2] == (200, b"film")
    assert [request.path for request in origin.requests if request.status == 404] == ["/v0/0.m4s.vxl"]


async def test_a_broken_stream_goes_on_where_it_broke(
    quiche_program: list[str], launch: Launch, origin: Origin, root: Path
) -> None:
    """The origin streams: its answer is of no length, and breaks off after each chunk."""
    live = polled(quiche_program, launch, origin, Encoder(root / "v0" / "1.m4s"))
    asked: list[int] = []

    def breaking(answer: Answer) -> None:
        content = origin.files[answer.path].content
        first = int(answer.headers["range"].removeprefix("bytes=").partition("-")[0])
        if answer.path.endswith(".vxl") or not content[first:]:
            answer.ordinary()
            return
        asked.append(first)
        answer.head(206, {"content-range": f"bytes {first}-99999999/*", "transfer-encoding": "chunked"})
        answer.wfile.write(f"{len(content) - first:x}\r\n".encode() + content[first:] + b"\r\n")
        answer.close_connection = True

    origin.wrong = breaking
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        for chunks in range(1, 4):
            live.encoder.chunk()
            await viewer.until_sent(chunks)
        live.encoder.end()
        assert (await viewer.whole()).verbatim == live.encoder.content
    size = live.encoder.size // 3
    assert asked == [0, size, 2 * size]


# --- origins that are gone or wrong


async def test_an_origin_that_comes_back_is_asked_on(
    quiche_program: list[str], launch: Launch, origin: Origin, root: Path
) -> None:
    live = polled(quiche_program, launch, origin, Encoder(root / "v0" / "1.m4s"))
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        live.encoder.chunk()
        await viewer.until_sent(1)
        origin.close()
        live.encoder.chunk()
        await asyncio.sleep(1)
        again = Origin(origin.server_port)
        again.files = FolderFiles(root)
        try:
            await viewer.until_sent(2)
            live.encoder.end()
            assert (await viewer.whole()).verbatim == live.encoder.content
        finally:
            again.close()


async def test_a_dead_encoder_ends_what_follows_its_file(live: Live) -> None:
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        live.encoder.chunk()
        await viewer.until_sent(1)
        await viewer.cut()


async def test_records_that_become_malformed_end_the_answer(live: Live) -> None:
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        live.encoder.chunk()
        await viewer.until_sent(1)
        live.encoder.write(b"\x01\x80\x01\x00\x01")
        await viewer.cut()


def endless(fields: dict[str, str], piece: bytes) -> Callable[[Answer], None]:
    def wrong(answer: Answer) -> None:
        answer.close_connection = True
        answer.head(206, fields)
        with contextlib.suppress(OSError):
            while True:
                answer.wfile.write(piece)

    return wrong


WITHOUT_END = {"content-range": "bytes 0-99999999999/*"}

WRONG_MEDIA: dict[str, Callable[[Answer], None]] = {
    "endless media": endless(WITHOUT_END, bytes(65536)),
    "media elsewhere": lambda answer: answer.answer(206, b"x", {"content-range": "bytes 7-7/8"}),
    "more than announced": endless({"content-range": "bytes 0-9/10"}, bytes(65536)),
    "a redirect": lambda answer: answer.answer(302, b"", {"location": "http://127.0.0.1:9/secret"}),
    "compressed media": lambda answer: answer.answer(200, b"x", {"content-encoding": "gzip"}),
    "no parts": lambda answer: answer.answer(200, b"x"),
}


def of_media(wrong: Callable[[Answer], None]) -> Callable[[Answer], None]:
    """What answers for media so, and for their records as it should."""
    return lambda answer: answer.ordinary() if answer.path.endswith(".vxl") else wrong(answer)


@pytest.mark.parametrize("kind", WRONG_MEDIA)
async def test_a_wrong_origin_ends_what_follows_its_file(
    quiche_program: list[str], launch: Launch, origin: Origin, root: Path, kind: str
) -> None:
    live = polled(quiche_program, launch, origin, Encoder(root / "v0" / "1.m4s"))
    live.encoder.chunk()
    origin.wrong = of_media(WRONG_MEDIA[kind])
    async with viewing(live.edge) as client:
        await Viewer(client, live.path).cut()
        assert counters(live.edge)["origin_bytes_total"] < 40_000_000
        origin.wrong = None
        viewer = Viewer(client, live.path)
        live.encoder.end()
        assert (await viewer.whole()).verbatim == live.encoder.content


async def test_records_without_end_are_bounded(
    quiche_program: list[str], launch: Launch, origin: Origin, root: Path
) -> None:
    live = polled(quiche_program, launch, origin, Encoder(root / "v0" / "1.m4s"))
    live.encoder.write(b"")
    # Records of an unknown type, which readers skip.
    records = endless(WITHOUT_END, HEAD + (b"\x3f\x10" + bytes(16)) * 1000)
    origin.wrong = lambda answer: records(answer) if answer.path.endswith(".vxl") else answer.ordinary()
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        await viewer.cut()
    assert counters(live.edge)["origin_bytes_total"] < 2_500_000


async def test_an_origin_that_sends_next_to_nothing_at_a_time_is_not_asked_all_the_time(
    quiche_program: list[str], launch: Launch, origin: Origin, root: Path
) -> None:
    live = polled(quiche_program, launch, origin, Encoder(root / "v0" / "1.m4s"))
    live.encoder.chunk()

    def trickling(answer: Answer) -> None:
        first = int(answer.headers["range"].removeprefix("bytes=").partition("-")[0])
        answer.answer(206, b"x", {"content-range": f"bytes {first}-{first}/{first + 1}"})

    origin.wrong = of_media(trickling)
    async with viewing(live.edge) as client:
        viewer = Viewer(client, live.path)
        await viewer.cut()
    assert len(origin.requests) < 1500
