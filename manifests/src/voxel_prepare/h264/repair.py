"""Makes any delivered subset of a segment a valid segment; src/repair/README.md is the normative description.

The player's implementation must give the same bytes.
"""

from dataclasses import dataclass

from voxel_prepare.h264 import (
    AccessUnit,
    MalformedStream,
    MissingReliableBytes,
    ParameterSets,
    Received,
    SliceType,
    SliceUnit,
    UnsupportedStream,
    read_access_unit,
    skip_slice,
)
from voxel_prepare.isobmff import Fragment, Mp4Error, Sample, UnsupportedMp4, parse_fragments

FILLER_HEADER = b"\x0c"
"""NAL unit type 12, nal_ref_idc 0 (H.264 §7.3.2.7)."""

MAX_GROWTH = 64
"""Bytes by which an all-skip slice may be longer than what it replaces: nothing codes macroblocks in less."""


@dataclass(frozen=True, slots=True)
class FrameReport:
    """The state of one frame (sample) of a segment after repair."""

    index: int
    start: int
    """Position of its first byte in the segment as delivered."""
    bytes: int
    """Its size as delivered."""
    type: SliceType
    slices: int
    repaired_slices: int
    """Incomplete slices that all-skip slices have replaced."""


@dataclass(frozen=True, slots=True)
class RepairedSegment:
    bytes: bytes
    """A valid segment; the same object as the input if nothing was missing."""
    frames: list[FrameReport]


@dataclass(frozen=True, slots=True)
class _Edit:
    """`data` replaces `[start, end)` of the segment."""

    start: int
    end: int
    data: bytes

    @property
    def growth(self) -> int:
        return len(self.data) - (self.end - self.start)


def repair_segment(parameter_sets: ParameterSets, segment: bytes, received: Received) -> RepairedSegment:
    """Replaces every incomplete P and B slice of `segment` by an all-skip slice.

    `segment` has its full length, with arbitrary bytes in its gaps; `received` gets positions from its first byte.
    Raises `MissingReliableBytes`, `UnsupportedStream` or `MalformedStream`.
    """
    edits: list[_Edit] = []
    frames: list[FrameReport] = []
    for fragment in _read_fragments(segment, received):
        resized: list[tuple[Sample, int]] = []
        for sample in fragment.samples:
            end = sample.offset + sample.size
            unit = read_access_unit(parameter_sets, segment, sample.offset, end, received)
            skips = _skip_incomplete_slices(parameter_sets, segment, unit, received)
            frames.append(
                FrameReport(len(frames), sample.offset, sample.size, unit.picture_type, len(unit.slices), len(skips))
            )
            edits += skips
            growth = sum(edit.growth for edit in skips)
            filler = _filler(-growth, parameter_sets.nal_length_size)
            if filler:
                edits.append(_Edit(end, end, filler))
            elif growth != 0:
                resized.append((sample, growth))
        edits += _resize(segment, fragment, resized)
    return RepairedSegment(_apply(segment, edits), frames)


def _read_fragments(segment: bytes, received: Received) -> tuple[Fragment, ...]:
    """The segment's fragments; all bytes outside the sample data must have arrived."""
    try:
        fragments = parse_fragments(segment)
        if any(sample.size_field is None for fragment in fragments for sample in fragment.samples):
            raise UnsupportedMp4("fragments must state the size of each sample")
    except Mp4Error as error:
        if not received.contains(0, len(segment)):
            raise MissingReliableBytes("movie fragment header is missing") from error
        if isinstance(error, UnsupportedMp4):
            raise UnsupportedStream(str(error)) from error
        raise MalformedStream(str(error)) from error
    headers_received = all(received.contains(fragment.start, fragment.mdat_payload) for fragment in fragments)
    if not headers_received or not received.contains(fragments[-1].end, len(segment)):
        raise MissingReliableBytes("bytes outside the sample data are missing")
    return fragments


def _skip_incomplete_slices(
    parameter_sets: ParameterSets, segment: bytes, unit: AccessUnit, received: Received
) -> list[_Edit]:
    return [
        _skip(parameter_sets, segment, nal, macroblocks)
        for nal, macroblocks in zip(unit.slice_units, unit.macroblocks(), strict=True)
        if not received.contains(nal.payload, nal.end)
    ]


def _skip(parameter_sets: ParameterSets, segment: bytes, nal: SliceUnit, macroblocks: int) -> _Edit:
    skipped = skip_slice(segment[nal.payload : nal.reliable_end], nal.header, macroblocks)
    edit = _Edit(nal.start, nal.end, len(skipped).to_bytes(parameter_sets.nal_length_size, "big") + skipped)
    if edit.growth > MAX_GROWTH:
        raise MalformedStream(f"{macroblocks} macroblocks in a slice of {nal.end - nal.start} bytes")
    return edit


def _filler(spare: int, nal_length_size: int) -> bytes:
    """A filler NAL unit with its length field, `spare` bytes long; empty if that length is not possible."""
    nal_bytes = spare - nal_length_size
    if nal_bytes < 2 or nal_bytes >> 8 * nal_length_size:
        return b""
    return nal_bytes.to_bytes(nal_length_size, "big") + FILLER_HEADER + b"\xff" * (nal_bytes - 2) + b"\x80"


def _resize(segment: bytes, fragment: Fragment, resized: list[tuple[Sample, int]]) -> list[_Edit]:
    """Edits of the sizes and offsets in the fragment's headers; `resized`: samples and their growth in bytes."""
    if not resized:
        return []
    edits = []
    for sample, growth in resized:
        assert sample.size_field is not None  # _read_fragments rejects such samples
        edits.append(_number(sample.size_field, sample.size + growth))
    for offset in fragment.data_offsets:
        growth = sum(growth for sample, growth in resized if sample.offset < offset.target)
        edits.append(_number(offset.field, offset.target + growth - fragment.moof_start))
    total_growth = sum(growth for _, growth in resized)
    edits.append(_mdat_size(segment, fragment, total_growth))
    return edits


def _number(position: int, value: int) -> _Edit:
    return _Edit(position, position + 4, value.to_bytes(4, "big"))


def _mdat_size(segment: bytes, fragment: Fragment, growth: int) -> _Edit:
    """The mdat's new size, in the form of the old one: 32 bits, 64 bits, or 0 for "to the end of the file"."""
    size = fragment.end - fragment.mdat_start + growth
    stated = int.from_bytes(segment[fragment.mdat_start : fragment.mdat_start + 4], "big")
    if stated == 1:
        return _Edit(fragment.mdat_start + 8, fragment.mdat_payload, size.to_bytes(8, "big"))
    return _number(fragment.mdat_start, size if stated else 0)


def _apply(segment: bytes, edits: list[_Edit]) -> bytes:
    if not edits:
        return segment
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += (segment[at : edit.start], edit.data)
        at = edit.end
    pieces.append(segment[at:])
    return b"".join(pieces)
