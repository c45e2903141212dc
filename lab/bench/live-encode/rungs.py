"""`npm run bench -- live-encode --rungs`: what `voxel-live` can make of half its lowest rate.

A JSON object for each clip and rung: Mbit/s; SSIM of what is shown for the source's pictures, in the size of the top
representation; the share of the bytes that must arrive, I and P frames and what is reliable of B frames; cores.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from statistics import fmean
from time import process_time

import av
from av.video.frame import VideoFrame
from voxel_prepare.analysis.encoded_segment import EncodedSegment
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.isobmff import SampleDefaults
from voxel_prepare.isobmff.writer import ChunkTimes, NewSample, sample_flags, write_chunk_boxes
from voxel_prepare.live.encoder import EncodedFrame, FrameChoice, RepresentationEncoder
from voxel_prepare.live.scores import PICTURES_APART
from voxel_prepare.media.ladder import RepresentationName, choose_representations
from voxel_prepare.repair.codec import CodedFrame

TOP = RepresentationName("720p", 2.5)
"""Pictures are compared in this size, and made of it."""


@dataclass(frozen=True)
class Rung:
    """A way to encode."""

    name: RepresentationName
    every: int
    """One picture in this many is encoded."""
    latency: float
    """Seconds: decides how many B pictures there are in a row."""


RUNGS = {
    "240p .4": Rung(RepresentationName("240p", 0.4), 1, 1),
    "240p .2": Rung(RepresentationName("240p", 0.2), 1, 1),
    "144p .2": Rung(RepresentationName("144p", 0.2), 1, 1),
    "240p .2, half the frame rate, three B frames": Rung(RepresentationName("240p", 0.2), 2, 1),
    "240p .2, half the frame rate, one B frame": Rung(RepresentationName("240p", 0.2), 2, 0.5),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--start", type=float, default=5)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    for clip in options.clips:
        pictures, rate = _pictures(clip, options.start, options.seconds)
        for name, rung in RUNGS.items():
            print(json.dumps({"clip": clip.name, "rung": name, **_figures(rung, pictures, rate)}), flush=True)


def _pictures(clip: Path, start: float, seconds: float) -> tuple[list[VideoFrame], Fraction]:
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        rate = stream.average_rate
        assert rate is not None
        (top,) = choose_representations(stream.width, stream.height, [TOP])
        wanted = islice(container.decode(stream), round(start * rate), round((start + seconds) * rate))
        scaled = (picture.reformat(top.width, top.height, "yuv420p") for picture in wanted)
        # Copies: a decoder's own pictures say which type they had.
        return [VideoFrame.from_ndarray(picture.to_ndarray(), format="yuv420p") for picture in scaled], rate


def _figures(rung: Rung, pictures: list[VideoFrame], rate: Fraction) -> dict[str, float]:
    width, height = pictures[0].width, pictures[0].height
    (settings,) = choose_representations(width, height, [rung.name])
    choice = FrameChoice.of(round(rate) // rung.every, rung.latency, None)
    encoder = RepresentationEncoder(settings, rate / rung.every, choice)
    before = process_time()
    encoded = [frame for time, each in enumerate(pictures[:: rung.every]) for frame in encoder.encode(each, time)]
    encoded += encoder.flush()
    cores = (process_time() - before) * float(rate) / len(pictures)
    read = [(frame, coded) for frame in encoded for coded in encoder.codec.reader(frame.data)(0, len(frame.data))]
    whole = sum(len(frame.data) for frame, _ in read)
    must_arrive = sum(len(frame.data) if coded.type in "IP" else _heads(frame, coded) for frame, coded in read)
    shown = dict(_shown(encoder, encoded))
    comparer = PictureComparer(Metric.SSIM)
    compared = range(0, len(pictures), PICTURES_APART)
    return {
        "mbps": 8e-6 * whole * float(rate) / len(pictures),
        "ssim": fmean(comparer.measure(shown[place // rung.every], pictures[place]) for place in compared),
        "mustArrive": must_arrive / whole,
        "cores": cores,
    }


def _heads(frame: EncodedFrame, coded: CodedFrame) -> int:
    return len(frame.data) - sum(part.end - part.reliable_end for part in coded.parts)


def _shown(encoder: RepresentationEncoder, encoded: list[EncodedFrame]) -> Iterator[tuple[int, VideoFrame]]:
    """The pictures by their times: each stays until the next one."""
    samples = [NewSample(frame.data, sample_flags(is_sync=frame.is_sync, is_reference=True), 0, 0) for frame in encoded]
    data = write_chunk_boxes(samples, ChunkTimes(0, 0, 0), 1)
    return enumerate(EncodedSegment(encoder.codec, SampleDefaults(), data).pictures())


if __name__ == "__main__":
    main()
