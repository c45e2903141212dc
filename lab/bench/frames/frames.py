"""`npm run bench -- frames`: see lab/bench/frames.mjs."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from voxel_prepare.analysis.choose_order import RankedFrames, rank
from voxel_prepare.analysis.encoded_segment import SegmentSource
from voxel_prepare.analysis.evidence import UndamagedPictures, gather_evidence
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.references import ReferencePictures
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import Missing, SegmentScorer
from voxel_prepare.analysis.segment_analysis import CHOSEN_ORDERS, Metric, OrderChoice, OrderName
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workers import Workers, local_workers
from voxel_prepare.manifest.mpd import VideoFile
from voxel_prepare.media.ladder import RepresentationName
from voxel_prepare.media.preset import Preset
from voxel_prepare.media.profile import Profile
from voxel_prepare.media.tracks import read_video

LADDER = {
    "low": RepresentationName("240p", 0.37),
    "next": RepresentationName("360p", 0.56),
    "top": RepresentationName("360p", 0.75),
}
"""In place of the thesis' Q9, Q11 and Q12: small enough to decode hundreds of variants of each segment."""

TARGETS = (0.99, 0.95, 0.88)
"""SSIM: the bounds of the thesis' bands (Table 5.1)."""

PARTS = 3
"""Parts of a segment in which frames that may be missing are counted."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for path in options.clips:
        print(f"{path.name}: encoding and decoding {options.seconds:g} s", file=sys.stderr, flush=True)
        with TemporaryDirectory(prefix="frames-bench-") as folder:
            keep(options.out, path.stem, measure(request_for(path, Path(folder), options.seconds)))


def measure(request: Request) -> list[dict[str, Any]]:
    """The lines of one clip, one for each representation of the ladder."""
    presentation = prepare(request)
    sources = [sources_of(request.out, representation, presentation.segment) for representation in presentation.video]
    with local_workers(request.jobs) as workers:
        return [
            {
                "clip": request.inputs[0].stem,
                "level": level,
                "size": name.size,
                "mbps": name.mbps,
                "indexBytes": (request.out / representation.index).stat().st_size,
                "segments": _segments(workers, own, sources[-1], level),
            }
            for (level, name), representation, own in zip(LADDER.items(), presentation.video, sources, strict=True)
        ]


def measure_segment(source: SegmentSource, reference: SegmentSource, names: Sequence[OrderName]) -> dict[str, Any]:
    """What each order lets a segment do without: `droppable` has, by order and target that the whole segment reaches,
    frames, those of them that others may refer to, bytes, and the frames in each part of the segment."""
    segment = RepairableSegment.of(source.read())
    undamaged = UndamagedPictures(segment.frames)
    references = ReferencePictures(reference.read())
    scorer = SegmentScorer(segment, references, PictureComparer(Metric.SSIM), undamaged.see)
    evidence = gather_evidence(segment, undamaged, scorer, min(TARGETS))
    scores: dict[Missing, float] = {frozenset(): scorer.whole}
    is_referenced = [segment.frames[index].is_reference for index in segment.droppable]
    result: dict[str, Any] = {
        "bytes": segment.size,
        "score": round(scorer.whole, 5),
        "frames": len(segment.frames),
        "referenced": sum(is_referenced),
        "droppable": {},
    }
    for name in names:
        ranked = rank(evidence, name)
        found = result["droppable"][name.value] = {}
        for target in (target for target in TARGETS if scorer.whole >= target):
            dropped = ranked.order[shortest_prefix(ranked, target, scorer, scores) :]
            parts = [index * PARTS // len(segment.frames) for index in dropped]
            found[f"{target:g}"] = [
                len(dropped),
                sum(segment.frames[index].is_reference for index in dropped),
                sum(segment.frames[index].unreliable_bytes for index in dropped),
                *(parts.count(part) for part in range(PARTS)),
            ]
    return result


def shortest_prefix(ranked: RankedFrames, target: float, scorer: SegmentScorer, scores: dict[Missing, float]) -> int:
    """The prefix that just reaches the target, by halving; `scores` is added to."""
    low, high = 0, len(ranked.order)
    while low < high:
        middle = (low + high) // 2
        missing = ranked.missing(middle)
        if missing not in scores:
            scores[missing] = scorer.scores([missing])[0]
        low, high = (low, middle) if scores[missing] >= target else (middle + 1, high)
    return low


def _segments(
    workers: Workers, sources: Sequence[SegmentSource], top: Sequence[SegmentSource], level: str
) -> list[Any]:
    """Lines of one clip: of the next level only sizes count, of the low one what the measured order lets be missing."""
    names = {"top": list(CHOSEN_ORDERS), "next": [], "low": [OrderName.ORIGINAL, OrderName.MEASURED]}[level]
    futures = [
        workers.submit(measure_segment, source, reference, names)
        for source, reference in zip(sources, top, strict=True)
    ]
    return [future.result() for future in futures]


def sources_of(folder: Path, representation: VideoFile, segment: Any) -> list[SegmentSource]:
    media = representation.media
    return read_video(media.id, folder / media.name, media.name, segment).segments


def request_for(path: Path, folder: Path, seconds: float) -> Request:
    """Encoded as in the thesis."""
    return Request(
        inputs=(path,),
        out=folder,
        media="encode",
        representations=tuple(LADDER.values()),
        segment_seconds=4,
        slices=1,
        preset=Preset.SLOW,
        passes=2,
        profile=Profile.THESIS,
        choice=OrderChoice.PREDICTED,
        start=0,
        duration=seconds,
        jobs=os.cpu_count() or 1,
    )


def keep(path: Path, clip: str, lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Replaces the lines of that clip; all that are kept now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    others = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    kept = sorted([*(line for line in others if line["clip"] != clip), *lines], key=lambda line: line["clip"])
    path.write_text("".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in kept))
    return kept


if __name__ == "__main__":
    main()
