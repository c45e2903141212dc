"""What live encoding assumes of x264, and what it predicts."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from av.video.frame import PictureType, VideoFrame
from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.analysis.cells import CellGrid
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.live.chunker import Chunker, video_segments
from voxel_prepare.live.encoder import FrameChoice, RepresentationEncoder, stamped
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.gop import Gop, error_weights, gop
from voxel_prepare.live.pictures import PictureLine
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.ranking import SegmentCosts, chunk_order, coded_share
from voxel_prepare.live.representation import LiveRepresentation, RepresentationWriter
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.media.ladder import Representation
from voxel_prepare.repair.frames import Frame

SETTINGS = Representation("v0", 64, 48, 100_000)


def picture(shift: int) -> VideoFrame:
    """Noise that moves."""
    noise = np.random.default_rng(1).integers(0, 255, (48, 64), np.uint8)
    planes = np.full((72, 64), 128, np.uint8)
    planes[:48] = np.roll(noise, shift, 1)
    return VideoFrame.from_ndarray(planes, format="yuv420p")


@pytest.mark.parametrize("latency", [0.5, 1.0])
@pytest.mark.parametrize("frames", [2, 3, 4, 7, 12, 15, 24, 25, 30])
def test_x264_makes_the_frames_that_are_foretold(frames: int, latency: float) -> None:
    """In a whole segment, and in one that ends early."""
    choice = FrameChoice.of(frames, latency, None)
    encoder = RepresentationEncoder(SETTINGS, Fraction(30), choice)
    ended = max(1, frames - 3)
    encoded = [frame for time in range(frames + ended) for frame in encoder.encode(picture(2 * time), time)]
    encoded += encoder.flush()
    made = []
    for frame in encoded:
        (coded,) = encoder.codec.reader(frame.data)(0, len(frame.data))
        made.append((frame.time, coded.type, coded.is_reference))
    foretold = [
        (start + frame.presentation_time, frame.type, frame.is_reference)
        for start, count in ((0, frames), (frames, ended))
        for frame in gop(count, choice.run)
    ]
    assert made == foretold


@pytest.mark.parametrize("chunk", [None, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("latency", [0.5, 1.0])
@pytest.mark.parametrize("frames", [2, 3, 4, 7, 12, 15, 24, 25, 30])
def test_a_chunk_begins_with_i_or_p_and_leaves_no_picture_to_a_later_one(
    frames: int, latency: float, chunk: int | None
) -> None:
    """It has whole groups: where it ends everything up to its latest picture is there."""
    choice = FrameChoice.of(frames, latency, chunk)
    chunker: Chunker[Frame] = Chunker(
        video_segments(frames), choice.chunk_frames, first_chunk_frames=choice.first_chunk_frames
    )
    chunks = [made for frame in choice.gop(frames).frames if (made := chunker.add(frame))]
    here: set[int] = set()
    for number, made in enumerate(chunks):
        assert [choice.chunk_of(frame.index) for frame in made.frames] == [number] * len(made.frames)
        assert made.frames[0].type == ("P" if number else "I")
        here |= {frame.presentation_time for frame in made.frames}
        assert here == set(range(len(here)))
    assert len(here) == frames


def test_a_picture_may_be_repeated_and_is_left_as_it_is() -> None:
    """A decoder's I picture, which x264 would make one again, and one that others encode as picture 0 as well."""
    for repeated in (picture(0), stamped(picture(0), 0, Fraction(1, 30))):
        is_decoded = repeated.pts is None
        if is_decoded:
            repeated.pts, repeated.pict_type = 0, PictureType.I
        encoder = RepresentationEncoder(SETTINGS, Fraction(30), FrameChoice.of(30, 1, None))
        encoded = [frame for time in range(9) for frame in encoder.encode(repeated, time)]
        encoded += encoder.flush()
        assert sorted(frame.time for frame in encoded) == list(range(9))
        assert [frame.time for frame in encoded if frame.is_sync] == [0]
        assert (repeated.pts, repeated.pict_type) == (0, PictureType.I if is_decoded else PictureType.NONE)


@given(st.integers(1, 60), st.sampled_from([0, 1, 3]))
def test_a_gop_has_every_frame_once_and_errors_spread_forwards_only(frames: int, run: int) -> None:
    structure = gop(frames, run)
    assert sorted(frame.presentation_time for frame in structure) == list(range(frames))
    for frame, weight in zip(structure, error_weights(structure), strict=True):
        assert weight == 1 if not frame.is_reference else 1 <= weight <= frames


def test_costs_grow_with_what_changes_and_with_what_refers_to_it() -> None:
    """A P picture after a cut costs most; where nothing changes nothing is lost."""
    structure = gop(9, 3)
    costs = SegmentCosts(Gop.of_runs(9, 3))
    for time in range(9):
        shown = picture(0 if time < 4 else 17)
        costs.see(time, CellGrid.of(shown).samples(shown))
    by_time = {frame.presentation_time: costs.cost(frame.index) for frame in structure}
    assert by_time[0] == 0
    assert by_time[8] == pytest.approx(0, abs=1e-6)
    assert by_time[4] == max(by_time.values())
    assert by_time[4] > 2 * by_time[2]


@given(st.integers(1, 100_000), st.integers(1, 10_000))
def test_of_a_cost_what_the_encoder_skips_does_not_count(size: int, macroblocks: int) -> None:
    assert coded_share(0, macroblocks) == 0
    assert 0 < coded_share(size, macroblocks) < coded_share(size + 1, macroblocks) < 1
    assert coded_share(macroblocks, macroblocks * 16) == 0.5


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 500), st.floats(0, 1)), max_size=8))
def test_references_come_first_then_what_is_worth_most_per_byte(facts: list[tuple[bool, int, float]]) -> None:
    frames = [
        Frame(index, "B", referenced, index, (ByteRange(0, size),) if size else ())
        for index, (referenced, size, _) in enumerate(facts)
    ]
    costs = [cost for *_, cost in facts]
    order = chunk_order(frames, costs)
    assert sorted(order) == [index for index, (_, size, _) in enumerate(facts) if size]
    references = [place for place in order if frames[place].is_reference]
    assert order[: len(references)] == sorted(references)
    worth = [costs[place] / frames[place].unreliable_bytes for place in order[len(references) :]]
    assert worth == sorted(worth, reverse=True)


class Written:
    """What becomes of pictures that come one by one."""

    def __init__(self, folder: Path, choice: FrameChoice) -> None:
        self.timeline = Timeline(0, Fraction(25), choice.segment_frames, 0)
        self.folder = TrackFolder(folder, record_head(self.timeline.timescale))
        self.delays: list[int] = []
        """From the earliest picture of each chunk to the one with which its record was written, in frames."""
        encoded = LiveRepresentation(SETTINGS, self.folder, self.timeline, choice, (64, 48))
        self._writer = RepresentationWriter(
            encoded, self.timeline, choice, 0, lambda segment: False, lambda one: None, self._on_record
        )
        self._line = PictureLine(self.timeline, choice, 0, lambda segment: False, self._writer.encode, has_clock=False)

    def add(self, pictures: int) -> None:
        for time in range(pictures):
            self._line.add(picture(2 * time), time / 25)

    def end(self) -> None:
        self._writer.finish()

    def _on_record(self, captured: int) -> None:
        self.delays.append(self._line.next - 1 - self.timeline.frame_at(captured))


@pytest.mark.parametrize(
    ("latency", "delays"),
    [(1.0, [3, *[6] * 6, 3, *[6] * 5]), (0.5, [1, *[2] * 12, 1, *[2] * 11])],
)
def test_a_chunk_waits_for_no_picture_after_those_that_x264_holds_back(
    latency: float, delays: list[int], tmp_path: Path
) -> None:
    """x264 gives out a frame with each picture, the I frame after `run` more; segments have 25 frames."""
    written = Written(tmp_path, FrameChoice.of(25, latency, None))
    written.add(49)
    assert written.delays == delays


@pytest.mark.parametrize("latency", [0.5, 1.0])
@pytest.mark.parametrize("ended", range(1, 12))
def test_a_segment_may_end_after_any_picture(ended: int, latency: float, tmp_path: Path) -> None:
    """Pictures of the last run may be written while others, shown before them, are not."""
    choice = FrameChoice.of(12, latency, None)
    written = Written(tmp_path, choice)
    written.add(12 + ended)
    written.end()
    first, *chunks = written.folder.records(1).chunks
    assert not first.frames
    assert first.duration + sum(chunk.duration for chunk in chunks) == ended * written.timeline.frame_ticks
    structure = gop(ended, choice.run)
    for chunk in chunks:
        indexes = [frame.index for frame in chunk.frames]
        assert all(0 < index < ended for index in indexes)
        # Servers know a P frame by that.
        assert structure[indexes[0]].type == "P" and indexes[0] == min(indexes)


def test_the_first_scores_are_those_of_the_first_chunks(tmp_path: Path) -> None:
    """The I frame alone says nothing of what may be missing."""
    written = Written(tmp_path, FrameChoice.of(25, 1.0, None))
    written.add(14)
    scores = [(chunk.reliable_score, chunk.whole_score) for chunk in written.folder.records(0).chunks]
    assert scores[0][0] == scores[0][1]
    assert scores[1][0] < scores[1][1]
    assert scores[2] == scores[1]
