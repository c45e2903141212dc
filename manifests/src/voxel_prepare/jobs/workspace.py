"""The output folder: finished parts are kept in a hidden folder and published under their final names together."""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from voxel_prepare.errors import InputError
from voxel_prepare.jobs.durable import sync, write_durably
from voxel_prepare.jobs.job import Job, Json
from voxel_prepare.jobs.ledger import Ledger, PublishedFile
from voxel_prepare.manifest.mpd_file import MANIFEST

WORK_FOLDER = ".voxel-prepare"
LEDGER = "published.json"

HASH_DIGITS = 12
"""Digits of SHA-256 in published names: two contents of one part share a name once in 10^14."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file to make; a finished one is reused if name and key are the same."""

    name: str
    """Name such as `q00.mp4`; it is published as `q00.<hash of its content>.mp4`."""
    key: str
    """Identifies everything that its content depends on."""

    @classmethod
    def of(cls, name: str, facts: Json) -> "Part":
        return cls(name, hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16])


class Workspace:
    """Makes parts and publishes them; one process at a time can use it."""

    def __init__(self, folder: Path) -> None:
        """Creates `folder` if needed. Raises `InputError` if it cannot be written or another process uses it."""
        self.folder = folder
        self._work = folder / WORK_FOLDER
        self._ledger_file = self._work / LEDGER
        self._lock_file = self._work / "lock"
        self._names: dict[Part, str] = {}
        try:
            self._work.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self._lock_file)
        except BlockingIOError as error:
            raise InputError(f"{folder}: the output folder is in use by another voxel-prepare") from error
        except OSError as error:
            raise InputError(f"{folder}: the output folder cannot be written: {error.strerror}") from error
        self._ledger = Ledger.read(self._ledger_file)
        for leftover in self._work.glob("*.unfinished"):
            shutil.rmtree(leftover)

    def begin(self, job: Job) -> None:
        """Notes what the folder is prepared for from now on; `replaced_in` says whether it was for something else."""
        if self._ledger.job != job:
            self._ledger = replace(self._ledger, job=job)
            self._ledger.write(self._ledger_file)

    def close(self) -> None:
        """Releases the folder for other processes."""
        self._lock.close()

    def find(self, part: Part) -> Path | None:
        """The finished part's file; None if it is not finished."""
        staged = self._staged(part)
        if staged.exists():
            return staged
        name = self._ledger.find(self.folder, part.name, part.key)
        return None if name is None else self.folder / name

    def path(self, part: Part) -> Path:
        """The part's file; the part must be finished."""
        path = self.find(part)
        assert path is not None, f"{part.name} is finished"
        return path

    def published_name(self, part: Part) -> str:
        """The name under which a finished part is published: players may keep what they know of a name forever."""
        if part not in self._names:
            path = self.path(part)
            is_published = path.parent == self.folder and path.name != part.name
            self._names[part] = path.name if is_published else _hashed_name(part, path)
        return self._names[part]

    def owns(self, path: Path) -> bool:
        """True for a file that was published here: a later publication may remove it."""
        return path.resolve().parent == self.folder.resolve() and path.name in self._ledger.files

    @contextmanager
    def make(self, part: Part) -> Iterator[Path]:
        """A path for writing the part, which is finished once the block ends without an exception."""
        folder = self._work / f"{part.name}.unfinished"
        self._names.pop(part, None)
        try:
            folder.mkdir()
            yield folder / part.name
            sync(folder / part.name)  # else a later run could take for finished what a loss of power has emptied
            (folder / part.name).replace(self._staged(part))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def publish(self, parts: Sequence[Part], manifest: bytes, beside: Mapping[str, bytes] | None = None) -> None:
        """Moves the finished parts to their published names, then replaces the manifest, after what is `beside` it.

        The files of the publication before stay, for players that have its manifest; those of older ones are removed.
        The folder has the old manifest or the new one at any time, each with all its files, also after a loss of power.
        """
        sources = {self.published_name(part): self._source(part) for part in parts}
        files = {
            name: PublishedFile.of(source, part.name, part.key)
            for (name, source), part in zip(sources.items(), parts, strict=True)
        }
        # Before the files are moved, so that an interrupted publication forgets none of them.
        texts = {**(beside or {}), MANIFEST: manifest}
        obsolete = self._ledger.texts.keys() - texts.keys()
        self._ledger = self._ledger.with_publication(files, texts)
        self._ledger.write(self._ledger_file)
        for name, source in sources.items():
            if source != self.folder / name:
                sync(source)
                source.replace(self.folder / name)
        sync(self.folder)
        for name, content in texts.items():
            write_durably(self.folder / name, content, through=self._work)
        for name in obsolete:  # playlists of a job that had some
            if self._ledger.has_written(self.folder / name):
                (self.folder / name).unlink()
        self._ledger = self._ledger.completed(files, texts).remove_obsolete(self.folder)
        self._ledger.write(self._ledger_file)
        self.discard(parts)

    def _source(self, part: Part) -> Path:
        """The file to publish: one that is there with the same content stays, and keeps its ETag."""
        path = self.path(part)
        target = self.folder / self.published_name(part)
        if target.is_file() and _hashed_name(part, target) == target.name:
            return target
        if path.parent == self.folder:  # published by an earlier version, whose names had no hash
            return Path(shutil.copy2(path, self._staged(part)))
        return path

    def keep_only(self, parts: Sequence[Part]) -> None:
        """Deletes staged parts of other settings: those whose key none of `parts` has."""
        keys = {part.key for part in parts}
        for path in self._work.iterdir():
            if path.name.partition("-")[0] not in keys and path not in {self._ledger_file, self._lock_file}:
                path.unlink()

    def discard(self, parts: Sequence[Part]) -> None:
        """Deletes staged parts."""
        for part in parts:
            self._staged(part).unlink(missing_ok=True)

    def _staged(self, part: Part) -> Path:
        return self._work / f"{part.key}-{part.name}"


def replaced_in(folder: Path, job: Job, texts: Sequence[str]) -> str | None:
    """What `job` would replace in an output folder, in words; None if nothing was made there for another one.

    `texts` are the names of the manifest and the playlists that it would write. Raises `InputError` if there is such a
    file that is not known to be of voxel-prepare. Touches nothing.
    """
    work = folder / WORK_FOLDER
    if not work.is_dir():
        ledger, staged = Ledger(), False
    else:
        ledger, staged = Ledger.read(work / LEDGER), any(path.is_file() for path in work.glob("*-*"))
    is_of_earlier_version = bool(ledger.files) and not ledger.texts
    present = [folder / name for name in texts if os.path.lexists(folder / name)]
    for path in present:
        if path.name not in ledger.texts and not is_of_earlier_version:
            raise InputError(f"{path}: not known to be of voxel-prepare, which does not replace it: use another --out")
    if ledger.job is None or not (ledger.files or staged):
        return "what an earlier version of voxel-prepare made" if ledger.files else None
    changed = ", ".join(path.name for path in present if not ledger.has_written(path))
    return ledger.job.replaced_by(job) or (f"{changed}, changed since voxel-prepare wrote it" if changed else None)


def _hashed_name(part: Part, path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    own = Path(part.name)
    return f"{own.stem}.{digest[:HASH_DIGITS]}{own.suffix}"


def _lock(path: Path) -> IO[str]:
    """A lock that is held until the file is closed, at the latest by the end of the process."""
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file
