"""Writes what this package's repair makes of random input, for the player's tests to agree with byte for byte.

One JSON object a line on standard output: `python repair_vectors.py --count 1000 --seed 1` for slices,
`--clip FILE --seed 1` for the damaged fragments of a fragmented MP4.
"""

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

from random_slices import random_slice
from voxel_prepare.codecs import codec_of
from voxel_prepare.h264 import ParameterSets, parse_slice_header, skip_slice
from voxel_prepare.isobmff import Fragment, parse_track
from voxel_prepare.repair.codec import ReadSample
from voxel_prepare.repair.hold import HoldableFrame
from voxel_prepare.repair.repair import hold_or_replace, repair_segment
from voxel_prepare.repair.repaired_segment import FrameReport

GAP_BYTES = (1, 3, 40, 1200)
"""Lengths of gaps, up to a datagram; a slice may also be missing altogether."""


class Gaps:
    """`Received` by what is missing: ascending, disjoint `(start, end)`."""

    def __init__(self, gaps: Sequence[tuple[int, int]]) -> None:
        self._gaps = gaps

    def contains(self, start: int, end: int) -> bool:
        """True when no gap reaches into `[start, end)`."""
        return all(end <= first or last <= start for first, last in self._gaps)


def slice_vectors(count: int, seed: int) -> Iterator[dict[str, object]]:
    """`count` random slices: NAL unit, what its header says, and the all-skip slice (null for an I slice)."""
    random = Random(seed)
    for _ in range(count):
        sample = random_slice(random)
        header = parse_slice_header(sample.nal, ParameterSets.from_avcc(sample.avcc))
        skipped = None if header.slice_type == "I" else skip_slice(sample.nal, header, sample.macroblocks).hex()
        yield {
            "avcc": sample.avcc.hex(),
            "nal": sample.nal.hex(),
            "type": header.slice_type,
            "cabac": header.pps.cabac,
            "firstMacroblock": header.first_mb,
            "cabacInitIdc": header.cabac_init_idc,
            "qp": header.qp,
            "headerBits": header.header_bits,
            "headerBytes": header.header_bytes,
            "macroblocks": sample.macroblocks,
            "skipSlice": skipped,
        }


def clip_vectors(clip: Path, seed: int, share: float) -> Iterator[dict[str, object]]:
    """Each fragment of the file with a share of its P and B slices damaged: place, gaps, plan, SHA-256 of the repair.

    The plan says where the picture before may be held; every other fragment has none.
    """
    data = clip.read_bytes()
    track = parse_track(data)
    codec = codec_of(track.description)
    read = codec.reader(data)
    random = Random(seed)
    for number, fragment in enumerate(track.fragments):
        gaps = damage(read, fragment, random, share)
        segment = punch(data[fragment.start : fragment.end], gaps)
        plan = some_reach(codec.reader(data), fragment, random) if number % 2 else None
        if plan is None:
            repaired = repair_segment(codec, segment, Gaps(gaps))
        else:
            repaired = hold_or_replace(track, codec, segment, Gaps(gaps), plan)
        yield {
            "start": fragment.start,
            "end": fragment.end,
            "gaps": gaps,
            "plan": plan and [{"start": range_.start, "end": range_.end, "reach": range_.reach} for range_ in plan],
            "sha256": hashlib.sha256(repaired.bytes).hexdigest(),
            "frames": [frame_vector(frame) for frame in repaired.frames],
        }


def some_reach(read: ReadSample, fragment: Fragment, random: Random) -> list[HoldableFrame]:
    """A reach for each slice, also of frames that others refer to."""
    parts = [
        part
        for sample in fragment.samples
        for frame in read(sample.offset, sample.offset + sample.size)
        for part in frame.parts
    ]
    return [
        HoldableFrame(part.reliable_end - fragment.start, part.end - fragment.start, random.choice((0, 1, 1, 3)))
        for part in parts
    ]


def frame_vector(frame: FrameReport) -> dict[str, object]:
    """The report as the player has it."""
    return {
        "index": frame.index,
        "start": frame.start,
        "bytes": frame.bytes,
        **({} if frame.type is None else {"type": frame.type}),
        "slices": frame.slices,
        "repairedSlices": frame.repaired_slices,
        "removed": frame.removed,
    }


def damage(read: ReadSample, fragment: Fragment, random: Random, share: float) -> list[tuple[int, int]]:
    """Gaps, from the fragment's first byte, in the unreliable part of its slices, hitting a `share` of them."""
    gaps = []
    for sample in fragment.samples:
        if sample.size_field is None:  # must be complete
            continue
        for part in (part for frame in read(sample.offset, sample.offset + sample.size) for part in frame.parts):
            if part.reliable_end < part.end and random.random() < share:
                start = random.choice((part.reliable_end, random.randrange(part.reliable_end, part.end)))
                end = random.choice((part.end, min(part.end, start + random.choice(GAP_BYTES))))
                gaps.append((start - fragment.start, end - fragment.start))
    return gaps


def punch(segment: bytes, gaps: Sequence[tuple[int, int]]) -> bytes:
    """The segment with zeros in its gaps."""
    damaged = bytearray(segment)
    for start, end in gaps:
        damaged[start:end] = bytes(end - start)
    return bytes(damaged)


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write vectors of repair as JSON lines.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--count", type=int, help="this many random slices")
    what.add_argument("--clip", type=Path, help="the fragments of this fragmented MP4, damaged at random")
    parser.add_argument(
        "--damage",
        type=float,
        nargs="+",
        default=[1.0],
        metavar="SHARE",
        help="of the clip's P and B slices, one run each",
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.clip:
        for share in options.damage:
            _write(clip_vectors(options.clip, options.seed, share))
    else:
        _write(slice_vectors(options.count, options.seed))


def _write(vectors: Iterable[dict[str, object]]) -> None:
    for vector in vectors:
        print(json.dumps(vector))


if __name__ == "__main__":
    _main()
