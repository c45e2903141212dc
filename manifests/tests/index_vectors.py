"""Writes test/vectors/index.json, for the readers of an index in both languages: `python index_vectors.py`."""

import json
import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from random import Random

from analyses import DECIMALS, SCALE, make_analysis
from voxel_prepare.analysis.segment_analysis import Metric, OrderName, SegmentAnalysis
from voxel_prepare.bits import BitWriter
from voxel_prepare.manifest.index_codes import write_list, write_number
from voxel_prepare.manifest.index_entry import VERSION
from voxel_prepare.manifest.index_file import FIXED, write_index

NAMED = {
    *("range", "reliable", "unreliable", "steps", "slices", "loss_costs", "metric"),
    *("order", "order_name", "warning", "is_foretold"),
}
"""Fields of a `SegmentAnalysis` that vectors name otherwise, or of which an entry does not tell the player."""

VECTORS = Path(__file__).parents[2] / "test/vectors/index.json"


def vectors() -> dict[str, list[dict[str, object]]]:
    """Indexes and what they say; those of version 1, which nothing writes any more; and bytes that are no index."""
    good = {
        "nothing may be missing": [make_analysis([], [], tail=900)],
        "one frame": [make_analysis([[], [(5000, 1200)]], [0], start=757, step_frames=[0], scores=[78351, SCALE])],
        "a reliable frame amid the others, costs, two slices": [
            make_analysis(
                [[], [(4000, 900), (12, 800)], [], [(1030, 1)], [(9, 70_000)]],
                [2, 0, 1],
                start=2**33 + 17,
                costs=[1500, 20, 0],
                step_frames=[0, 1, 2],
                scores=[90_000, 97_000, 96_900, 99_999],
            )
        ],
        "decibels": [
            make_analysis([[(3, 40)]], [0], metric=Metric.PSNR, step_frames=[0], scores=[2_950_123, 4_500_001])
        ],
        "like a video": [_video_segment(Random(seed), 757 + 60_000 * seed) for seed in range(3)],
        "pictures that are held, two slices": [
            make_analysis(
                [[], [(4000, 900), (12, 800)], [(11, 40)], [(11, 30), (10, 20)]],
                [0, 2, 1],
                step_frames=[0, 3],
                scores=[80_000, 98_000],
                reach=[0, 3, 1],
            )
        ],
        "frames that are removed": [
            make_analysis(
                [[], [(4000, 900)], [(0, 300)], [(0, 80)], [], [(40, 70)], [(0, 60)]],
                [0, 1, 3, 2, 4],
                start=757,
                costs=[9000, 3000, 800, 200, 100],
                step_frames=[0, 1, 2, 4, 5],
                scores=[80_000, 90_000, 94_000, 97_900, 98_000],
                order_name=OrderName.CLOSED,
                needs=[[], [0], [0], [1], [3, 2]],
            )
        ],
        "frames that are removed, each by itself": [
            make_analysis(
                [[(50, 9)], [(0, 8)]],
                [0, 1],
                step_frames=[0],
                scores=[1, 2],
                order_name=OrderName.CLOSED,
                needs=[[], []],
            )
        ],
        "nothing can be removed": [make_analysis([], [], tail=900, order_name=OrderName.CLOSED, needs=[])],
    }
    first = write_index(good["one frame"], DECIMALS)
    *_, head_bytes = FIXED.unpack_from(first)
    long_table = FIXED.pack(b"VXIX", VERSION, 0, DECIMALS, 1, len(first) + 1)
    bad = {
        "empty": b"",
        "another file": b"\0\0\0\x18ftypiso5" + bytes(40),
        "another version": first[:4] + b"\3" + first[5:],
        "a version that it is not": first[:4] + b"\1" + first[5:],
        "a metric without a name": first[:5] + b"\7" + first[6:],
        "too many decimals": first[:6] + b"\x20" + first[7:],
        "a table behind the end": long_table + first[FIXED.size :],
        "an entry that is cut": first[:-1],
        "an entry of zeros": first[:head_bytes] + bytes(len(first) - head_bytes),
        "an entry of ones": first[:head_bytes] + b"\xff" * (len(first) - head_bytes),
        "a frame that needs one behind it": _index_of(removed_entry([1, 0], [0])),
        "a frame that needs one twice": _index_of(removed_entry([0, 0, 2], [0, 0])),
        "needs that are not there": _index_of(removed_entry([0, 1 << 20], [])),
        "a code of missing frames without a meaning": _index_of(removed_entry([0, 1], [0], code=3)),
        "frames that are removed of two ranges": _index_of(removed_entry([0, 1], [0], slices=2)),
    }
    return {
        "good": [described(name, analyses, write_index(analyses, DECIMALS).hex()) for name, analyses in good.items()],
        "old": json.loads(VECTORS.read_text())["old"],
        "bad": [{"name": name, "index": index.hex()} for name, index in bad.items()],
    }


def removed_entry(counts: Sequence[int], distances: Sequence[int], *, code: int = 2, slices: int = 1) -> bytes:
    """An entry of frames of 10 bytes with so many needs, that many places before them less 1."""
    writer = BitWriter()
    write_number(writer, 0, 16)
    writer.bits(5, 3)
    for number in (len(counts), 0):
        writer.ue(number)
    write_list(writer, [slices - 1] * len(counts))
    writer.ue(1)
    for value in (0, 9):
        write_list(writer, [value] * slices * len(counts))
    writer.ue(0)
    write_list(writer, [0] * len(counts))
    writer.bits(0, 1)
    writer.bits(code, 2)
    for values in (counts, distances):
        write_list(writer, values)
    writer.ue(0)
    write_list(writer, [len(counts)])
    write_list(writer, [0])
    writer.align(0)
    return writer.to_bytes()


def _index_of(entry: bytes) -> bytes:
    table = BitWriter()
    write_list(table, [len(entry)])
    table.align(0)
    head = FIXED.pack(b"VXIX", VERSION, 0, DECIMALS, 1, FIXED.size + table.position // 8)
    return head + table.to_bytes() + entry


def _video_segment(random: Random, start: int) -> SegmentAnalysis:
    """48 frames after an I frame, every fourth a large one."""
    frames = [[(random.randint(9, 14), random.randint(50, 400) * (8 if index % 4 == 0 else 1))] for index in range(48)]
    order = sorted(range(48), key=lambda index: (index % 4, random.random()))
    scores = [SCALE - round(5000 * (1 - taken / 48) ** 2) for taken in (0, 6, 12, 24, 48)]
    costs = [random.randint(40, 900) for _ in order]
    return make_analysis(
        [[], [(4000 + frames[0][0][0], frames[0][0][1])], *frames[1:]],
        order,
        start=start,
        costs=costs,
        step_frames=[0, 6, 12, 24, 48],
        scores=scores,
    )


def described(name: str, analyses: Sequence[SegmentAnalysis | None], index: str) -> dict[str, object]:
    """An index in hexadecimal, which has an entry for each segment, and what it says."""
    present = [analysis for analysis in analyses if analysis is not None]
    return {
        "name": name,
        "metric": present[0].metric,
        "index": index,
        "segments": [
            {
                "range": list(analysis.range),
                "reliable": [*map(list, analysis.reliable)],
                "unreliable": [*map(list, analysis.unreliable)],
                "steps": [[step.score, step.frames, step.bytes] for step in analysis.steps],
                "slices": analysis.slices,
                "costs": analysis.loss_costs,
                **_others(analysis),
            }
            for analysis in present
        ],
    }


def _others(analysis: SegmentAnalysis) -> dict[str, object]:
    """What more an entry may say, under the player's names."""
    names = {field.name for field in fields(analysis)} - NAMED
    said = {name: getattr(analysis, name) for name in sorted(names)}
    return {
        re.sub("_(.)", lambda found: found[1].upper(), name): value for name, value in said.items() if value is not None
    }


if __name__ == "__main__":
    lists = (f'"{name}": [\n' + ",\n".join(map(json.dumps, listed)) + "\n]" for name, listed in vectors().items())
    VECTORS.write_text("{\n" + ",\n".join(lists) + "\n}\n")
