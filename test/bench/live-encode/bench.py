"""`npm run bench -- live-encode`: see test/bench/live-encode.mjs."""

import argparse
import json
import sys
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Timer

import av
import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray
from voxel_prepare.analysis.cells import CellGrid
from voxel_prepare.analysis.encoded_segment import EncodedSegment
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import SegmentScorer
from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.isobmff import SampleDefaults
from voxel_prepare.isobmff.writer import ChunkTimes, NewSample, write_chunk_boxes
from voxel_prepare.live.encoder import FrameChoice, LevelEncoder
from voxel_prepare.live.gop import gop
from voxel_prepare.live.ranking import SegmentCosts
from voxel_prepare.live.request import LiveRequest
from voxel_prepare.live.run import run_live
from voxel_prepare.live.source import open_input
from voxel_prepare.media.ladder import RepresentationName, choose_representations

LEVEL = RepresentationName("720p", 2.5)
"""Whose costs are compared."""

LATENCY = 1.0
SEGMENT = 1.0
"""Seconds."""

SPREAD_SECONDS = 7
"""Between the segments of a clip."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--segments", type=int, required=True)
    options = parser.parse_args()
    correlations = {
        path.name: [_correlation(path, number) for number in range(options.segments)] for path in options.clips
    }
    print(json.dumps({**_encode(options.clips[0], options.seconds), "correlations": correlations}))


def _encode(clip: Path, seconds: float) -> dict[str, float]:
    """What `voxel-live` takes for its default levels."""
    with TemporaryDirectory(prefix="live-bench-") as folder:
        request = LiveRequest(
            str(clip), Path(folder) / "out", None, SEGMENT, None, LATENCY, 60, keep=False, clock=False
        )
        input_ = open_input(request.input)
        choice = request.frames(input_)
        stop = Event()
        timer = Timer(seconds, stop.set)
        timer.start()
        summary = run_live(request, stop)
        timer.cancel()
    frame_ms = float(1000 / input_.rate)
    return {
        "cores": summary.cores,
        "delayP95": summary.delay_p95,
        "chunkMs": choice.chunk_frames * frame_ms,
        "frameMs": frame_ms,
    }


def _correlation(clip: Path, number: int) -> float:
    """Spearman's, between foretold and measured costs of the frames of one segment."""
    print(f"{clip.name}: segment {number}", file=sys.stderr, flush=True)
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        rate = stream.average_rate
        assert rate is not None
        (level,) = choose_representations(stream.width, stream.height, [LEVEL])
        first = round(SPREAD_SECONDS * (number + 1) * rate)
        choice = FrameChoice.of(round(SEGMENT * rate), LATENCY, None)
        pictures = list(islice(container.decode(stream), first, first + choice.segment_frames))
    scaled = [picture.reformat(level.width, level.height, "yuv420p") for picture in pictures]
    encoder = LevelEncoder(level, rate, choice)
    encoded = [frame for time, picture in enumerate(scaled) for frame in encoder.encode(picture, time)]
    encoded += encoder.flush()
    samples = [NewSample(frame.data, frame.is_sync, True, frame.time - index) for index, frame in enumerate(encoded)]
    data = write_chunk_boxes(samples, ChunkTimes(0, 0, 1, 0), 1)
    segment = RepairableSegment.of(EncodedSegment(encoder.configuration, SampleDefaults(), data))
    foretold = _foretold(segment.droppable, pictures, choice)
    measured = _measured(segment, scaled)
    return float(np.corrcoef(_ranks(foretold), _ranks(measured))[0, 1])


def _foretold(droppable: list[int], pictures: list[VideoFrame], choice: FrameChoice) -> list[float]:
    costs = SegmentCosts(gop(choice.segment_frames, choice.run))
    grid = CellGrid.of(pictures[0])
    for time, picture in enumerate(pictures):
        costs.see(time, grid.samples(picture))
    return [costs.cost(index) for index in droppable]


def _measured(segment: RepairableSegment, references: list[VideoFrame]) -> list[float]:
    scorer = SegmentScorer(segment, references, PictureComparer(Metric.SSIM), lambda index, picture: None)
    return [scorer.whole - score for score in scorer.scores([frozenset([index]) for index in segment.droppable])]


def _ranks(values: list[float]) -> NDArray[np.intp]:
    return np.argsort(np.argsort(values))


if __name__ == "__main__":
    main()
