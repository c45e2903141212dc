"""Scripted answers, to rehearse a study before people take part. They are nobody's opinion, and every file says so."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sheets import FORMAT
from votes import read_key

BIAS_DEVIATION = 0.3
NOISE_DEVIATION = 0.5
CARELESS_EVERY = 8
"""One scripted subject in so many votes without looking, so that checks of attention have something to find."""
STALL_COST = 0.7
"""What each second of stalls takes off a vote, up to two votes. Made up, as all of this."""


def write_answers(study: Path, seed: int, say: Callable[[str], None]) -> None:
    """Fills `votes/` with a file for each sheet. Raises `StudyError`."""
    key = read_key(study)
    for path in sorted((study / "site" / "sheets").glob("*-*.json")):
        sheet = json.loads(path.read_text())
        source = random.Random(f"{seed} {sheet['subject']} {sheet['method']}")
        bias = source.gauss(0, BIAS_DEVIATION)
        is_careless = sheet["subject"] % CARELESS_EVERY == 0

        def vote(
            clips: list[str], source: random.Random = source, bias: float = bias, is_careless: bool = is_careless
        ) -> int:
            opinion = source.uniform(1, 5) if is_careless else made_up_opinion(key[clips[-1]]) + bias
            return round(min(5, max(1, opinion + source.gauss(0, NOISE_DEVIATION))))

        for number, sitting in enumerate(sheet["sittings"], start=1):
            votes = [
                {"clips": clips, "vote": vote(clips), "ms": 2000, "training": part == "training"}
                for part in ("training", "rated")
                for clips in sitting[part]
            ]
            name = f"scripted-{sheet['method']}-{sheet['subject']:02}-{number}.json"
            head = {"format": FORMAT, "method": sheet["method"], "subject": sheet["subject"], "sitting": number}
            file = {**head, "scripted": True, "started": None, "screen": None, "votes": votes}
            (study / "votes" / name).write_text(json.dumps(file, indent=1) + "\n")
    say(f"wrote scripted answers into {study / 'votes'}: they are nobody's opinion, and say nothing of any system")


def made_up_opinion(clip: dict[str, Any]) -> float:
    """A viewer's vote on a clip, by a rule that was made up."""
    if clip["kind"] in {"reference", "gold"}:
        return 4.7
    if clip["kind"] == "bad":
        return 1.2
    facts = clip["facts"]
    return 4.7 - min(3.0, 20 * (1 - float(facts["score"]))) - min(2.0, STALL_COST * float(facts["stall_seconds"]))
