"""`npm run bench -- codecs`: see lab/bench/codecs.mjs."""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from math import exp, log
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from cost import prepare_and_time
from rich.console import Console
from rich.table import Table
from voxel_prepare.analysis.segment_analysis import SegmentAnalysis
from voxel_prepare.ffmpeg import ffmpeg_program
from voxel_prepare.jobs.request import Request
from voxel_prepare.manifest.mpd import VideoFile
from voxel_prepare.media.encoders import CodecName
from voxel_prepare.media.ladder import RepresentationName, parse_representations
from voxel_prepare.media.preset import Preset

TARGETS = (0.99, 0.95, 0.90)
"""SSIM against the untouched segments of the same representation."""

AV1_RATES = (0.5, 1)
"""Shares of the bitrate at which AV1 is encoded, between which the bytes that it takes for H.264's SSIM are found."""

AV1_GOAL = 0.72
"""AV1's bytes at H.264's SSIM, over H.264's."""


def main() -> int:
    """The exit code: 1 where a bar is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--representation", required=True)
    parser.add_argument("--preset", type=Preset, choices=list(Preset), required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    (representation,) = parse_representations(options.representation)
    with TemporaryDirectory(prefix="codecs-bench-") as temporary:
        kept = options.out or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        results = [_of_clip(path, options, representation, kept, Path(temporary)) for path in options.clips]
    summary = summarise(results)
    print(json.dumps(summary)) if options.json else _print(summary)
    missed = [bar["name"] for bar in summary["bars"] if not bar["holds"]]
    for name in missed:
        print(f"bar missed: {name}", file=sys.stderr)
    return 1 if missed else 0


def _of_clip(
    path: Path, options: argparse.Namespace, representation: RepresentationName, kept: Path, work: Path
) -> dict[str, Any]:
    """The figures of a clip by codec and share of the bitrate."""

    def figures(codec: CodecName, share: float) -> Any:
        named = replace(representation, mbps=share * representation.mbps)
        name = f"{path.stem}-{options.seconds:g}s-{options.preset}-{named.size}-{named.mbps:g}-{codec}"
        return _kept(kept / f"{name}.json", lambda: measure(_request(path, work / name, options, named, codec)))

    return {
        "clip": path.stem,
        "codecs": {codec.value: figures(codec, 1) for codec in CodecName},
        "av1": [figures(CodecName.AV1, share) for share in AV1_RATES],
    }


def _kept(path: Path, make: Callable[[], Any]) -> Any:
    if not path.exists():
        print(f"{path.stem}: encoding and analysing", file=sys.stderr, flush=True)
        figures = make()
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(figures))
        unfinished.rename(path)
    return json.loads(path.read_text())


def _request(
    path: Path, folder: Path, options: argparse.Namespace, representation: RepresentationName, codec: CodecName
) -> Request:
    """A request with the command's defaults, but for these. The only representation is its own reference."""
    return Request(
        inputs=(path,),
        out=folder,
        media="encode",
        representations=(representation,),
        segment_seconds=4,
        slices=1,
        preset=options.preset,
        passes=2,
        start=0,
        duration=options.seconds,
        jobs=os.cpu_count() or 1,
        codecs=(codec,),
    )


def measure(request: Request) -> dict[str, Any]:
    """All figures of one clip in one codec at one bitrate."""
    presentation, encoding, analysis = prepare_and_time(request)
    (video,) = presentation.video
    media = sum(one.range.size for one in video.analyses)
    return {
        "bytes": media,
        "ssim": _ssim(request, video),
        "droppable": [fmean(_droppable(one, target) for one in video.analyses) for target in TARGETS],
        "indexShare": (request.out / video.index).stat().st_size / media,
        "encodingSeconds": encoding.processor,
        "analysisSeconds": analysis.processor,
    }


def _droppable(analysis: SegmentAnalysis, target: float) -> float:
    step = next(step for step in analysis.steps if step.score >= target)
    return (analysis.steps[-1].bytes - step.bytes) / analysis.range.size


def _ssim(request: Request, video: VideoFile) -> float:
    """SSIM of the untouched representation against the source, scaled to its size."""
    scaled = f"[1:v:0]scale={video.width}:{video.height}:flags=bicubic,format=yuv420p,setpts=PTS-STARTPTS[source]"
    command = [
        *(ffmpeg_program(), "-nostdin", "-i", str(request.out / video.media.name), "-i", str(request.inputs[0])),
        *("-lavfi", f"[0:v:0]setpts=PTS-STARTPTS[coded];{scaled};[coded][source]ssim=shortest=1", "-f", "null", "-"),
    ]
    messages = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found = re.search(r"SSIM .*All:([\d.]+)", messages)
    assert found is not None, messages
    return float(found[1])


def summarise(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The means over all clips, which count alike, and the figures of each."""
    codecs: dict[str, Any] = {}
    for codec in CodecName:
        of_clips = [result["codecs"][codec] for result in results]
        codecs[codec.value] = {
            **{name: fmean(one[name] for one in of_clips) for name in ("bytes", "ssim", "indexShare")},
            "droppable": [fmean(shares) for shares in zip(*(one["droppable"] for one in of_clips), strict=True)],
            "costRatio": sum(one["analysisSeconds"] for one in of_clips)
            / sum(one["encodingSeconds"] for one in of_clips),
        }
    ratios = [
        _bytes_for(result["av1"], result["codecs"]["h264"]["ssim"]) / result["codecs"]["h264"]["bytes"]
        for result in results
    ]
    ratio = fmean(ratios)
    bar = {"name": f"AV1's bytes at H.264's SSIM: {ratio:.3g} ≤ {AV1_GOAL:g}", "holds": ratio <= AV1_GOAL}
    return {"bars": [bar], "targets": TARGETS, "codecs": codecs, "av1Bytes": ratios, "clips": results}


def _bytes_for(points: list[dict[str, Any]], ssim: float) -> float:
    """The bytes at which a codec has that SSIM, on the line through two points of dB and the logarithm of bytes."""
    (low, low_bytes), (high, high_bytes) = ((_decibels(point["ssim"]), log(point["bytes"])) for point in points)
    return exp(low_bytes + (_decibels(ssim) - low) / (high - low) * (high_bytes - low_bytes))


def _decibels(ssim: float) -> float:
    return -10 * log(1 - ssim) / log(10)


def _print(summary: dict[str, Any]) -> None:
    table = Table(
        "codec", *("bytes", "SSIM", *(f"droppable at {target:g}" for target in TARGETS), "index", "cost"), box=None
    )
    for name, codec in summary["codecs"].items():
        shares = (f"{share:.1%}" for share in codec["droppable"])
        table.add_row(
            name,
            f"{codec['bytes']:.0f}",
            f"{codec['ssim']:.4f}",
            *shares,
            f"{codec['indexShare']:.2%}",
            f"{codec['costRatio']:.2f}",
        )
    Console(width=120).print(table)
    print(summary["bars"][0]["name"])


if __name__ == "__main__":
    sys.exit(main())
