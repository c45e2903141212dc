"""`npm run bench -- jod`: see lab/bench/jod.mjs."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation
from frames import LADDER, keep, request_for, shortest_prefix, sources_of
from voxel_prepare.analysis.choose_order import rank
from voxel_prepare.analysis.encoded_segment import SegmentSource
from voxel_prepare.analysis.evidence import UndamagedPictures, gather_evidence
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.references import ReferencePictures
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import Missing, SegmentScorer, score_pictures
from voxel_prepare.analysis.segment_analysis import Metric, OrderName
from voxel_prepare.analysis.vmaf import VmafScores
from voxel_prepare.jobs.prepare import prepare

ORDERS = {"tail": OrderName.ORIGINAL, "unreferenced": OrderName.UNREFERENCED, "measured": OrderName.MEASURED}
"""What is missing of the top level: its end, at first frames that no other refers to, or what costs least."""

RESAMPLINGS = 1000


@dataclass(frozen=True, slots=True)
class Variant:
    """A segment as a viewer may see it."""

    level: str
    """The lower level whose score it has."""
    kind: str
    """`whole`: that lower level itself; else one of `ORDERS`."""
    missing: int
    """Frames."""
    pictures: Sequence[VideoFrame]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    kept: list[dict[str, Any]] = []
    with JodMeter(options.python) as meter:
        for path in options.clips:
            print(f"{path.name}: encoding, decoding and comparing {options.seconds:g} s", file=sys.stderr, flush=True)
            lines: list[dict[str, Any]] = []
            for line in measure(path, options.seconds, meter):
                lines.append(line)
                print(json.dumps(line), file=sys.stderr, flush=True)
            kept = keep(options.out, path.stem, lines)
    print(summary(kept))


def measure(path: Path, seconds: float, meter: "JodMeter") -> Iterator[dict[str, Any]]:
    """A line for each variant of each segment of the clip's beginning."""
    with TemporaryDirectory(prefix="jod-bench-") as folder:
        request = request_for(path, Path(folder), seconds)
        presentation = prepare(request)
        levels = {
            level: sources_of(request.out, representation, presentation.segment)
            for level, representation in zip(LADDER, presentation.video, strict=True)
        }
        for number, top in enumerate(levels["top"]):
            references = list(ReferencePictures(top.read()))
            lower = {level: levels[level][number] for level in ("low", "next")}
            for variant in variants(top, lower, references):
                ssim = score_pictures(variant.pictures, references, PictureComparer(Metric.SSIM))
                yield {
                    "clip": path.stem,
                    "segment": number,
                    "level": variant.level,
                    "kind": variant.kind,
                    "missing": variant.missing,
                    "frames": len(references),
                    "ssim": round(ssim, 5),
                    "vmaf": round(_vmaf(variant.pictures, references), 2),
                    "jod": round(meter.jod(variant.pictures, references, len(references) / request.segment_seconds), 3),
                }


def variants(
    top: SegmentSource, lower: dict[str, SegmentSource], references: Sequence[VideoFrame]
) -> Iterator[Variant]:
    """Each lower level's segment, and the top one's with as many frames missing in each order as its score allows."""
    segment = RepairableSegment.of(top.read())
    undamaged = UndamagedPictures(segment.frames)
    comparer = PictureComparer(Metric.SSIM)
    scorer = SegmentScorer(segment, references, comparer, undamaged.see)
    wholes = {level: list(source.read().pictures()) for level, source in lower.items()}
    targets = {level: score_pictures(pictures, references, comparer) for level, pictures in wholes.items()}
    evidence = gather_evidence(segment, undamaged, scorer, min(targets.values()))
    scores: dict[Missing, float] = {frozenset(): scorer.whole}
    for level, pictures in wholes.items():
        yield Variant(level, "whole", 0, pictures)
        for kind, name in ORDERS.items():
            ranked = rank(evidence, name)
            missing = ranked.missing(shortest_prefix(ranked, targets[level], scorer, scores))
            damaged = [picture for _, picture in scorer.shown(missing, range(len(segment.frames)))]
            yield Variant(level, kind, len(missing), damaged)


class JodMeter:
    """ColorVideoVDP in a Python of its own, which has PyTorch."""

    def __init__(self, python: str) -> None:
        program = Path(__file__).parent / "jod_meter.py"
        self._process = Popen([python, program], stdin=PIPE, stdout=PIPE, text=True)
        self._folder = TemporaryDirectory(prefix="jod-")

    def __enter__(self) -> "JodMeter":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait()
        self._folder.cleanup()

    def jod(self, pictures: Sequence[VideoFrame], references: Sequence[VideoFrame], rate: float) -> float:
        """Just-objectionable differences, 10 at the most; `rate` in pictures per second."""
        size = references[0]
        paths = [Path(self._folder.name) / name for name in ("test.npy", "reference.npy")]
        for path, stream in zip(paths, (pictures, references), strict=True):
            np.save(path, np.stack([_rgb(picture, size) for picture in stream]))
        request = {"test": str(paths[0]), "reference": str(paths[1]), "rate": rate}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self._process.args!r} ended without an answer: does that Python have ColorVideoVDP?")
        return float(json.loads(answer)["jod"])


def summary(lines: Sequence[dict[str, Any]]) -> str:
    """How damaged segments compare with the whole one of the lower level that SSIM calls as good."""
    wholes = {_place(line): line for line in lines if line["kind"] == "whole"}
    rows = [
        "| missing | segments | frames | SSIM | VMAF | JOD | JOD less the lower level's | less VMAF |",
        "|-|-|-|-|-|-|-|-|",
    ]
    for kind in ("whole", *ORDERS):
        own = [line for line in lines if line["kind"] == kind]
        mean = {key: fmean(line[key] for line in own) for key in ("ssim", "vmaf", "jod")}
        missing = fmean(line["missing"] / line["frames"] for line in own)
        less = [
            _with_bounds([line[key] - wholes[_place(line)][key] for line in own], digits)
            for key, digits in (("jod", 2), ("vmaf", 1))
        ]
        rows.append(
            f"| {'nothing, lower level' if kind == 'whole' else kind} | {len(own)} | {100 * missing:.0f} % "
            f"| {mean['ssim']:.4f} | {mean['vmaf']:.1f} | {mean['jod']:.2f} | {' | '.join(less)} |"
        )
    damaged = [line for line in lines if line["kind"] != "whole"]
    for name, some in (("all", lines), ("damaged", damaged)):
        jod = [line["jod"] for line in some]
        ranks = {key: rank_correlation([line[key] for line in some], jod) for key in ("ssim", "vmaf")}
        rows.append(
            f"\nRank correlation with JOD, {name} ({len(some)}): SSIM {ranks['ssim']:.2f}, VMAF {ranks['vmaf']:.2f}"
        )
    return "\n".join(rows)


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's; equal values share their mean rank."""
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = np.sort(values)
    return [float(np.searchsorted(ordered, value) + np.searchsorted(ordered, value, "right")) / 2 for value in values]


def _with_bounds(values: Sequence[float], digits: int) -> str:
    """The mean and its interval of 95 %, values drawn again."""
    drawn = np.random.default_rng(1).choice(values, (RESAMPLINGS, len(values))).mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{fmean(values):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _place(line: dict[str, Any]) -> tuple[Any, ...]:
    return line["clip"], line["segment"], line["level"]


def _vmaf(pictures: Sequence[VideoFrame], references: Sequence[VideoFrame]) -> float:
    scores = VmafScores()
    for picture, reference in zip(pictures, references, strict=True):
        scores.add(picture, reference)
    return fmean(scores.result())


def _rgb(picture: VideoFrame, size: VideoFrame) -> Any:
    return picture.reformat(size.width, size.height, "rgb24", interpolation=Interpolation.BICUBIC).to_ndarray()


if __name__ == "__main__":
    main()
