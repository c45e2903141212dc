"""`npm run bench -- live-encode`: see lab/bench/live-encode.mjs."""

import argparse
import json
import random
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Timer

import av
import numpy as np
from av.video.frame import VideoFrame
from deliveries import random_deliveries, told_score
from numpy.typing import NDArray
from voxel_prepare.analysis.cells import CellGrid, macroblocks
from voxel_prepare.analysis.encoded_segment import EncodedSegment
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import SegmentScorer
from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.isobmff import SampleDefaults
from voxel_prepare.isobmff.writer import ChunkTimes, NewSample, sample_flags, write_chunk_boxes
from voxel_prepare.live.encoder import FrameChoice, RepresentationEncoder
from voxel_prepare.live.inputs import open_input
from voxel_prepare.live.ranking import SegmentCosts, coded_share
from voxel_prepare.live.request import LiveRequest
from voxel_prepare.live.run import run_live
from voxel_prepare.live.scores import EVERY, RepresentationMeter, Scores
from voxel_prepare.media.encoders import CodecName
from voxel_prepare.media.ladder import RepresentationName, choose_representations
from voxel_prepare.repair.codec import Codec

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
    parser.add_argument("--codec", type=CodecName, default=CodecName.H264)
    parser.add_argument("--segments", type=int, required=True)
    options = parser.parse_args()
    compared = {path.name: [_compare(path, number) for number in range(options.segments)] for path in options.clips}
    correlations = {clip: [correlation for correlation, _ in of] for clip, of in compared.items()}
    errors = {clip: [error for _, errors in of for error in errors] for clip, of in compared.items()}
    encoded = _encode(options.clips[0], options.seconds, options.codec)
    print(json.dumps({**encoded, "correlations": correlations, "toldErrors": errors}))


def _encode(clip: Path, seconds: float, codec: CodecName) -> dict[str, float]:
    """What `voxel-live` takes for its default representations."""
    with TemporaryDirectory(prefix="live-bench-") as folder:
        request = LiveRequest(
            *(str(clip), Path(folder) / "out", None, SEGMENT, None, LATENCY, 60), keep=False, clock=False, codec=codec
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
        "waitMs": (choice.chunk_frames - 1 + choice.delay_frames) * frame_ms,
    }


@dataclass(frozen=True)
class _Encoded:
    """A segment as `voxel-live` makes it."""

    pictures: list[VideoFrame]
    """Pictures of the source."""
    scaled: list[VideoFrame]
    codec: Codec
    data: bytes
    segment: RepairableSegment
    choice: FrameChoice

    @staticmethod
    def of(clip: Path, start: float) -> "_Encoded":
        """From `start` seconds on."""
        with av.open(str(clip)) as container:
            stream = container.streams.video[0]
            rate = stream.average_rate
            assert rate is not None
            (level,) = choose_representations(stream.width, stream.height, [LEVEL])
            first = round(start * rate)
            choice = FrameChoice.of(round(SEGMENT * rate), LATENCY, None)
            pictures = list(islice(container.decode(stream), first, first + choice.segment_frames))
        scaled = [picture.reformat(level.width, level.height, "yuv420p") for picture in pictures]
        encoder = RepresentationEncoder(level, rate, choice)
        encoded = [frame for time, picture in enumerate(scaled) for frame in encoder.encode(picture, time)]
        encoded += encoder.flush()
        flags = [sample_flags(is_sync=frame.is_sync, is_reference=True) for frame in encoded]
        samples = [
            NewSample(frame.data, of_frame, 0, frame.time) for frame, of_frame in zip(encoded, flags, strict=True)
        ]
        data = write_chunk_boxes(samples, ChunkTimes(0, 0, 0), 1)
        segment = RepairableSegment.of(EncodedSegment(encoder.codec, SampleDefaults(), data))
        return _Encoded(pictures, scaled, encoder.codec, data, segment, choice)

    def scores(self) -> Scores:
        """Scores as its records would tell them of later segments."""
        width, height = self.scaled[0].width, self.scaled[0].height
        meter = RepresentationMeter(self.codec, width, height)
        return meter.measure(self.data, self.segment.droppable, 0, 1, dict(enumerate(self.scaled)))

    def foretold_costs(self) -> list[float]:
        """Costs of the frames that may be missing."""
        costs = SegmentCosts(self.choice.gop(self.choice.segment_frames))
        grid = CellGrid.of(self.pictures[0])
        for time, picture in enumerate(self.pictures):
            costs.see(time, grid.samples(picture))
        covered = macroblocks(self.scaled[0].width, self.scaled[0].height)
        frames = [self.segment.frames[index] for index in self.segment.droppable]
        return [costs.cost(frame.index) * coded_share(frame.unreliable_bytes, covered) for frame in frames]


def _compare(clip: Path, number: int) -> tuple[float, list[float]]:
    """One segment: Spearman's correlation between foretold and measured costs of frames, and by how much told scores
    of deliveries differ from decodes."""
    print(f"{clip.name}: segment {number}", file=sys.stderr, flush=True)
    start = SPREAD_SECONDS * (number + 1)
    encoded = _Encoded.of(clip, start)
    droppable, foretold = encoded.segment.droppable, encoded.foretold_costs()
    scorer = SegmentScorer(encoded.segment, encoded.scaled, PictureComparer(Metric.SSIM), lambda index, picture: None)
    measured = [scorer.whole - score for score in scorer.scores([frozenset([index]) for index in droppable])]
    correlation = float(np.corrcoef(_ranks(foretold), _ranks(measured))[0, 1])
    costs = dict(zip(droppable, foretold, strict=True))
    earlier = _Encoded.of(clip, start - EVERY * SEGMENT / 2).scores()
    deliveries = random_deliveries(encoded.segment.frames, random.Random(number))
    told = [told_score(lost, costs, encoded.choice, earlier) for lost in deliveries]
    return correlation, [one - other for one, other in zip(told, scorer.scores(deliveries), strict=True)]


def _ranks(values: list[float]) -> NDArray[np.intp]:
    return np.argsort(np.argsort(values))


if __name__ == "__main__":
    main()
