"""LL-HLS playlists: requests that wait for parts, delta updates, and what is too much (PROTOCOL, "Playlists")."""

import asyncio
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path

import pytest

from .client import VoxelClient
from .servers import Server

PLAYLIST = "application/vnd.apple.mpegurl"
LONG_SECONDS = 30
SEGMENTS = 12
BLOCKING = "#VOXEL-BLOCKING:"
CONTROL = "CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=6.0,PART-HOLD-BACK=1.500"
PARTS = 2


class Publisher:
    """Writes a playlist of segments of a second in two parts, as an encoder does."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.first = 100
        self.segments = SEGMENTS
        self.parts = 1
        self.past = 0
        """Segments before the first one that a comment stands for."""
        self.has_ended = False
        self.write()

    @property
    def next(self) -> int:
        """The number of the segment that is not complete."""
        return self.first + self.segments

    def write(self) -> None:
        lines = ["#EXTM3U", "#EXT-X-VERSION:9", "#EXT-X-TARGETDURATION:1", f"#EXT-X-MEDIA-SEQUENCE:{self.first}"]
        lines += [f"{BLOCKING}EXT-X-PART-INF:PART-TARGET=0.500000", f"{BLOCKING}EXT-X-SERVER-CONTROL:{CONTROL}"]
        lines.append('#EXT-X-MAP:URI="init.mp4"')
        if self.past:
            numbers = f"FIRST={self.first - self.past},ZERO=0,TIMESCALE=1,SEGMENT=1,UNIT=1"
            lines.append(f"#VOXEL-PAST:{numbers},DATE=1795000000000")
        for number in range(self.first, self.next + 1):
            for part in range(PARTS if number < self.next else self.parts):
                address = f'URI="{number}.m4s",BYTERANGE="500@{500 * part}"'
                lines.append(f"{BLOCKING}EXT-X-PART:DURATION=0.500000,{address}")
            lines += ["#EXTINF:1.000000,", f"{number}.m4s"] if number < self.next else []
        lines.append(f'{BLOCKING}EXT-X-PRELOAD-HINT:TYPE=PART,URI="next.m4s",BYTERANGE-START=0')
        if self.has_ended:
            lines = [*(line for line in lines if not line.startswith(BLOCKING)), "#EXT-X-ENDLIST"]
        new = self.file.with_suffix(".new")
        new.write_text("".join(f"{line}\n" for line in lines))
        new.replace(self.file)

    def grow(self) -> None:
        """Adds a part."""
        self.parts += 1
        if self.parts == PARTS:
            self.parts, self.segments = 0, self.segments + 1
        self.write()

    def end(self) -> None:
        self.has_ended = True
        self.write()


@pytest.fixture
def publisher(folder: Path, request: pytest.FixtureRequest) -> Iterator[Publisher]:
    file = folder / f"{request.node.name.partition('[')[0]}-{time.monotonic_ns()}.m3u8"
    yield Publisher(file)
    file.unlink(missing_ok=True)


@pytest.fixture
def path(publisher: Publisher) -> str:
    return f"/{publisher.file.name}"


Answer = tuple[int, "Message[str, str]", str]


def ask(server: Server, target: str, **fields: str) -> Answer:
    request = urllib.request.Request(server.url.rstrip("/") + target)
    for name, value in fields.items():
        request.add_header(name.replace("_", "-"), value)
    try:
        with urllib.request.urlopen(request, timeout=LONG_SECONDS) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def waiting(server: Server, target: str) -> "asyncio.Task[Answer]":
    return asyncio.create_task(asyncio.to_thread(ask, server, target))


async def is_held(*tasks: "asyncio.Task[Answer]") -> bool:
    """Whether nothing comes for some time."""
    done, _ = await asyncio.wait(tasks, timeout=0.4)
    return not done


def test_a_playlist_with_parts_says_that_requests_are_held(server: Server, publisher: Publisher, path: str) -> None:
    status, headers, text = ask(server, path)
    assert (status, headers["content-type"]) == (200, PLAYLIST)
    assert "no-cache" in headers["cache-control"]
    assert text == publisher.file.read_text().replace(BLOCKING, "#")
    assert "CAN-BLOCK-RELOAD=YES" in text
    assert ask(server, path, if_none_match=headers["etag"])[0] == 304
    publisher.grow()
    assert ask(server, path, if_none_match=headers["etag"])[0] == 200


def test_an_ordinary_playlist_is_a_file(server: Server, publisher: Publisher, path: str) -> None:
    publisher.end()
    status, headers, text = ask(server, f"{path}?_HLS_msn=5000&_HLS_part=x")
    assert (status, text) == (200, publisher.file.read_text())
    assert int(headers["content-length"]) == len(text)
    assert ask(server, path, range="bytes=0-6")[2] == "#EXTM3U"


def test_a_comment_stands_for_hours_before_what_is_listed(server: Server, publisher: Publisher, path: str) -> None:
    publisher.past = 50
    publisher.write()
    _, headers, text = ask(server, path)
    assert "#EXT-X-MEDIA-SEQUENCE:50\n" in text
    assert [line for line in text.splitlines() if not line.startswith("#")] == [
        f"{number}.m4s" for number in range(50, publisher.next)
    ]
    assert text.count("#EXTINF:1.000000,") == 50 + SEGMENTS
    assert "#EXT-X-PROGRAM-DATE-TIME:2026-11-18T11:07:30.000Z\n#EXTINF:1.000000,\n50.m4s\n" in text
    assert int(headers["content-length"]) == len(text)
    delta = ask(server, f"{path}?_HLS_skip=YES")[2]
    assert "#EXT-X-MEDIA-SEQUENCE:50\n" in delta
    assert f"#EXT-X-SKIP:SKIPPED-SEGMENTS={50 + SEGMENTS - 6}\n" in delta
    assert "VOXEL-PAST" not in text + delta


async def test_a_request_waits_for_its_part(server: Server, publisher: Publisher, path: str) -> None:
    assert ask(server, f"{path}?_HLS_msn={publisher.next}&_HLS_part=0")[0] == 200
    part = waiting(server, f"{path}?_HLS_msn={publisher.next}&_HLS_part=1")
    segment = waiting(server, f"{path}?_HLS_msn={publisher.next}")
    following = waiting(server, f"{path}?_HLS_msn={publisher.next + 1}&_HLS_part=0")
    assert await is_held(part, segment, following)
    publisher.grow()
    for request in (part, segment):
        status, _, text = await request
        assert (status, f"{publisher.next - 1}.m4s\n" in text) == (200, True)
    assert await is_held(following)
    publisher.grow()
    assert f'URI="{publisher.next}.m4s"' in (await following)[2]


async def test_behind_the_last_part_of_a_segment_comes_the_first_of_the_next(
    server: Server, publisher: Publisher, path: str
) -> None:
    publisher.grow()
    request = waiting(server, f"{path}?_HLS_msn={publisher.next - 1}&_HLS_part={PARTS}")
    assert await is_held(request)
    publisher.grow()
    assert (await request)[0] == 200


async def test_it_is_the_same_over_http3(client: VoxelClient, server: Server, publisher: Publisher, path: str) -> None:
    request = asyncio.create_task(client.get(f"{path}?_HLS_msn={publisher.next}&_HLS_part=1"))
    assert not (await asyncio.wait([request], timeout=0.4))[0]
    publisher.grow()
    status, headers, body = await request
    assert (status, headers["content-type"]) == (200, PLAYLIST)
    assert body.decode() == ask(server, path)[2]


def test_delta_updates_leave_out_what_is_old(server: Server, publisher: Publisher, path: str) -> None:
    full = ask(server, path)[2].splitlines()
    for value in ("YES", "v2"):
        _, headers, text = ask(server, f"{path}?_HLS_skip={value}")
        lines = text.splitlines()
        skipped = SEGMENTS - 6
        place = lines.index(f"#EXT-X-SKIP:SKIPPED-SEGMENTS={skipped}")
        assert lines[:place] == full[:place]
        assert lines[place + 1 :] == full[full.index(f"{publisher.first + skipped - 1}.m4s") + 1 :]
        assert "etag" not in headers
        assert headers["cache-control"] == "no-store"
    assert ask(server, f"{path}?_HLS_skip=NO")[2].splitlines() == full


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("_HLS_msn=114", 400),
        ("_HLS_msn=999999999999999", 400),
        ("_HLS_msn=112&_HLS_part=7", 400),
        ("_HLS_part=0", 400),
        ("_HLS_msn=-1", 400),
        ("_HLS_msn=1e3", 400),
        ("_HLS_msn=99999999999999999999", 400),
        ("_HLS_msn=%30", 400),
        ("_HLS_msn=0", 200),
        ("_HLS_other=x", 200),
    ],
)
def test_what_is_malformed_or_too_far_ahead_is_refused(
    server: Server, publisher: Publisher, path: str, query: str, status: int
) -> None:
    assert publisher.next == 112
    assert ask(server, f"{path}?{query}")[0] == status


def test_a_playlist_that_does_not_grow_is_not_waited_for_for_ever(
    server: Server, publisher: Publisher, path: str
) -> None:
    begun = time.monotonic()
    assert ask(server, f"{path}?_HLS_msn={publisher.next}")[0] == 503
    # Three target durations: not at once.
    assert time.monotonic() - begun > 2


async def test_who_waits_when_a_stream_ends_gets_its_end(server: Server, publisher: Publisher, path: str) -> None:
    request = waiting(server, f"{path}?_HLS_msn={publisher.next}")
    assert await is_held(request)
    publisher.end()
    assert (await request)[2].endswith("#EXT-X-ENDLIST\n")


async def test_who_waits_when_a_playlist_goes_is_told(server: Server, publisher: Publisher, path: str) -> None:
    request = waiting(server, f"{path}?_HLS_msn={publisher.next}")
    assert await is_held(request)
    publisher.file.unlink()
    assert (await request)[0] in (404, 503)


async def test_many_wait_for_the_same(server: Server, publisher: Publisher, path: str) -> None:
    requests = [waiting(server, f"{path}?_HLS_msn={publisher.next}&_HLS_part=1") for _ in range(30)]
    await asyncio.sleep(0.2)
    publisher.grow()
    answers = await asyncio.gather(*requests)
    assert {status for status, _, _ in answers} == {200}
    assert len({text for _, _, text in answers}) == 1


def test_head_waits_for_nothing(server: Server, publisher: Publisher, path: str) -> None:
    request = urllib.request.Request(f"{server.url.rstrip('/')}{path}?_HLS_msn={publisher.next}", method="HEAD")
    with urllib.request.urlopen(request, timeout=LONG_SECONDS) as response:
        assert (response.status, response.read()) == (200, b"")


async def test_stopping_waits_for_no_playlist(publisher: Publisher, path: str, starts: Callable[[], Server]) -> None:
    server = starts()
    request = waiting(server, f"{path}?_HLS_msn={publisher.next}")
    assert await is_held(request)
    assert await asyncio.to_thread(server.stop) == 0
    assert (await request)[0] == 503
