"""What every preparation ends with, whether it made the media files or found them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields

import av
import numpy as np

from voxel_prepare.analysis.analyse import METHOD, AnalysisSettings
from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS, SegmentAnalysis
from voxel_prepare.jobs.progress import say
from voxel_prepare.jobs.workspace import Json, Part, Workspace
from voxel_prepare.manifest.index_file import VERSION, write_index
from voxel_prepare.manifest.mpd import VideoFile


def analysis_part(name: str, levels: Json, settings: AnalysisSettings) -> Part:
    """The analysis of a level; `levels` stands for the media of all, which are analysed together.

    Its key stands for how it is done, too: by which way, with which libraries, and what the file says of a segment.
    """
    method: Json = [METHOD, av.__version__, np.__version__, [field.name for field in fields(SegmentAnalysis)]]
    return Part.of(f"{name}.json", [method, settings.metric, settings.order, levels])


def index_part(name: str, analysis: Part) -> Part:
    """The index of a level with that analysis."""
    return Part.of(f"{name}.index", [VERSION, analysis.key])


def make_index(workspace: Workspace, part: Part, analyses: Sequence[SegmentAnalysis]) -> None:
    """Writes an index unless it is finished."""
    if workspace.find(part) is None:
        with workspace.make(part) as path:
            path.write_bytes(write_index(analyses, SCORE_DECIMALS))


def warn(levels: Sequence[VideoFile]) -> None:
    """Says where repair cannot help."""
    for level in levels:
        for reason, count in Counter(analysis.warning for analysis in level.analyses).items():
            if reason is not None:
                say(f"warning: {level.media.id}: {count} segments stay wholly reliable: {reason}")
