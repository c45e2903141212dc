"""What the votes of a study come to: scores of clips and systems, with `sureal`; what its report is made of."""

import contextlib
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
from checks import failed_checks
from scipy import stats
from study_error import StudyError
from sureal.dataset_reader import RawDatasetReader
from sureal.subjective_model import MosModel, SubjectMLEModelProjectionSolver2, SubjrejMosModel
from votes import Vote

LEAST_SUBJECTS = 2
"""A model of subjects needs several; P.910 asks for 24."""
HIGHEST = 5


@dataclass(frozen=True, slots=True)
class SubjectResult:
    """What is known of a subject."""

    subject: int
    bias: float | None
    inconsistency: float | None
    """None: left out."""
    failed: Sequence[str]
    """Checks of attention; one is enough to be left out."""
    is_outlier: bool
    """Whether BT.500 rejects this subject; said, and left in: the model gives such a subject little weight."""


@dataclass(frozen=True, slots=True)
class ClipResult:
    """The scores of a clip; intervals are half widths at 95 %."""

    clip: Mapping[str, Any]
    mos: float
    mos_interval: float
    """The mean of the votes."""
    score: float
    interval: float
    """P.910's model of subjects."""
    differential: float | None
    """ACR-HR's DMOS: 5 and the score less that of the hidden reference; None for DCR, whose score is one."""


@dataclass(frozen=True, slots=True)
class SystemResult:
    """A system over all its clips."""

    label: str
    clips: int
    score: float
    interval: float
    differential: float | None
    seconds_waited: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """Correlations of clips' scores with what was measured."""

    name: str
    pearson: float
    spearman: float


@dataclass(frozen=True, slots=True)
class StudyResult:
    """All of it, for one method."""

    method: str
    votes: int
    subjects: Sequence[SubjectResult]
    clips: Sequence[ClipResult]
    systems: Sequence[SystemResult]
    correlations: Sequence[Correlation]


def analyse(method: str, votes: Sequence[Vote], key: Mapping[str, Mapping[str, Any]]) -> StudyResult:
    """Raises `StudyError` where there are too few attentive subjects."""
    by_subject: defaultdict[int, list[Vote]] = defaultdict(list)
    for vote in votes:
        by_subject[vote.subject].append(vote)
    failed = {subject: failed_checks(own, key) for subject, own in by_subject.items()}
    attentive = [vote for vote in votes if not failed[vote.subject]]
    used = {vote.subject for vote in attentive}
    if len(used) < LEAST_SUBJECTS:
        raise StudyError(f"{method}: expected votes of at least {LEAST_SUBJECTS} attentive subjects, found {len(used)}")
    rated = _rated(attentive, key)
    reader = _reader(rated, key)
    # sureal counts its iterations there, and divides 0 by 0 for a subject without outlying votes: no outlier.
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(invalid="ignore"):
        means = MosModel(reader).run_modeling()
        model = SubjectMLEModelProjectionSolver2(reader).run_modeling()
        rejection = SubjrejMosModel(reader).run_modeling()
    numbers = dict(zip(sorted(used), range(len(used)), strict=True))
    subjects = [
        SubjectResult(
            subject=subject,
            bias=model["observer_bias"][numbers[subject]] if subject in used else None,
            inconsistency=model["observer_inconsistency"][numbers[subject]] if subject in used else None,
            failed=failed[subject],
            is_outlier=subject in used and rejection["observer_rejected"][numbers[subject]],
        )
        for subject in sorted(by_subject)
    ]
    clips = _clip_results(method, list(rated), key, means, model)
    shown = [one for one in clips if one.clip["kind"] == "system"]
    return StudyResult(method, len(votes), subjects, clips, _systems(shown), _correlations(shown))


def _rated(votes: Sequence[Vote], key: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[int, list[int]]]:
    """Votes for each clip by subject: of systems and hidden references, not those that only check attention."""
    rated: dict[str, dict[int, list[int]]] = {}
    for vote in votes:
        kind = key[vote.clips[-1]]["kind"]
        if kind == "system" or (kind == "reference" and len(vote.clips) == 1):
            rated.setdefault(vote.clips[-1], {}).setdefault(vote.subject, []).append(vote.score)
    return rated


def _reader(rated: Mapping[str, dict[int, list[int]]], key: Mapping[str, Mapping[str, Any]]) -> RawDatasetReader:
    contents = sorted({key[clip]["content"] for clip in rated})
    place = {content: index for index, content in enumerate(contents)}
    references = [{"content_id": place[content], "content_name": str(content), "path": ""} for content in contents]
    shown = [
        {"content_id": place[key[clip]["content"]], "asset_id": index, "os": votes, "path": clip}
        for index, (clip, votes) in enumerate(rated.items())
    ]
    return RawDatasetReader(SimpleNamespace(dataset_name="study", ref_videos=references, dis_videos=shown))


def _clip_results(
    method: str,
    clips: Sequence[str],
    key: Mapping[str, Mapping[str, Any]],
    means: Mapping[str, Any],
    model: Mapping[str, Any],
) -> list[ClipResult]:
    scores = dict(zip(clips, model["quality_scores"], strict=True))
    references = {key[clip]["content"]: scores[clip] for clip in clips if key[clip]["kind"] == "reference"}
    return [
        ClipResult(
            clip=key[clip],
            mos=float(means["quality_scores"][index]),
            mos_interval=float(means["quality_scores_ci95"][0][index]),
            score=float(scores[clip]),
            interval=float(model["quality_scores_ci95"][0][index]),
            differential=(
                float(scores[clip] - references[key[clip]["content"]] + HIGHEST)
                if method == "acr-hr" and key[clip]["content"] in references
                else None
            ),
        )
        for index, clip in enumerate(clips)
    ]


def _systems(clips: Sequence[ClipResult]) -> list[SystemResult]:
    """Means over clips, with the spread between them: other clips could have been drawn."""
    groups: defaultdict[str, list[ClipResult]] = defaultdict(list)
    for one in clips:
        groups[one.clip["label"]].append(one)
    results = []
    for label, group in groups.items():
        scores = [one.score for one in group]
        count = len(scores)
        spread = float(stats.t.ppf(0.975, count - 1) * np.std(scores, ddof=1) / sqrt(count)) if count > 1 else None
        differentials = [one.differential for one in group if one.differential is not None]
        results.append(
            SystemResult(
                label=label,
                clips=count,
                score=float(np.mean(scores)),
                interval=group[0].interval if spread is None else spread,
                differential=float(np.mean(differentials)) if differentials else None,
                seconds_waited=sum(one.clip["facts"]["stall_seconds"] for one in group),
            )
        )
    return sorted(results, key=lambda one: -one.score)


def _correlations(clips: Sequence[ClipResult]) -> list[Correlation]:
    """Only of what differs between clips: of three or more."""
    scores = [one.score for one in clips]
    measured = {"SSIM": "score", "seconds waited": "stall_seconds"}
    found = []
    for name, field in measured.items():
        values = [one.clip["facts"][field] for one in clips]
        if len(clips) > 2 and len(set(values)) > 1 and len(set(scores)) > 1:
            pearson, spearman = stats.pearsonr(values, scores), stats.spearmanr(values, scores)
            found.append(Correlation(name, float(pearson.statistic), float(spearman.statistic)))
    return found
