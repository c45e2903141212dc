"""Edit lists (ISO/IEC 14496-12 §8.6.6) of fragmented tracks: how far from their own times samples are shown."""

from fractions import Fraction

from voxel_prepare.isobmff.boxes import Box, BoxReader, Mp4Error, UnsupportedMp4
from voxel_prepare.isobmff.fragments import Buffer
from voxel_prepare.isobmff.track import timescale_of


def edit_offset(header: Buffer) -> Fraction:
    """Seconds to add to the times of the only track of a file or `moov`; 0 without an edit list.

    Raises `Mp4Error`, also for a list that is more than a pause and what is shown after it.
    """
    with memoryview(header) as view:
        reader = BoxReader(view)
        moov = next((box for box in reader.boxes(0, len(view)) if box.type == "moov"), None)
        if moov is None:
            raise Mp4Error("not an MP4 file: no moov box found")
        track = reader.only_child(moov, "trak")
        edits = next((box for box in reader.children(track) if box.type == "edts"), None)
        if edits is None:
            return Fraction()
        movie = timescale_of(reader, reader.child(moov, "mvhd"))
        media = timescale_of(reader, reader.child(track, "mdia", "mdhd"))
        return _offset(reader, reader.child(edits, "elst"), movie, media)


def _offset(reader: BoxReader, list_: Box, movie: int, media: int) -> Fraction:
    is_long = reader.version(list_) == 1
    pause = 0
    starts: list[int] = []
    for number in range(reader.u32(list_, 4)):
        at = 8 + number * (20 if is_long else 12)
        duration = reader.u64(list_, at) if is_long else reader.u32(list_, at)
        start = _signed(reader.u64(list_, at + 8)) if is_long else reader.i32(list_, at + 4)
        if starts:
            raise UnsupportedMp4("expected an edit list with one edit, found several")
        if start < 0:
            pause += duration
        else:
            starts.append(start)
    return Fraction(pause, movie) - Fraction(starts[0] if starts else 0, media)


def _signed(value: int) -> int:
    return value - (value >> 63 << 64)
