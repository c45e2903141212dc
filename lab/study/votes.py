"""Files of votes and the key of a study."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from study_error import StudyError


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote for one stimulus."""

    subject: int
    clips: tuple[str, ...]
    score: int
    """1 to 5."""
    scripted: bool
    """A program's answer, nobody's opinion."""


def read_key(study: Path) -> dict[str, dict[str, Any]]:
    """What each clip is; a clip that is shown again has its first entry. Raises `StudyError`."""
    path = study / "key.json"
    if not path.is_file():
        raise StudyError(f"{study}: expected a study, found no key.json")
    clips: dict[str, dict[str, Any]] = {}
    for clip in json.loads(path.read_text())["clips"]:
        clips.setdefault(clip["id"], clip)
    return clips


def read_votes(study: Path, method: str, known: dict[str, Any]) -> list[Vote]:
    """Votes in `votes/`, without those for training. Raises `StudyError` where a file is none of this study."""
    votes: list[Vote] = []
    seen: dict[tuple[int, int], Path] = {}
    for path in sorted((study / "votes").glob("*.json")):
        file = json.loads(path.read_text())
        if file.get("format") != 1:
            raise StudyError(f"{path}: expected a file of votes of format 1, got {file.get('format')!r}")
        if file["method"] != method:
            continue
        sitting = (file["subject"], file["sitting"])
        if sitting in seen:
            raise StudyError(f"{path}: subject {sitting[0]}, part {sitting[1]} is in {seen[sitting]}, too")
        seen[sitting] = path
        for vote in file["votes"]:
            votes += [] if vote["training"] else [_vote(path, file, vote, known)]
    return votes


def _vote(path: Path, file: dict[str, Any], vote: dict[str, Any], known: dict[str, Any]) -> Vote:
    clips = tuple(vote["clips"])
    unknown = [clip for clip in clips if clip not in known]
    if unknown:
        raise StudyError(f"{path}: clip {unknown[0]} is none of this study")
    if vote["vote"] not in range(1, 6):
        raise StudyError(f"{path}: a vote must be from 1 to 5, got {vote['vote']!r}")
    return Vote(file["subject"], clips, vote["vote"], bool(file["scripted"]))


def are_scripted(votes: Sequence[Vote]) -> bool:
    """Whether any of them is a program's."""
    return any(vote.scripted for vote in votes)
