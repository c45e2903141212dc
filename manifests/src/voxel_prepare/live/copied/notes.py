"""What a reader of an input says: what there is to be copied, and each packet."""

from dataclasses import dataclass
from typing import TypeAlias

from voxel_prepare.live.copied.aac import AacFormat
from voxel_prepare.live.copied.cues import Cue
from voxel_prepare.live.copied.packets import Packet
from voxel_prepare.manifest.mpd import UNKNOWN_LANGUAGE
from voxel_prepare.repair.codec import Codec


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What a container says of a track of pictures."""

    codec: Codec
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Opened:
    """An input has been opened."""

    video: tuple[VideoFacts | None, ...]
    """None for a track that cannot be copied."""
    refused: tuple[str, ...]
    """Why."""
    wrap: int | None
    """Ticks after which its clock begins anew."""


@dataclass(frozen=True, slots=True)
class SoundFound:
    """The format of a track of sound, and what its container says of it: known with the first frame."""

    format: AacFormat
    track: int = 0
    """Its place among the tracks of AAC."""
    language: str = UNKNOWN_LANGUAGE
    """An xs:language."""
    role: str | None = None
    """One of the scheme `urn:mpeg:dash:role:2011`, where it is another than to be the only or the usual sound."""


@dataclass(frozen=True, slots=True)
class CueFound:
    """A cue has come."""

    cue: Cue


@dataclass(frozen=True, slots=True)
class Gone:
    """An input has ended, for good or to be opened again."""

    reason: str
    is_final: bool


Content: TypeAlias = Opened | SoundFound | CueFound | Gone | Packet


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader says."""

    input: int
    content: Content
