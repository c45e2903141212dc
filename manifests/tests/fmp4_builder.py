"""Builds small fragmented MP4 files and H.264 streams for tests."""

import struct
from collections.abc import Sequence
from random import Random
from typing import Literal, TypeAlias

from random_slices import RandomSlice, random_slice
from voxel_prepare.h264 import SliceType

MdatSize: TypeAlias = Literal["32-bit", "64-bit", "to the end"]


def box(fourcc: str, *payloads: bytes) -> bytes:
    payload = b"".join(payloads)
    return struct.pack(">I4s", 8 + len(payload), fourcc.encode()) + payload


def u32(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *(value & 0xFFFF_FFFF for value in values))


def init_segment(*avccs: bytes, timescale: int = 12_288, tracks: int = 1, entry: str = "avc1") -> bytes:
    """`ftyp` and `moov` of H.264 tracks of 320 × 180, a sample description for each `avcC`; the last is the default."""
    size = struct.pack(">HH", 320, 180)
    entries = [box(entry, bytes(24), size, bytes(50), box("avcC", avcc)) for avcc in avccs]
    media = box(
        "mdia",
        box("mdhd", u32(0, 0, 0, timescale, 0, 0)),
        box("hdlr", u32(0, 0), b"vide", bytes(13)),
        box("minf", box("stbl", box("stsd", u32(0, len(entries)), *entries))),
    )
    defaults = box("mvex", box("trex", u32(0, 1, len(entries), 512, 0, 0x10000)))
    return box("ftyp", u32(0, 0)) + box("moov", *(box("trak", media) for _ in range(tracks)), defaults)


def media_segment(
    runs: Sequence[Sequence[bytes]],
    base_decode_time: int = 0,
    mdat_size: MdatSize = "32-bit",
    default_size: int | None = None,
    description: int | None = None,
) -> bytes:
    """`styp`, `moof`, `mdat` with a `trun` for each run; a byte that belongs to no sample follows each run.

    `default_size` and the number of the sample description are in the `tfhd`, and then no size is in a `trun`.
    """
    tfhd = [(flag, value) for flag, value in ((0x2, description), (0x10, default_size)) if value is not None]
    fields = u32(0x020000 | sum(flag for flag, _ in tfhd), 1, *(value for _, value in tfhd))
    media = b"".join(b"".join(run) + b"\0" for run in runs)
    mdat_header = {
        "32-bit": u32(8 + len(media)) + b"mdat",
        "64-bit": u32(1) + b"mdat" + u32(0, 16 + len(media)),
        "to the end": u32(0) + b"mdat",
    }[mdat_size]

    def moof(size: int) -> bytes:
        offset = size + len(mdat_header)
        truns = []
        for run in runs:
            if default_size is None:
                entries = b"".join(u32(512, len(sample), 0x10000, 1024) for sample in run)
                truns.append(box("trun", u32(0xF01, len(run), offset), entries))
            else:
                truns.append(box("trun", u32(0x1, len(run), offset)))
            offset += sum(map(len, run)) + 1
        decode_time = box("tfdt", struct.pack(">IQ", 1 << 24, base_decode_time))
        return box("moof", box("mfhd", u32(0, 1)), box("traf", box("tfhd", fields), decode_time, *truns))

    return box("styp", u32(0, 0)) + moof(len(moof(0))) + mdat_header + media


def sets_of(avcc: bytes) -> list[bytes]:
    """The parameter sets of an `avcC`, as NAL units."""
    sets, at = [], 5
    for mask in (0x1F, 0xFF):
        count, at = avcc[at] & mask, at + 1
        for _ in range(count):
            length = int.from_bytes(avcc[at : at + 2], "big")
            sets.append(avcc[at + 2 : at + 2 + length])
            at += 2 + length
    return sets


def avcc_of(avcc: bytes, sets: Sequence[bytes]) -> bytes:
    """The `avcC` with other parameter sets."""
    kinds = ([nal for nal in sets if nal[0] & 0x1F == kind] for kind in (7, 8))
    counted = ((mark | len(nals), nals) for mark, nals in zip((0xE0, 0), kinds, strict=True))
    listed = (bytes([count]) + b"".join(struct.pack(">H", len(nal)) + nal for nal in nals) for count, nals in counted)
    return avcc[:5] + b"".join(listed)


def sample(*nal_units: bytes) -> bytes:
    """NAL units with length fields of four bytes."""
    return b"".join(u32(len(nal)) + nal for nal in nal_units)


def whole_picture(slice_type: SliceType, seed: int = 1) -> RandomSlice:
    """A random slice of that type which begins at macroblock 0."""
    random = Random(seed)
    while True:
        candidate = random_slice(random)
        if candidate.type == slice_type and candidate.first_mb == 0:
            return candidate
