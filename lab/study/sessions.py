"""Sessions of `npm run trials -- … --keep`: what each player showed, and when it waited."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from study_error import StudyError

LEAST_STALL = 0.1
"""Seconds: less is the jitter of samples, which are taken four times a second."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A moment of a playback, in seconds: since the player was started, and on the media time line."""

    at: float
    position: float


@dataclass(frozen=True, slots=True)
class Stall:
    """Playback stood at `position` for `seconds`."""

    position: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment as the viewer got it."""

    index: int
    start: float
    duration: float
    representation: str
    score: float
    file: Path | None
    """The bytes that were appended; None: those of the media file."""


@dataclass(frozen=True, slots=True)
class Session:
    """One session that counts."""

    id: str
    condition: str
    """All but the system: sessions of one condition are compared with each other."""
    system: str
    label: str
    media: Path
    segments: Sequence[Segment]
    stalls: Sequence[Stall]


def read_sessions(folder: Path, *, takes_all: bool = False) -> list[Session]:
    """Those of a results folder that count, or all that were played to the end. Raises `StudyError`."""
    results = folder / "trials.jsonl"
    if not results.is_file():
        raise StudyError(f"{folder}: expected results of npm run trials, found no trials.jsonl")
    lines = [json.loads(line) for line in results.read_text().splitlines() if line.strip()]
    counting = [line for line in lines if (takes_all or line["valid"]) and line["outcome"] == "ended"]
    if not counting:
        raise StudyError(f"{results}: expected sessions that count, found {len(lines)} that do not")
    if any(line.get("live") for line in counting):
        raise StudyError(f"{results}: expected sessions on demand, found live ones")
    return [_session(folder, line) for line in counting]


def _session(folder: Path, line: dict[str, Any]) -> Session:
    own = folder / "trials" / f"{line['id']}_{line['attempt']}"
    video = own / "video.json"
    if not video.is_file():
        raise StudyError(f"{own}: expected video.json, found none: run the trials with --keep")
    media = Path(json.loads(video.read_text())["folder"])
    if not (media / "manifest.mpd").is_file():
        raise StudyError(f"{video}: expected a prepared video in {media}, found none: run the trials again")
    fields = ("video", "trace", "path", "server", "control", "crossTraffic", "buffer", "shift", "repetition")
    samples = [Sample(one["at"], one["position"]) for one in json.loads((own / "timeline.json").read_text())]
    return Session(
        id=line["id"],
        condition=" ".join(str(line[field]) for field in fields),
        system=line["system"],
        label=line["label"],
        media=media,
        segments=[_segment(own, json.loads(text)) for text in (own / "segments.jsonl").read_text().splitlines()],
        stalls=place_stalls(samples, line["stalls"], line["stallSeconds"]),
    )


def _segment(folder: Path, line: dict[str, Any]) -> Segment:
    file = folder / f"segment-{line['index']}.m4s"
    has_gaps = line["framesSkipped"] + line["framesRepaired"] > 0
    if has_gaps and not file.is_file():
        raise StudyError(f"{file}: a segment that came with gaps is missing: run the trials with --keep")
    return Segment(
        index=line["index"],
        start=line["startTime"],
        duration=line["duration"],
        representation=line["representation"],
        score=line["score"],
        file=file if file.is_file() else None,
    )


def place_stalls(samples: Sequence[Sample], count: int, seconds: float) -> list[Stall]:
    """Where the stalls of a session were.

    The player says how many there were and how long in all (`count`, `seconds`): playback that creeps on a
    busy machine is no stall. The samples say where: at the longest stands.
    """
    longest = sorted(find_stalls(samples), key=lambda stall: -stall.seconds)[:count]
    total = sum(stall.seconds for stall in longest)
    ordered = sorted(longest, key=lambda stall: stall.position)
    return [Stall(stall.position, stall.seconds * seconds / total) for stall in ordered]


def find_stalls(samples: Sequence[Sample]) -> list[Stall]:
    """Where playback stood or crept after its first picture, by how far it came between samples."""
    stalls: list[Stall] = []
    position, lost = 0.0, 0.0
    for earlier, later in pairwise(samples):
        if earlier.position == 0:  # start-up
            continue
        progress = later.position - earlier.position
        missing = (later.at - earlier.at) - progress
        stands = missing > LEAST_STALL / 2
        if stands and lost == 0:
            position = later.position if missing < progress else earlier.position + progress
        if stands:
            lost += missing
        elif lost > 0:
            stalls += [Stall(position, lost)] if lost >= LEAST_STALL else []
            lost = 0.0
    return stalls  # one that lasts to the end is the end: playback stands there, too
