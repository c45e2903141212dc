"""A results folder as `npm run trials -- … --keep` leaves it, to make a study of: a program of tests.

python example_results.py FOLDER
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import clips
from imageio_ffmpeg import get_ffmpeg_exe
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement
from voxel_prepare.repair.repair import repair_segment

SECONDS, SEGMENT_SECONDS, RATE = 6, 2, 12
STALL = (2.5, 1.5)
"""The stall of the system `slow`: media time and seconds."""


def write_results(folder: Path) -> None:
    """A prepared video, repaired segments, timelines."""
    media = _video(folder / "media")
    lines = [_session(folder, media, "quick", []), _session(folder, media, "slow", [STALL], repaired=1)]
    (folder / "trials.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def _video(media: Path) -> Path:
    media.mkdir()
    film = media / "film.mp4"
    source = f"testsrc2=size=256x144:rate={RATE}:duration={SECONDS}"
    subprocess.run(
        [get_ffmpeg_exe(), "-v", "error", "-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p", film], check=True
    )
    program = Path(sys.executable).with_name("voxel-prepare")
    quick = ("--preset", "ultrafast", "--passes", "1", "--choice", "predicted", "--jobs", "1")
    ladder = ("--representations", "144p:0.05,144p:0.4", "--segment", str(SEGMENT_SECONDS))
    subprocess.run([program, film, "--out", media, *quick, *ladder], check=True, capture_output=True)
    return media


def _session(
    folder: Path, media: Path, system: str, stalls: Sequence[tuple[float, float]], repaired: int | None = None
) -> dict[str, object]:
    """A session's files; of segment `repaired` the unreliable bytes of every second frame are missing."""
    own = folder / "trials" / f"{system}_1"
    own.mkdir(parents=True)
    (own / "video.json").write_text(json.dumps({"folder": str(media), "metric": "ssim"}))
    video = clips.prepared(media)
    lowest = next(level for level in video.levels if level != video.top)
    lines = []
    for index, start in enumerate(range(0, SECONDS, SEGMENT_SECONDS)):
        level = video.top if system == "quick" else lowest
        line = {"index": index, "startTime": start, "duration": SEGMENT_SECONDS, "representation": level}
        has_gaps = index == repaired
        if has_gaps:
            (own / f"segment-{index}.m4s").write_bytes(_repaired(video.segment(level, start, SEGMENT_SECONDS)))
        lines.append(line | {"score": 0.9, "framesSkipped": 0, "framesRepaired": 5 if has_gaps else 0})
    (own / "segments.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (own / "timeline.json").write_text(json.dumps(_samples(stalls)))
    condition = dict.fromkeys(("trace", "path", "server", "control", "crossTraffic", "buffer", "shift"), "x")
    result = {"id": system, "attempt": 1, "system": system, "label": system.title(), "video": "film"}
    said = {"stalls": len(stalls), "stallSeconds": sum(seconds for _, seconds in stalls)}
    return {**condition, **result, **said, "repetition": 0, "valid": True, "outcome": "ended"}


def _repaired(segment: clips.EncodedSegment) -> bytes:
    frames = RepairableSegment.of(segment).frames
    missing: list[ByteRange] = [range_ for frame in frames[1::2] for range_ in frame.unreliable]
    assert missing
    received = ReceivedRanges(complement(ByteRange(0, len(segment.data)), missing))
    repaired = repair_segment(segment.codec, segment.data, received).bytes
    assert repaired != segment.data
    return repaired


def _samples(stalls: Sequence[tuple[float, float]]) -> list[dict[str, float]]:
    """Four times a second, start-up of 1 s."""
    samples, at, position = [], 0.0, 0.0
    waiting = list(stalls)
    while position < SECONDS:
        samples.append({"at": round(at, 3), "position": round(position, 3), "buffer": 2, "throughput": 1})
        at += 0.25
        if at > 1:
            if waiting and position >= waiting[0][0]:
                waiting[0] = (waiting[0][0], waiting[0][1] - 0.25)
                if waiting[0][1] <= 0:
                    waiting.pop(0)
            else:
                position += 0.25
    return samples


if __name__ == "__main__":
    write_results(Path(sys.argv[1]))
