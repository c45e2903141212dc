"""docs/PROTOCOL.md, "Request", "Response", "Cancel" and "Errors"."""

import asyncio
import random

import pytest

from .client import VoxelClient, connect, eventually, request_head, until
from .servers import Server

# Short enough that the whole body fits the receive buffer of a loopback socket: nothing is lost.
RANGES = [(500_000, 550_000), (20, 21), (300_000, 300_700), (0, 20), (999_000, 1_000_000)]
RANGE_HEADER = "bytes=" + ",".join(f"{start}-{end - 1}" for start, end in RANGES)


@pytest.fixture
def expected(media: bytes) -> bytes:
    """What `RANGE_HEADER` asks for."""
    return b"".join(media[start:end] for start, end in RANGES)


async def settle() -> None:
    """Datagrams that were sent before the trailer may still be in the socket."""
    await asyncio.sleep(0.1)


def without_etag(headers: dict[str, str]) -> dict[str, str]:
    """Nor what is said of the path."""
    return {name: value for name, value in headers.items() if name not in {"etag", "cmsd-dynamic"}}


def figures(fields: dict[str, str]) -> dict[str, int]:
    """What is said of the path (CTA-5006)."""
    _, *parameters = fields.get("cmsd-dynamic", "").split(";")
    return {name: int(value) for name, _, value in (parameter.partition("=") for parameter in parameters)}


# --- reliable


async def test_ranges_come_reliably_in_request_order(session: VoxelClient, expected: bytes) -> None:
    response = await session.request("/media.mp4", range=RANGE_HEADER)
    assert response.status == 206
    assert without_etag(response.headers) == {"content-length": str(len(expected))}
    assert response.body == expected


async def test_a_request_without_ranges_is_for_the_whole_file(session: VoxelClient, media: bytes) -> None:
    response = await session.request("/media.mp4?query=ignored")
    assert (response.status, response.body) == (200, media)


@pytest.mark.parametrize(("value", "start"), [("bytes=999900-", 999_900), ("bytes=-100", 999_900), ("lines=1-2", 0)])
async def test_open_ranges_and_other_units(session: VoxelClient, media: bytes, value: str, start: int) -> None:
    assert (await session.request("/media.mp4", range=value)).body == media[start:]


async def test_as_many_ranges_as_are_allowed(session: VoxelClient, media: bytes) -> None:
    starts = random.Random(1).sample(range(1000, 9999), 4096)
    response = await session.request("/media.mp4", range="bytes=" + ",".join(f"{start}-{start}" for start in starts))
    assert response.body == bytes(media[start] for start in starts)


@pytest.mark.parametrize(
    "headers", [{"x_slipstream_unreliable": "?1;flow=1"}, {"x_voxel_unreliable": "?0"}, {"cmcd_request": "bl=1"}]
)
async def test_other_headers_change_nothing(session: VoxelClient, media: bytes, headers: dict[str, str]) -> None:
    response = await session.request("/media.mp4", range="bytes=0-99", **headers)
    assert response.body == media[:100]


async def test_an_empty_file(session: VoxelClient) -> None:
    assert (await session.request("/empty.bin")).body == b""
    response = await session.request("/empty.bin", x_voxel_unreliable="?1;flow=1")
    assert response.trailers["x-voxel-sent"] == "0;datagrams=0"


@pytest.mark.parametrize("size", [1, 7])
async def test_a_head_may_come_in_pieces_and_is_answered_before_the_streams_end(
    session: VoxelClient, media: bytes, size: int
) -> None:
    head = request_head("/media.mp4", range="bytes=0-9")
    stream_id = session.send(head[:size], end_stream=False)
    for start in range(size, len(head), size):
        session.send_more(stream_id, head[start : start + size])
    assert (await session.response(stream_id)).body == media[:10]


# --- unreliable


async def test_ranges_come_as_datagrams_that_make_up_the_same_bytes(session: VoxelClient, expected: bytes) -> None:
    response = await session.request("/media.mp4", range=RANGE_HEADER, x_voxel_unreliable="?1;flow=17")
    await settle()
    assert response.status == 206
    assert without_etag(response.headers) == {
        "x-voxel-unreliable": "?1;flow=17",
        "x-voxel-length": str(len(expected)),
        "transfer-encoding": "chunked",
        "trailer": "x-voxel-sent, x-voxel-rtt, cmsd-dynamic",
    }
    assert response.trailers["x-voxel-sent"] == f"{len(expected)};datagrams={len(session.datagrams)}"
    assert int(response.trailers["x-voxel-rtt"]) >= 0
    assert session.assembled(17, len(expected)) == (expected, len(expected))


async def test_every_answer_says_how_long_a_round_trip_is_and_after_many_bytes_what_the_path_carries(
    session: VoxelClient,
) -> None:
    streamed = await session.request("/media.mp4")
    assert set(figures(streamed.headers)) <= {"etp", "rtt"}
    assert figures(streamed.headers)["rtt"] >= 0
    answer = await session.request("/media.mp4", x_voxel_unreliable="?1;flow=8")
    assert figures(answer.headers)["rtt"] >= 0
    assert answer.trailers["cmsd-dynamic"].startswith('"')
    last = figures(answer.trailers)
    assert last["rtt"] == int(answer.trailers["x-voxel-rtt"])
    assert 1 <= last["etp"] <= 10_000_000


async def test_payloads_do_not_overlap_and_are_sent_in_order(session: VoxelClient) -> None:
    await session.request("/media.mp4", range="bytes=0-49999", x_voxel_unreliable="?1;flow=3")
    await settle()
    place = 0
    for flow, offset, payload in session.datagrams:
        assert (flow, offset) == (3, place)
        place += len(payload)
    assert place == 50_000


async def test_no_datagram_is_too_long_and_few_are_short(session: VoxelClient) -> None:
    await session.request("/media.mp4", x_voxel_unreliable="?1;flow=1")
    await settle()
    longest = max(session.datagram_sizes)
    assert 1200 <= longest <= 1350
    # Offsets grow, and with them their varints, by at most three bytes; only the last datagram is short.
    assert all(size >= longest - 3 for size in session.datagram_sizes[:-1])


async def test_flows_do_not_mix(session: VoxelClient, media: bytes) -> None:
    async def fetch(flow: int) -> None:
        start = flow * 1000
        await session.request(
            "/media.mp4", range=f"bytes={start}-{start + 9_999}", x_voxel_unreliable=f"?1;flow={flow}"
        )

    await asyncio.gather(*(fetch(flow) for flow in range(5)))
    await settle()
    for flow in range(5):
        assert session.assembled(flow, 10_000)[0] == media[flow * 1000 : flow * 1000 + 10_000]


@pytest.mark.parametrize("flow", [0, 63, 64, 999_999_999_999_999])
async def test_flow_numbers_of_every_length(session: VoxelClient, flow: int) -> None:
    response = await session.request("/media.mp4", range="bytes=0-9", x_voxel_unreliable=f"?1;flow={flow}")
    await settle()
    assert response.headers["x-voxel-unreliable"] == f"?1;flow={flow}"
    assert [datagram[0] for datagram in session.datagrams] == [flow]


async def test_a_flow_in_use_is_refused(session: VoxelClient) -> None:
    head = request_head("/huge.bin", x_voxel_unreliable="?1;flow=1")
    first, second = session.send(head), session.send(head)
    await eventually(lambda: session.received(first).ended.is_set() or session.received(second).ended.is_set())
    refused = first if session.received(first).ended.is_set() else second
    assert (await session.response(refused)).status == 400


async def test_after_the_deadline_nothing_more_is_sent(session: VoxelClient) -> None:
    response = await session.request("/huge.bin", x_voxel_unreliable="?1;flow=1", x_voxel_deadline="100")
    await settle()
    sent, _, count = response.trailers["x-voxel-sent"].partition(";datagrams=")
    assert int(sent) < 50_000_000
    assert int(count) >= len(session.datagrams)
    assert int(response.headers["x-voxel-length"]) == 50_000_000
    received = len(session.datagrams)
    await settle()
    assert len(session.datagrams) == received


async def test_reliable_bytes_do_not_wait_behind_a_flood_of_datagrams(session: VoxelClient, media: bytes) -> None:
    flood = session.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1"))
    await eventually(lambda: session.datagrams)
    response = await session.request("/media.mp4", range="bytes=0-99999")
    assert response.body == media[:100_000]
    assert not session.received(flood).ended.is_set()
    session.cancel(flood)


async def test_the_earliest_deadline_goes_first(session: VoxelClient) -> None:
    late = session.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1"))
    await eventually(lambda: session.datagrams)
    await session.request("/media.mp4", x_voxel_unreliable="?1;flow=2", x_voxel_deadline="20000")
    assert not session.received(late).ended.is_set()
    session.cancel(late)


async def test_a_client_that_takes_no_datagrams_gets_the_body_on_the_stream(server: Server, media: bytes) -> None:
    async with connect(server.quic_port, datagrams=False) as client:
        await client.open_session()
        response = await client.request("/media.mp4", range="bytes=0-99", x_voxel_unreliable="?1;flow=1")
    assert "x-voxel-unreliable" not in response.headers
    assert response.body == media[:100]


# --- cancel


async def test_a_cancelled_flow_is_dropped_at_once(session: VoxelClient) -> None:
    stream_id = session.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1"))
    await eventually(lambda: session.datagrams)
    session.cancel(stream_id)
    await session.wait_reset(stream_id)
    # What is sent of the flow is sent before this answer.
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206
    received = len(session.datagrams)
    await asyncio.sleep(0.2)
    assert len(session.datagrams) == received


async def test_many_cancelled_requests_leave_room_for_others(session: VoxelClient) -> None:
    for flow in range(150):
        stream_id = session.send(request_head("/huge.bin", x_voxel_unreliable=f"?1;flow={flow}"))
        await eventually(lambda stream_id=stream_id: session.received(stream_id).data)  # type: ignore[misc]
        session.cancel(stream_id)
        session.quic.reset_stream(stream_id, 0) if flow % 2 else None
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206


# --- bad requests


@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [
        ("/absent.mp4", {}, 404),
        ("/../outside.txt", {}, 404),
        ("/%2e%2e/outside.txt", {}, 404),
        ("/sub/..%2fmedia.mp4", {}, 404),
        ("/out.txt", {}, 404),
        ("/.secret", {}, 404),
        ("/sub", {}, 404),
        ("/media.mp4%00", {}, 404),
        ("//media.mp4", {}, 404),
        ("media.mp4", {}, 400),
        ("/media.mp4", {"range": "bytes=5"}, 400),
        ("/media.mp4", {"range": "bytes=9-5"}, 400),
        ("/media.mp4", {"range": "bytes=1000000-"}, 416),
        ("/media.mp4", {"range": "bytes=0-1000000"}, 416),
        ("/media.mp4", {"range": "bytes=" + ",".join(["0-999999"] * 3)}, 416),
        ("/media.mp4", {"range": "bytes=" + ",".join(["0-0"] * 4097)}, 431),
        ("/media.mp4", {"x_long": "x" * 70_000}, 431),
        ("/media.mp4", {"x_voxel_unreliable": "yes"}, 400),
        ("/media.mp4", {"x_voxel_unreliable": "?1"}, 400),
        ("/media.mp4", {"x_voxel_unreliable": "?1;flow=-1"}, 400),
        ("/media.mp4", {"x_voxel_unreliable": "?1;flow=1000000000000000"}, 400),
        ("/media.mp4", {"x_voxel_deadline": "soon"}, 400),
        ("/media.mp4", {"x_voxel_deadline": "1.5"}, 400),
    ],
)
async def test_a_bad_request_gets_one_line_and_the_session_goes_on(
    session: VoxelClient, target: str, headers: dict[str, str], status: int
) -> None:
    response = await session.request(target, **headers)
    assert response.status == status
    assert response.headers["content-type"].startswith("text/plain")
    assert response.body.endswith(b"\n")
    assert response.body.count(b"\n") == 1
    assert ("content-range" in response.headers) == (status == 416)
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", 400),
        (b"\r\n\r\n", 400),
        (b"\x00" * 100, 400),
        (b"GET / HTTP/9", 400),
        (b"GET /a HTTP/1.1\r\n\r\n", 400),
        (b"GET /a HTTP/1.0\r\nhost: x\r\n\r\n", 400),
        (b"GET /a b HTTP/1.1\r\nhost: x\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nhost : x\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\nhost: x\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nhost: x\n\n", 400),
        (b"GET /a HTTP/1.1\r\nhost: x\r\ny: a\r\n b\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\n\r\n", 405),
        (b"HEAD / HTTP/1.1\r\nhost: x\r\n\r\n", 405),
    ],
)
async def test_what_is_no_get_request_is_refused(session: VoxelClient, data: bytes, status: int) -> None:
    assert (await session.response(session.send(data))).status == status
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206


async def test_an_endless_head_is_cut_off(session: VoxelClient) -> None:
    stream_id = session.send(b"GET /media.mp4 HTTP/1.1\r\nx: ", end_stream=False)
    for _ in range(40):
        session.send_more(stream_id, b"y" * 4096)
    assert (await session.response(stream_id)).status == 431
    await eventually(lambda: stream_id in session.stopped)
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206


async def test_bytes_after_the_head_are_ignored(session: VoxelClient) -> None:
    stream_id = session.send(request_head("/media.mp4", range="bytes=0-1") + b"body", end_stream=False)
    session.send_more(stream_id, b"more" * 1000, end_stream=True)
    assert (await session.response(stream_id)).status == 206
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206


@pytest.mark.parametrize("payload", [b"", b"\x00", b"\xff", b"\x40", bytes(1000)])
async def test_datagrams_from_the_client_are_ignored(session: VoxelClient, payload: bytes) -> None:
    session.quic.send_datagram_frame(payload)
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206


async def test_requests_in_flight_are_limited(session: VoxelClient) -> None:
    streams = [session.send(request_head("/huge.bin", x_voxel_unreliable=f"?1;flow={flow}")) for flow in range(70)]
    await eventually(lambda: sum(session.received(stream).ended.is_set() for stream in streams) >= 6)
    refused = [stream for stream in streams if session.received(stream).ended.is_set()]
    assert {(await session.response(stream)).status for stream in refused} == {429}
    for stream in set(streams) - set(refused):
        session.cancel(stream)

    async def status() -> int:
        return (await session.request("/media.mp4", range="bytes=0-1")).status

    # Streams are independent: the request may be there before the cancels.
    await until(status, 206)
