"""Ordinary HTTP/3 requests, and what must not bring the server down, over loopback."""

import random
import socket
from dataclasses import replace
from typing import cast

import pytest
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import H3_ALPN, FrameType
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import StreamReset
from voxel_serve.app import Server, running
from voxel_serve.config import Config
from voxel_serve.http3 import Http3Protocol
from voxel_serve.limits import Limits

from server.conformance.client import VoxelClient, connect, eventually


async def test_files_and_ranges(client: VoxelClient, media: bytes) -> None:
    status, headers, body = await client.get("/media.mp4")
    assert (status, body) == (200, media)
    assert headers["content-type"] == "video/mp4"
    status, headers, body = await client.get("/media.mp4", range="bytes=10-19")
    assert (status, body) == (206, media[10:20])
    assert headers["content-range"] == "bytes 10-19/1000000"


async def test_unreliable_headers_change_nothing(client: VoxelClient, media: bytes) -> None:
    for name in ("x_voxel_unreliable", "x_slipstream_unreliable"):
        _, headers, body = await client.get("/media.mp4", range="bytes=0-9", **{name: "?1;flow=1"})
        assert body == media[:10]
        assert "x-voxel-unreliable" not in headers


async def test_options(client: VoxelClient) -> None:
    status, headers, _ = await client.get("/media.mp4", method="OPTIONS", origin="http://127.0.0.1:1")
    assert status == 204
    assert headers["access-control-allow-origin"] == "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/absent", "GET", 404),
        ("/../outside.txt", "GET", 404),
        ("relative", "GET", 400),
        ("/media.mp4", "POST", 405),
        ("/%00", "GET", 404),
        ("/" + "a" * 60_000, "GET", 404),
        ("/metrics", "GET", 404),
    ],
)
async def test_errors(client: VoxelClient, path: str, method: str, status: int) -> None:
    assert (await client.get(path, method=method))[0] == status
    assert (await client.get("/media.mp4"))[0] == 200


async def test_discovery_answers_here_too(server: Server, client: VoxelClient) -> None:
    status, headers, body = await client.get("/.well-known/voxel.json")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert f"https://127.0.0.1:{server.quic_port}/voxel".encode() in body


async def test_an_endless_header_frame_costs_its_stream_only(client: VoxelClient) -> None:
    stream_id = client.quic.get_next_available_stream_id()
    frame_head = encode_uint_var(FrameType.HEADERS) + encode_uint_var(2**40)
    client.quic.send_stream_data(stream_id, frame_head + bytes(200_000))
    client.transmit()
    assert (await client.ended(stream_id)).headers[":status"] == "431"
    assert (await client.get("/media.mp4"))[0] == 200


async def test_a_head_too_long_is_answered_when_its_client_stops_sending_at_once(
    client: VoxelClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    abandon = Http3Protocol._abandon

    def abandoned(self: Http3Protocol, stream_id: int) -> None:
        abandon(self, stream_id)
        self.quic_event_received(StreamReset(error_code=0, stream_id=stream_id))

    monkeypatch.setattr(Http3Protocol, "_abandon", abandoned)
    stream_id = client.quic.get_next_available_stream_id()
    frame_head = encode_uint_var(FrameType.HEADERS) + encode_uint_var(2**40)
    client.quic.send_stream_data(stream_id, frame_head)
    client.transmit()
    assert (await client.ended(stream_id)).headers[":status"] == "431"


async def test_a_client_that_never_reads_loses_its_response(config: Config) -> None:
    async with (
        running(replace(config, limits=Limits(write_timeout=0.3))) as server,
        connect(server.quic_port) as client,
    ):
        window = client.quic.configuration.max_stream_data
        (config.folders["/"] / "large.bin").write_bytes(bytes(3 * window))
        client.quic._write_stream_limits = lambda *_, **__: None  # type: ignore[method-assign]
        status, _, body = await client.get("/large.bin")
        assert status == 200
        assert len(body) <= window
        await eventually(lambda: not server.http3.busy)
        assert (await client.get("/index.html"))[0] == 200


async def test_a_session_whose_stream_ends_with_its_request_is_over(server: Server, client: VoxelClient) -> None:
    stream_id = client.quic.get_next_available_stream_id()
    fields = {":method": "CONNECT", ":protocol": "webtransport", ":scheme": "https"}
    fields |= {":authority": "127.0.0.1", ":path": "/voxel"}
    client.send_headers(stream_id, fields, end_stream=True)
    await client.ended(stream_id)
    assert server.site.metrics.value("voxel_sessions") == 0


async def test_an_endless_settings_frame_ends_the_connection(server: Server, client: VoxelClient) -> None:
    control = cast(int, client.http._local_control_stream_id)
    client.quic.send_stream_data(control, encode_uint_var(FrameType.SETTINGS) + encode_uint_var(2**40) + bytes(200_000))
    client.transmit()
    await eventually(lambda: client.terminated)
    async with connect(server.quic_port) as other:
        assert (await other.get("/media.mp4"))[0] == 200


async def test_garbage_on_the_udp_port_is_ignored(server: Server, client: VoxelClient) -> None:
    source = random.Random(1)
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        for size in [0, 1, 7, *(source.randrange(2000) for _ in range(300))]:
            first = bytes([source.choice([0x00, 0x40, 0xC0, 0xD0, 0xF0, 0xFF])])
            garbage = first + bytes([0, 0, 0, 1]) + source.randbytes(size)
            udp.sendto(garbage[: max(size, 1)], ("127.0.0.1", server.quic_port))
    assert (await client.get("/media.mp4"))[0] == 200
    async with connect(server.quic_port) as other:
        assert (await other.open_session())[0] == 200


async def test_a_stream_of_no_session_is_rejected(client: VoxelClient) -> None:
    client.session_id = 400
    stream_id = client.send(b"GET /media.mp4 HTTP/1.1\r\nhost: x\r\n\r\n")
    await client.wait_reset(stream_id)
    assert (await client.get("/media.mp4"))[0] == 200


async def test_an_unfinished_handshake_ends(config: Config) -> None:
    async with running(replace(config, limits=Limits(head_timeout=0.2))) as server:
        quic = QuicConnection(configuration=QuicConfiguration(alpn_protocols=H3_ALPN))
        quic.connect(("127.0.0.1", server.quic_port), now=0)
        with socket.socket(type=socket.SOCK_DGRAM) as udp:
            for datagram, _ in quic.datagrams_to_send(now=0):
                udp.sendto(datagram, ("127.0.0.1", server.quic_port))
            await eventually(lambda: server.http3.connections)
            await eventually(lambda: not server.http3.connections)


async def test_connections_are_limited(config: Config) -> None:
    async with running(replace(config, limits=Limits(connections=1))) as server, connect(server.quic_port) as first:
        with pytest.raises(ConnectionError):
            async with connect(server.quic_port) as second:
                await eventually(lambda: second.terminated)
                raise ConnectionError
        assert (await first.get("/media.mp4"))[0] == 200


async def test_closed_connections_are_forgotten(server: Server) -> None:
    async with connect(server.quic_port) as client:
        assert (await client.open_session())[0] == 200
        assert server.site.metrics.value("voxel_sessions") == 1
    await eventually(lambda: not server.http3.connections)
    assert server.site.metrics.value("voxel_sessions") == 0
