"""`live.json`: what an encoder that is started again must know, and one process at a time uses the folder."""

import fcntl
import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO

from voxel_prepare.errors import InputError
from voxel_prepare.jobs.durable import new_file, write_durably
from voxel_prepare.live.encoder import FrameChoice
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.media.encoders import CodecName
from voxel_prepare.media.ladder import Representation

STATE = "live.json"
LOCK = ".voxel-live.lock"
VERSION = 1


@dataclass(frozen=True, slots=True)
class LiveState:
    """A presentation in a folder."""

    timeline: Timeline
    choice: FrameChoice
    representations: tuple[Representation, ...]
    has_audio: bool
    is_ended: bool = False
    """It can only be played on demand."""

    def write(self, folder: Path) -> None:
        """Replaces the file."""
        timeline = self.timeline
        content = {
            "version": VERSION,
            "availabilityStart": timeline.availability_start,
            "rate": str(timeline.rate),
            "segmentFrames": self.choice.segment_frames,
            "firstNumber": timeline.first_number,
            "codec": self.choice.codec,
            "run": self.choice.run,
            "chunkFrames": self.choice.chunk_frames,
            "copied": self.choice.is_copied,
            "levels": [asdict(representation) for representation in self.representations],
            "audio": self.has_audio,
            "ended": self.is_ended,
        }
        write_durably(folder / STATE, json.dumps(content, indent=2).encode() + b"\n", through=folder)

    @classmethod
    def read(cls, folder: Path) -> "LiveState | None":
        """None if there is none, or one of another version. Raises `InputError` if it is damaged."""
        try:
            content = json.loads((folder / STATE).read_text())
            if content["version"] != VERSION:
                return None
            codec = CodecName(content.get("codec", CodecName.H264))
            frames = content["segmentFrames"], content["run"], content["chunkFrames"]
            choice = FrameChoice(*frames, codec, is_copied=bool(content.get("copied", False)))
            rate = Fraction(content["rate"])
            timeline = Timeline(content["availabilityStart"], rate, choice.segment_frames, content["firstNumber"])
            representations = tuple(Representation(**representation) for representation in content["levels"])
            return cls(timeline, choice, representations, bool(content["audio"]), bool(content["ended"]))
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
            raise InputError(f"{folder / STATE}: damaged: delete it to start a new presentation") from error

    def continues(self, other: "LiveState | None") -> bool:
        """Whether it has the settings of another, which may have another timeline and has not ended."""
        if other is None or other.is_ended:
            return False
        ours, theirs = (
            (state.choice, state.representations, state.has_audio, state.timeline.rate) for state in (self, other)
        )
        return ours == theirs


def lock_folder(folder: Path) -> IO[str]:
    """Makes the folder if necessary, and keeps other encoders out until the result is closed.

    Raises `InputError`, also for a folder with files of others: an encoder deletes what its window has left behind.
    """
    try:
        is_ours = not folder.is_dir() or (folder / STATE).exists()
        others = (
            []
            if is_ours
            else sorted({path.name for path in folder.iterdir()} - {LOCK, new_file(folder / STATE, folder).name})
        )
        if others:
            wanted = "an empty folder or that of a live presentation"
            raise InputError(f"{folder}: expected {wanted}, found {others[0]} in it")
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("w")
    except OSError as error:
        raise InputError(f"{folder}: the output folder cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise InputError(f"{folder}: the output folder is in use by another voxel-live") from error
    return file
