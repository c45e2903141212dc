"""Whether a subject paid attention: clips whose quality is known, and clips that were shown twice. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from votes import Vote

WORST_OF_BAD = 2
"""A clip that is known to be bad gets this at most."""
LEAST_OF_GOLD = 4
"""A reference beside itself gets this at least (DCR)."""
MOST_APART = 2
"""Votes for one clip."""


def failed_checks(votes: Sequence[Vote], key: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What a subject's votes contradict, one line each; empty for an attentive one. `votes` are those of one method."""
    by_clips: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for vote in votes:
        by_clips[vote.clips].append(vote.score)
    kinds = {clips: key[clips[-1]]["kind"] for clips in by_clips}
    bad = [score for clips, scores in by_clips.items() if kinds[clips] == "bad" for score in scores]
    failed = [f"gave {score} to a clip known to be bad" for score in bad if score > WORST_OF_BAD]
    for clips, scores in by_clips.items():
        if kinds[clips] == "reference" and len(clips) == 2:
            failed += [f"gave {score} to a reference beside itself" for score in scores if score < LEAST_OF_GOLD]
        elif kinds[clips] == "reference":
            failed += [
                f"gave {score} to a reference and {max(bad)} to a clip known to be bad"
                for score in scores
                if bad and score <= max(bad)
            ]
        if len(scores) > 1 and max(scores) - min(scores) > MOST_APART:
            failed.append(f"gave {min(scores)} and {max(scores)} to the same clip")
    return failed
