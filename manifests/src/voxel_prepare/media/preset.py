"""How fast encoding is."""

from enum import StrEnum


class Preset(StrEnum):
    """x264's presets for real use, from fast to slow; encoders.py has what other encoders make of them."""

    ULTRAFAST = "ultrafast"
    SUPERFAST = "superfast"
    VERYFAST = "veryfast"
    FASTER = "faster"
    FAST = "fast"
    MEDIUM = "medium"
    SLOW = "slow"
    SLOWER = "slower"
    VERYSLOW = "veryslow"
