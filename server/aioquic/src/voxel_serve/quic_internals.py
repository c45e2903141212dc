"""With `quic_bounds` and `reset_stream_at` the only file that touches aioquic's private state. Verified with 1.7.2.

aioquic sends queued datagrams before any stream data, forgets none of them, and takes its time to build the packet of
each. So nothing is queued: behind what aioquic itself has to send now go packets that are built here, of one datagram
each, as far as congestion window and pacer let them out and while no stream data waits.
"""

from dataclasses import dataclass
from typing import Any, cast

import pylsqpack
from aioquic._buffer import Buffer
from aioquic._crypto import CryptoError
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import (
    ClosedCriticalStream,
    FrameType,
    H3Connection,
    H3Stream,
    HeadersState,
    IdError,
    MessageError,
    Setting,
    StreamType,
    encode_frame,
)
from aioquic.h3.events import H3Event, Headers
from aioquic.quic.congestion.base import _factories
from aioquic.quic.connection import END_STATES, NetworkAddress, QuicConnection
from aioquic.quic.crypto import CryptoPair
from aioquic.quic.packet import PACKET_FIXED_BIT, QuicHeader, QuicPacketType, pull_quic_header
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.quic.stream import QuicStream
from aioquic.tls import Epoch

from .cmsd import Figures
from .congestion import Cubic
from .fields import check_request, check_trailers
from .scheduler import Scheduler

PACKET_NUMBER_BYTES = 2

LONG_HEADER_BIT = 0x80
"""Bit of a packet's first byte (RFC 9000 section 17.2)."""

SHORT_HEADER_BYTES = 1 + PACKET_NUMBER_BYTES
"""Bytes of first byte and packet number of a 1-RTT packet of aioquic, without the connection ID (RFC 9000 17.3.1)."""

AEAD_TAG_BYTES = 16
"""RFC 9001 section 5.3."""

DATAGRAM_FRAME_BYTES = 1 + 2
"""Type and length of a DATAGRAM frame of 64 to 16383 bytes (RFC 9221 section 4)."""

DATAGRAM_WITH_LENGTH = b"\x31"
TWO_BYTE_VARINT = 0x4000
"""RFC 9000 section 16."""

FIELD_BYTES = 32
"""What a field counts beside its name and value (RFC 9114 section 4.2.2)."""

MOST_REQUEST_STREAM = 2**62 - 4
"""The highest stream that a client can open for a request (RFC 9000 section 2.1)."""

EMPTY_SECTION = bytes(2)
"""A prefix alone (RFC 9204 section 4.5.1)."""

LEAST_PAUSE_SECONDS = 0.002
"""While packets are paced: a turn of the event loop costs as much as several packets."""

QUEUE_DIVISOR = 4
LEAST_QUEUE_SECONDS = 0.01
"""Queues grow when the last round trip was longer than the least one by that share of it, and by that time."""

# The settings of the WebTransport drafts newer than 02, which aioquic lacks. Value 1 keeps session flow control off.
# That of draft 15 demands the transport parameter reset_stream_at: `reset_stream_at.py`.
SETTINGS_WEBTRANSPORT_DRAFT_07 = 0xC671706A
SETTINGS_WEBTRANSPORT_DRAFT_13 = 0x14E9CD29
SETTINGS_WEBTRANSPORT_DRAFT_15 = 0x2C7CF000


@dataclass
class MessageRejected(H3Event):
    """A malformed message: its stream is to be reset (RFC 9114 section 4.1.2)."""

    stream_id: int
    stream_ended: bool


@dataclass
class HeadTooLong(H3Event):
    """A field section longer than the limit."""

    stream_id: int


class _TooLongError(Exception):
    """Found before aioquic looks at every character of a section."""


class VoxelH3Connection(H3Connection):
    """Also announces the newer WebTransport drafts, and has no dynamic QPACK table.

    A two-byte reference to a table entry of 4 KiB would let a 64 KiB head grow to 128 MiB. A malformed message ends its
    stream, where aioquic ends the connection; more of them are recognized.
    """

    def __init__(self, quic: QuicConnection, *, enable_webtransport: bool, section_bytes: int) -> None:
        """`section_bytes`: of a field section, as RFC 9114 section 4.2.2 counts them."""
        super().__init__(quic, enable_webtransport=enable_webtransport)
        self._decoder = pylsqpack.Decoder(0, 0)
        self._section_bytes = section_bytes

    def go_away(self) -> None:
        """Says that the server is about to stop; no request that was sent is lost by it (RFC 9114 section 5.2)."""
        if self._local_control_stream_id is not None:
            frame = encode_frame(FrameType.GOAWAY, encode_uint_var(MOST_REQUEST_STREAM))
            self._quic.send_stream_data(self._local_control_stream_id, frame)

    def sends_nothing_more(self, stream_id: int) -> None:
        """Discards the state of the stream once the client has ended it, rather than at the end of the connection.

        True of a WebTransport stream from its start: what is sent on it does not go through this object.
        """
        stream = self._stream.get(stream_id)
        if stream is not None:
            stream.sending_ended = True
            if stream.is_ended():
                del self._stream[stream_id]

    def receives_nothing_more(self, stream_id: int) -> None:
        """Discards what of an incomplete frame has come; nothing more of the stream may be handed over."""
        stream = self._stream.get(stream_id)
        if stream is not None:
            stream.buffer, stream.frame_size, stream.receiving_ended = b"", None, True

    def _receive_request_or_push_data(self, stream: H3Stream, data: bytes, stream_ended: bool) -> list[H3Event]:
        try:
            return super()._receive_request_or_push_data(stream, data, stream_ended)
        except MessageError:
            return [MessageRejected(stream.stream_id, stream_ended)]
        except _TooLongError:
            return [HeadTooLong(stream.stream_id)]

    def _decode_headers(self, stream_id: int, frame_data: bytes | None) -> Headers:
        # lsqpack takes a section without fields for a malformed one.
        headers = [] if frame_data == EMPTY_SECTION else super()._decode_headers(stream_id, frame_data)
        if sum(len(name) + len(value) + FIELD_BYTES for name, value in headers) > self._section_bytes:
            raise _TooLongError
        try:
            if self._stream[stream_id].headers_recv_state is HeadersState.INITIAL:
                return check_request(headers)
            check_trailers(headers)
        except ValueError as error:
            raise MessageError(str(error)) from error
        return headers

    def _receive_stream_data_uni(self, stream: H3Stream, data: bytes, stream_ended: bool) -> list[H3Event]:
        events = super()._receive_stream_data_uni(stream, data, stream_ended)
        if stream_ended and stream.stream_type in (StreamType.QPACK_ENCODER, StreamType.QPACK_DECODER):
            raise ClosedCriticalStream("Closing a QPACK stream is not allowed")  # RFC 9204 section 4.2
        return events

    def _check_control_frame_type(self, frame_type: int) -> None:
        super()._check_control_frame_type(frame_type)
        if frame_type == FrameType.CANCEL_PUSH:
            raise IdError("Nothing was pushed")  # RFC 9114 section 7.2.3

    def _get_local_settings(self) -> dict[int, int]:
        settings = super()._get_local_settings()
        settings |= {Setting.QPACK_MAX_TABLE_CAPACITY: 0, Setting.QPACK_BLOCKED_STREAMS: 0}
        if self._enable_webtransport:
            drafts = (SETTINGS_WEBTRANSPORT_DRAFT_07, SETTINGS_WEBTRANSPORT_DRAFT_13, SETTINGS_WEBTRANSPORT_DRAFT_15)
            settings |= dict.fromkeys(drafts, 1)
        return settings


def buffered_frame_bytes(http: H3Connection, stream_id: int) -> int:
    """Bytes of an incomplete HTTP/3 frame that aioquic buffers or will; it has no limit of its own."""
    stream = http._stream.get(stream_id)
    if stream is None:
        return 0
    announced = stream.frame_size if stream.frame_type == FrameType.HEADERS else None
    return max(len(stream.buffer), announced or 0)


def pull_datagrams_from(quic: QuicConnection, source: Scheduler) -> None:
    """Makes `quic` also send the datagrams of `source` from now on."""
    others = quic.datagrams_to_send

    def datagrams_to_send(now: float) -> list[tuple[bytes, NetworkAddress]]:
        packets = others(now)
        if quic._network_paths[0].is_validated and quic._state not in END_STATES and not stream_data_waits(quic):
            packets += _datagram_packets(quic, source, now)
        if quic._pacing_at is not None:
            pause = min(LEAST_PAUSE_SECONDS, quic._loss._pacer.bucket_max)
            quic._pacing_at = max(quic._pacing_at, now + pause)
        return packets

    cast(Any, quic).datagrams_to_send = datagrams_to_send


class _Built:
    """Finished packets, with the interface of aioquic's packet builder."""

    def __init__(self, packet_number: int) -> None:
        self.packet_number = packet_number
        """The number of the next packet."""
        self.datagrams: list[bytes] = []
        self.packets: list[QuicSentPacket] = []

    def flush(self) -> tuple[list[bytes], list[QuicSentPacket]]:
        return self.datagrams, self.packets


def _datagram_packets(quic: QuicConnection, source: Scheduler, now: float) -> list[tuple[bytes, NetworkAddress]]:
    """1-RTT packets of one DATAGRAM frame each (RFC 9000 section 17.3.1, RFC 9221 section 4)."""
    loss, pacer, crypto = quic._loss, quic._loss._pacer, quic._cryptos[Epoch.ONE_RTT]
    cid, built = quic._peer_cid.cid, _Built(quic._packet_number)
    room = loss.congestion_window - loss.bytes_in_flight
    flags = PACKET_FIXED_BIT | quic._spin_bit << 5 | crypto.key_phase << 2 | PACKET_NUMBER_BYTES - 1
    head = bytes([flags]) + cid
    while (datagram := source.peek()) is not None:
        length = SHORT_HEADER_BYTES + len(cid) + DATAGRAM_FRAME_BYTES + len(datagram) + AEAD_TAG_BYTES
        if length > room:
            break
        quic._pacing_at = pacer.next_send_time(now)
        if quic._pacing_at is not None:
            break
        number = built.packet_number
        packet = QuicSentPacket(Epoch.ONE_RTT, True, True, False, number, QuicPacketType.ONE_RTT, now, length)
        if quic._quic_logger is not None:
            packet.quic_logger_frames.append(quic._quic_logger.encode_datagram_frame(len(datagram)))
        header = head + (number & 0xFFFF).to_bytes(PACKET_NUMBER_BYTES, "big")
        frame = DATAGRAM_WITH_LENGTH + (TWO_BYTE_VARINT | len(datagram)).to_bytes(2, "big") + datagram
        built.datagrams.append(crypto.encrypt_packet(header, frame, number))
        built.packets.append(packet)
        built.packet_number += 1
        room -= length
        source.commit()
        pacer.update_after_send(now)
    return quic._flush_builder(cast(Any, built), quic._network_paths[0], cid, now)


def stream_data_waits(quic: QuicConnection) -> bool:
    """True if a stream has data that flow control allows to be sent now."""
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
    """Bytes written to a stream that have never been sent; 0 for a discarded stream."""
    stream = quic._streams.get(stream_id)
    return 0 if stream is None else stream.sender._buffer_stop - stream.sender.highest_offset


def stream_data_is_unacknowledged(quic: QuicConnection) -> bool:
    """True if a stream that was not reset has data that the peer has not acknowledged."""
    return any(stream.sender._buffer and stream.sender._reset_error_code is None for stream in quic._streams.values())


def stream_is_writable(quic: QuicConnection, stream_id: int) -> bool:
    """False once the stream was reset, stopped or discarded."""
    stream = quic._streams.get(stream_id)
    return stream is not None and stream.sender._reset_error_code is None


def has_room(quic: QuicConnection) -> bool:
    """Whether the path has shown its capacity, so that slow start is over, and its queues do not grow."""
    loss = quic._loss
    control = loss._cc
    if control.ssthresh is None or control.congestion_window < control.ssthresh:
        return False
    return loss._rtt_latest <= loss._rtt_min + max(loss._rtt_min / QUEUE_DIVISOR, LEAST_QUEUE_SECONDS)


def congestion_window(quic: QuicConnection) -> int:
    """In bytes."""
    return quic._loss.congestion_window


def smoothed_rtt(quic: QuicConnection) -> float | None:
    """The smoothed round-trip time in seconds; None before the first sample (RFC 9002 section 5.3)."""
    return quic._loss._rtt_smoothed if quic._loss._rtt_initialized else None


def path_figures(quic: QuicConnection) -> Figures:
    """What congestion control knows of the path."""
    loss = quic._loss
    control = loss._cc
    rtt = smoothed_rtt(quic)
    rate = control.delivery_rate.bytes_per_second if isinstance(control, Cubic) else None
    if rate is None or not rtt:
        return Figures(None, rtt)
    # What a loss has left of the window shows at once.
    return Figures(min(rate, loss.congestion_window / rtt), rtt)


def handshake_is_complete(quic: QuicConnection) -> bool:
    """True from the client's Finished message on, and for a connection that has ended."""
    return quic._handshake_complete or quic._state in END_STATES


def initial_header(data: bytes, connection_id_length: int) -> QuicHeader | None:
    """The header of the Initial packet that a UDP payload begins with; None for any other packet."""
    if not is_long(data):
        return None
    try:
        header = pull_quic_header(Buffer(data=data), host_cid_length=connection_id_length)
    except ValueError:
        return None
    return header if header.packet_type is QuicPacketType.INITIAL else None


def is_genuine_initial(data: bytes, header: QuicHeader) -> bool:
    """Whether the first packet of a UDP payload, an Initial, was made by a client that begins a connection with it.

    To find that out by making a connection takes four times as long, in which others wait.
    """
    buffer = Buffer(data=data)
    pull_quic_header(buffer, host_cid_length=None)
    crypto = CryptoPair()
    crypto.setup_initial(cid=header.destination_cid, is_client=False, version=cast(int, header.version))
    try:
        crypto.decrypt_packet(data[: header.packet_length], buffer.tell(), 0)
    except CryptoError:
        return False
    return True


def is_long(data: bytes) -> bool:
    """Whether a UDP payload begins with a long header, as all packets of a handshake do."""
    return bool(data) and bool(data[0] & LONG_HEADER_BIT)


def has_congestion_control(name: str) -> bool:
    """Whether aioquic knows a congestion control algorithm of that name."""
    return name in _factories


def max_datagram_bytes(quic: QuicConnection) -> int:
    """The longest DATAGRAM payload that fits a packet of its own and that the peer accepts; 0: it accepts none.

    A longer one would stay at the head of aioquic's queue for ever.
    """
    frame_limit = quic._remote_max_datagram_frame_size or 0
    packet_room = quic._max_datagram_size - SHORT_HEADER_BYTES - len(quic._peer_cid.cid) - AEAD_TAG_BYTES
    return max(0, min(packet_room, frame_limit) - DATAGRAM_FRAME_BYTES)
