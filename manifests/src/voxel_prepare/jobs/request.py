"""What the user asked for."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voxel_prepare.analysis.segment_analysis import Metric, OrderName
from voxel_prepare.errors import InputError
from voxel_prepare.manifest.mpd_file import FactsPlace
from voxel_prepare.media.ladder import LevelName
from voxel_prepare.media.preset import Preset

SCHEDULER_ADDRESS = re.compile(r"tcp://\S+:\d{1,5}")


@dataclass(frozen=True, slots=True)
class Request:
    """All settings of a run."""

    inputs: tuple[Path, ...]
    out: Path
    media: Literal["encode", "copy", "ladder"]
    """`encode`: one input, to be encoded at several levels. `copy`: each input is a level already, to be remuxed.
    `ladder`: the input is the MPD of a presentation, whose media stay as they are."""
    levels: tuple[LevelName, ...] | None
    """None: the thesis' ladder as far as the source allows."""
    segment_seconds: float
    slices: int
    preset: Preset
    passes: int
    start: float
    """Seconds."""
    duration: float | None
    """Seconds; None: to the end."""
    jobs: int
    """Processes at a time."""
    facts: FactsPlace = "index"
    metric: Metric = Metric.SSIM
    """What scores are."""
    order: OrderName | None = None
    """Of frames; None: the best for each segment."""
    scheduler: str | None = None
    """Address of a Dask scheduler whose workers do the work instead, as `tcp://host:port`."""

    def check(self) -> None:
        """Raises `InputError` where settings do not go together."""
        if self.media != "copy" and len(self.inputs) > 1:
            raise InputError("several inputs go with --copy only, and an MPD goes alone")
        if self.media != "encode" and (self.levels is not None or self.start or self.duration is not None):
            raise InputError("--levels, --start and --duration do not go with --copy: the inputs stay as they are")
        if self.scheduler is not None and not SCHEDULER_ADDRESS.fullmatch(self.scheduler):
            raise InputError(f"--scheduler {self.scheduler}: not an address such as tcp://host:8786")
