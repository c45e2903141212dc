"""What the user asks of `voxel-live`."""

from dataclasses import dataclass, replace
from pathlib import Path

from voxel_prepare.errors import InputError
from voxel_prepare.live.encoder import LEAST_CHUNKS, FrameChoice
from voxel_prepare.live.inputs import Input
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.encoders import CodecName
from voxel_prepare.media.ladder import Representation, RepresentationName, choose_representations

DEFAULT_REPRESENTATIONS = tuple(
    RepresentationName(size, mbps)
    for size, mbps in (("240p", 0.2), ("240p", 0.4), ("360p", 0.8), ("480p", 1.3), ("720p", 2.5))
)
"""The first one has half the rate of the next, for what a link still carries when it fades: where most bytes must
arrive, leaving frames out cannot halve a rate (docs/LIVE.md, "Prepare").
"""

LIVE_CODECS = (CodecName.H264, CodecName.AV1)


def parse_live_codec(text: str) -> CodecName:
    """Raises `InputError` for a codec that is not encoded live."""
    if text not in LIVE_CODECS:
        raise InputError(f"--codec must be {' or '.join(LIVE_CODECS)}, got {text!r}")
    return CodecName(text)


@dataclass(frozen=True, slots=True)
class LiveRequest:
    """Options of `voxel-live`; seconds."""

    input: str
    out: Path
    representations: tuple[RepresentationName, ...] | None
    segment: float
    chunk: int | None
    """Frames; None for the number that suits the latency."""
    latency: float
    window: float
    keep: bool
    clock: bool
    """The time of capture is drawn into the pictures."""
    codec: CodecName = CodecName.H264

    def frames(self, input_: Input) -> FrameChoice:
        """Raises `InputError` for chunks that are too long."""
        segment = SegmentDuration.nearest(self.segment, input_.rate).frames
        choice = FrameChoice.of(segment, self.latency, self.chunk, self.codec)
        if self.chunk is not None and self.chunk * LEAST_CHUNKS > segment:
            raise InputError(
                f"--chunk: a segment of {segment} frames must have at least {LEAST_CHUNKS} chunks, "
                f"got chunks of {self.chunk} frames"
            )
        return choice

    def ladder(self, input_: Input) -> list[Representation]:
        """The representations with ids `v0`, `v1`, … ascending in bitrate. Raises `InputError`."""
        names = self.representations
        if names is None:
            height = min(input_.width, input_.height)
            names = tuple(name for name in DEFAULT_REPRESENTATIONS if int(name.size.removesuffix("p")) <= height)
        found = choose_representations(input_.width, input_.height, names or DEFAULT_REPRESENTATIONS[:1], self.codec)
        return [replace(representation, id=f"v{number}") for number, representation in enumerate(found)]
