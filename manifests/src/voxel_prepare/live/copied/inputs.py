"""The inputs of a copy, as what their readers say makes them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from voxel_prepare.jobs.progress import say
from voxel_prepare.live.copied.alignment import InputLine
from voxel_prepare.live.copied.cues import Cue
from voxel_prepare.live.copied.notes import Gone, Opened, SoundFound, VideoFacts

MOST_CUES = 64
"""Cues of an input that wait for its place."""


@dataclass(slots=True)
class CopiedInput:
    """What is known of an input."""

    name: str
    line: InputLine
    facts: Sequence[VideoFacts | None] = ()
    sounds: dict[int, SoundFound] = field(default_factory=dict)
    """The tracks of sound as they are at present, by their places."""
    cues: list[Cue] = field(default_factory=list)
    """Those that wait for the next picture."""
    has_other_sound: bool = False
    """Another than before, which has been said."""
    arrived: int = 0
    """When its last packet came."""
    is_final: bool = False
    is_left_out: bool = False
    reason: str = ""

    def opened(self, opened: Opened) -> None:
        """It has been opened, or again."""
        self.line.set_wrap(opened.wrap)
        for reason in opened.refused:
            say(f"{self.name}: {reason}")
        self.reason = opened.refused[0] if opened.refused else self.reason
        before, self.facts = self.facts, opened.video
        kept = [
            facts if facts and old and facts.codec == old.codec else None
            for old, facts in zip(before, opened.video, strict=False)
        ]
        if kept != list(before):
            changed = "its parameter sets have changed: what cannot be shown is left out; start again to have it"
            say(f"{self.name}: {changed}")
        if before:  # More tracks may have come.
            self.facts = [*kept, *opened.video[len(before) :]]

    def sound_found(self, found: SoundFound) -> None:
        """A track of sound is there."""
        before = self.sounds.get(found.track)
        self.sounds[found.track] = found
        if before and before.format != found.format and not self.has_other_sound:
            self.has_other_sound = True
            say(f"{self.name}: its sound has changed: what cannot be played is left out; start again to have it")

    def gone(self, gone: Gone) -> None:
        """It has ended."""
        self.is_final, self.reason = gone.is_final, self.reason or gone.reason
        if self.arrived:
            say(f"{self.name}: {gone.reason}")

    def cue_found(self, cue: Cue) -> None:
        """A cue has come."""
        self.cues = [*self.cues, cue][-MOST_CUES:]
