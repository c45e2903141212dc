"""Boxes of an MP4 file (ISO/IEC 14496-12 §4.2): finding them and reading their fields.

All input is treated as hostile: every size is checked against its container.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass


class Mp4Error(Exception):
    """The file is not MP4, or it is damaged. The message is one line."""

    code = "malformed"


class UnsupportedMp4(Mp4Error):
    """The file is MP4 of a kind that preparation and repair do not support."""

    code = "unsupported-stream"


@dataclass(frozen=True, slots=True)
class Box:
    """A box: its bytes are `[start, end)`, its payload `[payload, end)`."""

    type: str
    start: int
    payload: int
    end: int


class BoxReader:
    """Reads boxes and big-endian numbers. Every method raises `Mp4Error` if they exceed their container."""

    def __init__(self, data: memoryview) -> None:
        self._data = data

    def boxes(self, start: int, end: int) -> Iterator[Box]:
        """The boxes that fill `[start, end)`, one after the other."""
        at = start
        while at < end:
            box = self._box(at, end)
            yield box
            at = box.end

    def children(self, parent: Box, fields: int = 0) -> Iterator[Box]:
        """The boxes inside `parent`, after `fields` bytes of its own."""
        if parent.payload + fields > parent.end:
            raise Mp4Error(f"{parent.type} box is too short")
        return self.boxes(parent.payload + fields, parent.end)

    def child(self, parent: Box, *path: str) -> Box:
        """The box at `path`, from `parent` down: the first child of each type."""
        for fourcc in path:
            found = next((box for box in self.children(parent) if box.type == fourcc), None)
            if found is None:
                raise Mp4Error(f"{parent.type} box has no {fourcc} box: the file must be fragmented MP4")
            parent = found
        return parent

    def only_child(self, parent: Box, fourcc: str) -> Box:
        """The only child of that type. Raises `UnsupportedMp4` unless there is exactly one."""
        found = [box for box in self.children(parent) if box.type == fourcc]
        if len(found) != 1:
            raise UnsupportedMp4(f"expected one {fourcc} box, found {len(found)}")
        return found[0]

    def u16(self, box: Box, at: int) -> int:
        """The unsigned 16-bit number at byte `at` of the payload."""
        return self._unpack(">H", box, at)

    def u32(self, box: Box, at: int) -> int:
        """The unsigned 32-bit number at byte `at` of the payload."""
        return self._unpack(">I", box, at)

    def i32(self, box: Box, at: int) -> int:
        """The signed 32-bit number at byte `at` of the payload."""
        return self._unpack(">i", box, at)

    def u64(self, box: Box, at: int) -> int:
        """The unsigned 64-bit number at byte `at` of the payload."""
        return self._unpack(">Q", box, at)

    def data(self, box: Box, at: int, size: int) -> bytes:
        """`size` bytes from byte `at` of the payload."""
        if box.payload + at + size > box.end:
            raise Mp4Error(f"{box.type} box is too short")
        return bytes(self._data[box.payload + at : box.payload + at + size])

    def version(self, box: Box) -> int:
        """The version of a full box, its payload's first byte."""
        return self.u32(box, 0) >> 24

    def _unpack(self, pattern: str, box: Box, at: int) -> int:
        if box.payload + at + struct.calcsize(pattern) > box.end:
            raise Mp4Error(f"{box.type} box is too short")
        value: int = struct.unpack_from(pattern, self._data, box.payload + at)[0]
        return value

    def _box(self, start: int, limit: int) -> Box:
        available = limit - start
        if available < 8:
            raise Mp4Error(f"expected a box at byte {start}, found {available} stray bytes")
        size, fourcc = struct.unpack_from(">I4s", self._data, start)
        header = 8
        if size == 1:
            if available < 16:
                raise Mp4Error(f"box header at byte {start} is truncated")
            (size,) = struct.unpack_from(">Q", self._data, start + 8)
            header = 16
        elif size == 0:  # to the end of the file
            size = available
        if not header <= size <= available:
            raise Mp4Error(f"box at byte {start} must have {header} to {available} bytes, states {size}")
        return Box(fourcc.decode("latin-1"), start, start + header, start + size)
