"""Makes any delivered subset of a segment a valid segment; src/repair/README.md is the normative description.

The player's implementation must give the same bytes.
"""

from collections.abc import Sequence
from dataclasses import replace

from voxel_prepare.byte_ranges import Received
from voxel_prepare.errors import MissingReliableBytes
from voxel_prepare.isobmff import Fragment, Sample, Track
from voxel_prepare.repair.codec import Codec, Edit
from voxel_prepare.repair.hold import HoldableFrame, held_frames, reach_of_frames
from voxel_prepare.repair.remove_samples import remove_samples
from voxel_prepare.repair.repaired_segment import FrameReport, RepairedSegment, arrived_fragments


def repair_segment(codec: Codec, segment: bytes, received: Received) -> RepairedSegment:
    """Replaces every incomplete part of `segment` by what stands in for it.

    `segment` has its full length, with arbitrary bytes in its gaps; `received` gets positions from its first byte.
    Raises a `RepairError`.
    """
    return _replace(codec, segment, received)[0]


def hold_or_replace(
    track: Track, codec: Codec, segment: bytes, received: Received, plan: Sequence[HoldableFrame]
) -> RepairedSegment:
    """`repair_segment`, and then takes out those incomplete frames in whose place the one before is held, by `plan`.

    `track` is that of the initialization segment. Raises a `RepairError`.
    """
    repaired, referenced = _replace(codec, segment, received)
    frames = repaired.frames
    missing = {frame.index for frame in frames if frame.repaired_slices}
    # A plan may say anything, but a segment begins with a sample that stays.
    reach = [
        0 if frame.index == 0 or frame.index in referenced else reach
        for frame, reach in zip(frames, reach_of_frames(plan, frames), strict=True)
    ]
    if not any(reach[index] for index in missing):
        return repaired
    fragments = arrived_fragments(segment, received, track.defaults)
    times = [sample.presentation_time for fragment in fragments for sample in fragment.samples]
    held = held_frames(sorted(range(len(times)), key=times.__getitem__), missing, reach)
    if not held:
        return repaired
    reports = [replace(frame, removed=True) if frame.index in held else frame for frame in frames]
    return RepairedSegment(remove_samples(track, repaired.bytes, held), reports)


def _replace(codec: Codec, segment: bytes, received: Received) -> tuple[RepairedSegment, set[int]]:
    """The repaired segment without anything held, and which of its frames others may refer to."""
    edits: list[Edit] = []
    frames: list[FrameReport] = []
    referenced: set[int] = set()
    read = codec.reader(segment, received)
    for fragment in arrived_fragments(segment, received):
        resized: list[tuple[Sample, int]] = []
        for sample in fragment.samples:
            end = sample.offset + sample.size
            growth = 0
            if sample.size_field is None and not received.contains(sample.offset, end):
                raise MissingReliableBytes(f"sample at {sample.offset} is missing in part, and cannot change its size")
            for frame in read(sample.offset, end):
                size = frame.end - frame.start
                if frame.is_reference:
                    referenced.add(len(frames))
                frames.append(
                    FrameReport(len(frames), frame.start, size, frame.type, len(frame.parts), len(frame.edits))
                )
                edits += frame.edits
                growth += sum(edit.growth for edit in frame.edits)
            if growth != 0 and (filler := codec.filler(-growth)):
                edits.append(Edit(end, end, filler))
            elif growth != 0:
                resized.append((sample, growth))
        edits += _resize(segment, fragment, resized)
    return RepairedSegment(_apply(segment, edits), frames), referenced


def _resize(segment: bytes, fragment: Fragment, resized: list[tuple[Sample, int]]) -> list[Edit]:
    """Edits of the sizes and offsets in the fragment's headers; `resized`: samples and their growth in bytes."""
    if not resized:
        return []
    edits = []
    for sample, growth in resized:
        assert sample.size_field is not None  # others are complete
        edits.append(_number(sample.size_field, sample.size + growth))
    for offset in fragment.data_offsets:
        growth = sum(growth for sample, growth in resized if sample.offset < offset.target)
        edits.append(_number(offset.field, offset.target + growth - fragment.moof_start))
    total_growth = sum(growth for _, growth in resized)
    edits.append(_mdat_size(segment, fragment, total_growth))
    return edits


def _number(position: int, value: int) -> Edit:
    return Edit(position, position + 4, value.to_bytes(4, "big"))


def _mdat_size(segment: bytes, fragment: Fragment, growth: int) -> Edit:
    """The mdat's new size, in the form of the old one: 32 bits, 64 bits, or 0 for "to the end of the file"."""
    size = fragment.end - fragment.mdat_start + growth
    stated = int.from_bytes(segment[fragment.mdat_start : fragment.mdat_start + 4], "big")
    if stated == 1:
        return Edit(fragment.mdat_start + 8, fragment.mdat_payload, size.to_bytes(8, "big"))
    return _number(fragment.mdat_start, size if stated else 0)


def _apply(segment: bytes, edits: list[Edit]) -> bytes:
    if not edits:
        return segment
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += (segment[at : edit.start], edit.data)
        at = edit.end
    pieces.append(segment[at:])
    return b"".join(pieces)
