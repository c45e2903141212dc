"""The settings of a run."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voxel_prepare.analysis.segment_analysis import CHOSEN_ORDERS, Metric, OrderChoice, OrderName
from voxel_prepare.errors import InputError
from voxel_prepare.manifest.mpd_file import FactsPlace
from voxel_prepare.media.encoders import CodecName
from voxel_prepare.media.ladder import RepresentationName
from voxel_prepare.media.preset import Preset
from voxel_prepare.media.profile import Profile

SCHEDULER_ADDRESS = re.compile(r"tcp://\S+:\d{1,5}")


@dataclass(frozen=True, slots=True)
class Request:
    """All settings of a run."""

    inputs: tuple[Path, ...]
    out: Path
    media: Literal["encode", "copy", "existing"]
    """`encode`: one input, to be encoded as several representations. `copy`: each input is a representation, to be
    remuxed. `existing`: the input is the MPD of a presentation, whose media stay unchanged."""
    representations: tuple[RepresentationName, ...] | None
    """None: the thesis' ladder up to the size of the source."""
    segment_seconds: float
    slices: int
    preset: Preset
    passes: int
    start: float
    """Seconds."""
    duration: float | None
    """Seconds; None: to the end."""
    jobs: int
    """Number of processes that work in parallel."""
    codecs: tuple[CodecName, ...] = (CodecName.H264,)
    """What is encoded, a ladder each, the preferred one first."""
    profile: Profile = Profile.DROPPABLE
    facts: FactsPlace = "index"
    metric: Metric = Metric.SSIM
    """The metric of all scores."""
    order: OrderName | None = None
    """The order of frames; None: the best one for each segment."""
    choice: OrderChoice = OrderChoice.MEASURED
    """How the best one is found."""
    hold: bool = False
    """Whether the picture before may be held in place of a missing frame of H.264; attributes cannot say where."""
    hls_files: bool = False
    """A file for each segment, which the playlists name."""
    keys: tuple[tuple[bytes, bytes], ...] = ()
    """Identifier and key, 16 bytes each, of the encrypted tracks of an existing presentation."""
    replace: bool = False
    """Whether what was made in `out` for another job may be replaced."""
    scheduler: str | None = None
    """Address of a Dask scheduler whose workers do the work instead, such as `tcp://host:port`."""

    def check(self) -> None:
        """Raises `InputError` if settings contradict each other."""
        if self.hold and self.facts != "index":
            raise InputError("--inline cannot say which pictures are held: leave out --hold")
        if self.media != "copy" and len(self.inputs) > 1:
            expected = "one MPD" if self.media == "existing" else "one input, or several with --copy"
            raise InputError(f"expected {expected}, got {len(self.inputs)} inputs")
        if self.media != "encode" and (self.representations is not None or self.start or self.duration is not None):
            raise InputError("--representations, --start and --duration cannot be used with --copy: it does not encode")
        if self.media != "encode" and self.codecs != (CodecName.H264,):
            raise InputError("--codec cannot be used with --copy: it does not encode")
        if self.slices != 1 and CodecName.H264 not in self.codecs:
            raise InputError("--slices needs --codec h264: frames of other codecs are sent and removed whole")
        if self.media == "existing" and self.hls_files:
            raise InputError("--hls-files cannot be used with --copy of an MPD, whose media stay as they are")
        if self.media != "existing" and self.keys:
            raise InputError("--key needs --copy with an MPD: other inputs must not be encrypted")
        if self.order not in (None, *CHOSEN_ORDERS):
            raise InputError(
                f"--order must be one of {', '.join(CHOSEN_ORDERS)}: frames that are removed have their own"
            )
        if self.scheduler is not None and not SCHEDULER_ADDRESS.fullmatch(self.scheduler):
            raise InputError(f"--scheduler must be an address such as tcp://host:8786, got {self.scheduler!r}")
