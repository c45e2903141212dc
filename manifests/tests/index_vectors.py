"""Writes test/vectors/index.json, for the readers of an index in both languages: `python index_vectors.py`."""

import json
import re
from dataclasses import fields
from pathlib import Path
from random import Random

from analyses import DECIMALS, SCALE, make_analysis
from voxel_prepare.analysis.segment_analysis import Metric, SegmentAnalysis
from voxel_prepare.manifest.index_file import FIXED, write_index

NAMED = {"range", "reliable", "unreliable", "steps", "slices", "loss_costs", "metric", "order", "order_name", "warning"}
"""Fields of a `SegmentAnalysis` that vectors name otherwise, or of which an entry does not tell the player."""

VECTORS = Path(__file__).parents[2] / "test/vectors/index.json"


def vectors() -> dict[str, list[dict[str, object]]]:
    """Indexes and what they say, and bytes that are no index."""
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
    }
    first = write_index(good["one frame"], DECIMALS)
    *_, head_bytes = FIXED.unpack_from(first)
    long_table = FIXED.pack(b"VXIX", 1, 0, DECIMALS, 1, len(first) + 1)
    bad = {
        "empty": b"",
        "another file": b"\0\0\0\x18ftypiso5" + bytes(40),
        "another version": first[:4] + b"\2" + first[5:],
        "a metric without a name": first[:5] + b"\7" + first[6:],
        "too many decimals": first[:6] + b"\x20" + first[7:],
        "a table behind the end": long_table + first[FIXED.size :],
        "an entry that is cut": first[:-1],
        "an entry of zeros": first[:head_bytes] + bytes(len(first) - head_bytes),
        "an entry of ones": first[:head_bytes] + b"\xff" * (len(first) - head_bytes),
    }
    return {
        "good": [_described(name, analyses) for name, analyses in good.items()],
        "bad": [{"name": name, "index": index.hex()} for name, index in bad.items()],
    }


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


def _described(name: str, analyses: list[SegmentAnalysis]) -> dict[str, object]:
    return {
        "name": name,
        "metric": analyses[0].metric,
        "index": write_index(analyses, DECIMALS).hex(),
        "segments": [
            {
                "range": analysis.range,
                "reliable": analysis.reliable,
                "unreliable": analysis.unreliable,
                "steps": [[step.score, step.frames, step.bytes] for step in analysis.steps],
                "slices": analysis.slices,
                "costs": analysis.loss_costs,
                **_others(analysis),
            }
            for analysis in analyses
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
