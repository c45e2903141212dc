"""How many bytes of a segment a score takes, over representations and prefixes, with each encoder profile."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from voxel_prepare.manifest.mpd import Presentation
from voxel_prepare.media.ladder import RepresentationName
from voxel_prepare.media.profile import Profile

TARGETS = (0.99, 0.95, 0.90)
"""Shares of the score of the untouched segment that `thesis` makes of `TOP`."""

TOP = RepresentationName("240p", 0.37)

LADDER = (RepresentationName("240p", 0.25), TOP, RepresentationName("240p", 8))
"""The last one is what the others are scored against: nearly the source."""

Bytes: TypeAlias = dict[str, list[int]]
"""Bytes by profile: what all segments of a clip take together, at each target."""


def frontier(prepared: Callable[[Profile], Presentation]) -> Bytes:
    """Bytes of one clip, prepared as `LADDER`."""
    presentations = {profile: prepared(profile) for profile in Profile}
    whole = [analysis.score for analysis in presentations[Profile.THESIS].video[LADDER.index(TOP)].analyses]
    return {
        profile.value: [
            sum(fewest_bytes(presentation, segment, target * score) for segment, score in enumerate(whole))
            for target in TARGETS
        ]
        for profile, presentation in presentations.items()
    }


def fewest_bytes(presentation: Presentation, segment: int, score: float) -> int:
    """The smallest prefix of all representations that scores so much, reliable bytes counted."""
    return min(
        analysis.range.size - analysis.steps[-1].bytes + step.bytes
        for analysis in (representation.analyses[segment] for representation in presentation.video)
        for step in analysis.steps
        if step.score >= score
    )


def gains(of_clips: Mapping[str, Bytes]) -> dict[str, Sequence[float]]:
    """Bytes of `droppable` per byte of `thesis` at each target: of each clip, and their mean."""
    of_each = {
        clip: [droppable / thesis for droppable, thesis in zip(of[Profile.DROPPABLE], of[Profile.THESIS], strict=True)]
        for clip, of in of_clips.items()
    }
    return {**of_each, "all clips": [fmean(ratios) for ratios in zip(*of_each.values(), strict=True)]}
