"""What HEVC pictures need, as far as headers of NAL units tell it: where slice headers are encrypted.

A picture may refer to all before it of lower temporal layers, and to those of its own that are not sub-layer
non-reference pictures (H.265 §7.4.2.2, table 7-1).
"""

from collections.abc import Sequence
from dataclasses import replace

from voxel_prepare.byte_ranges import Received
from voxel_prepare.errors import MalformedStream, UnsupportedStream
from voxel_prepare.hevc.nal import HEADER_BYTES, PPS, TSA_N, TSA_R, VPS, NalUnit, read_nal_units
from voxel_prepare.hevc.reference_sets import MAX_PICTURES
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import DependentFrame


class UnitTypes:
    """Reads a segment's samples, each one picture, one after the other."""

    def __init__(self, length_size: int, clear: Received) -> None:
        self._length_size = length_size
        self._clear = clear
        self._references: dict[int, int] = {}
        """The last picture of each temporal layer that its own layer may refer to; it stands for those before it."""
        self._others: list[tuple[int, int]] = []
        """Temporal layer and place of pictures that only higher layers may refer to: as many as a buffer holds."""
        self.frames: list[DependentFrame] = []

    def read(self, segment: Buffer, sample: Sample) -> None:
        """Raises `UnsupportedStream` or `MalformedStream`."""
        end, place = sample.offset + sample.size, len(self.frames)
        units = []
        for unit in read_nal_units(self._length_size, segment, sample.offset, end):
            if not self._clear.contains(unit.start - self._length_size, unit.start + HEADER_BYTES):
                raise UnsupportedStream("headers of HEVC's NAL units that are encrypted")
            units.append(unit)
        first = next((unit for unit in units if unit.is_slice), None)
        if first is None:
            raise MalformedStream(f"sample at {sample.offset} without a slice")
        must_arrive = place == 0 or any(VPS <= unit.type <= PPS for unit in units)
        self.frames.append(DependentFrame(place, sample.offset, end, self._needs(first, place), True, must_arrive))

    def _needs(self, nal: NalUnit, place: int) -> tuple[int, ...]:
        layer = nal.temporal_id
        if nal.is_idr or nal.starts_sequence:
            self._references, self._others = {}, []
        if nal.type in (TSA_N, TSA_R):  # nothing of its layer or a higher one is referred to across it
            self._references = {of: last for of, last in self._references.items() if of < layer}
            self._others = [one for one in self._others if one[0] < layer]
        needs = {last for of, last in self._references.items() if of <= layer}
        needs.update(other for of, other in self._others if of < layer)
        if nal.is_non_reference:
            self._others = [*self._others[1 - MAX_PICTURES :], (layer, place)]
        else:
            self._references[layer] = place
        return tuple(sorted(needs))


def read_by_types(
    length_size: int, segment: Buffer, samples: Sequence[Sample], clear: Received
) -> list[DependentFrame]:
    """The pictures of a segment with what they may need. Raises `UnsupportedStream` or `MalformedStream`."""
    read = UnitTypes(length_size, clear)
    for sample in samples:
        read.read(segment, sample)
    return arriving(read.frames)


def arriving(frames: list[DependentFrame]) -> list[DependentFrame]:
    """The frames, of which those that must arrive take with them all that they need."""
    must = {place for place, frame in enumerate(frames) if frame.must_arrive}
    for place in range(len(frames) - 1, -1, -1):
        if place in must:
            must.update(frames[place].needs)
    return [replace(frame, must_arrive=place in must) for place, frame in enumerate(frames)]
