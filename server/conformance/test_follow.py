"""docs/PROTOCOL.md, "Growing files": over VOXEL with `x-voxel-follow`."""

import asyncio
import itertools
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from .client import VoxelClient, connect, eventually, request_head
from .live import CHUNK, Encoder, Followed, followed
from .servers import Server

HUGE = 300_000_000
"""Bytes of a frame that lasts longer than any test."""

WATCHED = "voxel_watched_files"


@pytest.fixture
def encoder(folder: Path, request: pytest.FixtureRequest) -> Encoder:
    return Encoder(folder / f"{abs(hash(request.node.name))}.m4s")


Follow = Callable[..., int]


@pytest.fixture
def follow(session: VoxelClient, encoder: Encoder) -> Follow:
    """Sends a request; its stream."""
    return lambda **headers: start_following(session, encoder, **headers)


def start_following(session: VoxelClient, encoder: Encoder, **headers: str) -> int:
    fields = {"x_voxel_follow": "?1", "x_voxel_unreliable": "?1;flow=17"} | headers
    return session.send(
        request_head(f"/{encoder.file.name}", **{name: value for name, value in fields.items() if value})
    )


def so_far(session: VoxelClient, stream_id: int) -> Followed:
    return followed(bytes(session.received(stream_id).data))


async def until_sent(session: VoxelClient, stream_id: int, chunks: int) -> None:
    """Once it is said of as many chunks what was sent."""
    await eventually(lambda: len(so_far(session, stream_id).sent) == chunks)


async def whole(session: VoxelClient, stream_id: int) -> Followed:
    """Once it has ended."""
    received = await session.ended(stream_id)
    assert not received.reset
    return so_far(session, stream_id)


def arrived(session: VoxelClient, flow: int = 17) -> int:
    """Bytes of datagrams."""
    return sum(len(payload) for number, _, payload in session.datagrams if number == flow)


def counter(server: Server, name: str) -> int:
    assert server.metrics is not None
    with urllib.request.urlopen(server.metrics) as answer:
        lines = [line for line in answer.read().decode().splitlines() if line.startswith(f"{name} ")]
    return int(lines[0].split()[1])


async def until_unwatched(server: Server) -> None:
    await eventually(lambda: counter(server, WATCHED) == 0)


# --- bytes


async def test_records_come_verbatim_and_every_byte_once(
    session: VoxelClient, encoder: Encoder, follow: Follow
) -> None:
    stream_id = follow()
    for _ in range(3):
        encoder.chunk()
        await until_sent(session, stream_id, len(encoder.frames))
    encoder.end()
    body = await whole(session, stream_id)
    media, frames = encoder.media, encoder.frames_concatenated()
    await eventually(lambda: arrived(session) == len(frames))
    assert body.head.split("\r\n") == [
        "HTTP/1.1 200 OK",
        "x-voxel-follow: ?1",
        "x-voxel-unreliable: ?1;flow=17",
        "transfer-encoding: chunked",
    ]
    assert body.ended
    assert body.verbatim == encoder.content
    assert body.reliable == [b"".join(media[start:end] for start, end in chunk) for chunk in encoder.reliable]
    assert session.assembled(17, len(frames)) == (frames, len(frames))


async def test_sent_says_what_was_sent_of_each_chunk(session: VoxelClient, encoder: Encoder, follow: Follow) -> None:
    encoder.chunk()
    encoder.chunk([(None, 100)])
    encoder.end()
    body = await whole(session, follow())
    sent, datagrams, _, window = body.sent[0]
    assert (sent, datagrams) == (3700, len(session.datagrams))
    assert window >= 2400
    assert body.sent[1][:2] == [0, 0]


async def test_no_datagram_has_bytes_of_two_frames(session: VoxelClient, encoder: Encoder, follow: Follow) -> None:
    encoder.chunk([(None, 50), *((frame, 700 + 300 * frame) for frame in range(12))])
    encoder.end()
    await whole(session, follow())
    lengths = [sum(end - start for start, end in frame) for frame in encoder.frames[0]]
    ends = set(itertools.accumulate(lengths))
    await eventually(lambda: arrived(session) == sum(lengths))
    for _, offset, payload in session.datagrams:
        assert not any(offset < end < offset + len(payload) for end in ends)
    # No more datagrams than that needs.
    assert sum(offset + len(payload) in ends for _, offset, payload in session.datagrams) == len(ends)


async def test_without_a_flow_frames_come_on_the_stream(session: VoxelClient, encoder: Encoder, follow: Follow) -> None:
    encoder.chunk()
    encoder.chunk()
    encoder.end()
    body = await whole(session, follow(x_voxel_unreliable=""))
    place, frames = 0, encoder.frames_concatenated()
    assert "x-voxel-unreliable" not in body.head
    for found in body.of(18):
        offset, data = found.number_and_rest()
        assert offset == place
        assert data == frames[place : place + len(data)]
        place += len(data)
    assert place == len(frames)
    assert [sent[:2] for sent in body.sent.values()] == [[3700, 0], [3700, 0]]
    assert not session.datagrams


# --- order


async def test_a_chunks_reliable_bytes_come_before_its_frames(
    session: VoxelClient, encoder: Encoder, follow: Follow
) -> None:
    stream_id = follow()
    encoder.chunk([(None, 900_000), (1, 50_000)])
    await eventually(lambda: session.datagrams)
    # A busy machine may lose a packet of them, which is repeated later.
    assert len(so_far(session, stream_id).reliable[0]) > 450_000
    await eventually(lambda: len(so_far(session, stream_id).reliable[0]) == 900_000)


async def test_the_next_chunks_reliable_bytes_come_before_the_rest_of_the_last_ones_frames(
    session: VoxelClient, encoder: Encoder, follow: Follow
) -> None:
    stream_id = follow()
    encoder.chunk([(None, 10), (1, HUGE)])
    await eventually(lambda: session.datagrams)
    encoder.chunk([(None, 200_000), (2, 10)])
    await eventually(lambda: [len(part) for part in so_far(session, stream_id).reliable] == [10, 200_000])
    assert not so_far(session, stream_id).sent
    assert arrived(session) < HUGE
    assert all(offset < HUGE for _, offset, _ in session.datagrams)
    session.cancel(stream_id)


async def test_frames_on_the_stream_let_the_next_chunk_pass(
    session: VoxelClient, encoder: Encoder, follow: Follow
) -> None:
    stream_id = follow(x_voxel_unreliable="")
    encoder.chunk([(None, 10), (1, HUGE)])
    await eventually(lambda: b"\x12" in session.received(stream_id).data)
    encoder.chunk([(None, 77)])
    await eventually(lambda: [len(part) for part in so_far(session, stream_id).reliable] == [10, 77])
    assert 0 not in so_far(session, stream_id).sent
    session.cancel(stream_id)


@pytest.mark.parametrize("control", ["delay", "ordinary"])
async def test_a_live_stream_is_sent_whole_under_every_live_control(
    quiche_program: list[str], folder: Path, launch: Callable[..., Server], encoder: Encoder, control: str
) -> None:
    server = launch([*quiche_program, str(folder)], "--live-control", control)
    async with connect(server.quic_port) as session:
        await session.open_session()
        stream_id = start_following(session, encoder)
        # More than any window holds at first.
        for _ in range(10):
            encoder.chunk([(None, 2_000), (1, 20_000)])
        encoder.end()
        body = await whole(session, stream_id)
        assert [sent[0] for sent in body.sent.values()] == [20_000] * 10
        assert [len(part) for part in body.reliable] == [2_000] * 10


async def test_bbr_leaves_a_stream_that_asks_for_little_a_window_for_key_frames(
    quiche_program: list[str], folder: Path, launch: Callable[..., Server], encoder: Encoder
) -> None:
    """BBRv2 takes what it is asked for as the rate of the path."""
    server = launch([*quiche_program, str(folder)], "--congestion-control", "bbr")
    async with connect(server.quic_port) as session:
        await session.open_session()
        stream_id = start_following(session, encoder)
        for chunks in range(1, 41):
            encoder.chunk()
            await until_sent(session, stream_id, chunks)
        encoder.end()
        body = await whole(session, stream_id)
        *_, window = body.sent[39]
        assert window >= 32 * 1200


# --- deadlines


async def test_each_chunk_has_a_deadline_of_its_own(session: VoxelClient, encoder: Encoder, follow: Follow) -> None:
    stream_id = follow(x_voxel_follow="?1;deadline=1500")
    encoder.chunk([(None, 10), (1, HUGE)])
    await until_sent(session, stream_id, 1)
    # What the first chunk left in flight can fill the congestion window for longer than a deadline.
    chunks = 1
    while chunks < 20 and so_far(session, stream_id).sent[chunks - 1][:2] != [3700, 4]:
        encoder.chunk()
        chunks += 1
        await until_sent(session, stream_id, chunks)
    encoder.end()
    last = chunks - 1
    body = await whole(session, stream_id)
    first, datagrams = body.sent[0][:2]
    assert 0 < first < HUGE
    assert body.sent[last][:2] == [3700, 4]
    end = HUGE + 3700 * last
    await eventually(lambda: any(offset + len(payload) == end for _, offset, payload in session.datagrams))
    before = [payload for _, offset, payload in session.datagrams if offset < HUGE]
    assert len(before) <= datagrams
    assert sum(map(len, before)) <= first
    assert max(offset for _, offset, _ in session.datagrams if offset < HUGE) < first


@pytest.mark.parametrize("flow", ["?1;flow=17", ""])
async def test_a_group_ends_with_the_first_chunk_that_is_cut(
    session: VoxelClient, encoder: Encoder, follow: Follow, flow: str
) -> None:
    stream_id = follow(x_voxel_follow="?1;deadline=1500;group", x_voxel_unreliable=flow)
    encoder.chunk([(None, 10), (1, 1000)])
    await until_sent(session, stream_id, 1)
    encoder.chunk([(None, 10), (1, HUGE)])
    encoder.chunk()
    # Until the deadline has passed. What was sent by then may take a busy client longer than a file may be silent.
    await asyncio.sleep(1.6)
    encoder.chunk()
    encoder.end()
    body = await whole(session, stream_id)
    assert [body.sent[0][0], body.sent[2][:2], body.sent[3][:2]] == [1000, [0, 0], [0, 0]]
    assert 0 < body.sent[1][0] < HUGE
    assert [len(part) for part in body.reliable] == [10, 10, 723, 723]


@pytest.mark.parametrize("flow", ["?1;flow=17", ""])
async def test_after_a_deadline_of_nothing_only_reliable_bytes_come(
    session: VoxelClient, encoder: Encoder, follow: Follow, flow: str
) -> None:
    encoder.chunk()
    encoder.end()
    body = await whole(session, follow(x_voxel_follow="?1;deadline=0", x_voxel_unreliable=flow))
    assert len(body.reliable[0]) == 723
    assert body.sent[0][:2] == [0, 0]
    assert not session.datagrams
    assert not body.of(18)


# --- beginning and end


async def test_a_request_is_held_until_the_first_chunk(session: VoxelClient, encoder: Encoder, follow: Follow) -> None:
    stream_id = follow()
    await eventually(lambda: session.received(stream_id).data)
    encoder.chunk_without_record()
    encoder.write(b"")
    assert (await session.request("/empty.bin")).status == 200
    assert so_far(session, stream_id).records == []
    encoder.chunk()
    await eventually(lambda: so_far(session, stream_id).sent)
    assert so_far(session, stream_id).verbatim == encoder.content
    session.cancel(stream_id)


async def test_who_joins_late_gets_all_chunks(session: VoxelClient, encoder: Encoder, follow: Follow) -> None:
    encoder.chunk()
    encoder.chunk()
    stream_id = follow()
    await until_sent(session, stream_id, 2)
    encoder.chunk()
    encoder.end()
    assert (await whole(session, stream_id)).verbatim == encoder.content
    assert (await whole(session, follow(x_voxel_unreliable="?1;flow=18"))).verbatim == encoder.content


async def test_a_record_may_be_written_in_pieces(session: VoxelClient, encoder: Encoder, follow: Follow) -> None:
    stream_id = follow()
    other = Encoder(encoder.file.with_stem("in_pieces"))
    other.chunk()
    encoder.chunk_without_record()
    with encoder.vxl.open("ab", buffering=0) as file:
        for byte in other.content:
            file.write(bytes([byte]))
    await until_sent(session, stream_id, 1)
    session.cancel(stream_id)


async def test_a_cancelled_answer_leaves_nothing(
    session: VoxelClient, server: Server, encoder: Encoder, follow: Follow
) -> None:
    stream_id = follow()
    encoder.chunk([(None, 10), (1, HUGE)])
    await eventually(lambda: session.datagrams)
    session.cancel(stream_id)
    await session.wait_reset(stream_id)
    await until_unwatched(server)
    # Its flow is free again.
    assert (await session.request("/media.mp4", x_voxel_unreliable="?1;flow=17", range="bytes=0-0")).status == 206


async def test_a_flow_in_use_is_refused(session: VoxelClient, encoder: Encoder, follow: Follow) -> None:
    encoder.chunk()
    stream_id = follow()
    # Requests that come at once may be taken in any order.
    await eventually(lambda: so_far(session, stream_id).sent)
    assert (await session.response(follow())).status == 400
    refused = await session.request("/media.mp4", x_voxel_unreliable="?1;flow=17", range="bytes=0-0")
    assert refused.status == 400
    session.cancel(stream_id)


# --- who is followed


async def test_what_has_no_records_is_not_followed(session: VoxelClient, media: bytes) -> None:
    response = await session.request("/media.mp4", x_voxel_follow="?1;deadline=1")
    assert "x-voxel-follow" not in response.headers
    assert response.body == media
    assert (await session.request("/absent.m4s", x_voxel_follow="?1")).status == 404


@pytest.mark.parametrize("content", [b"VXLI", b"VXLV\x02" + bytes(11), b"VXLV\x01\x00\x05\x00" + bytes(8)])
async def test_malformed_records_are_none(session: VoxelClient, encoder: Encoder, content: bytes) -> None:
    encoder.chunk()
    encoder.vxl.write_bytes(content)
    response = await session.request(f"/{encoder.file.name}", x_voxel_follow="?1")
    assert "x-voxel-follow" not in response.headers
    assert response.body == encoder.media


async def test_records_that_become_malformed_end_the_answer(
    session: VoxelClient, encoder: Encoder, follow: Follow
) -> None:
    stream_id = follow()
    encoder.chunk()
    await eventually(lambda: so_far(session, stream_id).sent)
    encoder.write(b"\x01\x80\x01\x00\x01")
    await session.wait_reset(stream_id)


async def test_a_link_to_records_elsewhere_is_none(session: VoxelClient, encoder: Encoder, folder: Path) -> None:
    encoder.chunk()
    outside = folder.parent / "outside.vxl"
    encoder.vxl.replace(outside)
    encoder.vxl.symlink_to(outside)
    response = await session.request(f"/{encoder.file.name}", x_voxel_follow="?1")
    assert "x-voxel-follow" not in response.headers


async def test_malformed_wishes_are_refused(session: VoxelClient, encoder: Encoder) -> None:
    for value in ("1", "?1;deadline=-1", "?1;deadline=1.5", "?1;deadline=x", "?1;group=1", "yes?"):
        assert (await session.request(f"/{encoder.file.name}", x_voxel_follow=value)).status == 400


async def test_ranges_are_of_what_is_there_and_not_followed(session: VoxelClient, encoder: Encoder) -> None:
    encoder.chunk()
    encoder.chunk_without_record()
    size, path = encoder.size, f"/{encoder.file.name}"
    response = await session.request(path, x_voxel_follow="?1", range=f"bytes=5-9,{size - 1}-")
    assert response.status == 206
    assert set(response.headers) == {"content-length", "cmsd-dynamic"}
    assert response.body == encoder.media[5:10] + encoder.media[size - 1 : size]
    assert (await session.request(path, range=f"bytes={size}-{size}")).status == 416
    assert (await session.request(path, if_match='"1-1"', range="bytes=0-0")).status == 412
    encoder.chunk()
    assert (await session.request(path, range=f"bytes={size}-{size}")).body == encoder.media[size : size + 1]


# --- limits


async def test_a_dead_encoder_ends_what_follows_its_file(
    session: VoxelClient, encoder: Encoder, follow: Follow
) -> None:
    encoder.chunk()
    stream_id = follow()
    await session.wait_reset(stream_id)
    assert so_far(session, stream_id).sent


async def test_eight_files_are_followed_on_a_connection(session: VoxelClient, encoder: Encoder) -> None:
    streams = [start_following(session, encoder, x_voxel_unreliable=f"?1;flow={flow}") for flow in range(8)]
    await eventually(lambda: all(session.received(stream_id).data for stream_id in streams))
    assert (await session.response(start_following(session, encoder))).status == 429
    assert (await session.get(f"/{encoder.file.name}"))[0] == 429
    session.cancel(streams[0])
    encoder.chunk()
    encoder.end()
    assert (await whole(session, start_following(session, encoder))).verbatim == encoder.content


async def test_fifty_who_follow_a_file_share_a_watcher(server: Server, encoder: Encoder) -> None:
    async def view() -> list[bytes]:
        async with connect(server.quic_port) as client:
            assert (await client.open_session())[0] == 200
            streams = [start_following(client, encoder, x_voxel_unreliable=f"?1;flow={flow}") for flow in range(5)]
            return [(await whole(client, stream_id)).verbatim for stream_id in streams]

    await until_unwatched(server)  # Of the test before, too: a closed connection is drained for three PTOs.
    views = [asyncio.create_task(view()) for _ in range(10)]
    await eventually(lambda: counter(server, WATCHED) == 1)
    for _ in range(3):
        encoder.chunk()
        await asyncio.sleep(0.1)
        assert counter(server, WATCHED) == 1
    encoder.end()
    bodies = [body for view in await asyncio.gather(*views) for body in view]
    assert bodies == [encoder.content] * 50
    await until_unwatched(server)


def test_the_chunk_of_these_tests_has_frames_of_several_datagrams() -> None:
    assert sum(length for frame, length in CHUNK if frame is not None) == 3700
