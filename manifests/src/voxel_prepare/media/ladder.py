"""Which levels to encode: the thesis' ladder (Table 6.2), cut to what the source holds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voxel_prepare.errors import InputError

THESIS_MBPS: dict[str, tuple[float, ...]] = {
    "144p": (0.16,),
    "240p": (0.23, 0.37),
    "360p": (0.56, 0.75),
    "480p": (1.05, 1.75),
    "720p": (2.35, 3),
    "1080p": (4.3, 5.8),
    "1440p": (7.4,),
    "2160p": (10,),
}

ASPECT = 16 / 9
"""Of the box that a level's name stands for: 720p is whatever fits into 1280x720 (720x1280 if upright)."""

ROUNDING = 1.02
"""A source cropped by a few lines (1918x1078) still holds its nominal level; it is never scaled up."""

MAX_MBPS = 1000


@dataclass(frozen=True, slots=True)
class LevelName:
    """A level as the user names it: a size and a bitrate."""

    size: str
    mbps: float


@dataclass(frozen=True, slots=True)
class Level:
    """A level to encode."""

    id: str
    width: int
    height: int
    bitrate: int
    """Bit/s."""


THESIS_LADDER = tuple(LevelName(size, mbps) for size, rates in THESIS_MBPS.items() for mbps in rates)


def parse_levels(text: str) -> list[LevelName]:
    """Parses `NAME[:MBPS],…`: a name alone stands for all the thesis' levels of that size. Raises `InputError`."""
    names: list[LevelName] = []
    for part in text.split(","):
        size, colon, rate = part.strip().partition(":")
        if size not in THESIS_MBPS:
            raise InputError(f"unknown level {size!r}: choose from {', '.join(THESIS_MBPS)}")
        rates = (_parse_rate(part, rate),) if colon else THESIS_MBPS[size]
        names += [LevelName(size, mbps) for mbps in rates]
    if len(set(names)) < len(names):
        raise InputError(f"the same level twice in {text!r}")
    return names


def choose_levels(width: int, height: int, names: Sequence[LevelName] | None = None) -> list[Level]:
    """The levels for a source of that size in square pixels, ascending in bitrate, with ids `q00`, `q01`, ….

    Without `names`: the thesis' ladder without the levels above the source. Raises `InputError` when a named level is
    above the source, or none fits.
    """
    fitting = [(name, size) for name in names or THESIS_LADDER if (size := scaled_size(name.size, width, height))]
    if names and len(fitting) < len(names):
        missing = next(name.size for name in names if not scaled_size(name.size, width, height))
        raise InputError(f"level {missing} is above the source ({width}x{height})")
    if not fitting:
        raise InputError(f"the source ({width}x{height}) is smaller than the lowest level")
    return _numbered((size, round(name.mbps * 1e6)) for name, size in fitting)


def scaled_size(size: str, width: int, height: int) -> tuple[int, int] | None:
    """`width` x `height` fitted into the box of that level, aspect kept, both even; None if that would enlarge it."""
    short = int(size.removesuffix("p"))
    long = short * ASPECT
    factor = min(long / max(width, height), short / min(width, height))
    if factor > ROUNDING:
        return None
    factor = min(factor, 1)
    return _even(width * factor), _even(height * factor)


def _numbered(levels: Iterable[tuple[tuple[int, int], int]]) -> list[Level]:
    ascending = sorted(levels, key=lambda level: (level[1], level[0]))
    return [Level(f"q{index:02}", width, height, bitrate) for index, ((width, height), bitrate) in enumerate(ascending)]


def _parse_rate(part: str, text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0
    if not 0.01 <= rate <= MAX_MBPS:
        raise InputError(f"bad level {part!r}: the bitrate is a number of Mbit/s from 0.01 to {MAX_MBPS}")
    return rate


def _even(pixels: float) -> int:
    return max(2, round(pixels / 2) * 2)
