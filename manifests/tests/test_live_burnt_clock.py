"""The time of capture in pictures."""

import numpy as np
import pytest
from av.video.frame import VideoFrame
from numpy.typing import NDArray
from voxel_prepare.live.burnt_clock import BLACK, GLYPHS, GREY, WHITE, draw_time

MOMENT = 1_795_462_512_045.9
"""19:35:12.045 UTC."""
MOMENT_TEXT = "19:35:12.045"


def grey(width: int, height: int, pixel_format: str = "yuv420p") -> VideoFrame:
    return VideoFrame.from_ndarray(np.full((height * 3 // 2, width), 100, dtype=np.uint8), format="yuv420p").reformat(
        format=pixel_format
    )


def read(luma: NDArray[np.uint8], count: int, scale: int) -> str:
    """The letters of a line, each of 5 × 7 pixels after a margin of one."""
    letters = {glyph: letter for letter, glyph in GLYPHS.items()}
    text = ""
    for place in range(count):
        left = (1 + 6 * place) * scale
        cell = luma[scale : 8 * scale : scale, left : left + 5 * scale : scale]
        text += letters[" ".join("".join("1" if pixel == WHITE else "0" for pixel in row) for row in cell)]
    return text


@pytest.mark.parametrize(("height", "scale"), [(720, 7), (240, 2), (90, 1)])
def test_draws_time_of_day_to_the_millisecond(height: int, scale: int) -> None:
    drawn = draw_time(grey(height * 16 // 9 & ~1, height), MOMENT).to_ndarray()
    assert read(drawn[:height].astype(np.uint8), len(MOMENT_TEXT), scale) == MOMENT_TEXT


def test_leaves_the_picture_it_is_given_and_all_outside_the_box() -> None:
    picture = grey(320, 180)
    drawn = draw_time(picture, MOMENT).to_ndarray()
    assert (picture.to_ndarray() == 100).all()
    assert set(np.unique(drawn[:180])) == {BLACK, 100, WHITE}
    assert (drawn[20:180] == 100).all()
    assert set(np.unique(drawn[180:])) == {100, GREY}


@pytest.mark.parametrize(("width", "height", "pixel_format"), [(322, 182, "yuv444p"), (64, 36, "yuv420p10le")])
def test_takes_pictures_of_any_format_and_size(width: int, height: int, pixel_format: str) -> None:
    drawn = draw_time(grey(width, height, pixel_format), MOMENT)
    assert (drawn.width, drawn.height, drawn.format.name) == (width, height, "yuv420p")


def test_takes_odd_sizes() -> None:
    picture = grey(322, 182).reformat(width=321, height=181)
    drawn = draw_time(picture, MOMENT)
    assert (drawn.width, drawn.height) == (320, 180)
