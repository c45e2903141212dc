"""docs/PROTOCOL.md, "The end of a session": what clients hear of a server that stops, logs of those that close."""

import json
import subprocess

import pytest
from aioquic._buffer import Buffer
from aioquic.buffer import encode_uint_var

from .client import VoxelClient, connect, eventually, request_head
from .conftest import Start
from .servers import Server

STOPPING = (0x100, "the server is stopping")
CLOSE_SESSION = 0x2843
MOST_REQUEST_STREAM = 2**62 - 4


def capsule(data: bytes) -> tuple[int, int, str]:
    """Type, code, reason."""
    buffer = Buffer(data=data)
    kind, length = buffer.pull_uint_var(), buffer.pull_uint_var()
    value = buffer.pull_bytes(length)
    assert buffer.eof()
    return kind, int.from_bytes(value[:4], "big"), value[4:].decode()


def close_session(code: int, reason: bytes) -> bytes:
    value = code.to_bytes(4, "big") + reason
    return encode_uint_var(CLOSE_SESSION) + encode_uint_var(len(value)) + value


async def closed(server: Server, client: VoxelClient) -> dict[str, object]:
    """What the log says of the latest session that ended, once it says so."""
    addresses = {str(client._transport.get_extra_info("sockname")[1])} if client._transport else set()
    found: list[dict[str, object]] = []

    def is_logged() -> bool:
        lines = [json.loads(line) for line in server.log.read_text().splitlines()]
        ends = [line for line in lines if line["event"] == "session closed"]
        found[:] = [line for line in ends if any(port in str(line["client"]) for port in addresses)]
        return bool(found)

    await eventually(is_logged)
    return found[-1]


async def test_a_server_that_stops_says_so_and_ends_sessions_and_connection(starts: Start) -> None:
    server = starts()
    async with connect(server.quic_port) as client:
        await client.open_session()
        assert client.session_id is not None
        flood = client.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1"))
        await eventually(lambda: client.datagrams)
        server.process.terminate()
        await eventually(lambda: client.going_away is not None)
        assert client.going_away == MOST_REQUEST_STREAM, "no request that was sent is lost"
        assert not client.received(client.session_id).ended.is_set(), "what is in flight may finish"
        client.cancel(flood)
        session = await client.ended(client.session_id)
        assert capsule(bytes(session.data)) == (CLOSE_SESSION, *STOPPING)
        await eventually(lambda: client.terminated is not None)
        assert client.terminated is not None
        assert (client.terminated.error_code, client.terminated.reason_phrase) == STOPPING
        assert client.terminated.frame_type is None, "it is HTTP/3's code"
        server.process.wait(60)


async def test_a_connection_without_a_session_hears_of_it_too(starts: Start) -> None:
    server = starts()
    async with connect(server.quic_port) as client:
        assert (await client.get("/media.mp4", range="bytes=0-1"))[0] == 206
        server.process.terminate()
        await eventually(lambda: client.terminated is not None)
        assert client.going_away == MOST_REQUEST_STREAM
        assert client.terminated is not None
        assert (client.terminated.error_code, client.terminated.reason_phrase) == STOPPING
        server.process.wait(60)


async def test_a_client_that_vanishes_does_not_keep_a_server_that_stops(starts: Start) -> None:
    server = starts()
    async with connect(server.quic_port) as client:
        await client.open_session()
        assert client._transport is not None
        client._transport.close()
        server.process.terminate()
        try:
            server.process.wait(60)
        except subprocess.TimeoutExpired:
            pytest.fail("the server waits for ever")


@pytest.mark.parametrize("pieces", [1, 1000])
async def test_why_a_client_closes_its_session_is_in_the_log(server: Server, session: VoxelClient, pieces: int) -> None:
    assert session.session_id is not None
    data = encode_uint_var(0x7A31) + encode_uint_var(3) + b"abc" + close_session(4711, b"the viewer\n left")
    for start in range(0, len(data), len(data) // pieces or 1):
        session.http.send_data(session.session_id, data[start : start + (len(data) // pieces or 1)], end_stream=False)
        session.transmit()
    # The capsule ends the session, whether the stream's end comes with it or not.
    await session.ended(session.session_id)
    line = await closed(server, session)
    assert (line["code"], line["reason"]) == (4711, "the viewer\n left")


async def test_a_session_that_ends_without_a_word_has_code_0(server: Server, session: VoxelClient) -> None:
    assert session.session_id is not None
    session.http.send_data(session.session_id, b"", end_stream=True)
    session.transmit()
    line = await closed(server, session)
    assert (line["code"], line["reason"]) == (0, "")


async def test_a_session_whose_connection_ends_has_no_code(server: Server) -> None:
    async with connect(server.quic_port) as client:
        await client.open_session()
    line = await closed(server, client)
    assert "code" not in line or line["code"] is None


async def test_the_code_counts_too_where_the_client_stops_reading_in_the_same_packet(
    server: Server, session: VoxelClient
) -> None:
    """STOP_SENDING, then the capsule, in one packet, as from webtransport-go."""
    assert session.session_id is not None
    session.quic.stop_stream(session.session_id, 0x170D7B68)
    session.http.send_data(session.session_id, close_session(4711, b"bye"), end_stream=True)
    session.transmit()
    line = await closed(server, session)
    assert (line["code"], line["reason"]) == (4711, "bye")
