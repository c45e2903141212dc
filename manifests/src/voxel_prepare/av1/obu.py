"""OBUs, the units of an AV1 stream (AV1 §5.3)."""

from collections.abc import Iterator
from dataclasses import dataclass

from voxel_prepare.errors import MalformedStream
from voxel_prepare.isobmff import Buffer

SEQUENCE_HEADER = 1
TEMPORAL_DELIMITER = 2
FRAME_HEADER = 3
TILE_GROUP = 4
METADATA = 5
FRAME = 6
REDUNDANT_FRAME_HEADER = 7
PADDING = 15
"""obu_type (§6.2.2)."""

EXTENSION, HAS_SIZE = 0x4, 0x2
"""Flags in an OBU's first byte."""

MAX_LEB128_BYTES = 8
"""§4.10.5."""


@dataclass(frozen=True, slots=True)
class Obu:
    """Header and size `[start, payload)`, content `[payload, end)`, as positions in the data that it was read from."""

    type: int
    temporal_layer: int
    spatial_layer: int
    start: int
    payload: int
    end: int


def read_obus(data: Buffer, start: int, end: int) -> Iterator[Obu]:
    """The OBUs that fill `[start, end)`; the last one may lack its size. Raises `MalformedStream`."""
    at = start
    while at < end:
        obu = _read_obu(data, at, end)
        yield obu
        at = obu.end


def write_obu(type_: int, content: bytes) -> bytes:
    """An OBU without extension, with its size, which takes one byte."""
    if len(content) > 0x7F:
        raise MalformedStream(f"OBU of {len(content)} bytes in a decoder configuration")
    return bytes([type_ << 3 | HAS_SIZE, len(content)]) + content


def _read_obu(data: Buffer, start: int, limit: int) -> Obu:
    head, at = data[start], start + 1
    layers = 0
    if head & EXTENSION:
        if at == limit:
            raise MalformedStream(f"OBU at {start} ends inside its header")
        layers, at = data[at], at + 1
    end = limit
    if head & HAS_SIZE:
        size, at = _leb128(data, at, limit)
        end = at + size
    if head & 0x80 or end > limit:
        raise MalformedStream(f"OBU at {start} does not fit its sample")
    return Obu(head >> 3 & 15, layers >> 5, layers >> 3 & 3, start, at, end)


def _leb128(data: Buffer, at: int, limit: int) -> tuple[int, int]:
    """The number at `at`, and where it ends."""
    value = 0
    for place, byte in enumerate(data[at : min(limit, at + MAX_LEB128_BYTES)]):
        value |= (byte & 0x7F) << 7 * place
        if not byte & 0x80:
            return value, at + place + 1
    raise MalformedStream(f"the size of an OBU at {at} has no end")
