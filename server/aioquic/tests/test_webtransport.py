"""The protocol over loopback, with what only this server's inside shows; server/conformance has the rest."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from voxel_serve.app import Server, running
from voxel_serve.config import Config
from voxel_serve.limits import Limits

from server.conformance.client import VoxelClient, connect, eventually, request_head


@pytest.fixture
async def session(client: VoxelClient) -> VoxelClient:
    """A client with a session."""
    status, _ = await client.open_session()
    assert status == 200
    return client


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


async def settle() -> None:
    """Datagrams that were sent before the trailer may still be in the socket."""
    await asyncio.sleep(0.1)


# --- session


async def test_the_token_guards_the_session(config: Config) -> None:
    async with running(replace(config, token="s3cret")) as server, connect(server.quic_port) as client:
        assert (await client.open_session())[0] == 403
        assert (await client.open_session("/voxel?token=wrong"))[0] == 403
        assert (await client.open_session("/voxel?token=s3cret"))[0] == 200


async def test_there_is_one_endpoint_and_one_session(client: VoxelClient) -> None:
    assert (await client.open_session("/elsewhere"))[0] == 404
    assert (await client.open_session())[0] == 200
    assert (await client.open_session())[0] == 429


async def test_sessions_are_limited(config: Config) -> None:
    config = replace(config, limits=Limits(sessions=1))
    async with running(config) as server, connect(server.quic_port) as first:
        assert (await first.open_session())[0] == 200
        async with connect(server.quic_port) as second:
            assert (await second.open_session())[0] == 429


async def test_without_webtransport_there_is_no_session(config: Config) -> None:
    async with running(replace(config, webtransport=False)) as server, connect(server.quic_port) as client:
        assert (await client.get("/media.mp4"))[0] == 200
        settings = client.http.received_settings
        assert settings is not None
        assert 0x2B603742 not in settings
        assert (await client.open_session())[0] == 404


async def test_an_idle_session_is_closed(server: Server, session: VoxelClient) -> None:
    loop = asyncio.get_running_loop()
    server.http3.close_idle_sessions(loop.time())
    assert server.site.metrics.value("voxel_sessions") == 1
    server.http3.close_idle_sessions(loop.time() + server.config.limits.session_idle + 1)
    assert server.site.metrics.value("voxel_sessions") == 0
    session_id = session.session_id
    assert session_id is not None
    await eventually(lambda: session.streams[session_id].ended.is_set())


async def test_a_session_that_the_client_closes_is_gone(server: Server, session: VoxelClient) -> None:
    assert server.site.metrics.value("voxel_sessions") == 1
    assert session.session_id is not None
    session.http.send_data(session.session_id, b"", end_stream=True)
    session.transmit()
    await session.ended(session.session_id)
    assert server.site.metrics.value("voxel_sessions") == 0


# --- reliable requests


async def test_the_older_header_name_stays_reliable(session: VoxelClient, media: bytes) -> None:
    response = await session.request("/media.mp4", range="bytes=0-99", x_slipstream_unreliable="?1;flow=1")
    assert response.body == media[:100]


# --- unreliable requests


async def test_a_large_flow_number_survives(session: VoxelClient) -> None:
    flow = 999_999_999_999_999
    response = await session.request("/media.mp4", range="bytes=0-9", x_voxel_unreliable=f"?1;flow={flow}")
    await settle()
    assert response.headers["x-voxel-unreliable"] == f"?1;flow={flow}"
    assert [datagram[0] for datagram in session.datagrams] == [flow]


async def test_a_flow_in_use_is_refused(session: VoxelClient) -> None:
    head = request_head("/media.mp4", x_voxel_unreliable="?1;flow=1")
    responses = await asyncio.gather(*(session.response(session.send(head)) for _ in range(2)))
    assert sorted(response.status for response in responses) == [200, 400]


async def test_after_the_deadline_nothing_more_is_sent(session: VoxelClient) -> None:
    response = await session.request("/media.mp4", x_voxel_unreliable="?1;flow=1", x_voxel_deadline="0")
    await settle()
    sent, _, count = response.trailers["x-voxel-sent"].partition(";datagrams=")
    assert int(sent) < 1_000_000
    assert int(count) == len(session.datagrams)
    assert session.assembled(1, 1_000_000)[1] == int(sent)
    assert int(response.headers["x-voxel-length"]) == 1_000_000


async def test_a_cancelled_flow_is_dropped_at_once(server: Server, session: VoxelClient, folder: Path) -> None:
    (folder / "huge.bin").write_bytes(bytes(50_000_000))
    stream_id = session.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1"))
    await eventually(lambda: session.datagrams)
    session.cancel(stream_id)
    await session.wait_reset(stream_id)
    # What is sent of the flow is sent before this answer.
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206
    received = len(session.datagrams)
    await asyncio.sleep(0.2)
    assert len(session.datagrams) == received
    await eventually(lambda: not server.http3.busy)  # Once the answer is acknowledged.
    assert server.site.metrics.value("voxel_flows_cut_total") == 1


async def test_cancelled_requests_leave_no_file_open(server: Server, session: VoxelClient) -> None:
    before = open_files()
    for flow in range(30):
        session.cancel(session.send(request_head("/media.mp4", x_voxel_unreliable=f"?1;flow={flow}")))
        await asyncio.sleep(0)
    await eventually(lambda: not server.http3.busy and open_files() <= before)


async def test_nothing_is_kept_of_streams_that_have_ended(server: Server, session: VoxelClient) -> None:
    (connection,) = server.http3.connections
    quic, http = connection._quic, connection._http
    assert http is not None
    before = len(http._stream), len(quic._streams)
    for flow in range(10):
        await session.request("/media.mp4", range="bytes=0-9")
        await session.request("/media.mp4", range="bytes=0-9", x_voxel_unreliable=f"?1;flow={flow}")
        await session.request("/missing")
        await session.get("/media.mp4", range="bytes=0-9")
        session.cancel(session.send(request_head("/media.mp4")))
        session.quic.reset_stream(session.send(request_head("/media.mp4"), end_stream=False), 0)
    await eventually(lambda: len(http._stream) <= before[0] and len(quic._streams) <= before[1])


async def test_a_client_that_takes_no_datagrams_gets_the_body_on_the_stream(
    session: VoxelClient, server: Server, media: bytes
) -> None:
    (connection,) = server.http3.connections
    connection._quic._remote_max_datagram_frame_size = None
    response = await session.request("/media.mp4", range="bytes=0-99", x_voxel_unreliable="?1;flow=1")
    assert "x-voxel-unreliable" not in response.headers
    assert response.body == media[:100]


async def test_a_held_response_outlasts_the_time_without_progress(config: Config) -> None:
    (config.folders["/"] / "huge.bin").write_bytes(bytes(50_000_000))
    config = replace(config, limits=Limits(write_timeout=0.1))
    async with running(config) as server, connect(server.quic_port) as client:
        await client.open_session()
        head = request_head("/huge.bin", x_voxel_unreliable="?1;flow=1", x_voxel_deadline="400")
        first = client.send(head)
        response = await client.request("/media.mp4", range="bytes=0-9", x_voxel_after="1")
        assert len(response.body) == 10
        assert (await client.response(first)).trailers["x-voxel-sent"] != "50000000"


# --- bad requests


async def test_an_error_is_plain_text(session: VoxelClient) -> None:
    response = await session.request("/absent.mp4")
    assert response.status == 404
    assert response.headers["content-type"] == "text/plain; charset=utf-8"


async def test_a_head_that_never_ends_leaves_nothing_behind(server: Server, session: VoxelClient) -> None:
    stream_id = session.send(b"GET /media", end_stream=False)
    session.quic.reset_stream(stream_id, 0)
    session.transmit()
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206
    (connection,) = server.http3.connections
    assert connection.session is not None
    assert connection.session._readers == {}


async def test_requests_in_flight_are_limited(config: Config) -> None:
    config = replace(config, limits=Limits(requests_per_connection=2))
    async with running(config) as server, connect(server.quic_port) as client:
        await client.open_session()
        head = request_head("/media.mp4")
        responses = await asyncio.gather(*(client.response(client.send(head)) for _ in range(5)))
        assert sorted(response.status for response in responses) == [200, 200, 429, 429, 429]


async def test_a_file_that_becomes_shorter_resets_its_stream_only(session: VoxelClient, folder: Path) -> None:
    path = folder / "shrinking.bin"
    path.write_bytes(bytes(20_000_000))
    stream_id = session.send(request_head("/shrinking.bin"))
    await eventually(lambda: stream_id in session.streams)
    path.write_bytes(b"")
    await session.wait_reset(stream_id)
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206


# --- drain


async def test_draining_finishes_what_is_in_flight_and_refuses_the_rest(
    server: Server, session: VoxelClient, folder: Path
) -> None:
    (folder / "large.bin").write_bytes(bytes(1_000_000))
    stream_id = session.send(request_head("/large.bin"))
    await eventually(lambda: stream_id in session.streams)
    draining = asyncio.create_task(server.drain())
    await asyncio.sleep(0)
    assert (await session.request("/media.mp4")).status == 503
    await draining
    # The server may end now: the client has everything already.
    assert session.streams[stream_id].ended.is_set()
    assert len((await session.response(stream_id)).body) == 1_000_000
    async with connect(server.quic_port) as late:
        assert (await late.open_session())[0] == 503
