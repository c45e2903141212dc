"""Connections of voxel-serve without a network: what comes in is given, what is asked for is written down."""

import asyncio
import socket
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import count
from typing import Any, cast

import h11
from aioquic.h3.connection import H3_ALPN
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection, QuicConnectionId
from aioquic.quic.events import ProtocolNegotiated, StreamDataReceived
from voxel_serve.certificate import make_certificate
from voxel_serve.connection import Connection
from voxel_serve.connection_ids import ConnectionIds
from voxel_serve.cors import OriginPolicy
from voxel_serve.discovery import Discovery
from voxel_serve.errors import HttpError
from voxel_serve.files import Body
from voxel_serve.handshakes import GuardedQuicServer
from voxel_serve.http1 import Http1Connection
from voxel_serve.http3 import Http3Protocol, Http3Service
from voxel_serve.limits import Limits
from voxel_serve.metrics import Metrics
from voxel_serve.request import VoxelRequest
from voxel_serve.resets import StatelessResets
from voxel_serve.shares import Shares
from voxel_serve.site import HttpRequest, HttpResponse, Site

CLIENT = ("127.0.0.1", 50000)

LOOP = asyncio.new_event_loop()
"""One for all: a loop costs more than most inputs."""

StreamPart = tuple[int, bytes, bool]
"""A stream, bytes that come on it, and whether they end it."""


@dataclass
class RecordingSite(Site):
    """Answers every request with nothing, and writes it down."""

    received: list[HttpRequest] = field(default_factory=list)

    async def respond(self, request: HttpRequest) -> HttpResponse:
        self.received.append(request)
        return HttpResponse(HTTPStatus.OK, [("content-length", "0")], Body([]))


def _site(limits: Limits) -> RecordingSite:
    discovery = Discovery("127.0.0.1", 4433, None, list)
    return RecordingSite(cast(Any, None), OriginPolicy(frozenset()), limits, Metrics(), discovery)


@dataclass
class Http1Play:
    """What a TCP connection has come to."""

    requests: list[tuple[str, Mapping[str, str]]]
    """Targets and headers."""

    refused: bool


class _Pieces:
    """The reading side of a TCP connection."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    async def read(self, _count: int) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


class _Sink:
    """The writing side."""

    transport = property(lambda self: self)

    def get_extra_info(self, _name: str) -> None: ...

    def set_write_buffer_limits(self, high: int, low: int) -> None: ...

    def write(self, data: bytes) -> None: ...

    async def drain(self) -> None: ...


class _RecordingHttp1(Http1Connection):
    refused = False

    async def refuse(self, error: HttpError) -> None:
        assert error.status in (400, 431), error.status
        self.refused = True


def play_http1(pieces: Iterable[bytes], limits: Limits) -> Http1Play:
    """The requests that a TCP connection answers, and whether it refuses one."""
    site = _site(limits)
    connection = _RecordingHttp1(site, cast(Any, _Pieces(pieces)), cast(Any, _Sink()), "192.0.2.1")

    async def serve() -> None:
        while (request := await connection.next_request()) is not None:
            await connection.answer(request, is_one_too_many=False)

    try:
        LOOP.run_until_complete(serve())
    except h11.LocalProtocolError:
        connection.refused = True
    return Http1Play([(request.target, request.headers) for request in site.received], connection.refused)


@dataclass
class Http3Play:
    """What an HTTP/3 connection has come to."""

    events: list[tuple[int, HttpRequest | VoxelRequest | HTTPStatus | bytes]] = field(default_factory=list)
    """By stream, in order: a request, the status of a refusal, what was sent on the stream of a session."""

    closed: bool = False


class _Quic:
    """As much of a QUIC connection as HTTP/3 and sessions use while nothing is sent."""

    configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN)
    datagrams_to_send: Any = None
    _quic_logger = None
    _remote_max_datagram_frame_size = 65536
    _max_datagram_size = 1350
    _peer_cid = QuicConnectionId(cid=bytes(8), sequence_number=0)

    def __init__(self, play: Http3Play) -> None:
        self._play = play
        self._next_streams = count(3, 4)
        self._streams: dict[int, object] = {}

    def get_next_available_stream_id(self, is_unidirectional: bool) -> int:
        assert is_unidirectional
        return next(self._next_streams)

    def get_peer_address(self) -> tuple[str, int]:
        return CLIENT

    def send_stream_data(self, stream_id: int, data: bytes, end_stream: bool = False) -> None:
        pass

    def stop_stream(self, stream_id: int, error_code: int) -> None:
        pass

    def reset_stream(self, stream_id: int, error_code: int) -> None:
        if (stream_id, b"reset") not in self._play.events:
            self._play.events.append((stream_id, b"reset"))

    def close(self, **_: object) -> None:
        self._play.closed = True


class _Answered:
    """In place of the task that answers."""

    def add_done_callback(self, callback: object) -> None: ...


class _RecordingHttp3(Http3Protocol):
    """A connection whose answers are written down."""

    def __init__(self, service: Http3Service, play: Http3Play) -> None:
        super().__init__(cast(Any, _Quic(play)), service)
        self._play = play

    def transmit(self) -> None: ...

    def end_stream(self, stream_id: int, data: bytes = b"") -> None:
        self._play.events.append((stream_id, data))

    def answer(self, stream_id: int, coroutine: Coroutine[None, None, None]) -> asyncio.Task[None]:
        arguments = cast(Any, coroutine).cr_frame.f_locals
        coroutine.close()
        response = arguments.get("response")
        self._play.events.append((stream_id, arguments["request"] if response is None else response.status))
        return cast("asyncio.Task[None]", _Answered())

    def stop_timers(self) -> None:
        for stream_id in list(self._heads):
            self._head_is_read(stream_id)

    @property
    def buffered(self) -> dict[int, int]:
        """Bytes that wait for the rest of their frame, by stream."""
        return {stream: len(state.buffer) for stream, state in cast(Any, self._http)._stream.items()}


def play_http3(parts: Iterable[StreamPart], limits: Limits) -> Http3Play:
    """What a new HTTP/3 connection makes of what comes on its streams."""
    play = Http3Play()

    async def receive() -> None:
        connection = _RecordingHttp3(Http3Service(_site(limits), token=None), play)
        connection.quic_event_received(ProtocolNegotiated(alpn_protocol="h3"))
        for stream_id, data, is_end in parts:
            if play.closed:
                break
            connection.quic_event_received(StreamDataReceived(data=data, end_stream=is_end, stream_id=stream_id))
            assert all(size <= limits.head_bytes for size in connection.buffered.values()), connection.buffered
        connection.stop_timers()

    LOOP.run_until_complete(receive())
    return play


class _Nowhere:
    """The UDP side: counts the bytes that are sent."""

    sent = 0

    def sendto(self, data: bytes, _address: object = None) -> None:
        self.sent += len(data)

    def is_closing(self) -> bool:
        return False

    def get_extra_info(self, _name: str) -> tuple[str, int]:
        return ("127.0.0.1", 4433)


class QuicDoor:
    """The QUIC side of a server, for first datagrams."""

    def __init__(self, limits: Limits) -> None:
        self._configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN, max_datagram_frame_size=65536)
        make_certificate(["localhost"], datetime.now(UTC)).install(self._configuration)
        self._limits = limits
        self._resets = StatelessResets(bytes(32), 4433)
        self._connection_ids = ConnectionIds()
        self._configuration.connection_id_length = self._connection_ids.length
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.setblocking(False)

    def receive(self, data: bytes) -> tuple[int, int]:
        """Gives a new server a datagram. Returns the number of connections it then keeps, and of bytes it sends."""
        transport = _Nowhere()
        requests = Shares(each=0)

        def create(quic: QuicConnection) -> Connection:
            return Connection(quic, self._limits, requests)

        async def receive() -> int:
            server = GuardedQuicServer(
                self._configuration, create, self._limits, self._resets, self._connection_ids, self._udp
            )
            server.connection_made(cast(Any, transport))
            server.datagram_received(data, CLIENT)
            while cast(Any, server)._turns:  # noqa: ASYNC110
                await asyncio.sleep(0)
            kept = set(cast(Any, server)._protocols.values())
            for connection in kept:
                cast(Any, server)._forget(connection)
            return len(kept)

        return LOOP.run_until_complete(receive()), transport.sent
