"""The first datagram of a client: its token is read as RFC 9000 says, and little of it leaves something behind."""

from support.connections import QuicDoor
from support.inputs import LIMITS
from voxel_serve.quic_internals import initial_header

CONNECTION_ID_BYTES = 8

DOOR = QuicDoor(LIMITS)

FIRST_DATAGRAM_BYTES = 1200
"""The least that a client's first datagram has (RFC 9000 section 14.1)."""

AMPLIFICATION = 3
"""How many times what came may be sent to an address that is not proven (RFC 9000 section 8.1)."""


def fuzz(data: bytes) -> None:
    header = initial_header(data, CONNECTION_ID_BYTES)
    assert (None if header is None else header.token) == _token(data)
    for datagram in (data, data.ljust(FIRST_DATAGRAM_BYTES, b"\0")):
        kept, sent = DOOR.receive(datagram)
        assert kept <= (len(datagram) >= FIRST_DATAGRAM_BYTES)
        assert sent <= AMPLIFICATION * len(datagram)


def _token(data: bytes) -> bytes | None:
    """The token of an Initial packet, read field by field (RFC 9000 section 17.2.2, RFC 9369 section 3.2)."""
    first, version, at = data[:1], data[1:5], 5
    if len(version) < 4 or version == bytes(4) or first[0] & 0xC0 != 0xC0:
        return None
    if first[0] >> 4 & 3 != (1 if version == bytes.fromhex("6b3343cf") else 0):
        return None
    for _ in range(2):
        length = data[at] if at < len(data) else len(data)
        if length > 20:
            return None
        at += 1 + length
    token_bytes, at = _varint(data, at)
    token, at = data[at : at + token_bytes], at + token_bytes
    rest, at = _varint(data, at)
    return token if at + rest <= len(data) else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length integer and the position after it; past the end: an integer that does not fit."""
    size = 1 << (data[at] >> 6) if at < len(data) else len(data) + 1
    value = int.from_bytes(data[at : at + size], "big") & ((1 << (8 * size - 2)) - 1) if at + size <= len(data) else 0
    return (value, at + size) if at + size <= len(data) else (len(data) + 1, at)
