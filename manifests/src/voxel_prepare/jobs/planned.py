"""What is analysed together, and the parts that come of it."""

from dataclasses import dataclass, fields

import av
import numpy as np

from voxel_prepare.analysis.analyse import ANALYSIS_VERSION, CHOICE_VERSION, AnalysisSettings
from voxel_prepare.analysis.segment_analysis import SegmentAnalysis
from voxel_prepare.jobs.job import Json
from voxel_prepare.jobs.workspace import Part
from voxel_prepare.manifest.index_entry import VERSION


@dataclass(frozen=True, slots=True)
class PlannedRepresentation:
    """A representation to analyse and describe."""

    analysis: Part
    index: Part
    """Part of the index made from the analysis."""
    cost: float
    """Estimated work, see cost.py."""

    def segment_part(self, index: int) -> Part:
        """Stores the analysis of that segment until all segments are analysed."""
        return Part(f"{index}-{self.analysis.name}", self.analysis.key)


@dataclass(frozen=True, slots=True)
class PlannedSet:
    """Representations that are analysed together."""

    representations: list[PlannedRepresentation]
    reference: int
    """Place of the one with which the others are compared."""


def plan_representation(name: str, media: Json, settings: AnalysisSettings, cost: float) -> PlannedRepresentation:
    """Names the parts of a representation; `media` identifies the media of all that are analysed together.

    The keys also depend on the version of the analysis, on the libraries and on the fields that are stored.
    """
    version: Json = [
        ANALYSIS_VERSION,
        av.__version__,
        np.__version__,
        [field.name for field in fields(SegmentAnalysis)],
    ]
    choice: list[Json] = [CHOICE_VERSION, settings.choice] if settings.measures_choice else []
    analysis = Part.of(f"{name}.json", [version, settings.metric, settings.order, settings.most_held, media, *choice])
    return PlannedRepresentation(analysis, Part.of(f"{name}.index", [VERSION, analysis.key]), cost)
