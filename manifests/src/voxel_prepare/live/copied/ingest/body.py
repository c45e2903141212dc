"""Cuts the body of a request, as it comes, into headers and fragments of a CMAF track (ISO/IEC 23000-19 §7.3)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from voxel_prepare.isobmff import Mp4Error

MOST_BYTES = 1 << 20
MOST_MEDIA_BYTES = 1 << 24
"""Bytes of a `moov`, a `moof` with what is behind it, or a box that is passed over; and of an `mdat`."""
MOST_EVENT_BYTES, MOST_EVENTS = 8192, 16
"""Bytes of an `emsg`, and how many of them come before a fragment; others are passed over."""
SHORT_HEADER, LONG_HEADER = 8, 16


@dataclass(frozen=True, slots=True)
class Header:
    """A `moov`."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Media:
    """A `moof` and its `mdat`."""

    data: bytes
    events: tuple[bytes, ...] = ()
    """The `emsg` boxes before it."""


class BodyReader:
    """Holds no more than a fragment, whatever the sizes of boxes say."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._skip = 0
        """Bytes to come of a box that is passed over."""
        self._events: list[bytes] = []
        self._moof = b""
        """A `moof` whose `mdat` has not come, and what is between them: positions count from its start."""

    @property
    def is_whole(self) -> bool:
        """Whether the body may end here."""
        return not (self._held or self._skip or self._moof)

    def feed(self, data: bytes) -> Iterator[Header | Media]:
        """What is complete with the next bytes. Raises `Mp4Error`."""
        self._held += data
        while True:
            passed = min(self._skip, len(self._held))
            del self._held[:passed]
            self._skip -= passed
            if self._skip or (head := self._box()) is None:
                return
            kind, size = head
            is_event = kind == "emsg" and size <= MOST_EVENT_BYTES and len(self._events) < MOST_EVENTS
            if kind not in {"moov", "moof", "mdat"} and not self._moof and not is_event:
                self._skip = size
                continue
            if len(self._held) < size:
                return
            box = bytes(self._held[:size])
            del self._held[:size]
            yield from self._whole(kind, box)

    def _box(self) -> tuple[str, int] | None:
        """Type and size of the box that begins here; None before they are known."""
        if len(self._held) < SHORT_HEADER:
            return None
        size, fourcc = struct.unpack_from(">I4s", self._held)
        header = SHORT_HEADER
        if size == 1:
            if len(self._held) < LONG_HEADER:
                return None
            (size,) = struct.unpack_from(">Q", self._held, SHORT_HEADER)
            header = LONG_HEADER
        if not all(0x20 <= byte <= 0x7E for byte in fourcc):
            raise Mp4Error("expected boxes of MP4, found other bytes")
        kind = fourcc.decode("ascii")
        most = MOST_MEDIA_BYTES if kind == "mdat" else MOST_BYTES
        if not header <= size <= most:
            raise Mp4Error(f"{kind} box must have {header} to {most} bytes, states {size}")
        return kind, size

    def _whole(self, kind: str, box: bytes) -> Iterator[Header | Media]:
        if kind == "moov":
            self._moof = b""
            yield Header(box)
        elif kind == "moof":
            if self._moof:
                raise Mp4Error("expected an mdat box after a moof box, found another moof box")
            self._moof = box
        elif kind == "mdat":
            if not self._moof:
                raise Mp4Error("expected a moof box before an mdat box, found none")
            moof, self._moof = self._moof, b""
            events, self._events = tuple(self._events), []
            yield Media(moof + box, events)
        elif kind == "emsg" and not self._moof:
            self._events.append(box)
        else:
            self._moof += box
            if len(self._moof) > MOST_BYTES:
                raise Mp4Error(f"expected an mdat box within {MOST_BYTES} bytes of its moof box, found none")
