"""A live source that changes its size, turns, is interlaced or begins anew."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from av.video.frame import VideoFrame
from clips import ffmpeg, make_clip
from colour_patches import PATCH, PATCHES, Form, as_hdr, write_clip
from numpy.typing import NDArray
from voxel_prepare.live.fit import Fit
from voxel_prepare.live.inputs import open_input
from voxel_prepare.live.source import Material, Reader

WHITE, BLACK = 235, 16


def picture(width: int, height: int, *, time: int = 0) -> VideoFrame:
    """A white picture."""
    planes = np.full((height * 3 // 2, width), 128, np.uint8)
    planes[:height] = WHITE
    frame = VideoFrame.from_ndarray(planes, format="yuv420p")
    frame.pts, frame.time_base = time, Fraction(1, 25)
    return frame


def luma(frame: VideoFrame) -> NDArray[np.int64]:
    return frame.to_ndarray()[: frame.height].astype(np.int64)


def white_box(frame: VideoFrame) -> tuple[int, int, int, int]:
    """Left, top, width and height of what is white."""
    rows, columns = np.nonzero(luma(frame) > (WHITE + BLACK) // 2)
    left, top = int(columns.min()), int(rows.min())
    return left, top, int(columns.max()) + 1 - left, int(rows.max()) + 1 - top


@pytest.mark.parametrize(
    ("size", "aspect", "expected"),
    [
        ((640, 360), Fraction(1), (0, 0, 320, 180)),
        ((160, 90), Fraction(1), (0, 0, 320, 180)),
        ((180, 320), Fraction(1), (109, 0, 102, 180)),
        ((240, 180), Fraction(4, 3), (0, 0, 320, 180)),
        ((640, 180), Fraction(1), (0, 45, 320, 90)),
    ],
)
def test_a_picture_of_another_size_fills_the_first_one_with_bars(
    size: tuple[int, int], aspect: Fraction, expected: tuple[int, int, int, int]
) -> None:
    fit = Fit(320, 180, (320, 180))
    assert len(list(fit.fitted(picture(320, 180), Fraction(1)))) == 1
    (fitted,) = fit.fitted(picture(*size, time=7), aspect)
    assert (fitted.width, fitted.height, fitted.format.name) == (320, 180, "yuv420p")
    assert fitted.time == pytest.approx(7 / 25)
    assert white_box(fitted) == pytest.approx(expected, abs=2)


def test_pictures_of_the_first_size_are_left_as_they_are() -> None:
    fit, first = Fit(320, 180, (320, 180)), picture(320, 180)
    assert [*fit.fitted(first, Fraction(1))] == [first]
    assert len([*fit.fitted(picture(64, 64), Fraction(1))]) == 1
    assert [*fit.fitted(first, Fraction(1))] == [first]


def test_a_sample_aspect_ratio_that_changes_at_the_same_size_is_followed() -> None:
    fit = Fit(320, 180, (320, 180))
    (wide,) = fit.fitted(picture(320, 180), Fraction(4, 3))
    assert white_box(wide) == pytest.approx((0, 22, 320, 136), abs=2)
    (again,) = fit.fitted(picture(320, 180), Fraction(1))
    assert white_box(again) == (0, 0, 320, 180)


@pytest.mark.parametrize("format_", ["yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "yuvj420p", "nv12", "rgb24"])
def test_pictures_of_any_format_become_eight_bit_4_2_0_of_limited_range(format_: str) -> None:
    fit = Fit(320, 180, (320, 180))
    given = picture(320, 180).reformat(format=format_)
    given.pts, given.time_base = 3, Fraction(1, 25)
    (fitted,) = fit.fitted(given, Fraction(1))
    assert (fitted.width, fitted.height, fitted.format.name) == (320, 180, "yuv420p")
    assert luma(fitted).mean() == pytest.approx(WHITE, abs=2)
    assert fitted.time == pytest.approx(3 / 25)


@pytest.mark.parametrize("transfer", ["arib-std-b67", "smpte2084"])
def test_hdr_becomes_sdr_of_the_same_light_in_words(
    tmp_path: Path, transfer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    form = Form(pixels="yuv420p10le", matrix="bt2020nc", primaries="bt2020", transfer=transfer)
    clip = write_clip(tmp_path / "hdr.mkv", form, signal=as_hdr(PATCHES, transfer))
    frame = next(one.frame for one in read(clip) if isinstance(one.frame, VideoFrame))
    assert frame.format.name == "yuv420p"
    patches = luma(frame)[PATCH // 2 :: PATCH, PATCH // 2 :: PATCH].reshape(-1)
    # Greys and skin; saturated colours become a little paler, as both gamuts are mapped and not cut.
    signal = PATCHES @ (0.2126, 0.7152, 0.0722)
    assert ((patches - 16) / 219)[[0, 1, 2, 3, 4, 11]] == pytest.approx(signal[[0, 1, 2, 3, 4, 11]], abs=0.04)
    assert capsys.readouterr().err.count("is mapped to SDR") == 1


def read(path: Path) -> list[Material]:
    """The pictures of a file, read once."""
    stop = Event()
    input_ = open_input(str(path))
    reader = Reader(input_, stop)
    reader.start()
    pictures: list[Material] = []
    reader.begin()
    while (material := reader.material.get(timeout=60)) is not None:
        if pictures and material.seconds >= 2 and isinstance(material.frame, VideoFrame):
            break
        pictures.append(material)
    stop.set()
    reader.join(timeout=60)
    return pictures


def test_a_source_that_begins_anew_with_another_size_goes_on(tmp_path: Path) -> None:
    wide = make_clip(tmp_path / "wide.ts", seconds=1)
    tall = make_clip(tmp_path / "tall.ts", size="180x320", seconds=1)
    both = tmp_path / "both.ts"
    both.write_bytes(wide.read_bytes() + tall.read_bytes())
    pictures = read(both)
    assert len(pictures) == 50
    assert {(one.frame.width, one.frame.height) for one in pictures if isinstance(one.frame, VideoFrame)} == {
        (320, 180)
    }
    assert all(later.seconds - one.seconds == pytest.approx(0.04, abs=0.001) for one, later in pairwise(pictures))


def test_an_interlaced_source_becomes_progressive(tmp_path: Path) -> None:
    interlaced = tmp_path / "interlaced.ts"
    moving = "testsrc2=size=320x180:rate=50:duration=2,interlace"
    ffmpeg("-f", "lavfi", "-i", moving, "-c:v", "libx264", "-flags", "+ildct+ilme", "-pix_fmt", "yuv420p", interlaced)
    pictures = [one.frame for one in read(interlaced) if isinstance(one.frame, VideoFrame)]
    assert len(pictures) == pytest.approx(50, abs=1)
    assert not any(frame.interlaced_frame for frame in pictures)
    # The lines of two fields differ where something moves: combs.
    combs = [np.abs(np.diff(luma(frame), axis=0)).mean() for frame in pictures[5:]]
    assert float(np.mean(combs)) < 0.85 * _combs_of(interlaced)


def _combs_of(path: Path) -> float:
    container = open_input(str(path)).container
    frames = [frame for frame in container.decode(video=0) if isinstance(frame, VideoFrame)]
    return float(np.mean([np.abs(np.diff(luma(frame), axis=0)).mean() for frame in frames[5:]]))


def test_the_codec_may_change_the_aspect_of_its_samples_on_the_way(tmp_path: Path) -> None:
    square = make_clip(tmp_path / "square.ts", "-vf", "drawbox=color=white:t=fill", seconds=1)
    wide = make_clip(tmp_path / "wide.ts", "-vf", "drawbox=color=white:t=fill,setsar=4/3", seconds=1)
    both = tmp_path / "both.ts"
    both.write_bytes(square.read_bytes() + wide.read_bytes())
    pictures = [one.frame for one in read(both) if isinstance(one.frame, VideoFrame)]
    assert white_box(pictures[10]) == (0, 0, 320, 180)
    assert white_box(pictures[40]) == pytest.approx((0, 22, 320, 136), abs=2)
