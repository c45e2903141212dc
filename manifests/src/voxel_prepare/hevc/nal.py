"""NAL units of a sample (ISO/IEC 14496-15 §8.3.2) and their headers (H.265 §7.3.1.2)."""

from collections.abc import Iterator
from dataclasses import dataclass

from voxel_prepare.errors import MalformedStream
from voxel_prepare.isobmff import Buffer

LAST_SUB_LAYER_NON_REFERENCE = 14
"""Up to it even types are of pictures that none of their own temporal layer needs (table 7-1, _N and _R)."""
TSA_N, TSA_R = 2, 3
"""Pictures from which on more temporal layers may be decoded."""
RADL_N, RASL_R = 6, 9
"""The first and the last type of leading pictures."""
BLA_W_LP, BLA_N_LP, IDR_W_RADL, IDR_N_LP, CRA = 16, 18, 19, 20, 21
LAST_IRAP = 23
LAST_SLICE = 31
VPS, SPS, PPS = 32, 33, 34
END_OF_SEQUENCE, END_OF_STREAM = 36, 37
"""nal_unit_type."""

HEADER_BYTES = 2


@dataclass(frozen=True, slots=True)
class NalUnit:
    """NAL unit `[start, end)` without its length field, as positions in the data that it was read from."""

    type: int
    layer: int
    """nuh_layer_id."""
    temporal_id: int
    start: int
    end: int

    @property
    def is_slice(self) -> bool:
        return self.type <= LAST_SLICE

    @property
    def is_non_reference(self) -> bool:
        """A picture that no other of its temporal layer refers to."""
        return self.type <= LAST_SUB_LAYER_NON_REFERENCE and self.type % 2 == 0

    @property
    def is_idr(self) -> bool:
        return self.type in (IDR_W_RADL, IDR_N_LP)

    @property
    def is_irap(self) -> bool:
        """A picture of intra slices alone at which decoding may begin."""
        return BLA_W_LP <= self.type <= LAST_IRAP

    @property
    def starts_sequence(self) -> bool:
        """Order counts begin anew, whatever was before: a BLA picture."""
        return BLA_W_LP <= self.type <= BLA_N_LP

    @property
    def anchors_order(self) -> bool:
        """The order counts of what follows may be counted from it (prevTid0Pic, §8.3.1)."""
        return self.temporal_id == 0 and not self.is_non_reference and not RADL_N <= self.type <= RASL_R


def read_nal_units(length_size: int, data: Buffer, start: int, end: int) -> Iterator[NalUnit]:
    """The NAL units that fill `[start, end)`, each after its length. Raises `MalformedStream`."""
    at = start
    while at < end:
        payload = at + length_size
        nal_end = payload + int.from_bytes(data[at:payload], "big")
        if payload > end or nal_end > end or nal_end < payload + HEADER_BYTES:
            raise MalformedStream(f"NAL unit at {at} does not fit its sample")
        yield nal_unit(data, payload, nal_end)
        at = nal_end


def nal_unit(data: Buffer, start: int, end: int) -> NalUnit:
    """The NAL unit that fills `[start, end)`, of two bytes or more."""
    first, second = data[start], data[start + 1]
    return NalUnit(first >> 1 & 63, (first & 1) << 5 | second >> 3, max(0, (second & 7) - 1), start, end)
