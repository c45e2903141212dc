"""Which tracks of sound of several inputs are published."""

from collections.abc import Mapping, Sequence

from voxel_prepare.live.copied.notes import SoundFound

MOST_SOUNDS = 8
"""Tracks of sound that are copied."""


def chosen_sounds(inputs: Sequence[Mapping[int, SoundFound]]) -> dict[tuple[int, int], SoundFound]:
    """All tracks of the first input that has sound, and what only others have, by input and track.

    Inputs of a ladder mostly bring the same sound each: what has the same language and role is taken for the same.
    """
    chosen: dict[tuple[int, int], SoundFound] = {}
    for number, tracks in enumerate(inputs):
        said = {(found.language, found.role) for found in chosen.values()}
        for track, found in sorted(tracks.items()):
            if (found.language, found.role) not in said and len(chosen) < MOST_SOUNDS:
                chosen[number, track] = found
    return chosen
