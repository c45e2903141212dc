"""Random segments whose missing frames are removed, and what this package makes of them, for the player to agree with.

`python removal_vectors.py --count 500 --seed 1` writes one JSON object a line; without options all of
`test/vectors/removal.json`.
"""

import argparse
import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from random import Random
from typing import Any

from fmp4_builder import box, u32
from repair_vectors import Gaps, frame_vector, punch
from voxel_prepare.errors import RepairError
from voxel_prepare.isobmff import parse_track
from voxel_prepare.repair.removal import RemovableFrame, remove_missing

DURATION = 512
SELECTED_SEEDS = range(10)
IV_BYTES = 8


@dataclass(slots=True)
class Sample:
    frames: list[bytes]
    """Those of a superframe or a temporal unit, or one."""
    data: bytes
    shown: int
    """When it is shown, counted in pictures."""
    auxiliary: bytes = b""
    group: int = 0


@dataclass(slots=True)
class Case:
    """A segment, and what may go of it."""

    init: bytes
    segment: bytes
    samples: list[Sample]
    plan: list[RemovableFrame]
    gaps: list[tuple[int, int]] = field(default_factory=list)

    def vector(self) -> dict[str, Any]:
        vector: dict[str, Any] = {
            "init": self.init.hex(),
            "segment": self.segment.hex(),
            "plan": [{"start": frame.start, "end": frame.end, "needs": list(frame.needs)} for frame in self.plan],
            "gaps": self.gaps,
        }
        try:
            repaired = remove_missing(
                parse_track(self.init), punch(self.segment, self.gaps), Gaps(self.gaps), self.plan
            )
        except RepairError as error:
            return {**vector, "error": error.code}
        frames = [frame_vector(frame) for frame in repaired.frames]
        return {**vector, "bytes": repaired.bytes.hex(), "frames": frames}


def random_case(random: Random) -> Case:
    """A segment of a few fragments, in the clear or encrypted, in which about a third of the droppable frames miss."""
    entry = random.choice(("av01", "vp09", "vp09", "hvc1"))
    scheme = random.choice((None, None, "cenc", "cbcs", "constant"))
    counts = [random.randint(1, 9) for _ in range(random.randint(1, 3))]
    samples = _samples(random, sum(counts), entry, is_encrypted=scheme is not None)
    bounds = list(accumulate(counts, initial=0))
    parts = [samples[start:end] for start, end in pairwise(bounds)]
    clear_lead = scheme is not None and len(parts) > 1 and random.random() < 0.3
    init = _init(entry, scheme, clear_lead=clear_lead)
    segment, places, at = b"", [], 0
    for number, part in enumerate(parts):
        is_clear = scheme is None or (clear_lead and number == 0)
        written, data = _fragment(
            random, part, at, None if is_clear else scheme, 2 if clear_lead and not is_clear else 1
        )
        places += _places(part, len(segment) + data)
        segment += written
        at += len(part) * DURATION
    plan = _plan(random, places)
    gaps = [_gap(random, frame) for frame in plan if random.random() < 0.35]
    return Case(init, segment, samples, plan, sorted(gaps))


def _samples(random: Random, count: int, entry: str, *, is_encrypted: bool) -> list[Sample]:
    shown = [0, *(1 + place for place in _reordered(random, count - 1))]
    samples = []
    for place in range(count):
        hidden = random.choice((0, 0, 0, 1, 3)) if entry in ("av01", "vp09") and not is_encrypted else 0
        frames = [random.randbytes(random.randint(2, 40))[:-1] + b"\0" for _ in range(1 + hidden)]
        sample = Sample(frames, _superframe(frames) if entry == "vp09" else b"".join(frames), shown[place])
        sample.group = random.choice((0, 0, 1, 2))
        samples.append(sample)
    return samples


def _reordered(random: Random, count: int) -> list[int]:
    """Places of presentation in decode order: of every few pictures the last one is decoded first."""
    order: list[int] = []
    while len(order) < count:
        start, size = len(order), min(random.choice((1, 1, 4)), count - len(order))
        order += [start + size - 1, *range(start, start + size - 1)]
    return order


def _superframe(frames: Sequence[bytes]) -> bytes:
    if len(frames) == 1:
        return frames[0]
    marker = bytes([0xC0 | len(frames) - 1])
    return b"".join(frames) + marker + bytes(map(len, frames)) + marker


def _fragment(
    random: Random, samples: Sequence[Sample], decode_time: int, scheme: str | None, description: int
) -> tuple[bytes, int]:
    """`styp`, `moof`, `mdat` and where the data begin; in `trun`s of one of several forms."""
    with_map = random.random() < 0.7
    for sample in samples:
        iv = b"" if scheme == "constant" else random.randbytes(IV_BYTES)
        clear = min(5, len(sample.data))
        map_ = struct.pack(">HHI", 1, clear, len(sample.data) - clear) if with_map else b""
        sample.auxiliary = iv + map_ if scheme else b""
    split = random.randint(1, len(samples))
    runs = [run for run in (samples[:split], samples[split:]) if run]
    is_constant = random.random() < 0.5
    fields = [0x020002 | (0x8 if is_constant else 0), 1, description] + ([DURATION] if is_constant else [])
    first = decode_time // DURATION
    media = b"".join(sample.data for sample in samples)
    wide = random.random() < 0.2
    mdat = u32(1) + b"mdat" + struct.pack(">Q", 16 + len(media)) if wide else u32(8 + len(media)) + b"mdat"
    between = box("free", bytes(3)) if random.random() < 0.2 else b""
    extra = [box("subs", u32(0, 0)), box("uuid", random.randbytes(20))]
    if random.random() < 0.4:
        extra.append(box("sdtp", bytes(4), bytes(random.choice((0x10, 0x18, 0x24)) for _ in samples)))
    groups = _groups(samples, random) if random.random() < 0.5 else b""
    before_run = random.random() < 0.5

    def moof(length: int, senc_offset: int) -> tuple[bytes, int]:
        offset, truns, place = length + len(between) + len(mdat), [], 0
        for run in runs:
            flags = 0x000A05 if is_constant else 0x000F01
            entries = b""
            for sample in run:
                composition = (sample.shown - first - place + 2) * DURATION
                place += 1
                entries += u32(*([] if is_constant else [DURATION]), len(sample.data))
                entries += u32(*([] if is_constant else [0x10000]), composition)
            head = u32(1 << 24 | flags, len(run), offset) + (u32(0x2000000) if is_constant else b"")
            truns.append(box("trun", head, entries))
            offset += sum(len(sample.data) for sample in run)
        crypt = _crypt(samples, with_map, senc_offset, random_form) if scheme and samples[0].auxiliary else []
        tfdt = box("tfdt", u32(0, decode_time)) if decode_time % 2 == 0 else b""
        first_boxes = [box("tfhd", u32(*fields)), tfdt, *extra[:1]]
        parts = [*first_boxes, *truns, *crypt, groups] if before_run else [*first_boxes, groups, *crypt, *truns]
        parts += extra[1:]
        written = box("mfhd", u32(0, 1)), box("traf", *parts)
        whole = box("moof", *written)
        found = whole.find(b"senc")
        return whole, found + 12 if found >= 0 else 0

    random_form = random.choice(("saiz first", "senc first", "senc alone"))
    draft, senc_offset = moof(0, 0)
    whole, _ = moof(len(draft), senc_offset)
    head = box("styp", u32(0, 0)) + whole + between + mdat
    return head + media, len(head)


def _crypt(samples: Sequence[Sample], with_map: bool, senc_offset: int, form: str) -> list[bytes]:
    senc = box("senc", u32(2 if with_map else 0, len(samples)), *(sample.auxiliary for sample in samples))
    if form == "senc alone":
        return [senc]
    sizes = bytes(len(sample.auxiliary) for sample in samples)
    is_one = len(set(sizes)) == 1
    saiz = box("saiz", u32(0), bytes([sizes[0] if is_one else 0]), u32(len(sizes)), b"" if is_one else sizes)
    saio = box("saio", u32(0, 1, senc_offset))
    return [saiz, saio, senc] if form == "saiz first" else [senc, saiz, saio]


def _groups(samples: Sequence[Sample], random: Random) -> bytes:
    runs: list[tuple[int, int]] = []
    for sample in samples[: random.randint(1, len(samples))]:
        if runs and runs[-1][1] == sample.group:
            runs[-1] = (runs[-1][0] + 1, sample.group)
        else:
            runs.append((1, sample.group))
    return box("sbgp", u32(0), b"seig", u32(len(runs)), *(u32(*run) for run in runs))


def _places(samples: Sequence[Sample], at: int) -> list[list[tuple[int, int]]]:
    """Where the frames of each sample lie."""
    places = []
    for sample in samples:
        start, found = at, []
        for frame in sample.frames:
            found.append((start, start + len(frame)))
            start += len(frame)
        places.append(found)
        at += len(sample.data)
    return places


def _plan(random: Random, places: Sequence[Sequence[tuple[int, int]]]) -> list[RemovableFrame]:
    """Most frames of all samples but the first, in a random order, with needs of earlier ones."""
    frames = [frame for sample in places[1:] for frame in sample if random.random() < 0.8]
    random.shuffle(frames)
    return [
        RemovableFrame(
            start,
            end,
            tuple(sorted({random.randrange(place) for _ in range(random.choice((0, 0, 1)))})) if place else (),
        )
        for place, (start, end) in enumerate(frames)
    ]


def _gap(random: Random, frame: RemovableFrame) -> tuple[int, int]:
    start = random.randrange(frame.start, frame.end)
    return random.choice(((frame.start, frame.end), (start, random.randint(start + 1, frame.end))))


def _init(entry: str, scheme: str | None, *, clear_lead: bool) -> bytes:
    def described(kind: str, *boxes: bytes) -> bytes:
        return box(kind, bytes(78), *boxes)

    entries = []
    if scheme is None or clear_lead:
        entries.append(described(entry))
    if scheme is not None:
        iv_bytes = 0 if scheme == "constant" else IV_BYTES
        constant = bytes([16]) + bytes(16) if scheme == "constant" else b""
        tenc = box("tenc", u32(0), bytes([0, 0, 1, iv_bytes]), bytes(16), constant)
        name = b"cenc" if scheme == "cenc" else b"cbcs"
        sinf = box("sinf", box("frma", entry.encode()), box("schm", u32(0), name, u32(0x10000)), box("schi", tenc))
        entries.append(described("encv", sinf))
    media = box(
        "mdia",
        box("mdhd", u32(0, 0, 0, 15_360, 0, 0)),
        box("hdlr", u32(0, 0), b"vide", bytes(13)),
        box("minf", box("stbl", box("stsd", u32(0, len(entries)), *entries))),
    )
    defaults = box("mvex", box("trex", u32(0, 1, 1, DURATION, 0, 0x10000)))
    return box("ftyp", u32(0, 0)) + box("moov", box("trak", media), defaults)


def vectors(seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    for seed in seeds:
        yield random_case(Random(seed)).vector()


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write vectors of removal as JSON.")
    parser.add_argument("--count", type=int, default=0, help="so many random cases, one a line")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.count:
        for vector in vectors(range(options.seed, options.seed + options.count)):
            print(json.dumps(vector))
    else:
        print("[\n" + ",\n".join(map(json.dumps, vectors(SELECTED_SEEDS))) + "\n]")


if __name__ == "__main__":
    _main()
