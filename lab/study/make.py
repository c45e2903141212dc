"""Makes a study of a results folder: clips, sheets, the page to vote on, and the key that says what each clip is."""

import json
import random
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import clips
from av.video.frame import VideoFrame
from clips import ClipFacts, Span
from sessions import Session, Stall, read_sessions
from sheets import FORMAT, Method, Sitting, Stimulus, make_sheet
from study_error import StudyError

PAGE = Path(__file__).parent / "page"
KEY = "key.json"
BREAK_SECONDS = 20 * 60
Pictures = Callable[[], Iterator[tuple[float, VideoFrame]]]


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What a study is to be like."""

    methods: tuple[Method, ...]
    subjects: int
    seconds: float
    """Media in a clip; stalls come on top."""
    spans: int
    """Clips of each condition."""
    seed: int
    spinner: bool
    size: tuple[int, int] | None
    """None: that of the top representation."""
    takes_all: bool = False
    """Also sessions that do not count."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip, as the key has it."""

    id: str
    kind: str
    """`system`, `reference`, `gold` (a reference once more), `bad` or `repeat`."""
    content: int
    system: str
    label: str
    condition: str
    span: tuple[float, float]
    facts: ClipFacts


def make_study(results: Path, out: Path, settings: StudySettings, say: Callable[[str], None]) -> None:
    """Writes the study into `out`. Raises `StudyError`."""
    if (out / KEY).exists():
        raise StudyError(
            f"{out}: expected an empty folder, found a study: its clips have been shown to somebody perhaps"
        )
    sessions = read_sessions(results, takes_all=settings.takes_all)
    folder = out / "site" / "clips"
    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(settings.seed)
    made: list[Clip] = []
    for condition, group in _conditions(sessions).items():
        for span in _spans(group, settings, source):
            content = len({clip.content for clip in made})
            say(f"clips of {condition}, {span.start:.1f} to {span.end:.1f} s")
            made += _clips_of(group, span, content, folder, settings, source)
    made += _repeats(made, source)
    key = {"format": FORMAT, "seed": settings.seed, "results": str(results), "clips": [asdict(clip) for clip in made]}
    for method in settings.methods:
        _write_sheets(out / "site", made, method, settings)
    shutil.copytree(PAGE, out / "site", dirs_exist_ok=True)
    (out / "votes").mkdir(exist_ok=True)
    (out / KEY).write_text(json.dumps(key, indent=1) + "\n")


def _conditions(sessions: Sequence[Session]) -> dict[str, list[Session]]:
    """Sessions that can be compared: at least two systems under the same condition."""
    groups: defaultdict[str, dict[str, Session]] = defaultdict(dict)
    for session in sessions:
        groups[session.condition][session.system] = session
    compared = {condition: list(group.values()) for condition, group in groups.items() if len(group) > 1}
    if not compared:
        raise StudyError("expected sessions of at least two systems under one condition, found none")
    return compared


def _spans(group: Sequence[Session], settings: StudySettings, source: random.Random) -> list[Span]:
    """Drawn at random, the same for all systems: not where one of them looks good or bad."""
    end = min(max(segment.start + segment.duration for segment in session.segments) for session in group)
    if end < settings.seconds:
        raise StudyError(f"clips of {settings.seconds:g} s need videos of that length, found one of {end:g} s")
    starts = [source.uniform(0, end - settings.seconds) for _ in range(settings.spans)]
    return [Span(start, start + settings.seconds) for start in sorted(starts)]


def _clips_of(
    group: Sequence[Session], span: Span, content: int, folder: Path, settings: StudySettings, source: random.Random
) -> list[Clip]:
    """Training clips: one of each system, the reference, and one that must look bad."""
    first = group[0]
    rate = clips.frame_rate(first)
    top = next(clips.reference_pictures(first, span))[1]
    size = settings.size or (top.width // 2 * 2, top.height // 2 * 2)
    made: list[Clip] = []

    def add(kind: str, session: Session, label: str, pictures: Pictures, stalls: Sequence[Stall]) -> None:
        clip_id = f"{source.getrandbits(48):012x}"
        shown = clips.with_stalls(pictures(), stalls, rate, spinner=settings.spinner)
        frames = clips.write_clip(folder / f"{clip_id}.mp4", shown, rate, size)
        facts = replace(clips.facts_of(session, span), seconds=float(frames / rate))
        if kind != "system":
            facts = replace(facts, stalls=0, stall_seconds=0.0, score=None)
        system = session.system if kind == "system" else kind
        where = (round(span.start, 3), round(span.end, 3))
        made.append(Clip(clip_id, kind, content, system, label, session.condition, where, facts))

    for session in group:
        stalls = clips.stalls_in(session.stalls, span)
        add("system", session, session.label, lambda shown=session: clips.session_pictures(shown, span), stalls)  # type: ignore[misc]
    add("reference", first, "reference", lambda: clips.reference_pictures(first, span), [])
    add("bad", first, "known to be bad", lambda: clips.spoilt(clips.reference_pictures(first, span)), [])
    return made


def _repeats(made: Sequence[Clip], source: random.Random) -> list[Clip]:
    """A reference once more, and a clip of a system once more: what a subject says of them must agree."""
    again = {"gold": "reference", "repeat": "system"}
    return [replace(source.choice([clip for clip in made if clip.kind == of]), kind=kind) for kind, of in again.items()]


def _write_sheets(site: Path, made: Sequence[Clip], method: Method, settings: StudySettings) -> None:
    sheets = site / "sheets"
    sheets.mkdir(exist_ok=True)
    references = {clip.content: clip for clip in made if clip.kind == "reference"}
    bad = [clip for clip in made if clip.kind == "bad"]

    def stimulus(clip: Clip) -> Stimulus:
        reference = references[clip.content]
        shown = (clip.id,) if method == "acr-hr" else (reference.id, clip.id)
        seconds = clip.facts.seconds + (reference.facts.seconds if method == "dcr" else 0)
        return Stimulus(shown, clip.content, seconds)

    # Of clips that must look bad one is rated; a pair of two references is the gold of DCR.
    kinds = {"system", "repeat", "gold"} | ({"reference"} if method == "acr-hr" else set())
    rated = [stimulus(clip) for clip in chain((one for one in made if one.kind in kinds), bad[:1])]
    middle = [clip for clip in made if clip.kind == "system"]
    training = [stimulus(clip) for clip in (next(iter(references.values())), middle[len(middle) // 2], bad[-1])]
    for subject in range(1, settings.subjects + 1):
        sittings = make_sheet(rated, training, subject, settings.seed, BREAK_SECONDS)
        text = json.dumps(_sheet(method, subject, sittings))
        (sheets / f"{method}-{subject:02}.json").write_text(text + "\n")
    index = {"methods": list(settings.methods), "subjects": settings.subjects}
    (sheets / "index.json").write_text(json.dumps(index) + "\n")


def _sheet(method: Method, subject: int, sittings: Sequence[Sitting]) -> dict[str, Any]:
    """Says nothing of what a clip is."""
    return {
        "format": FORMAT,
        "method": method,
        "subject": subject,
        "sittings": [
            {"training": [one.clips for one in sitting.training], "rated": [one.clips for one in sitting.rated]}
            for sitting in sittings
        ],
    }
