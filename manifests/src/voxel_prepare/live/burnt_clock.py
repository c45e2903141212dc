"""Draws the time of capture into pictures, for people who want to see latency."""

from datetime import UTC, datetime

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

GLYPHS = {
    "0": "01110 10001 10011 10101 11001 10001 01110",
    "1": "00100 01100 00100 00100 00100 00100 01110",
    "2": "01110 10001 00001 00110 01000 10000 11111",
    "3": "11111 00010 00100 00010 00001 10001 01110",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "00110 01000 10000 11110 10001 10001 01110",
    "7": "11111 00001 00010 00100 01000 01000 01000",
    "8": "01110 10001 10001 01110 10001 10001 01110",
    "9": "01110 10001 10001 01111 00001 00010 01100",
    ":": "00000 00100 00100 00000 00100 00100 00000",
    ".": "00000 00000 00000 00000 00000 01100 01100",
}
"""Rows of five pixels; PyAV's wheels have no fonts."""

HEIGHT_SHARE = 14
"""A picture is this many times as high as a digit."""
BLACK, WHITE, GREY = 16, 235, 128
"""BT.601 and BT.709, limited range: luma, luma, chroma."""


def draw_time(picture: VideoFrame, captured: float) -> VideoFrame:
    """A copy with the time of day of `captured`, in ms since 1970 (UTC), in its upper left corner: `19:45:12.345`."""
    width, height = picture.width & ~1, picture.height & ~1
    samples = picture.reformat(width=width, height=height, format="yuv420p").to_ndarray().copy()
    pixels = samples.reshape(-1)
    luma = pixels[: width * height].reshape(height, width)
    chroma = pixels[width * height :].reshape(2, height // 2, width // 2)
    box = _box(_time_of_day(captured), max(1, height // (HEIGHT_SHARE * 7)))[:height, :width]
    luma[: box.shape[0], : box.shape[1]] = np.where(box, WHITE, BLACK)
    chroma[:, : (box.shape[0] + 1) // 2, : (box.shape[1] + 1) // 2] = GREY
    return VideoFrame.from_ndarray(samples, format="yuv420p")


def _time_of_day(captured: float) -> str:
    moment = datetime.fromtimestamp(int(captured) / 1000, UTC)
    return moment.strftime("%H:%M:%S.") + f"{int(captured) % 1000:03}"


def _box(text: str, scale: int) -> NDArray[np.bool_]:
    """The text with a margin of one pixel, each pixel `scale` wide and high."""
    glyphs = [np.array([[pixel == "1" for pixel in row] for row in GLYPHS[letter].split()]) for letter in text]
    line = np.hstack([np.pad(glyph, ((1, 1), (1, 0))) for glyph in glyphs])
    return np.kron(np.pad(line, ((0, 0), (0, 1))), np.ones((scale, scale), dtype=np.bool_)).astype(np.bool_)
