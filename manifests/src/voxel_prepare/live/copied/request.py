"""What the user asks of `voxel-live --copy`."""

from dataclasses import dataclass
from pathlib import Path

from voxel_prepare.live.copied.ingest.address import Ingest
from voxel_prepare.live.encoder import CHUNK_FRAMES, LONG_RUN_SECONDS, SHORT_CHUNK_FRAMES


@dataclass(frozen=True, slots=True)
class CopyRequest:
    """Options of `voxel-live --copy`; seconds."""

    inputs: tuple[str, ...]
    out: Path
    segment: float | None
    """None: as the key frames of the inputs are."""
    chunk: int | None
    """Frames."""
    latency: float
    window: float
    keep: bool
    ingest: Ingest | None = None
    """Where encoders may send to; it is the input after the others."""
    speed: float = 1
    """So many times as fast as they play files and pipes are read."""

    @property
    def names(self) -> tuple[str, ...]:
        """What messages call all inputs."""
        return self.inputs + ((self.ingest.name,) if self.ingest else ())

    @property
    def chunk_frames(self) -> int:
        """Frames of a chunk."""
        return self.chunk or (CHUNK_FRAMES if self.latency >= LONG_RUN_SECONDS else SHORT_CHUNK_FRAMES)
