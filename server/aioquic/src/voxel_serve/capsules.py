"""Capsules on the CONNECT stream of a session (RFC 9297 section 3): the one that closes it, and no other."""

from typing import NamedTuple

from aioquic._buffer import Buffer, BufferReadError
from aioquic.buffer import encode_uint_var

CLOSE_SESSION = 0x2843
"""WT_CLOSE_SESSION (draft-ietf-webtrans-http3 section 6): four bytes of a code, then a reason in UTF-8."""

CODE_BYTES = 4
MOST_REASON_BYTES = 1024
"""What the draft allows."""


class Closing(NamedTuple):
    """Why a session was closed."""

    code: int
    reason: str


def close_session(closing: Closing) -> bytes:
    """The capsule that closes a session."""
    value = closing.code.to_bytes(CODE_BYTES, "big") + closing.reason.encode()
    return encode_uint_var(CLOSE_SESSION) + encode_uint_var(len(value)) + value


class CapsuleReader:
    """Reads capsules in pieces of any size. Others than `CLOSE_SESSION`, and what is too long, are skipped unread."""

    def __init__(self) -> None:
        self.closing: Closing | None = None
        """What the first capsule that closes the session has said."""
        self._buffer = b""
        self._skipping = 0

    def feed(self, data: bytes) -> None:
        """The next bytes of the stream; those behind the end of the session mean nothing."""
        while self.closing is None:
            skipped = min(self._skipping, len(data))
            self._skipping, data = self._skipping - skipped, data[skipped:]
            self._buffer, data = self._buffer + data, b""
            head = _head(self._buffer)
            if head is None:
                return
            kind, length, start = head
            if kind != CLOSE_SESSION or not CODE_BYTES <= length <= CODE_BYTES + MOST_REASON_BYTES:
                data, self._buffer, self._skipping = self._buffer[start:], b"", length
            elif len(self._buffer) < start + length:
                return
            else:
                value = self._buffer[start : start + length]
                code = int.from_bytes(value[:CODE_BYTES], "big")
                self.closing = Closing(code, value[CODE_BYTES:].decode(errors="replace"))


def _head(data: bytes) -> tuple[int, int, int] | None:
    """Type and length of the capsule that `data` begins with, and where its value begins; None: more is to come."""
    buffer = Buffer(data=data)
    try:
        return buffer.pull_uint_var(), buffer.pull_uint_var(), buffer.tell()
    except BufferReadError:
        return None
