"""A segment of which planned frames are missing: what is left depends on nothing in the gaps, and can be read."""

from repair_vectors import Gaps
from voxel_prepare.errors import RepairError
from voxel_prepare.isobmff import Mp4Error, Track, parse_fragments, parse_track
from voxel_prepare.repair.removal import RemovableFrame, remove_missing

FRAME_BYTES = 6


def fuzz(data: bytes) -> None:
    """An initialization segment behind its length; how many frames; start, end, place of a needed one and whether it is
    missing of each; a media segment.
    """
    length = int.from_bytes(data[:2], "big")
    try:
        track = parse_track(data[2 : 2 + length])
    except Mp4Error:
        return
    rest = data[2 + length :]
    count = rest[0] % 16 if rest else 0
    fields, segment = rest[1 : 1 + FRAME_BYTES * count], rest[1 + FRAME_BYTES * count :]
    plan, gaps = [], []
    for at in range(0, len(fields) - FRAME_BYTES + 1, FRAME_BYTES):
        start, end = (int.from_bytes(fields[place : place + 2], "big") for place in (at, at + 2))
        plan.append(RemovableFrame(start, end, (fields[at + 4] - 1,) if fields[at + 4] else ()))
        if fields[at + 5] % 2 and start < end:
            gaps.append((start, min(end, len(segment))))
    zeros, ones = (_left(track, _filled(segment, gaps, value), gaps, plan) for value in (0, 0xFF))
    assert ones == zeros


def _filled(segment: bytes, gaps: list[tuple[int, int]], value: int) -> bytes:
    filled = bytearray(segment)
    for start, end in gaps:
        if start < end:
            filled[start:end] = bytes([value]) * (end - start)
    return bytes(filled)


def _left(track: Track, segment: bytes, gaps: list[tuple[int, int]], plan: list[RemovableFrame]) -> bytes | str:
    """The code of an error in place of a segment."""
    try:
        repaired = remove_missing(track, segment, Gaps(gaps), plan)
    except RepairError as error:
        return error.code
    if repaired.bytes is segment:
        return "same"
    samples = [each for fragment in parse_fragments(repaired.bytes, track.defaults) for each in fragment.samples]
    assert len(samples) == sum(not frame.removed for frame in repaired.frames)
    return repaired.bytes
