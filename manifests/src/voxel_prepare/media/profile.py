"""Which frames encoders make of pictures."""

from enum import StrEnum
from fractions import Fraction

RUN_SECONDS = Fraction(1, 2)
LONGEST_RUN = 15
"""x264 and x265 take 16 at most."""


class Profile(StrEnum):
    """Encoder settings beyond the preset."""

    DROPPABLE = "droppable"
    """Frames that others do without: of H.264 and HEVC half a second of B pictures after each P picture, whatever is
    shown, of which the one in the middle is a reference of the others and no picture refers to these; of VP9 frames
    that inherit no state, with layers of alternate references; of AV1 a hierarchy."""
    THESIS = "thesis"
    """The encoder's own choice (thesis §6.4.2: no custom encoding settings); x264 makes at most three B pictures in a
    row."""


def b_run(rate: Fraction) -> int:
    """How many B pictures in a row are droppable's, for so many frames per second."""
    return min(LONGEST_RUN, max(1, round(RUN_SECONDS * rate)))
