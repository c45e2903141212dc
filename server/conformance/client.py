"""A WebTransport client on aioquic's client side: the outside from which a server is seen."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import cast

from aioquic.asyncio.client import connect as quic_connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, FrameType, H3Connection
from aioquic.h3.events import DatagramReceived, DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, QuicEvent, StopSendingReceived, StreamDataReceived, StreamReset

TIMEOUT_SECONDS = 60.0
"""Only what hangs takes so long: with builds and browsers beside it a megabyte has taken more than 20 s."""


CONTROL_STREAM = 3
"""Both servers open it first."""


@dataclass
class Received:
    """What has come on one stream."""

    headers: dict[str, str] = field(default_factory=dict)
    data: bytearray = field(default_factory=bytearray)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    reset: bool = False


@dataclass(frozen=True)
class Response:
    """A response on a VOXEL stream, taken apart."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def trailers(self) -> dict[str, str]:
        """Trailers of an empty chunked body."""
        assert self.body.startswith(b"0\r\n")
        return _fields(self.body[3:].decode().split("\r\n"))


class VoxelClient(QuicConnectionProtocol):
    """One connection; at most one session."""

    def __init__(self, quic: QuicConnection, stream_handler: object = None) -> None:
        super().__init__(quic)
        self.quic = quic
        self.http = H3Connection(quic, enable_webtransport=quic.configuration.max_datagram_frame_size is not None)
        self.streams: dict[int, Received] = {}
        self.datagrams: list[tuple[int, int, bytes]] = []
        """Flow, offset, payload in the order of arrival."""
        self.datagram_sizes: list[int] = []
        self.stopped: set[int] = set()
        self.terminated: ConnectionTerminated | None = None
        self.transport_parameters: set[int] = set()
        """The numbers of the server's."""
        self._parse_transport_parameters = quic._parse_transport_parameters
        quic._parse_transport_parameters = self._read_transport_parameters  # type: ignore[method-assign]
        self._control = b""
        """What has come on the server's control stream: aioquic skips GOAWAY."""
        self.session_id: int | None = None
        self._session_streams: set[int] = set()

    async def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """An ordinary HTTP/3 request."""
        stream_id = self._quic.get_next_available_stream_id()
        pseudo = {":method": method, ":scheme": "https", ":authority": "127.0.0.1", ":path": path}
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        self.send_headers(stream_id, pseudo | fields, end_stream=True)
        received = await self.ended(stream_id)
        return int(received.headers[":status"]), received.headers, bytes(received.data)

    async def open_session(
        self, path: str = "/voxel", *, authority: str = "127.0.0.1", **headers: str
    ) -> tuple[int, dict[str, str]]:
        """Sends the CONNECT request; returns the answer's status and headers."""
        stream_id = self._quic.get_next_available_stream_id()
        fields = {
            ":method": "CONNECT",
            ":protocol": "webtransport",
            ":scheme": "https",
            ":authority": authority,
            ":path": path,
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        self.send_headers(stream_id, fields, end_stream=False)
        received = self.received(stream_id)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await received.started.wait()
        status = int(received.headers[":status"])
        if status == 200:
            self.session_id = stream_id
        return status, received.headers

    def send(self, data: bytes, *, end_stream: bool = True) -> int:
        """Opens a stream of the session with these bytes."""
        assert self.session_id is not None
        stream_id = self.http.create_webtransport_stream(self.session_id)
        self._session_streams.add(stream_id)
        self._quic.send_stream_data(stream_id, data, end_stream)
        self.transmit()
        return stream_id

    def send_more(self, stream_id: int, data: bytes, *, end_stream: bool = False) -> None:
        self._quic.send_stream_data(stream_id, data, end_stream)
        self.transmit()

    async def request(self, target: str, **headers: str) -> Response:
        """A VOXEL request and its whole response."""
        return await self.response(self.send(request_head(target, **headers)))

    async def response(self, stream_id: int) -> Response:
        head, _, body = bytes((await self.ended(stream_id)).data).partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        return Response(int(lines[0].split(" ")[1]), _fields(lines[1:]), body)

    async def wait_reset(self, stream_id: int) -> None:
        assert (await self.ended(stream_id)).reset

    def cancel(self, stream_id: int) -> None:
        """Cancels as a browser's `readable.cancel()` does, which does nothing once the stream has ended."""
        if self.received(stream_id).ended.is_set():
            return
        self._quic.stop_stream(stream_id, 0)
        self.transmit()

    def assembled(self, flow: int, length: int) -> tuple[bytes, int]:
        """The flow's bytes at their places, holes zero, and how many came."""
        body, count = bytearray(length), 0
        for number, offset, payload in self.datagrams:
            if number == flow:
                body[offset : offset + len(payload)] = payload
                count += len(payload)
        return bytes(body), count

    async def migrate(self) -> None:
        """Goes on from another port and with another connection ID; what arrives at the old port is lost."""
        before = self._transport
        assert before is not None
        udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        udp.bind(("::", 0))
        await asyncio.get_running_loop().create_datagram_endpoint(lambda: self, sock=udp)
        before.close()
        self.change_connection_id()

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, ConnectionTerminated):
            self.terminated = event
            for received in self.streams.values():
                received.reset = True
                received.started.set()
                received.ended.set()
        if isinstance(event, StreamReset):
            self.received(event.stream_id).reset = True
            self.received(event.stream_id).ended.set()
        if isinstance(event, StopSendingReceived):
            self.stopped.add(event.stream_id)
        if isinstance(event, StreamDataReceived) and event.stream_id in self._session_streams:
            # aioquic's client would take the answer on a WebTransport stream of its own for HTTP/3 frames.
            received = self.received(event.stream_id)
            received.data += event.data
            self._check_end(received, stream_ended=event.end_stream)
            return
        if isinstance(event, StreamDataReceived) and event.stream_id == CONTROL_STREAM:
            self._control += event.data
        for http_event in self.http.handle_event(event):
            match http_event:
                case HeadersReceived(stream_id=stream_id):
                    received = self.received(stream_id)
                    received.headers = {name.decode(): value.decode() for name, value in http_event.headers}
                    received.started.set()
                    self._check_end(received, stream_ended=http_event.stream_ended)
                case DataReceived():
                    received = self.received(http_event.stream_id)
                    received.data += http_event.data
                    self._check_end(received, stream_ended=http_event.stream_ended)
                case DatagramReceived():
                    self.datagram_sizes.append(len(http_event.data))
                    self.datagrams.append(parse_datagram(http_event.data))

    def _read_transport_parameters(self, data: bytes, from_session_ticket: bool = False) -> None:
        self._parse_transport_parameters(data, from_session_ticket)
        while data:
            number, data = _read_varint(data)
            length, data = _read_varint(data)
            self.transport_parameters.add(number)
            data = data[length:]

    @property
    def going_away(self) -> int | None:
        """The stream that the server's latest GOAWAY names (RFC 9114 section 5.2)."""
        last, rest = None, self._control[1:]  # Behind the stream's type.
        while rest:
            kind, rest = _read_varint(rest)
            length, rest = _read_varint(rest)
            if kind == FrameType.GOAWAY:
                last = _read_varint(rest)[0]
            rest = rest[length:]
        return last

    async def ended(self, stream_id: int) -> Received:
        """What has come on the stream, once it has ended."""
        received = self.received(stream_id)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await received.ended.wait()
        return received

    def received(self, stream_id: int) -> Received:
        """What has come on the stream so far."""
        return self.streams.setdefault(stream_id, Received())

    def _check_end(self, received: Received, *, stream_ended: bool) -> None:
        if stream_ended:
            received.ended.set()

    def send_headers(self, stream_id: int, headers: dict[str, str], *, end_stream: bool) -> None:
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        self.http.send_headers(stream_id, encoded, end_stream=end_stream)
        self.transmit()


async def eventually(condition: Callable[[], object]) -> None:
    """Returns once the condition holds. It may read all that has come: most of the time is left to the connection."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            began = monotonic()
            if condition():
                return
            await asyncio.sleep(min(0.5, max(0.001, 10 * (monotonic() - began))))


async def until(status: Callable[[], Awaitable[int | None]], wanted: int | None) -> None:
    """Asks again and again until the server answers so."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while await status() != wanted:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


def parse_datagram(datagram: bytes) -> tuple[int, int, bytes]:
    """Flow, offset, payload."""
    flow, rest = _read_varint(datagram)
    offset, payload = _read_varint(rest)
    return flow, offset, payload


def request_head(target: str, **headers: str) -> bytes:
    """The head of a GET; underscores in header names stand for hyphens."""
    fields = {"host": "media.example"} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"GET {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode()


@contextlib.asynccontextmanager
async def connect(
    quic_port: int, *, datagrams: bool = True, wait_connected: bool = True, stream_window: int = 1024 * 1024
) -> AsyncIterator[VoxelClient]:
    """A client of the server at a UDP port of 127.0.0.1. `stream_window`: bytes that a stream takes at first."""
    configuration = QuicConfiguration(
        alpn_protocols=H3_ALPN,
        is_client=True,
        max_stream_data=stream_window,
        max_datagram_frame_size=65536 if datagrams else None,
        verify_mode=ssl.CERT_NONE,
    )
    async with quic_connect(
        "127.0.0.1",
        quic_port,
        configuration=configuration,
        create_protocol=VoxelClient,
        wait_connected=wait_connected,
    ) as protocol:
        yield (client := cast(VoxelClient, protocol))
    assert client._transport is not None
    client._transport.close()  # aioquic closes the first one only, and a client may have migrated.


def _read_varint(data: bytes) -> tuple[int, bytes]:
    """RFC 9000 section 16."""
    length = 1 << (data[0] >> 6)
    return int.from_bytes(data[:length], "big") & ((1 << (8 * length - 2)) - 1), data[length:]


def _fields(lines: list[str]) -> dict[str, str]:
    return {name: value for name, separator, value in (line.partition(": ") for line in lines) if separator}
