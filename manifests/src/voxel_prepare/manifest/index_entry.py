"""One segment in the index: the content of a `SegmentAnalysis`, in a tenth of the bytes of the MPD attributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise

from voxel_prepare.analysis.segment_analysis import Metric, OrderName, SegmentAnalysis, Step
from voxel_prepare.bits import BitReader, BitWriter
from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.errors import MalformedStream, PreparationError
from voxel_prepare.manifest.index_codes import (
    CodeError,
    read_list,
    read_number,
    unzigzag,
    write_list,
    write_number,
    zigzag,
)

VERSION = 2
"""The version that is written. Entries of version 1 say nothing of what becomes of missing frames."""

POSITION_PARAMETER = 16
"""Parameter of the code for a position in the file: 3 to 4 bytes suffice up to 1 GB."""

ORDER_BITS = 3
ORDER_CODES = {
    OrderName.ORIGINAL: 0,
    OrderName.UNREFERENCED: 1,
    OrderName.SUMMED: 2,
    OrderName.CHAINED: 3,
    OrderName.MEASURED: 4,
    OrderName.CLOSED: 5,
}
"""Codes of orders in docs/MANIFEST.md."""

MISSING_BITS = 2
REPLACED, HELD, REMOVED = range(3)
"""Codes of what becomes of missing frames in docs/MANIFEST.md."""

MAX_RANGES = 1 << 17
"""Per segment: 30 s at 120 frames/s of 32 slices. Bounds the memory that a damaged index can make a reader use."""

MAX_RANGES_PER_BYTE = 64
"""The player's limit: where all frames are alike a list is a few bits, but an entry says something of each dozen."""


class IndexFormatError(PreparationError):
    """Not an index, or a damaged one."""


def write_entry(analysis: SegmentAnalysis, scale: int) -> bytes:
    """A segment's entry, with scores and costs in units of 1 / `scale`."""
    frames = _frames_in_file_order(analysis)
    costs = [round(cost * scale) for cost in analysis.loss_costs]
    writer = BitWriter()
    write_number(writer, analysis.range.start, POSITION_PARAMETER)
    writer.bits(ORDER_CODES[analysis.order_name], ORDER_BITS)
    _write_positions(writer, sorted(analysis.order))
    _write_ranges(writer, analysis.range, frames)
    write_list(writer, _ranks(analysis.order))
    writer.bits(any(costs), 1)
    if any(costs):
        write_list(writer, costs)
    _write_missing(writer, analysis)
    _write_steps(writer, analysis.steps, scale)
    writer.align(0)
    return writer.to_bytes()


def read_entry(data: bytes, metric: Metric, scale: int, *, version: int = VERSION) -> SegmentAnalysis:
    """The inverse of `write_entry`; costs that are not stored become 0, and of needs those remain from which all others
    follow. Raises `IndexFormatError`."""
    reader = BitReader(data)
    try:
        analysis = _read(reader, metric, scale, version, min(MAX_RANGES, MAX_RANGES_PER_BYTE * len(data)))
    except (MalformedStream, CodeError) as error:
        raise IndexFormatError(f"index: damaged entry: {error}") from error
    if (reader.position + 7) // 8 != len(data):
        raise IndexFormatError(
            f"index: expected an entry of {len(data)} bytes, it ends after {(reader.position + 7) // 8}"
        )
    return analysis


def _read(reader: BitReader, metric: Metric, scale: int, version: int, most: int) -> SegmentAnalysis:
    """`most`: the number of ranges, of frames and of needs that are taken for real."""
    start = read_number(reader, POSITION_PARAMETER)
    order_name = _order_name(reader.bits(ORDER_BITS), version)
    positions = _read_positions(reader, most)
    frames, end = _read_ranges(reader, start, len(positions), most)
    order = _unranked(read_list(reader, len(positions)))
    costs = read_list(reader, len(positions)) if reader.flag() else [0] * len(positions)
    in_order = [frames[index] for index in order]
    unreliable = [range_ for ranges in in_order for range_ in ranges]
    reliable = complement(ByteRange(start, end), unreliable)
    if not reliable:
        raise IndexFormatError("index: a segment must have reliable bytes, found none")
    slices = [len(ranges) for ranges in in_order]
    missing = _read_missing(reader, slices, most) if version > 1 else _Missing()
    return SegmentAnalysis(
        range=ByteRange(start, end),
        reliable=reliable,
        unreliable=unreliable,
        metric=metric,
        order_name=order_name,
        order=[positions[index] for index in order],
        slices=slices,
        loss_costs=[cost / scale for cost in costs],
        steps=_read_steps(reader, [sum(range_.size for range_ in ranges) for ranges in in_order], scale),
        needs=missing.needs,
        reach=missing.reach,
    )


def _frames_in_file_order(analysis: SegmentAnalysis) -> list[list[ByteRange]]:
    """The byte ranges of each frame that may be missing."""
    ends = accumulate(analysis.slices)
    in_order = [analysis.unreliable[end - count : end] for count, end in zip(analysis.slices, ends, strict=True)]
    return [ranges for _, ranges in sorted(zip(analysis.order, in_order, strict=True))]


def _write_positions(writer: BitWriter, positions: Sequence[int]) -> None:
    """Writes which frames may be missing, in decode order: their number, and the few other frames between them."""
    others = sorted(set(range(positions[-1] if positions else 0)) - set(positions))
    writer.ue(len(positions))
    writer.ue(len(others))
    write_list(writer, [later - earlier - 1 for earlier, later in pairwise([-1, *others])])


def _read_positions(reader: BitReader, most: int) -> list[int]:
    count = _checked(reader.ue(), most, "number of frames")
    distances = read_list(reader, _checked(reader.ue(), most, "number of frames"))
    others = [position - 1 for position in accumulate(distance + 1 for distance in distances)]
    total = count + len(others)
    if others and others[-1] >= total - 1:
        raise IndexFormatError("index: completely reliable frames must precede the last frame that may be missing")
    return sorted(set(range(total)) - set(others))


def _write_ranges(writer: BitWriter, whole: ByteRange, frames: Sequence[Sequence[ByteRange]]) -> None:
    """Writes the number of ranges of each frame, the gap before each range, the sizes, and the bytes after the last."""
    ranges = [range_ for of_frame in frames for range_ in of_frame]
    ends = [whole.start, *(range_.end for range_ in ranges)]
    starts = [*(range_.start for range_ in ranges), whole.end]
    *gaps, tail = (start - end for start, end in zip(starts, ends, strict=True))
    if min(*gaps, tail, 0) < 0:
        raise PreparationError("the frames must be stored in decode order")
    smallest = min(gaps, default=0)
    write_list(writer, [len(of_frame) - 1 for of_frame in frames])
    writer.ue(smallest)
    write_list(writer, [gap - smallest for gap in gaps])
    write_list(writer, [range_.size - 1 for range_ in ranges])
    writer.ue(tail)


def _read_ranges(reader: BitReader, start: int, frames: int, most: int) -> tuple[list[list[ByteRange]], int]:
    """The byte ranges of each frame, and the segment's end."""
    counts = [more + 1 for more in read_list(reader, frames)]
    ranges = _checked(sum(counts), most, "number of ranges")
    smallest = reader.ue()
    gaps = [smallest + gap for gap in read_list(reader, ranges)]
    sizes = [size + 1 for size in read_list(reader, ranges)]
    ends = list(accumulate((gap + size for gap, size in zip(gaps, sizes, strict=True)), initial=start))
    in_file = [ByteRange(end - size, end) for end, size in zip(ends[1:], sizes, strict=True)]
    firsts = accumulate(counts, initial=0)
    by_frame = [in_file[first : first + count] for first, count in zip(firsts, counts, strict=False)]
    return by_frame, ends[-1] + reader.ue()


def _ranks(order: Sequence[int]) -> list[int]:
    """A permutation as a Lehmer code: for each frame, how many later ones of the order precede it in the file."""
    remaining = sorted(order)
    ranks = []
    for position in order:
        ranks.append(remaining.index(position))
        remaining.pop(ranks[-1])
    return ranks


def _unranked(ranks: Sequence[int]) -> list[int]:
    """The inverse of `_ranks`: indexes of the frames, in order."""
    remaining = list(range(len(ranks)))
    return [remaining.pop(_checked(rank, len(remaining) - 1, "rank")) for rank in ranks]


@dataclass(frozen=True, slots=True)
class _Missing:
    """What becomes of missing frames, as `SegmentAnalysis` has it."""

    needs: list[list[int]] | None = None
    reach: list[int] | None = None


def _write_missing(writer: BitWriter, analysis: SegmentAnalysis) -> None:
    """Writes what becomes of missing frames; a need by how many places before the frame it stands, less 1."""
    if analysis.needs is not None:
        if len(analysis.unreliable) != len(analysis.order):
            raise PreparationError("a frame that is removed must have one range")
        needs = direct_needs(analysis.needs)
        writer.bits(REMOVED, MISSING_BITS)
        write_list(writer, [len(of_frame) for of_frame in needs])
        write_list(writer, [place - need - 1 for place, of_frame in enumerate(needs) for need in of_frame])
    elif any(analysis.reach or []):
        writer.bits(HELD, MISSING_BITS)
        write_list(writer, analysis.reach or [])
    else:
        writer.bits(REPLACED, MISSING_BITS)


def _read_missing(reader: BitReader, slices: Sequence[int], most: int) -> _Missing:
    """`slices`: the number of ranges of each frame, most important first."""
    code = reader.bits(MISSING_BITS)
    if code == REPLACED:
        return _Missing()
    if code == HELD:
        return _Missing(reach=read_list(reader, len(slices)))
    if code != REMOVED:
        raise IndexFormatError(f"index: the code of missing frames must be at most {REMOVED}, got {code}")
    if sum(slices) != len(slices):
        raise IndexFormatError(f"index: frames that are removed must have one range each, found {sum(slices)} ranges")
    counts = read_list(reader, len(slices))
    distances = iter(read_list(reader, _checked(sum(counts), most, "number of needs")))
    return _Missing(needs=[_needs(place, [*islice(distances, count)]) for place, count in enumerate(counts)])


def _needs(place: int, distances: Sequence[int]) -> list[int]:
    """The needs of the frame at `place`."""
    if any(later <= earlier for earlier, later in pairwise(distances)) or (distances and distances[-1] >= place):
        raise IndexFormatError(f"index: frame {place} of the order must need earlier ones, the nearest first")
    return [place - distance - 1 for distance in distances]


def direct_needs(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """The needs from which all others follow, of each frame the nearest first. Raises `PreparationError` unless every
    frame needs earlier ones."""
    closures: list[int] = []
    """The frames without which a frame goes, and itself, as bits."""
    direct: list[list[int]] = []
    for place, of_frame in enumerate(needs):
        closure = 0
        direct.append([])
        for need in sorted(of_frame, reverse=True):
            if not 0 <= need < place:
                raise PreparationError(f"frame {place} of the order must need earlier ones, found {need}")
            if not closure >> need & 1:
                direct[-1].append(need)
                closure |= closures[need]
        closures.append(closure | 1 << place)
    return direct


def _write_steps(writer: BitWriter, steps: Sequence[Step], scale: int) -> None:
    """Writes frames and scores; the bytes of a step follow from its frames."""
    frames = [step.frames for step in steps]
    scores = [round(step.score * scale) for step in steps]
    writer.ue(len(steps) - 1)
    write_list(writer, [frames[0], *(later - earlier - 1 for earlier, later in pairwise(frames))])
    write_list(writer, [zigzag(later - earlier) for earlier, later in pairwise([0, *scores])])


def _read_steps(reader: BitReader, frame_bytes: Sequence[int], scale: int) -> list[Step]:
    count = _checked(reader.ue(), len(frame_bytes), "number of steps") + 1
    first, *more = read_list(reader, count)
    frames = list(accumulate((distance + 1 for distance in more), initial=first))
    if frames[-1] != len(frame_bytes):
        raise IndexFormatError(f"index: the last step must have all {len(frame_bytes)} frames, found {frames[-1]}")
    scores = accumulate(unzigzag(code) for code in read_list(reader, count))
    ends = list(accumulate(frame_bytes, initial=0))
    return [Step(score / scale, taken, ends[taken]) for score, taken in zip(scores, frames, strict=True)]


def _order_name(code: int, version: int) -> OrderName:
    known = [name for name in ORDER_CODES if version > 1 or name is not OrderName.CLOSED]
    if code >= len(known):
        raise IndexFormatError(f"index: the order code must be at most {len(known) - 1}, got {code}")
    return known[code]


def _checked(number: int, limit: int, what: str) -> int:
    if number > limit:
        raise IndexFormatError(f"index: {what} must be at most {limit}, got {number}")
    return number
