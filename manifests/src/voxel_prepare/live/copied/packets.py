"""What inputs bring: coded frames of pictures and sound, with the times of their sender."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

TICKS = 90_000
"""Units of all times here, per second: those of MPEG-TS, which milliseconds are whole numbers of."""

Kind: TypeAlias = Literal["video", "audio"]


@dataclass(frozen=True, slots=True)
class Packet:
    """A coded frame; times in ticks."""

    kind: Kind
    track: int
    """Place of its track among those of the kind in its input."""
    data: bytes
    """A sample (ISO/IEC 14496-12): NAL units after their lengths, or raw AAC."""
    shown: int
    """When it is presented, by the sender's clock, which may wrap or begin anew."""
    decoded: int
    """When it is decoded, by the same clock."""
    arrived: int
    """When it came, by the clock here: ticks since 1970 (UTC)."""
    is_key: bool = False
    """Decoding can start with it, whatever came before: an IDR picture."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A packet with its times on the timeline: ticks since media time 0."""

    packet: Packet
    shown: int
    decoded: int
    captured: int
    """When it would have come without jitter, in ms since 1970 (UTC)."""
