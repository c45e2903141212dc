"""Makes a valid segment of what has arrived of one whose missing frames are removed, in any codec and encryption.

src/repair/README.md, "Removal", is the normative description. The player's implementation must give the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from voxel_prepare.byte_ranges import ByteRange, Received
from voxel_prepare.errors import MalformedStream, MissingReliableBytes, UnsupportedStream
from voxel_prepare.isobmff import Mp4Error, SampleDescription, Track
from voxel_prepare.repair.remove_samples import remove_samples
from voxel_prepare.repair.repaired_segment import FrameReport, RepairedSegment, arrived_fragments, repair_error
from voxel_prepare.repair.superframe import index_bytes, join_superframe, superframe_ranges

SUPERFRAMES = "vp09"
"""Sample entry of the codec whose samples have an index of their frames."""


@dataclass(frozen=True, slots=True)
class RemovableFrame:
    """A frame that is taken out where it is missing: all its bytes, `[start, end)` of the segment."""

    start: int
    end: int
    needs: tuple[int, ...]
    """Frames without which it goes, too, by their places in the plan; all stand before it there."""


def remove_missing(track: Track, segment: bytes, received: Received, plan: Sequence[RemovableFrame]) -> RepairedSegment:
    """Takes out of `segment` every frame of the plan of which a byte is missing, with all that need it.

    `segment` has its full length, with arbitrary bytes in its gaps; `track` is that of its initialization segment.
    Raises a `RepairError`.
    """
    fragments = arrived_fragments(segment, received, track.defaults)
    planned = _PlannedRanges.of(plan, received)
    removal = _Removal()
    for fragment in fragments:
        try:
            description = track.description_of(fragment)
        except Mp4Error as error:
            raise repair_error(error) from error
        for sample in fragment.samples:
            ranges = planned.take(ByteRange(sample.offset, sample.offset + sample.size), received)
            removal.add(segment[sample.offset : sample.offset + sample.size], sample.offset, ranges, description)
    if planned.rest:
        raise MalformedStream(f"frame at {planned.rest[-1][0].start} lies in no sample")
    if not planned.any_missing:
        return RepairedSegment(segment, removal.reports)
    if 0 in removal.removed:
        raise MissingReliableBytes("the first sample of the segment is missing")
    return RepairedSegment(remove_samples(track, segment, removal.removed, removal.replaced), removal.reports)


@dataclass(slots=True)
class _PlannedRanges:
    """The ranges of a plan, and whether each goes."""

    rest: list[tuple[ByteRange, bool]]
    """Those that are not taken yet, the first of the segment last."""
    any_missing: bool

    @classmethod
    def of(cls, plan: Sequence[RemovableFrame], received: Received) -> "_PlannedRanges":
        goes: list[bool] = []
        for frame in plan:
            if not all(0 <= need < len(goes) for need in frame.needs):
                raise MalformedStream(f"frame {len(goes)} of the plan needs one that does not stand before it")
            goes.append(not received.contains(frame.start, frame.end) or any(goes[need] for need in frame.needs))
        ranges = ((ByteRange(frame.start, frame.end), gone) for frame, gone in zip(plan, goes, strict=True))
        return cls(sorted(ranges, key=lambda each: each[0].start, reverse=True), any(goes))

    def take(self, sample: ByteRange, received: Received) -> list[tuple[ByteRange, bool]]:
        """The ranges inside a sample, from its first byte. All others of its bytes must have arrived."""
        taken: list[tuple[ByteRange, bool]] = []
        at = sample.start
        while self.rest and self.rest[-1][0].start < sample.end:
            range_, gone = self.rest.pop()
            if not at <= range_.start < range_.end <= sample.end:
                raise MalformedStream(f"frame at {range_.start} lies across others or samples")
            _check_arrived(received, at, range_.start)
            taken.append((range_.moved(-sample.start), gone))
            at = range_.end
        _check_arrived(received, at, sample.end)
        return taken


def _check_arrived(received: Received, start: int, end: int) -> None:
    if not received.contains(start, end):
        raise MissingReliableBytes(f"bytes from {start} on that are in no frame of the plan are missing")


@dataclass(slots=True)
class _Removal:
    """What becomes of the samples of a segment, one after the other."""

    removed: set[int] = field(default_factory=set)
    replaced: dict[int, bytes] = field(default_factory=dict)
    reports: list[FrameReport] = field(default_factory=list)
    carried: list[bytes] = field(default_factory=list)
    """What is kept of removed samples, for the next one that stays."""

    def add(
        self,
        sample: bytes,
        start: int,
        planned: Sequence[tuple[ByteRange, bool]],
        description: SampleDescription,
    ) -> None:
        """`start`: of the sample in its segment; `planned` counts from its first byte, with whether each goes."""
        place = len(self.reports)
        whole = ByteRange(0, len(sample))
        is_whole = [range_ for range_, _ in planned] == [whole]
        if description.encryption and (self.carried or (planned and not is_whole)):
            raise UnsupportedStream("frames in parts of encrypted samples")
        gone = [range_ for range_, is_gone in planned if is_gone]
        frames = [whole]
        has_index = description.sample_entry == SUPERFRAMES and not description.encryption
        if has_index and planned and not is_whole:
            # What is read to split it must have arrived: its last byte, and the index that this announces.
            last = planned[-1][0]
            if last.end > len(sample) - max(index_bytes(sample), 1):
                raise MalformedStream(f"frame at {start + last.start} lies across the index of its sample")
        if has_index and not (is_whole and gone):
            frames = superframe_ranges(sample)
        is_removed = bool(gone) and gone[-1].end == frames[-1].end
        self.reports.append(FrameReport(place, start, len(sample), None, 0, 0, is_removed))
        if not gone and not self.carried:
            return
        kept = self.carried + [part for part in (_without(sample, frame, gone) for frame in frames) if part]
        self.carried = kept if is_removed else []
        if is_removed:
            self.removed.add(place)
        else:
            self.replaced[place] = join_superframe(kept) if has_index else b"".join(kept)


def _without(sample: bytes, frame: ByteRange, gone: Sequence[ByteRange]) -> bytes:
    """The bytes of `frame` that are in none of the `gone` ranges, which ascend."""
    parts, at = [], frame.start
    for range_ in gone:
        parts.append(sample[at : max(at, min(range_.start, frame.end))])
        at = max(at, range_.end)
    parts.append(sample[at : frame.end] if at < frame.end else b"")
    return b"".join(parts)
