"""Scores in the manifest against FFmpeg's own command, decoding what a player would build."""

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import pytest
from clips import ffmpeg
from manifest_reader import Representation, Segment, read_manifest
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges
from voxel_prepare.codecs import codec_of
from voxel_prepare.isobmff import parse_track
from voxel_prepare.repair.repair import hold_or_replace


def player_builds(representation: Representation, segment: Segment, prefix_bytes: int) -> bytes:
    """The initialization and the segment, repaired with only the reliable bytes and that prefix of the others."""
    received = list(segment.reliable)
    for range_ in segment.unreliable:
        received.append(ByteRange(range_.start, min(range_.end, range_.start + prefix_bytes)))
        prefix_bytes -= received[-1].size
    start = segment.media_range.start
    delivered = bytearray(segment.media_range.size)
    for range_ in received:
        delivered[range_.start - start : range_.end - start] = representation.bytes_of(range_)
    track = parse_track(representation.media.read_bytes())
    ranges = ReceivedRanges(range_.moved(-start) for range_ in received)
    repaired = hold_or_replace(track, codec_of(track.description), bytes(delivered), ranges, segment.plan)
    return representation.bytes_of(representation.initialization) + repaired.bytes


def ffmpeg_ssim(pictures: Sequence[Path], reference: Path, scale: str, rate: str, folder: Path) -> list[float]:
    """For each of the files the mean over frames of the ssim filter's All; pictures that are held count again.

    By one command: it takes longer to start than to decode.
    """
    count = len(pictures)
    graph = [f"[{count}:v]settb=AVTB,setpts=N,split={count}" + "".join(f"[b{index}]" for index in range(count))]
    outputs: list[str] = []
    statistics = [folder / f"{index}.log" for index in range(count)]
    for index, path in enumerate(statistics):
        scaled = f"[{index}:v]fps={rate},scale={scale}:flags=bicubic,settb=AVTB,setpts=N[a{index}]"
        graph += [scaled, f"[a{index}][b{index}]ssim=stats_file={path}[c{index}]"]
        outputs += ["-map", f"[c{index}]", "-f", "null", "-"]
    inputs = [argument for path in (*pictures, reference) for argument in ("-threads", "1", "-i", path)]
    ffmpeg(*inputs, "-filter_complex", ";".join(graph), *outputs)
    return [fmean(map(float, re.findall(r"All:([\d.]+)", path.read_text()))) for path in statistics]


@pytest.mark.parametrize("index", [0, 1])
def test_every_step_scores_as_an_independent_decode(prepared: Path, tmp_path: Path, index: int) -> None:
    representations = read_manifest(prepared)
    representation, top = representations[index], representations[-1]
    scale = f"{top.attributes['width']}:{top.attributes['height']}"
    reference = tmp_path / "reference.mp4"
    for segment, top_segment in zip(representation.segments, top.segments, strict=True):
        reference.write_bytes(top.bytes_of(top.initialization) + top.bytes_of(top_segment.media_range))
        built = [tmp_path / f"{step}.mp4" for step in range(len(segment.steps))]
        for path, (_, _, prefix_bytes) in zip(built, segment.steps, strict=True):
            path.write_bytes(player_builds(representation, segment, prefix_bytes))
        scores = [score for score, _, _ in segment.steps]
        assert scores == pytest.approx(
            ffmpeg_ssim(built, reference, scale, representation.frame_rate, tmp_path), abs=1e-4
        )
