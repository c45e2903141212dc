"""A segment with gaps: repair gives a segment that is whole, and the same from any bytes in its gaps."""

from dataclasses import dataclass, field
from itertools import accumulate

from fmp4_builder import whole_picture
from voxel_prepare.byte_ranges import EVERYTHING, ByteRange, Received, ReceivedRanges, merged
from voxel_prepare.errors import RepairError
from voxel_prepare.h264.codec import H264
from voxel_prepare.isobmff import parse_fragments
from voxel_prepare.repair.repair import repair_segment

CODEC = H264(whole_picture("P").avcc)


@dataclass(frozen=True, slots=True)
class Repaired:
    """A segment and its samples."""

    samples: list[bytes]
    segment: bytes = field(compare=False)
    """Bytes of an mdat that belong to no sample may be missing, and stay what they are."""


def fuzz(data: bytes) -> None:
    count = data[0] & 7 if data else 0
    fields, segment = data[1 : 1 + 4 * count], data[1 + 4 * count :]
    lengths = [int.from_bytes(fields[at : at + 2], "big") for at in range(0, len(fields) - 1, 2)]
    ends = list(accumulate(lengths))
    received = merged(ByteRange(start, end) for start, end in zip([0, *ends[1::2]], ends[::2], strict=False))
    received = merged([*received, ByteRange(ends[-1] if ends else 0, max(len(segment), ends[-1] if ends else 0))])
    arrived = ReceivedRanges(received)
    punched = {_punched(segment, received, filler) for filler in (0, 0xFF)}
    outcomes = [_repaired(each, arrived) for each in punched]
    assert all(outcome == outcomes[0] for outcome in outcomes)
    if isinstance(outcomes[0], Repaired):
        repaired, again = outcomes[0].segment, _repaired(outcomes[0].segment, EVERYTHING)
        assert isinstance(again, Repaired)
        assert again.samples == outcomes[0].samples
        assert len(repaired) <= 2 * len(segment)


def _punched(segment: bytes, received: list[ByteRange], filler: int) -> bytes:
    whole = bytearray([filler]) * len(segment)
    for start, end in received:
        whole[start:end] = segment[start:end]
    return bytes(whole)


def _repaired(segment: bytes, received: Received) -> Repaired | str:
    """The code of an error in place of a segment."""
    try:
        repaired = repair_segment(CODEC, segment, received).bytes
    except RepairError as error:
        return error.code
    samples = [each for fragment in parse_fragments(repaired) for each in fragment.samples]
    return Repaired([repaired[each.offset : each.offset + each.size] for each in samples], repaired)
