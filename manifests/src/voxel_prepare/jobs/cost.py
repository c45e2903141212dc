"""Estimates the duration of work for the progress bar: rough seconds of one core, in the right proportion."""

from voxel_prepare.media.preset import Preset

PRESET_COST: dict[Preset, float] = {
    Preset.ULTRAFAST: 0.3,
    Preset.SUPERFAST: 0.6,
    Preset.VERYFAST: 1,
    Preset.FASTER: 1.5,
    Preset.FAST: 2,
    Preset.MEDIUM: 2.5,
    Preset.SLOW: 4,
    Preset.SLOWER: 8,
    Preset.VERYSLOW: 14,
}
"""Relative to veryfast."""

ENCODE_SECONDS = 10e-9
"""Per pixel of a frame and pass, veryfast."""

DECODE_VARIANTS_SECONDS = 40e-9
"""Per pixel of a frame: decoding all its variants."""

COMPARE_VARIANTS_SECONDS = 10e-9
"""Per pixel of the reference frame: scaling and comparing the variants."""


def encode_cost(frames: int, pixels: int, preset: Preset, pass_costs: float) -> float:
    """The cost of encoding a representation; `pass_costs` of all passes, of x264's for one."""
    return frames * pixels * pass_costs * PRESET_COST[preset] * ENCODE_SECONDS


def analyse_cost(frames: int, pixels: int, reference_pixels: int) -> float:
    """The cost of scoring `frames` frames of a representation; pixels are those of a frame."""
    return frames * (pixels * DECODE_VARIANTS_SECONDS + reference_pixels * COMPARE_VARIANTS_SECONDS)
