"""Which frames x264 makes of pictures."""

from enum import StrEnum
from fractions import Fraction

RUN_SECONDS = Fraction(1, 2)
LONGEST_RUN = 15
"""x264 takes 16 at most."""


class Profile(StrEnum):
    """Encoder settings beyond the preset."""

    DROPPABLE = "droppable"
    """Half a second of B pictures after each P picture, whatever is shown. The one in the middle is a reference of the
    others, and no picture refers to these."""
    THESIS = "thesis"
    """x264's own choice (thesis §6.4.2: no custom encoding settings), at most three B pictures in a row."""

    def x264(self, rate: Fraction) -> str:
        """What it adds to `-x264-params`, for so many frames per second."""
        if self is Profile.THESIS:
            return ""
        run = min(LONGEST_RUN, max(1, round(RUN_SECONDS * rate)))
        return f":bframes={run}:b-adapt=0:b-pyramid=normal"
