"""What every preparation does at its start and end, whether it makes the media files or finds them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path

import av
import numpy as np

from voxel_prepare.analysis.analyse import ANALYSIS_VERSION, CHOICE_VERSION, AnalysisSettings
from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS, SegmentAnalysis
from voxel_prepare.errors import InputError
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
    choice: list[Json] = [CHOICE_VERSION, settings.choice] if settings.measures_choice else []
    return Part.of(f"{name}.json", [version, settings.metric, settings.order, media, *choice])


def index_part(name: str, analysis: Part) -> Part:
    """The index made from an analysis."""
    return Part.of(f"{name}.index", [VERSION, analysis.key])


def check_inputs(workspace: Workspace, inputs: Iterable[Path]) -> None:
    """Raises `InputError` for an input that was published in the output folder: a later publication may remove it."""
    for path in inputs:
        if workspace.owns(path):
            raise InputError(f"{path}: the output must not overwrite an input: use another --out")


def make_index(workspace: Workspace, part: Part, analyses: Sequence[SegmentAnalysis]) -> str:
    """Writes an index, unless it is finished from an earlier run. Its published name."""
    if workspace.find(part) is None:
        with workspace.make(part) as path:
            path.write_bytes(write_index(analyses, SCORE_DECIMALS))
    return workspace.published_name(part)


def warn(video: Sequence[VideoFile]) -> None:
    """Reports segments that repair does not support."""
    for file in video:
        for reason, count in Counter(analysis.warning for analysis in file.analyses).items():
            if reason is not None:
                refused = f"{count} segments cannot be repaired and stay completely reliable"
                say(f"warning: {file.media.id}: {refused}: {reason}")
