"""What aioquic lets a client make it keep: bounded here. With `quic_internals` and `reset_stream_at` the only file that
touches its private state. Verified with aioquic 1.7.2.

aioquic doubles its receive windows as soon as half of them is used, whether or not the bytes can be delivered, and
fills the gaps before them with zeros: a stream without its first byte took 64 MB in seconds.
"""

import os
from collections.abc import Callable

from aioquic.h3.connection import ErrorCode
from aioquic.quic.configuration import SMALLEST_MAX_DATAGRAM_SIZE
from aioquic.quic.connection import TRANSPORT_CLOSE_FRAME_CAPACITY, NetworkAddress, QuicConnection, QuicConnectionId
from aioquic.quic.crypto import CryptoPair
from aioquic.quic.packet import QuicErrorCode, QuicFrameType, QuicHeader, QuicPacketType
from aioquic.quic.packet_builder import QuicPacketBuilder
from aioquic.quic.recovery import QuicPacketSpace
from aioquic.quic.stream import QuicStream

from .connection_ids import ConnectionIds
from .reset_stream_at import ReliableResets

STREAM_WINDOW_BYTES = 128 * 1024
"""Bytes of a stream that may be on their way or wait for earlier ones: a request head and as much again."""

CONNECTION_WINDOW_BYTES = 512 * 1024
"""The same of all streams of a connection."""

STREAM_FRAME_BYTES = 1 + 8 + 8 + 2
"""Bytes of a frame without its data, at most: type, stream, offset, length (RFC 9000 section 19.8)."""

MOST_GAPS = 256
"""Number in one stream: more than a window of full packets can have. aioquic looks at each for every frame."""

STATELESS_RESET_BYTES = range(21, 44)
"""RFC 9000 section 10.3: what looks like a short packet, with the token at its end."""

STATELESS_RESET_TOKEN_BYTES = 16


class BoundedQuicConnection(ReliableResets):
    """Windows move on with what was delivered; connection IDs may say whose they are, and their stateless reset tokens
    can be made again after a restart.
    """

    _token_of: Callable[[bytes], bytes]
    _connection_ids: ConnectionIds
    on_connection_id: Callable[[bytes], object]
    """Called with each further connection ID before the client hears of it. aioquic tells of it in an event, which is
    read when the connection has its next turn: a client may have used the ID by then.
    """

    def receive_datagram(self, data: bytes, addr: NetworkAddress, now: float) -> None:
        super().receive_datagram(data, addr, now)
        if any(len(stream.receiver._ranges) > MOST_GAPS for stream in self._streams.values()):
            self.close(error_code=ErrorCode.H3_EXCESSIVE_LOAD, reason_phrase="too many gaps")

    def _write_connection_limits(self, builder: QuicPacketBuilder, space: QuicPacketSpace) -> None:
        limit, window = self._local_max_data, self._configuration.max_data
        if limit.used + window // 2 > limit.value:
            receivers = (stream.receiver for stream in self._streams.values())
            waiting = sum(one.highest_offset - one.starting_offset() for one in receivers if not one.is_finished)
            limit.value = max(limit.value, limit.used - waiting + window)
        # aioquic would double it.
        used, limit.used = limit.used, 0
        try:
            super()._write_connection_limits(builder, space)
        finally:
            limit.used = used

    def _write_stream_limits(self, builder: QuicPacketBuilder, space: QuicPacketSpace, stream: QuicStream) -> None:
        receiver, window = stream.receiver, self._configuration.max_stream_data
        if not receiver.is_finished and receiver.starting_offset() + window // 2 > stream.max_stream_data_local:
            stream.max_stream_data_local = receiver.starting_offset() + window
        if stream.max_stream_data_local_sent == stream.max_stream_data_local:
            return
        # aioquic would double it.
        highest, receiver.highest_offset = receiver.highest_offset, 0
        try:
            super()._write_stream_limits(builder, space, stream)
        finally:
            receiver.highest_offset = highest

    def _write_stream_frame(
        self, builder: QuicPacketBuilder, space: QuicPacketSpace, stream: QuicStream, max_offset: int
    ) -> int:
        # aioquic goes through all streams for each packet, also when it is full or the client's window used up.
        pending = stream.sender._pending
        if builder.remaining_flight_space < STREAM_FRAME_BYTES or (len(pending) and pending[0].start >= max_offset):
            return 0
        return super()._write_stream_frame(builder, space, stream, max_offset)

    def _replenish_connection_ids(self) -> None:
        known = len(self._host_cids)
        super()._replenish_connection_ids()
        self.name(self._host_cids[known:])
        for connection_id in self._host_cids[known:]:
            self.on_connection_id(connection_id.cid)

    def name(self, connection_ids: list[QuicConnectionId]) -> None:
        """Replaces the random ones of aioquic, and their random tokens."""
        for connection_id in connection_ids:
            connection_id.cid = self._connection_ids.make()
            connection_id.stateless_reset_token = self._token_of(connection_id.cid)


def adopt(
    quic: QuicConnection,
    token_of: Callable[[bytes], bytes],
    connection_ids: ConnectionIds | None = None,
    on_connection_id: Callable[[bytes], object] = lambda _: None,
) -> None:
    """Bounds a connection that has received nothing yet; `token_of` is a connection ID's stateless reset token.

    `connection_ids`: what makes those that clients are given, by default random ones. `on_connection_id`: see
    `BoundedQuicConnection`.
    """
    quic.__class__ = BoundedQuicConnection
    assert isinstance(quic, BoundedQuicConnection)
    quic.accept_reset_stream_at()
    quic._token_of = token_of
    quic._connection_ids = connection_ids or ConnectionIds()
    quic.on_connection_id = on_connection_id
    quic.name(quic._host_cids)
    quic.host_cid = quic._local_initial_source_connection_id = quic._host_cids[0].cid


def connection_ids(quic: QuicConnection) -> list[bytes]:
    """All by which a client may address the connection."""
    ids = [connection_id.cid for connection_id in quic._host_cids]
    first = quic._retry_source_connection_id or quic._original_destination_connection_id
    return [first, *ids]


def drop_reset_data(quic: QuicConnection, stream_id: int) -> None:
    """Frees what a reset stream will never send; aioquic would keep it until the client acknowledges the reset."""
    stream = quic._streams.get(stream_id)
    if stream is not None and stream.sender._reset_error_code is not None:
        stream.sender._buffer = bytearray()


def release(quic: QuicConnection) -> None:
    """Frees all that a connection holds at once: it refers to itself in many ways, which the collector finds late.

    It cannot be used any more.
    """
    for space in quic._spaces.values():
        space.sent_packets.clear()  # They know whom to tell of their delivery.
    vars(quic).clear()


def connection_refused(header: QuicHeader) -> bytes:
    """A UDP payload that refuses the connection of an Initial packet (RFC 9000 section 5.2.2)."""
    assert header.version is not None
    crypto = CryptoPair()
    crypto.setup_initial(cid=header.destination_cid, is_client=False, version=header.version)
    builder = QuicPacketBuilder(
        host_cid=header.destination_cid,
        is_client=False,
        max_datagram_size=SMALLEST_MAX_DATAGRAM_SIZE,
        peer_cid=header.source_cid,
        version=header.version,
    )
    builder.start_packet(QuicPacketType.INITIAL, crypto)
    frame = builder.start_frame(QuicFrameType.TRANSPORT_CLOSE, capacity=TRANSPORT_CLOSE_FRAME_CAPACITY)
    for value in (QuicErrorCode.CONNECTION_REFUSED, QuicFrameType.PADDING, 0):
        frame.push_uint_var(value)
    (payload,), _ = builder.flush()
    return payload


def stateless_reset(token: bytes, length: int) -> bytes | None:
    """The answer to a packet of `length` bytes of an unknown connection; always shorter, so that two servers that reset
    each other end. None: the packet is too short to be answered.
    """
    if length <= STATELESS_RESET_BYTES.start:
        return None
    noise = bytearray(os.urandom(min(length - 1, STATELESS_RESET_BYTES.stop - 1) - STATELESS_RESET_TOKEN_BYTES))
    noise[0] = noise[0] & 0x3F | 0x40
    return bytes(noise) + token
