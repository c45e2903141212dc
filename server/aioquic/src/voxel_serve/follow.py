"""The body of a response that follows a growing file: records (docs/PROTOCOL.md, "Growing files"). No I/O."""

from enum import IntEnum
from http import HTTPStatus

from aioquic.buffer import encode_uint_var

from .response import encode_head
from .vxl import FIRST_OWN_TYPE

LAST_CHUNK = b"0\r\n\r\n"
"""End of the chunked coding (RFC 9112 section 7.1), without trailers."""


class OwnType(IntEnum):
    """Types of records that are the server's own."""

    BYTES = FIRST_OWN_TYPE
    SENT = FIRST_OWN_TYPE + 1
    FRAMES = FIRST_OWN_TYPE + 2


def follow_head(flow: int | None) -> bytes:
    """`flow`: of the datagrams; None: frames come on the stream."""
    unreliable = [] if flow is None else [("x-voxel-unreliable", f"?1;flow={flow}")]
    return encode_head(HTTPStatus.OK, [("x-voxel-follow", "?1"), *unreliable, ("transfer-encoding", "chunked")])


def coded(data: bytes) -> bytes:
    """A piece of the body, not empty, in the chunked coding."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def bytes_record(data: bytes) -> bytes:
    """The next reliable bytes of the chunk announced last."""
    return _record(OwnType.BYTES, data)


def frames_record(offset: int, data: bytes) -> bytes:
    """Bytes of one frame, at their place in the concatenation of all frames."""
    return _record(OwnType.FRAMES, encode_uint_var(offset) + data)


def sent_record(number: int, sent_bytes: int, datagrams: int, smoothed_rtt: float | None, window: int) -> bytes:
    """What was sent of the frames of chunk `number`. `smoothed_rtt` in seconds, `window` in bytes."""
    rtt = 0 if smoothed_rtt is None else round(smoothed_rtt * 1000)
    values = (number, sent_bytes, datagrams, rtt, window)
    return _record(OwnType.SENT, b"".join(map(encode_uint_var, values)))


def _record(number: int, content: bytes) -> bytes:
    return encode_uint_var(number) + encode_uint_var(len(content)) + content
