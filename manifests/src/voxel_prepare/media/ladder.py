"""Which representations to encode: by default the thesis' ladder (Table 6.2), up to the size of the source."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from voxel_prepare.errors import InputError
from voxel_prepare.media.encoders import ENCODERS, CodecName

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
"""Aspect of the box of a size: 720p is the largest picture that fits into 1280x720 (720x1280 if upright)."""

ROUNDING = 1.02
"""A source cropped by a few lines (1918x1078) still counts as its nominal size; pictures are never scaled up."""

MAX_MBPS = 1000


@dataclass(frozen=True, slots=True)
class RepresentationName:
    """A representation as the user specifies it: a size such as `720p` and a bitrate."""

    size: str
    mbps: float
    of_thesis: bool = field(default=False, compare=False)
    """Whether the bitrate is that of the thesis: other codecs than H.264 take their share of it."""

    def bitrate(self, codec: CodecName) -> int:
        """Bit/s of that codec."""
        return round(self.mbps * 1e6 * (ENCODERS[codec].bitrate_share if self.of_thesis else 1))


@dataclass(frozen=True, slots=True)
class Representation:
    """A representation to encode."""

    id: str
    width: int
    height: int
    bitrate: int
    """Bit/s."""
    codec: CodecName = CodecName.H264


def _of_thesis(size: str) -> list[RepresentationName]:
    return [RepresentationName(size, mbps, of_thesis=True) for mbps in THESIS_MBPS[size]]


THESIS_LADDER = tuple(name for size in THESIS_MBPS for name in _of_thesis(size))


def parse_representations(text: str) -> list[RepresentationName]:
    """Parses `SIZE[:MBPS],…`: a size alone means all of the thesis' bitrates of that size. Raises `InputError`."""
    names: list[RepresentationName] = []
    for part in text.split(","):
        size, colon, rate = part.strip().partition(":")
        if size not in THESIS_MBPS:
            raise InputError(f"--representations: the size must be one of {', '.join(THESIS_MBPS)}, got {size!r}")
        names += [RepresentationName(size, _parse_rate(part, rate))] if colon else _of_thesis(size)
    if len(set(names)) < len(names):
        raise InputError(f"--representations: each size and bitrate must be different, got {text!r}")
    return names


def choose_representations(
    width: int,
    height: int,
    names: Sequence[RepresentationName] | None = None,
    codec: CodecName = CodecName.H264,
) -> list[Representation]:
    """The representations for a source of that size in square pixels, ascending in bitrate (`ladder_id`).

    Without `names`: those of the thesis' ladder that are not larger than the source. Raises `InputError` if a named one
    is larger than the source, or all of the ladder are.
    """
    fitting = [(name, size) for name in names or THESIS_LADDER if (size := scaled_size(name.size, width, height))]
    if names and len(fitting) < len(names):
        missing = next(name.size for name in names if not scaled_size(name.size, width, height))
        raise InputError(f"--representations: {missing} is larger than the source, which has {width}x{height} pixels")
    if not fitting:
        raise InputError(
            f"the source must have at least the size {THESIS_LADDER[0].size} (256x144), found {width}x{height}"
        )
    return _numbered(((size, name.bitrate(codec)) for name, size in fitting), codec)


def ladder_id(codec: str, place: int) -> str:
    """The id of the representation at a place of its codec's ladder: `q00`, `q01`, … of H.264, `av1-q00`, … of another
    codec, by FFmpeg's name.
    """
    return f"q{place:02}" if codec == CodecName.H264 else f"{codec}-q{place:02}"


def scaled_size(size: str, width: int, height: int) -> tuple[int, int] | None:
    """`width` x `height` scaled to fit the box of `size`, aspect kept, both even; None if that would enlarge it."""
    short = int(size.removesuffix("p"))
    long = short * ASPECT
    factor = min(long / max(width, height), short / min(width, height))
    if factor > ROUNDING:
        return None
    factor = min(factor, 1)
    return _even(width * factor), _even(height * factor)


def _numbered(representations: Iterable[tuple[tuple[int, int], int]], codec: CodecName) -> list[Representation]:
    ascending = sorted(representations, key=lambda representation: (representation[1], representation[0]))
    return [
        Representation(ladder_id(codec, index), width, height, bitrate, codec)
        for index, ((width, height), bitrate) in enumerate(ascending)
    ]


def _parse_rate(part: str, text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0
    if not 0.01 <= rate <= MAX_MBPS:
        raise InputError(f"--representations: the bitrate must be from 0.01 to {MAX_MBPS} Mbit/s, got {part!r}")
    return rate


def _even(pixels: float) -> int:
    return max(2, round(pixels / 2) * 2)
