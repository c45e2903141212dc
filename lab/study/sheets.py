"""What each subject is shown, in which order (ITU-T P.910): sittings of training clips and rated ones. Pure."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Method: TypeAlias = Literal["acr-hr", "dcr"]

FORMAT = 1
"""Version of sheets, files of votes and the key."""

VOTING_SECONDS = 6
"""With the pause before the next clip; P.910 gives up to ten for the vote."""
PAIR_PAUSE_SECONDS = 2
"""Grey between the two clips of a pair (P.910 §8.2)."""


@dataclass(frozen=True, slots=True)
class Stimulus:
    """What gets one vote."""

    clips: tuple[str, ...]
    """One clip, or the reference and a clip."""
    content: int
    """The same for all clips of one span of one video."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Sitting:
    """What a subject does without a break."""

    training: tuple[Stimulus, ...]
    rated: tuple[Stimulus, ...]


def presentation_seconds(stimulus: Stimulus) -> float:
    """Until the next one begins."""
    return stimulus.seconds + VOTING_SECONDS + PAIR_PAUSE_SECONDS * (len(stimulus.clips) - 1)


def make_sheet(
    stimuli: Sequence[Stimulus], training: Sequence[Stimulus], subject: int, seed: int, longest_seconds: float
) -> list[Sitting]:
    """The sittings of a subject, each at most so long; the same seed and subject give the same ones."""
    ordered = in_random_order(stimuli, random.Random(f"{seed} {subject}"))
    spent = sum(map(presentation_seconds, training))
    parts: list[list[Stimulus]] = [[]]
    seconds = spent
    for stimulus in ordered:
        if parts[-1] and seconds + presentation_seconds(stimulus) > longest_seconds:
            parts.append([])
            seconds = spent
        parts[-1].append(stimulus)
        seconds += presentation_seconds(stimulus)
    return [Sitting(tuple(training), tuple(part)) for part in parts]


def in_random_order(stimuli: Sequence[Stimulus], source: random.Random) -> list[Stimulus]:
    """No content twice in a row, as far as there are others."""
    waiting = list(stimuli)
    source.shuffle(waiting)
    ordered: list[Stimulus] = []
    while waiting:
        left = Counter(stimulus.content for stimulus in waiting)
        content, most = left.most_common(1)[0]
        last = ordered[-1].content if ordered else None
        # What would be left over at the end goes first.
        is_urgent = most > len(waiting) - most and content != last
        fitting = (one for one in waiting if one.content == content if is_urgent)
        others = (one for one in waiting if one.content != last)
        chosen = next(fitting, None) or next(others, None) or waiting[0]
        waiting.remove(chosen)
        ordered.append(chosen)
    return ordered
