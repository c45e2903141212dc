"""The segment index inside a media file (`sidx`, ISO/IEC 14496-12 §8.16.3), which SegmentBase refers to."""

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.isobmff.boxes import Box, BoxReader, Mp4Error, UnsupportedMp4

REFERENCE_BYTES = 12
REFERS_TO_INDEX = 1 << 31


def read_sidx(data: memoryview, start: int, end: int) -> list[ByteRange]:
    """The byte ranges of the subsegments listed by the `sidx` in bytes `[start, end)` of a file. Raises `Mp4Error`."""
    reader = BoxReader(data)
    sidx = next((box for box in reader.boxes(start, min(end, len(data))) if box.type == "sidx"), None)
    if sidx is None:
        raise Mp4Error(f"expected a sidx box at byte {start}, found none")
    at, position = _after_times(reader, sidx)
    references = reader.u16(sidx, at + 2)
    ranges: list[ByteRange] = []
    for index in range(references):
        size = reader.u32(sidx, at + 4 + index * REFERENCE_BYTES)
        if size & REFERS_TO_INDEX:
            raise UnsupportedMp4("sidx boxes that refer to other sidx boxes are not supported")
        ranges.append(ByteRange(position, position + size))
        position += size
    if position > len(data) or any(range_.size == 0 for range_ in ranges):
        raise Mp4Error("the sidx box lists empty subsegments or more bytes than the file has")
    return ranges


def _after_times(reader: BoxReader, sidx: Box) -> tuple[int, int]:
    """The position in the payload after earliest time and first offset, and where the first subsegment starts."""
    if reader.version(sidx) == 0:
        return 20, sidx.end + reader.u32(sidx, 16)
    return 28, sidx.end + reader.u64(sidx, 20)
