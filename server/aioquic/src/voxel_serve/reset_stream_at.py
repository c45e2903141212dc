"""RESET_STREAM_AT (draft-ietf-quic-reliable-stream-reset), which aioquic lacks: a stream that is reset and yet delivers
what comes before its reliable size. WebTransport clients need it so that the head of a stream, which says whose it is,
arrives. With `quic_bounds` and `quic_internals` the only one that touches aioquic's private state. Verified with 1.7.2.

Only clients open streams of a session, so this server has no head to save and sends no such frame.
"""

from dataclasses import dataclass
from typing import Any, NoReturn, cast

from aioquic._buffer import Buffer
from aioquic.buffer import encode_uint_var
from aioquic.quic.connection import EPOCHS, QuicConnection, QuicConnectionError, QuicReceiveContext
from aioquic.quic.events import StreamDataReceived, StreamReset
from aioquic.quic.packet import QuicErrorCode
from aioquic.quic.stream import QuicStream

TRANSPORT_PARAMETERS = (0x1D, 0x17F7586D2CB571)
"""`reset_stream_at`, empty: IANA's number, and that of the drafts before."""

RESET_STREAM = 0x04
STREAM = range(0x08, 0x10)
RESET_STREAM_AT = 0x24


@dataclass(frozen=True, slots=True)
class PendingReset:
    """A stream ends with `code` once its bytes up to `reliable_size` are delivered."""

    code: int
    reliable_size: int


class ReliableResets(QuicConnection):
    """Announces and reads RESET_STREAM_AT. `accept_reset_stream_at` must have been called."""

    _pending_resets: dict[int, PendingReset]

    def accept_reset_stream_at(self) -> None:
        """aioquic's table has the methods of its own class."""
        self._pending_resets = {}
        handlers = cast(Any, self)._QuicConnection__frame_handlers
        epochs = EPOCHS("01")
        handlers[RESET_STREAM_AT] = (self._handle_reset_stream_at_frame, epochs)
        handlers[RESET_STREAM] = (self._handle_reset_stream_frame, epochs)
        handlers |= dict.fromkeys(STREAM, (self._handle_stream_frame, epochs))

    def _serialize_transport_parameters(self) -> bytes:
        empty = encode_uint_var(0)
        return super()._serialize_transport_parameters() + b"".join(
            encode_uint_var(number) + empty for number in TRANSPORT_PARAMETERS
        )

    def _handle_reset_stream_at_frame(self, context: QuicReceiveContext, frame_type: int, buf: Buffer) -> None:
        stream_id, code, final_size, reliable_size = (buf.pull_uint_var() for _ in range(4))
        if context.quic_logger_frames is not None:
            frame = {"frame_type": "reset_stream_at", "stream_id": stream_id, "error_code": code}
            context.quic_logger_frames.append(frame | {"final_size": final_size, "reliable_size": reliable_size})

        def fail(error: QuicErrorCode, reason: str) -> NoReturn:
            raise QuicConnectionError(error_code=error, frame_type=frame_type, reason_phrase=reason)

        if reliable_size > final_size:
            fail(QuicErrorCode.FRAME_ENCODING_ERROR, "The reliable size is beyond the final size")
        self._assert_stream_can_receive(frame_type, stream_id)
        stream = self._get_or_create_stream(frame_type, stream_id)
        receiver, before = stream.receiver, self._pending_resets.get(stream_id)
        if final_size > stream.max_stream_data_local:
            fail(QuicErrorCode.FLOW_CONTROL_ERROR, "Over stream data limit")
        newly_received = max(0, final_size - receiver.highest_offset)
        if self._local_max_data.used + newly_received > self._local_max_data.value:
            fail(QuicErrorCode.FLOW_CONTROL_ERROR, "Over connection data limit")
        if receiver._final_size not in (None, final_size) or final_size < receiver.highest_offset:
            fail(QuicErrorCode.FINAL_SIZE_ERROR, "Cannot change final size")
        if before is not None:
            if before.code != code:
                fail(QuicErrorCode.STREAM_STATE_ERROR, "Cannot change the code of a reset")
            # It may only become less.
            reliable_size = min(reliable_size, before.reliable_size)
        self._local_max_data.used += newly_received
        receiver.highest_offset = max(receiver.highest_offset, final_size)
        if not receiver.is_finished:
            receiver._final_size = final_size
            self._pending_resets[stream_id] = PendingReset(code, reliable_size)
            self._reset_if_due(stream_id, stream)

    def _handle_reset_stream_frame(self, context: QuicReceiveContext, frame_type: int, buf: Buffer) -> None:
        stream_id = _peek(buf)
        super()._handle_reset_stream_frame(context, frame_type, buf)
        self._pending_resets.pop(stream_id, None)

    def _handle_stream_frame(self, context: QuicReceiveContext, frame_type: int, buf: Buffer) -> None:
        stream_id = _peek(buf) if self._pending_resets else None
        super()._handle_stream_frame(context, frame_type, buf)
        if stream_id in self._pending_resets:
            self._reset_if_due(stream_id, self._streams[stream_id])

    def _reset_if_due(self, stream_id: int, stream: QuicStream) -> None:
        pending = self._pending_resets[stream_id]
        if stream.receiver.starting_offset() < pending.reliable_size:
            return
        del self._pending_resets[stream_id]
        last = self._events[-1] if self._events else None
        if isinstance(last, StreamDataReceived) and last.stream_id == stream_id:
            last.end_stream = False  # aioquic takes the final size for the end.
        stream.receiver.is_finished = True
        self._events.append(StreamReset(error_code=pending.code, stream_id=stream_id))


def _peek(buf: Buffer) -> int:
    """The stream that a frame is about."""
    start = buf.tell()
    stream_id = buf.pull_uint_var()
    buf.seek(start)
    return stream_id
