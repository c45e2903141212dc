"""The ring that players draw over a picture that stands."""

import numpy as np
from av.video.frame import VideoFrame

RADIUS_SHARE = 0.06
"""The ring's radius over the picture's height."""
THICKNESS_SHARE = 0.2
"""The ring's thickness over its radius."""
TURNS_PER_SECOND = 0.75
ARC = 0.75
"""Share of the ring that is drawn."""


def with_spinner(picture: VideoFrame, seconds: float) -> VideoFrame:
    """The picture with a white ring, three quarters of it, turned as it is after so many seconds."""
    planes = picture.reformat(format="yuv420p").to_ndarray()
    width, height = picture.width, picture.height
    radius = max(4.0, RADIUS_SHARE * height)
    rows, columns = np.mgrid[0:height, 0:width]
    y, x = rows - height / 2, columns - width / 2
    on_ring = np.abs(np.hypot(x, y) - radius) < THICKNESS_SHARE * radius / 2
    turn = (np.arctan2(y, x) / (2 * np.pi) - seconds * TURNS_PER_SECOND) % 1
    planes[:height, :width][on_ring & (turn < ARC)] = 235
    drawn = VideoFrame.from_ndarray(planes, format="yuv420p")
    drawn.pts = picture.pts
    return drawn
