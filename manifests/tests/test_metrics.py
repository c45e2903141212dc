"""Scores of streams of pictures."""

from pathlib import Path

import av
import pytest
from av.video.frame import VideoFrame
from clips import ffmpeg, make_clip
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.segment_analysis import SCALES, Metric


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[VideoFrame]:
    """A second of a moving picture, 320x180."""
    path = make_clip(tmp_path_factory.mktemp("pictures") / "clip.mp4", seconds=1)
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


@pytest.fixture(scope="module")
def small(pictures: list[VideoFrame]) -> list[VideoFrame]:
    """The same at 160x90."""
    return [picture.reformat(160, 90) for picture in pictures]


def scores(metric: Metric, pictures: list[VideoFrame], references: list[VideoFrame]) -> list[float]:
    stream = PictureComparer(metric).start()
    for picture, reference in zip(pictures, references, strict=True):
        stream.add(picture, reference)
    return stream.result()


@pytest.mark.parametrize("metric", [Metric.SSIM, Metric.PSNR])
def test_equal_pictures_have_the_best_score(metric: Metric, pictures: list[VideoFrame]) -> None:
    assert scores(metric, pictures[:3], pictures[:3]) == [SCALES[metric].best] * 3


@pytest.mark.parametrize("metric", Metric)
def test_a_smaller_picture_scores_lower_and_a_wrong_one_lower_still(
    metric: Metric, pictures: list[VideoFrame], small: list[VideoFrame]
) -> None:
    equal = scores(metric, pictures, pictures)
    scaled = scores(metric, small, pictures)
    wrong = scores(metric, pictures[:1] * len(pictures), pictures)
    assert sum(equal) > sum(scaled) > sum(wrong)


@pytest.mark.parametrize("metric", Metric)
def test_skipped_pictures_leave_the_scores_of_the_others(
    metric: Metric, pictures: list[VideoFrame], small: list[VideoFrame]
) -> None:
    stream = PictureComparer(metric).start()
    for number, (picture, reference) in enumerate(zip(small, pictures, strict=True)):
        if number % 3:
            stream.skip(reference)
        else:
            stream.add(picture, reference)
    assert stream.result() == pytest.approx(scores(metric, small, pictures)[::3], abs=1e-4)


def test_a_stream_without_pictures_has_no_scores() -> None:
    assert all(PictureComparer(metric).start().result() == [] for metric in Metric)


def test_vmaf_is_that_of_ffmpegs_own_command(
    pictures: list[VideoFrame], small: list[VideoFrame], tmp_path: Path
) -> None:
    """Both files are lossless, so that nothing but the measuring differs."""
    files = {"small.mkv": small, "large.mkv": pictures}
    for name, stream in files.items():
        with av.open(str(tmp_path / name), "w") as container:
            track = container.add_stream("ffv1", rate=25)
            track.width, track.height, track.pix_fmt = stream[0].width, stream[0].height, "yuv420p"
            for number, picture in enumerate(stream):
                copy = picture.reformat(format="yuv420p")
                copy.pts = number
                container.mux(track.encode(copy))
            container.mux(track.encode(None))
    graph = f"[0:v]scale=320:180:flags=bicubic[a];[a][1:v]libvmaf=log_fmt=csv:log_path={tmp_path / 'log'}"
    ffmpeg("-i", tmp_path / "small.mkv", "-i", tmp_path / "large.mkv", "-lavfi", graph, "-f", "null", "-")
    names, *rows = [line.rstrip(",").split(",") for line in (tmp_path / "log").read_text().splitlines()]
    expected = [float(row[names.index("vmaf")]) for row in rows]
    assert scores(Metric.VMAF, small, pictures) == pytest.approx(expected, abs=0.05)
