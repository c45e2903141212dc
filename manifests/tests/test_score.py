"""Scores in the manifest against FFmpeg's own command, decoding what a player would build."""

import re
from pathlib import Path

import pytest
from clips import ffmpeg
from manifest_reader import Representation, Segment, read_manifest
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges
from voxel_prepare.codecs import codec_of
from voxel_prepare.isobmff import parse_track
from voxel_prepare.repair.repair import repair_segment


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
    codec = codec_of(parse_track(representation.media.read_bytes()).description)
    ranges = ReceivedRanges(range_.moved(-start) for range_ in received)
    return (
        representation.bytes_of(representation.initialization) + repair_segment(codec, bytes(delivered), ranges).bytes
    )


def ffmpeg_ssim(picture: Path, reference: Path, scale: str) -> float:
    """Mean over frames of the ssim filter's All."""
    graph = f"[0:v]scale={scale}:flags=bicubic,setpts=N[a];[1:v]setpts=N[b];[a][b]ssim=stats_file=-"
    statistics = ffmpeg("-i", picture, "-i", reference, "-lavfi", graph, "-f", "null", "-")
    scores = [float(score) for score in re.findall(r"All:([\d.]+)", statistics)]
    return sum(scores) / len(scores)


@pytest.mark.parametrize("index", [0, 1])
def test_every_step_scores_as_an_independent_decode(prepared: Path, tmp_path: Path, index: int) -> None:
    representations = read_manifest(prepared)
    representation, top = representations[index], representations[-1]
    scale = f"{top.attributes['width']}:{top.attributes['height']}"
    built, reference = tmp_path / "built.mp4", tmp_path / "reference.mp4"
    for segment, top_segment in zip(representation.segments, top.segments, strict=True):
        reference.write_bytes(top.bytes_of(top.initialization) + top.bytes_of(top_segment.media_range))
        for score, _, prefix_bytes in segment.steps:
            built.write_bytes(player_builds(representation, segment, prefix_bytes))
            assert score == pytest.approx(ffmpeg_ssim(built, reference, scale), abs=1e-4)
