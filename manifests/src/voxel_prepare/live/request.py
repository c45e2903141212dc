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
    RepresentationName(size, mbps) for size, mbps in (("240p", 0.4), ("360p", 0.8), ("480p", 1.3), ("720p", 2.5))
)


WHY_NO_OTHER_CODEC = (
    "voxel-live encodes h264 only, got {codec!r}: not for want of speed (SVT-AV1 in low delay takes 0.5 of a core for "
    "720p at 30 frames/s, x264 0.2), but because the records of chunks cannot say yet that frames are removed"
)
"""The measurement: PyAV's libsvtav1, preset 10, `rc=2:lp=1:pred-struct=1`, 2.5 Mbit/s; it held no picture back."""


def check_live_codec(codec: str) -> None:
    """Raises `InputError` for a codec that is not encoded live."""
    if codec != CodecName.H264:
        raise InputError(f"--codec: {WHY_NO_OTHER_CODEC.format(codec=codec)}")


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

    def frames(self, input_: Input) -> FrameChoice:
        """Raises `InputError` for chunks that are too long."""
        segment = SegmentDuration.nearest(self.segment, input_.rate).frames
        choice = FrameChoice.of(segment, self.latency, self.chunk)
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
        found = choose_representations(input_.width, input_.height, names or DEFAULT_REPRESENTATIONS[:1])
        return [replace(representation, id=f"v{number}") for number, representation in enumerate(found)]
