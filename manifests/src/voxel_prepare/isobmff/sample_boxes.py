"""The boxes of a `traf` that say something of each sample, written anew for those samples that stay.

ISO/IEC 14496-12 §8.6.4 (`sdtp`), §8.7.8 and §8.7.9 (`saiz`, `saio`), §8.9.2 (`sbgp`), ISO/IEC 23001-7 §7.2 (`senc`).
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from voxel_prepare.isobmff.boxes import Box, BoxReader, Mp4Error, UnsupportedMp4

TYPE_PRESENT = 0x1
"""Flag of a `saiz` and a `saio`: the type of the auxiliary information, of 8 bytes, is there."""
SUBSAMPLES_PRESENT = 0x2
"""Flag of a `senc`: samples have subsamples."""
SUBSAMPLE_BYTES = 6
TIED_TO_SAMPLES = ("csgp",)
"""Boxes that go by samples, and that nothing here can write."""


def make_box(fourcc: str, *payloads: bytes) -> bytes:
    """A box with a header of 8 bytes."""
    payload = b"".join(payloads)
    return struct.pack(">I4s", 8 + len(payload), fourcc.encode("latin-1")) + payload


@dataclass(frozen=True, slots=True)
class SampleBoxes:
    """The boxes of a `traf` and which of its samples stay."""

    reader: BoxReader
    data: memoryview
    boxes: Sequence[Box]
    stays: Sequence[bool]
    """Whether each sample of the fragment does, in decode order."""
    auxiliary: Sequence[bytes]
    """What the `senc` has of each sample that stays; empty without one."""

    @classmethod
    def of(cls, reader: BoxReader, data: memoryview, traf: Box, stays: Sequence[bool], iv_bytes: int) -> "SampleBoxes":
        """`iv_bytes`: those of each initialization vector, where there is no `saiz`. Raises `Mp4Error`."""
        boxes = list(reader.children(traf))
        kinds = [box.type for box in boxes]
        for kind in TIED_TO_SAMPLES:
            if kind in kinds:
                raise UnsupportedMp4(f"samples cannot be taken out of fragments with a {kind} box")
        if any(kinds.count(kind) > 1 for kind in ("senc", "saiz", "saio")):
            raise UnsupportedMp4("samples cannot be taken out of fragments with several kinds of auxiliary information")
        named = {box.type: box for box in boxes}
        senc = named.get("senc")
        if senc is None and (iv_bytes or "saiz" in named or "saio" in named):
            raise UnsupportedMp4("encrypted fragments must have a senc box")
        entries = _entries(reader, data, senc, named.get("saiz"), len(stays), iv_bytes) if senc else []
        auxiliary = [entry for entry, stay in zip(entries, stays, strict=False) if stay]
        return cls(reader, data, boxes, stays, auxiliary)

    def write(self, box: Box, senc_offset: int) -> bytes:
        """The box without the samples that go; `senc_offset`: where the `senc` has its first entry, from the `moof`."""
        match box.type:
            case "senc":
                return self._full(box, 4, struct.pack(">I", len(self.auxiliary)), *self.auxiliary)
            case "saiz":
                sizes = bytes(map(len, self.auxiliary))
                is_one = len(set(sizes)) == 1
                counted = struct.pack(">BI", sizes[0] if is_one else 0, len(sizes))
                return self._full(box, self._typed(box), counted, b"" if is_one else sizes)
            case "saio":
                pattern = ">IQ" if self.reader.version(box) == 1 else ">II"
                return self._full(box, self._typed(box), struct.pack(pattern, 1, senc_offset))
            case "sbgp":
                return self._groups(box)
            case "sdtp":
                if box.end - box.payload != 4 + len(self.stays):
                    raise Mp4Error(f"sdtp box of {box.end - box.payload} bytes for {len(self.stays)} samples")
                kept = (self.data[box.payload + 4 + place] for place, stay in enumerate(self.stays) if stay)
                return self._full(box, 4, bytes(kept))
            case "subs":
                return b""
        return bytes(self.data[box.start : box.end])

    def _groups(self, box: Box) -> bytes:
        fields = 12 if self.reader.version(box) == 1 else 8
        runs, place, at = [], 0, fields + 4
        for _ in range(self.reader.u32(box, fields)):
            count, group = self.reader.u32(box, at), self.reader.u32(box, at + 4)
            at += 8
            if count > len(self.stays) - place:
                raise Mp4Error(f"sbgp box of more than {len(self.stays)} samples")
            runs.append((group, sum(self.stays[place : place + count])))
            place += count
        kept = [
            (sum(count for _, count in same), group)
            for group, same in groupby((run for run in runs if run[1]), key=lambda run: run[0])
        ]
        return self._full(box, fields, struct.pack(">I", len(kept)), *(struct.pack(">II", *run) for run in kept))

    def _typed(self, box: Box) -> int:
        """Bytes of a `saiz` or `saio` before its numbers."""
        return 12 if self.reader.u32(box, 0) & TYPE_PRESENT else 4

    def _full(self, box: Box, kept: int, *payloads: bytes) -> bytes:
        """The box with the first `kept` bytes of its payload and other ones behind."""
        if box.payload + kept > box.end:
            raise Mp4Error(f"{box.type} box is too short")
        return make_box(box.type, bytes(self.data[box.payload : box.payload + kept]), *payloads)


def _entries(
    reader: BoxReader, data: memoryview, senc: Box, saiz: Box | None, count: int, iv_bytes: int
) -> list[bytes]:
    """What the `senc` has of each of `count` samples: as the `saiz` cuts it, which knows of groups with another key."""
    if reader.u32(senc, 4) != count:
        raise Mp4Error(f"expected a senc box of {count} samples, found {reader.u32(senc, 4)}")
    entries, at = [], 8
    sizes = auxiliary_sizes(reader, saiz, count) if saiz else None
    for place in range(count):
        size = sizes[place] if sizes is not None else _entry_size(reader, senc, at, iv_bytes)
        if senc.payload + at + size > senc.end:
            raise Mp4Error("senc box is too short")
        entries.append(bytes(data[senc.payload + at : senc.payload + at + size]))
        at += size
    if senc.payload + at != senc.end:
        raise Mp4Error(f"senc box has {senc.end - senc.payload - at} bytes that belong to no sample")
    return entries


def _entry_size(reader: BoxReader, senc: Box, at: int, iv_bytes: int) -> int:
    if not reader.u32(senc, 0) & SUBSAMPLES_PRESENT:
        return iv_bytes
    return iv_bytes + 2 + SUBSAMPLE_BYTES * reader.u16(senc, at + iv_bytes)


def auxiliary_sizes(reader: BoxReader, saiz: Box, count: int) -> bytes:
    """The sizes that a `saiz` states of the auxiliary information of `count` samples. Raises `Mp4Error`."""
    at = 12 if reader.u32(saiz, 0) & TYPE_PRESENT else 4
    default, stated = reader.data(saiz, at, 1), reader.u32(saiz, at + 1)
    if stated != count:
        raise Mp4Error(f"expected a saiz box of {count} samples, found {stated}")
    return default * count if default[0] else reader.data(saiz, at + 5, count)
