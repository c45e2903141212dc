"""What HEVC pictures need.

All state between pictures is in pictures: each slice starts its own CABAC contexts. A picture needs all of its
reference picture set, also those that it only keeps for later ones: decoders report them where they are missing. And
its order count must come out the same, which is counted from an earlier picture (§8.3.1).
"""

from collections.abc import Sequence

from voxel_prepare.byte_ranges import Received
from voxel_prepare.errors import MalformedStream, RepairError, UnsupportedStream
from voxel_prepare.hevc.nal import END_OF_SEQUENCE, END_OF_STREAM, HEADER_BYTES, PPS, VPS, NalUnit, read_nal_units
from voxel_prepare.hevc.parameter_sets import ParameterSets
from voxel_prepare.hevc.slice_header import MAX_HEADER_BYTES, SliceHeader, is_first_slice, parse_slice_header
from voxel_prepare.hevc.unit_types import arriving, read_by_types
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import DependentFrame

SEARCHED_ANCHORS = 64
"""So many pictures are looked at for one that a picture needs anyway."""


class EncryptedHeader(Exception):
    """The header of a slice, or a parameter set, is not in the clear."""


class Dependencies:
    """Reads a segment's samples one after the other and keeps what lies in the decoder's picture buffer."""

    def __init__(self, configuration: bytes, clear: Received) -> None:
        self._clear = clear
        self._sets = ParameterSets.from_hvcc(configuration)
        self._pictures: dict[int, int] = {}
        """Pictures that may be referred to: their places by their order counts."""
        self._anchors: list[tuple[int, int]] = []
        """Place and order count of those that order counts may be counted from, since the last IDR picture."""
        self.frames: list[DependentFrame] = []

    @property
    def length_size(self) -> int:
        """Bytes of the length before each NAL unit."""
        return self._sets.length_size

    def read(self, segment: Buffer, sample: Sample) -> None:
        """Raises `UnsupportedStream` or `MalformedStream`, and `EncryptedHeader` if the header of a slice is."""
        end, sets, first = sample.offset + sample.size, self._sets, None
        for nal in read_nal_units(sets.length_size, segment, sample.offset, end):
            self._check_clear(nal.start - sets.length_size, nal.start + HEADER_BYTES + nal.is_slice)
            if nal.layer or nal.type in (END_OF_SEQUENCE, END_OF_STREAM):
                raise UnsupportedStream("HEVC of several layers, or of sequences that end")
            if nal.is_slice and is_first_slice(segment, nal):
                if first is not None:
                    raise UnsupportedStream("several HEVC pictures in a sample")
                first = nal
            elif VPS <= nal.type <= PPS and first is None:
                self._check_clear(nal.start, nal.end)
                self._sets = self._sets.after(bytes(segment[nal.start : nal.end]))
        if first is None:
            raise MalformedStream(f"sample at {sample.offset} without a first slice")
        header = self._header(segment, first)
        place = len(self.frames)
        must_arrive = place == 0 or self._sets is not sets
        self.frames.append(
            DependentFrame(place, sample.offset, end, self._needs(first, header, place), True, must_arrive)
        )

    def _header(self, segment: Buffer, nal: NalUnit) -> SliceHeader:
        try:
            header = parse_slice_header(segment, nal, self._sets)
        except RepairError:
            self._check_clear(nal.start, min(nal.end, nal.start + MAX_HEADER_BYTES))
            raise
        self._check_clear(nal.start, header.end)
        return header

    def _check_clear(self, start: int, end: int) -> None:
        if not self._clear.contains(start, end):
            raise EncryptedHeader

    def _needs(self, nal: NalUnit, header: SliceHeader, place: int) -> tuple[int, ...]:
        if nal.is_idr:
            self._pictures, self._anchors = {0: place}, [(place, 0)]
            return ()
        if not self.frames and not nal.is_irap:
            raise UnsupportedStream("HEVC pictures that need one before their segment")
        order = self._order(nal, header)
        kept = self._referred(nal, header, order)
        needs = set(kept.values())
        if any(picture.cycles_back is None for picture in header.long_term) and place:
            needs.add(place - 1)  # what else the buffer holds decides which one is meant
        self._add_anchor(needs, header, order)
        if nal.anchors_order:
            self._anchors.append((place, order))
        self._pictures = {**kept, order: place}
        return tuple(sorted(needs))

    def _order(self, nal: NalUnit, header: SliceHeader) -> int:
        """PicOrderCntVal (§8.3.1)."""
        if not self._anchors or nal.starts_sequence:
            self._pictures, self._anchors = {}, []
            return header.order_low
        half, before = 1 << header.order_bits - 1, self._anchors[-1][1]
        return before + (header.order_low - before + half) % (2 * half) - half

    def _referred(self, nal: NalUnit, header: SliceHeader, order: int) -> dict[int, int]:
        """The pictures of the reference picture set (§8.3.2): their places by their order counts."""
        found: dict[int, int] = {}
        for delta, is_used in header.short_term:
            if order + delta in self._pictures:
                found[order + delta] = self._pictures[order + delta]
            elif is_used and not nal.is_irap:
                raise UnsupportedStream("HEVC pictures that need one before their segment")
        wrap = 1 << header.order_bits
        for picture in header.long_term:
            for known, place in self._pictures.items():
                if picture.cycles_back is None:
                    is_meant = known % wrap == picture.order_low
                else:
                    is_meant = known == order - order % wrap - picture.cycles_back * wrap + picture.order_low
                if is_meant:
                    found[known] = place
        return found

    def _add_anchor(self, needs: set[int], header: SliceHeader, order: int) -> None:
        """Adds to `needs` a picture from which the order count comes out the same, unless there is one among them."""
        half = 1 << header.order_bits - 1
        for place, anchor in self._anchors[: -SEARCHED_ANCHORS - 1 : -1]:
            if abs(order - anchor) >= half:
                break
            if place == 0 or place in needs:
                return
        needs.update(place for place, _ in self._anchors[-1:])


def read_dependencies(
    configuration: bytes, segment: Buffer, samples: Sequence[Sample], clear: Received
) -> list[DependentFrame]:
    """The pictures of a segment with what they need: by slice headers or, where these are encrypted, by types of NAL
    units. Raises `UnsupportedStream` or `MalformedStream`.
    """
    read = Dependencies(configuration, clear)
    try:
        for sample in samples:
            read.read(segment, sample)
    except EncryptedHeader:
        return read_by_types(read.length_size, segment, samples, clear)
    return arriving(read.frames)
