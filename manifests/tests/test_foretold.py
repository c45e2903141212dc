"""Segments whose key is not known: their scores come from bytes."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from coded_clips import ENCODINGS, encode
from hypothesis import given
from hypothesis import strategies as st
from test_removed import Clip
from voxel_prepare.analysis.analyse import AnalysisSettings, analyse_segments
from voxel_prepare.analysis.foretold import foretold_losses, foretold_score
from voxel_prepare.analysis.segment_analysis import Metric, OrderName, SegmentAnalysis
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import PreparationError
from voxel_prepare.isobmff import parse_fragments

SIZES = st.lists(st.integers(1, 1 << 20), min_size=1, max_size=60)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Clip:
    return Clip(encode(next(one for one in ENCODINGS if one.name == "x264-default"), tmp_path_factory.mktemp("clip")))


def analyse(clip: Clip, metric: Metric = Metric.SSIM) -> SegmentAnalysis:
    source = replace(clip.source, is_opaque=True)
    (analysis,) = analyse_segments([source], source, AnalysisSettings(metric, None))
    return analysis


def test_a_segment_without_its_key_is_described_with_whole_samples_and_marked(clip: Clip) -> None:
    analysis = analyse(clip)
    assert analysis.is_foretold
    assert analysis.order_name is OrderName.CLOSED
    assert SegmentAnalysis.from_json(_json(analysis)).is_foretold
    samples = [one for fragment in parse_fragments(clip.segment.data, clip.track.defaults) for one in fragment.samples]
    start = clip.source.range.start
    whole = {ByteRange(start + one.offset, start + one.offset + one.size) for one in samples}
    assert analysis.unreliable
    assert set(analysis.unreliable) <= whole
    assert analysis.score == 1
    assert all(below.score <= above.score for below, above in pairwise(analysis.steps))
    assert 0 < analysis.steps[0].score < 1


def _json(analysis: SegmentAnalysis) -> dict[str, object]:
    return {name: getattr(analysis, name) for name in SegmentAnalysis.__slots__} | {
        "steps": [{"score": step.score, "frames": step.frames, "bytes": step.bytes} for step in analysis.steps]
    }


def test_only_ssim_is_foretold(clip: Clip) -> None:
    with pytest.raises(PreparationError, match="without a key only SSIM is foretold, not VMAF"):
        analyse(clip, Metric.VMAF)


def test_what_is_encrypted_with_its_headers_is_completely_reliable(clip: Clip, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is guessed from bytes that only look like headers."""
    second = parse_fragments(clip.segment.data, clip.track.defaults)[0].samples[1]
    header = second.offset + 4  # after the length of the NAL unit
    encrypted = (ByteRange(header, header + 16),)
    read = replace(clip.segment, is_opaque=True, whole_samples=True, is_replaceable=False, encrypted=encrypted)
    monkeypatch.setattr(type(clip.source), "read", lambda _: read)
    analysis = analyse(clip)
    assert analysis.unreliable == []
    assert analysis.warning == "headers of NAL units that are encrypted"
    assert analysis.is_foretold


@given(st.integers(1, 1 << 24), st.integers(1, 1 << 24), st.integers(1, 1 << 24))
def test_more_bytes_never_score_less(size: int, more: int, top: int) -> None:
    assert 0 <= foretold_score(size, top) <= foretold_score(size + more, top) <= 1
    assert foretold_score(top, top) == 1


@given(SIZES)
def test_a_longer_hold_loses_more_and_never_all(sizes: list[int]) -> None:
    losses = foretold_losses(sizes)
    assert losses.shape == (len(sizes), len(sizes))
    assert np.all((losses >= 0) & (losses <= 1 / len(sizes)))
    for place in range(len(sizes)):
        assert np.all(np.diff(losses[: place + 1, place]) <= 0)
        assert losses[place, place] == 0
