"""The only file that touches aioquic's private state. Verified with aioquic 1.7.2.

aioquic sends everything in `QuicConnection._datagrams_pending`, an unbounded deque, before any stream data, and
forgets none of it. So nothing is put there: `PulledDatagrams` takes the deque's place, and `_write_application`
takes a datagram from it only while it builds a packet that the congestion window and the pacer let out now. It uses
the deque in three ways: as a truth value, `[0]`, and `popleft()` once the datagram is in the packet.
"""

from typing import Any, Protocol, cast

import pylsqpack
from aioquic.h3.connection import H3Connection, Setting
from aioquic.quic.congestion.base import _factories
from aioquic.quic.connection import QuicConnection
from aioquic.quic.stream import QuicStream

SHORT_HEADER_BYTES = 1 + 2
"""First byte and packet number of a 1-RTT packet as aioquic writes it, without the connection ID (RFC 9000 17.3.1)."""

AEAD_TAG_BYTES = 16
"""RFC 9001 section 5.3."""

DATAGRAM_FRAME_BYTES = 1 + 2
"""Type and length of a DATAGRAM frame of 64 to 16383 bytes (RFC 9221 section 4)."""

# The settings of the WebTransport drafts newer than 02, which aioquic lacks. Value 1 keeps session flow control off.
SETTINGS_WEBTRANSPORT_DRAFT_07 = 0xC671706A
SETTINGS_WEBTRANSPORT_DRAFT_13 = 0x14E9CD29


class DatagramSource(Protocol):
    """Where the next datagram comes from."""

    def peek(self) -> bytes | None:
        """The datagram that goes next, None when there is none now."""

    def commit(self) -> None:
        """The datagram last peeked at is in a packet."""


class PulledDatagrams:
    """Gives aioquic a datagram when it has room for one and no stream data waits."""

    def __init__(self, quic: QuicConnection, source: DatagramSource) -> None:
        self._quic = quic
        self._source = source

    def __bool__(self) -> bool:
        return not stream_data_waits(self._quic) and self._source.peek() is not None

    def __getitem__(self, index: int) -> bytes:
        datagram = self._source.peek() if index == 0 else None
        if datagram is None:
            raise IndexError(index)
        return datagram

    def popleft(self) -> None:
        self._source.commit()


class VoxelH3Connection(H3Connection):
    """Announces the newer WebTransport drafts too, and has no dynamic QPACK table.

    A two-byte reference to a table entry of 4 KiB would let a 64 KiB head grow to 128 MiB.
    """

    def __init__(self, quic: QuicConnection, *, enable_webtransport: bool) -> None:
        super().__init__(quic, enable_webtransport=enable_webtransport)
        self._decoder = pylsqpack.Decoder(0, 0)

    def sends_nothing_more(self, stream_id: int) -> None:
        """Keeps nothing of the stream once the client has ended it; else that would be until the connection ends.

        True of a WebTransport stream from its start: what is sent on it does not go through this object.
        """
        stream = self._stream.get(stream_id)
        if stream is not None:
            stream.sending_ended = True
            if stream.is_ended():
                del self._stream[stream_id]

    def _get_local_settings(self) -> dict[int, int]:
        settings = super()._get_local_settings()
        settings |= {Setting.QPACK_MAX_TABLE_CAPACITY: 0, Setting.QPACK_BLOCKED_STREAMS: 0}
        if self._enable_webtransport:
            settings |= {SETTINGS_WEBTRANSPORT_DRAFT_07: 1, SETTINGS_WEBTRANSPORT_DRAFT_13: 1}
        return settings


def buffered_frame_bytes(http: H3Connection, stream_id: int) -> int:
    """Bytes that aioquic keeps of an HTTP/3 frame until the rest of it comes; it has no limit of its own."""
    stream = http._stream.get(stream_id)
    return 0 if stream is None else len(stream.buffer)


def pull_datagrams_from(quic: QuicConnection, source: DatagramSource) -> None:
    """From now on `quic` takes its datagrams from `source`."""
    quic._datagrams_pending = cast(Any, PulledDatagrams(quic, source))


def stream_data_waits(quic: QuicConnection) -> bool:
    """True when a stream has data that flow control lets out now."""
    credit = quic._remote_max_data - quic._remote_max_data_used
    return any(_can_send(stream, credit) for stream in quic._streams_queue)


def _can_send(stream: QuicStream, connection_credit: int) -> bool:
    sender = stream.sender
    if sender.buffer_is_empty or stream.is_blocked:
        return False
    if len(sender._pending) == 0:
        return sender._pending_eof
    limit = min(sender.highest_offset + connection_credit, stream.max_stream_data_remote)
    return sender._pending[0].start < limit


def unsent_stream_bytes(quic: QuicConnection, stream_id: int) -> int:
    """Bytes written to a stream that have not been sent once; 0 for a stream that is gone."""
    stream = quic._streams.get(stream_id)
    return 0 if stream is None else stream.sender._buffer_stop - stream.sender.highest_offset


def stream_data_is_unacknowledged(quic: QuicConnection) -> bool:
    """True when a stream that was not reset has data that the peer may lack."""
    return any(stream.sender._buffer and stream.sender._reset_error_code is None for stream in quic._streams.values())


def stream_is_writable(quic: QuicConnection, stream_id: int) -> bool:
    """False once the stream was reset, stopped or discarded."""
    stream = quic._streams.get(stream_id)
    return stream is not None and stream.sender._reset_error_code is None


def smoothed_rtt(quic: QuicConnection) -> float | None:
    """Seconds; None before the first sample (RFC 9002 section 5.3)."""
    return quic._loss._rtt_smoothed if quic._loss._rtt_initialized else None


def has_congestion_control(name: str) -> bool:
    """Whether aioquic knows a congestion control algorithm of that name."""
    return name in _factories


def max_datagram_bytes(quic: QuicConnection) -> int:
    """The longest DATAGRAM payload that fits a packet of its own and that the peer takes; 0: it takes none.

    A longer one would stay at the head of aioquic's queue for ever.
    """
    frame_limit = quic._remote_max_datagram_frame_size or 0
    packet_room = quic._max_datagram_size - SHORT_HEADER_BYTES - len(quic._peer_cid.cid) - AEAD_TAG_BYTES
    return max(0, min(packet_room, frame_limit) - DATAGRAM_FRAME_BYTES)
