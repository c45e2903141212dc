"""What HEVC pictures need.

All state between pictures is in pictures: each slice starts its own CABAC contexts. A picture needs all of its
reference picture set, also those that it only keeps for later ones: decoders report them where they are missing. And
its order count must come out the same, which is counted from an earlier picture (§8.3.1).
"""

from collections.abc import Sequence
from dataclasses import replace

from voxel_prepare.errors import MalformedStream, UnsupportedStream
from voxel_prepare.hevc.nal import END_OF_SEQUENCE, END_OF_STREAM, NalUnit, read_nal_units
from voxel_prepare.hevc.parameter_sets import ParameterSets
from voxel_prepare.hevc.slice_header import SliceHeader, is_first_slice, parse_slice_header
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import DependentFrame

SEARCHED_ANCHORS = 64
"""So many pictures are looked at for one that a picture needs anyway."""


class Dependencies:
    """Reads a segment's samples one after the other and keeps what lies in the decoder's picture buffer."""

    def __init__(self, configuration: bytes) -> None:
        self._sets = ParameterSets.from_hvcc(configuration)
        self._pictures: dict[int, int] = {}
        """Pictures that may be referred to: their places by their order counts."""
        self._anchors: list[tuple[int, int]] = []
        """Place and order count of those that order counts may be counted from, since the last IDR picture."""
        self.frames: list[DependentFrame] = []

    def read(self, segment: Buffer, sample: Sample) -> None:
        """Raises `UnsupportedStream` or `MalformedStream`."""
        end, sets, first = sample.offset + sample.size, self._sets, None
        for nal in read_nal_units(sets.length_size, segment, sample.offset, end):
            if nal.layer or nal.type in (END_OF_SEQUENCE, END_OF_STREAM):
                raise UnsupportedStream("HEVC of several layers, or of sequences that end")
            if nal.is_slice and is_first_slice(segment, nal):
                if first is not None:
                    raise UnsupportedStream("several HEVC pictures in a sample")
                first = nal
            elif not nal.is_slice and first is None:
                self._sets = self._sets.after(bytes(segment[nal.start : nal.end]))
        if first is None:
            raise MalformedStream(f"sample at {sample.offset} without a first slice")
        header = parse_slice_header(segment, first, self._sets)
        place = len(self.frames)
        must_arrive = place == 0 or self._sets is not sets
        self.frames.append(
            DependentFrame(place, sample.offset, end, self._needs(first, header, place), True, must_arrive)
        )

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


def read_dependencies(configuration: bytes, segment: Buffer, samples: Sequence[Sample]) -> list[DependentFrame]:
    """The pictures of a segment with what they need. Raises `UnsupportedStream` or `MalformedStream`."""
    read = Dependencies(configuration)
    for sample in samples:
        read.read(segment, sample)
    return _arriving(read.frames)


def _arriving(frames: list[DependentFrame]) -> list[DependentFrame]:
    """The frames, of which those that must arrive take with them all that they need."""
    must = {place for place, frame in enumerate(frames) if frame.must_arrive}
    for place in range(len(frames) - 1, -1, -1):
        if place in must:
            must.update(frames[place].needs)
    return [replace(frame, must_arrive=place in must) for place, frame in enumerate(frames)]
