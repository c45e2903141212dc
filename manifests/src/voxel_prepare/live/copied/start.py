"""What a presentation of copied streams is like: how long its segments are, and what its representations take."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil

from voxel_prepare.errors import InputError
from voxel_prepare.live.copied.packets import TICKS, Packet
from voxel_prepare.live.copied.stamps import Stamped
from voxel_prepare.media.source import STANDARD_RATES

LEAST_SEGMENT_SECONDS = 0.9
MOST_SEGMENT_SECONDS = 10
SAME_RATE = 0.001
SAME_SEGMENT = 0.05
"""Shares by which rates and durations may differ and be the same."""


@dataclass(frozen=True, slots=True)
class TrackStart:
    """The beginning of a track of pictures."""

    gop: int
    """Ticks from a key frame to the next one."""
    frames: int
    """Frames between them."""
    bitrate: float
    """Bit/s."""


def track_start(waiting: Sequence[tuple[Stamped, Packet]], track: int) -> TrackStart | None:
    """None before there are two key frames."""
    packets = [(stamped, packet) for stamped, packet in waiting if packet.kind == "video" and packet.track == track]
    keys = [place for place, (_, packet) in enumerate(packets) if packet.is_key]
    if len(keys) < 2:
        return None
    gaps = Counter((packets[end][0].shown - packets[start][0].shown, end - start) for start, end in pairwise(keys))
    (gop, frames), _ = gaps.most_common(1)[0]
    span = packets[keys[-1]][0].shown - packets[keys[0]][0].shown
    size = sum(len(packet.data) for _, packet in packets[keys[0] : keys[-1]])
    return TrackStart(max(1, gop), frames, 8 * size * TICKS / max(1, span))


def segment_ticks(tracks: Sequence[TrackStart], wanted: float | None) -> Fraction:
    """The duration of a segment: of one group of pictures or several. `wanted`: seconds; None: about one.

    Raises `InputError` for one that is no multiple of the longest group.
    """
    longest = max(tracks, key=lambda one: one.gop)
    seconds = longest.gop / TICKS
    count = ceil(LEAST_SEGMENT_SECONDS / seconds) if wanted is None else max(1, round(wanted / seconds))
    if wanted is not None and abs(count * seconds / wanted - 1) > SAME_SEGMENT:
        raise InputError(f"--segment: key frames come every {seconds:.3g} s: expected a multiple, got {wanted:g}")
    if count * seconds > MOST_SEGMENT_SECONDS:
        raise InputError(
            f"a key frame every {MOST_SEGMENT_SECONDS} s at least is needed, found one every {seconds:.3g} s"
        )
    rate = Fraction(longest.frames * TICKS, longest.gop)
    nearest = min(STANDARD_RATES, key=lambda standard: abs(standard - rate))
    if abs(nearest / rate - 1) > SAME_RATE:
        nearest = rate
    return count * longest.frames / nearest * TICKS
