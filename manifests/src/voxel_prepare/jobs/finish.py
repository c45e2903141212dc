"""The last steps of every preparation, whether it made the media files or found them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields

import av
import numpy as np

from voxel_prepare.analysis.analyse import ANALYSIS_VERSION, AnalysisSettings
from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS, SegmentAnalysis
from voxel_prepare.jobs.progress import say
from voxel_prepare.jobs.workspace import Json, Part, Workspace
from voxel_prepare.manifest.index_file import VERSION, write_index
from voxel_prepare.manifest.mpd import VideoFile


def analysis_part(name: str, media: Json, settings: AnalysisSettings) -> Part:
    """The analysis of a representation; `media` identifies the media of all that are analysed together.

    The key also depends on the version of the analysis, on the libraries and on the fields that are stored.
    """
    version: Json = [
        ANALYSIS_VERSION,
        av.__version__,
        np.__version__,
        [field.name for field in fields(SegmentAnalysis)],
    ]
    return Part.of(f"{name}.json", [version, settings.metric, settings.order, media])


def index_part(name: str, analysis: Part) -> Part:
    """The index made from an analysis."""
    return Part.of(f"{name}.index", [VERSION, analysis.key])


def make_index(workspace: Workspace, part: Part, analyses: Sequence[SegmentAnalysis]) -> None:
    """Writes an index, unless it is finished from an earlier run."""
    if workspace.find(part) is None:
        with workspace.make(part) as path:
            path.write_bytes(write_index(analyses, SCORE_DECIMALS))


def warn(video: Sequence[VideoFile]) -> None:
    """Reports segments that repair does not support."""
    for file in video:
        for reason, count in Counter(analysis.warning for analysis in file.analyses).items():
            if reason is not None:
                refused = f"{count} segments cannot be repaired and stay completely reliable"
                say(f"warning: {file.media.id}: {refused}: {reason}")
