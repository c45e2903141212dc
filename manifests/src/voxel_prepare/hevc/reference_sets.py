"""Short-term reference picture sets (H.265 §7.3.7, §7.4.8)."""

from collections.abc import Sequence
from typing import TypeAlias

from voxel_prepare.bits import BitReader
from voxel_prepare.errors import MalformedStream

MAX_PICTURES = 16
"""No decoded picture buffer is larger (§A.4.2)."""

ReferenceSet: TypeAlias = tuple[tuple[int, bool], ...]
"""Order counts relative to that of the current picture, those before it first, the nearest first; whether it may use
each."""


def read_reference_set(reader: BitReader, before: Sequence[ReferenceSet]) -> ReferenceSet:
    """A set of an SPS; `before` are those before it. Raises `MalformedStream`."""
    if before and reader.flag():
        return _predicted(reader, before[-1])
    return _explicit(reader)


def read_slice_reference_set(reader: BitReader, sets: Sequence[ReferenceSet]) -> ReferenceSet:
    """A set in a slice header; `sets` are all of the SPS. Raises `MalformedStream`."""
    if sets and reader.flag():
        back = reader.ue() + 1
        if back > len(sets):
            raise MalformedStream("a reference picture set from one that there is not")
        return _predicted(reader, sets[-back])
    return _explicit(reader)


def _predicted(reader: BitReader, source: ReferenceSet) -> ReferenceSet:
    """The set by its difference from `source` (equations 7-61, 7-62)."""
    is_negative = reader.flag()
    delta = -(reader.ue() + 1) if is_negative else reader.ue() + 1
    pictures: list[tuple[int, bool]] = []
    for order, _ in (*source, (0, False)):
        is_used = reader.flag()
        if is_used or reader.flag():
            pictures.append((order + delta, is_used))
    before = sorted((picture for picture in pictures if picture[0] < 0), reverse=True)
    return _checked([*before, *sorted(picture for picture in pictures if picture[0] > 0)])


def _explicit(reader: BitReader) -> ReferenceSet:
    before, after = reader.ue(), reader.ue()
    if before + after > MAX_PICTURES:
        raise MalformedStream(f"a reference picture set of {before + after}")
    pictures: list[tuple[int, bool]] = []
    for count, sign in ((before, -1), (after, 1)):
        order = 0
        for _ in range(count):
            order += sign * (reader.ue() + 1)
            pictures.append((order, reader.flag()))
    return tuple(pictures)


def _checked(pictures: Sequence[tuple[int, bool]]) -> ReferenceSet:
    if len(pictures) > MAX_PICTURES:
        raise MalformedStream(f"a reference picture set of {len(pictures)}")
    return tuple(pictures)
