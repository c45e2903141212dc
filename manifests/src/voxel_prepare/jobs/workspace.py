"""The output folder: finished parts are kept in a hidden folder and published under their final names together."""

import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

from voxel_prepare.errors import InputError
from voxel_prepare.manifest.mpd_file import MANIFEST

WORK_FOLDER = ".voxel-prepare"

Json: TypeAlias = str | int | float | bool | Sequence["Json"] | Mapping[str, "Json"] | None


@dataclass(frozen=True, slots=True)
class Part:
    """A file to make; a finished one is reused if name and key are the same."""

    name: str
    """Its final file name."""
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
        self._published_file = self._work / "published.json"
        self._lock_file = self._work / "lock"
        try:
            self._work.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self._lock_file)
        except BlockingIOError as error:
            raise InputError(f"{folder}: the output folder is in use by another voxel-prepare") from error
        except OSError as error:
            raise InputError(f"{folder}: the output folder cannot be written: {error.strerror}") from error
        self._published = self._read_published()
        for leftover in self._work.glob("*.unfinished"):
            shutil.rmtree(leftover)

    def close(self) -> None:
        """Releases the folder for other processes."""
        self._lock.close()

    def find(self, part: Part) -> Path | None:
        """The finished part's file; None if it is not finished."""
        staged = self._staged(part)
        if staged.exists():
            return staged
        published = self.folder / part.name
        is_current = self._published.get(part.name, []) == _identity(published, part.key) != []
        return published if is_current else None

    def path(self, part: Part) -> Path:
        """The part's file; the part must be finished."""
        path = self.find(part)
        assert path is not None, f"{part.name} is finished"
        return path

    @contextmanager
    def make(self, part: Part) -> Iterator[Path]:
        """A path for writing the part, which is finished once the block ends without an exception."""
        folder = self._work / f"{part.name}.unfinished"
        try:
            folder.mkdir()
            yield folder / part.name
            (folder / part.name).replace(self._staged(part))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def publish(self, parts: Sequence[Part], manifest: bytes) -> None:
        """Moves the finished parts to their final names, writes the manifest last, removes all other published parts.

        A reader of the folder sees the old content, then no manifest for a moment, then the new content.
        """
        staged = [part for part in parts if self._staged(part).exists()]
        identities = {part.name: _identity(self.find(part), part.key) for part in parts}
        obsolete = self._published.keys() - identities.keys()
        self._published = identities
        # Before the files are moved, so that an interrupted publication loses none of them.
        self._write(self._published_file, json.dumps(identities).encode())
        if staged:
            (self.folder / MANIFEST).unlink(missing_ok=True)
        for part in staged:
            self._staged(part).replace(self.folder / part.name)
        self._write(self.folder / MANIFEST, manifest)
        for name in obsolete:
            (self.folder / name).unlink(missing_ok=True)

    def keep_only(self, parts: Sequence[Part]) -> None:
        """Deletes staged parts of other settings: those whose key none of `parts` has."""
        keys = {part.key for part in parts}
        for path in self._work.iterdir():
            if path.name.partition("-")[0] not in keys and path not in {self._published_file, self._lock_file}:
                path.unlink()

    def discard(self, parts: Sequence[Part]) -> None:
        """Deletes staged parts."""
        for part in parts:
            self._staged(part).unlink(missing_ok=True)

    def _staged(self, part: Part) -> Path:
        return self._work / f"{part.key}-{part.name}"

    def _write(self, path: Path, content: bytes) -> None:
        unfinished = self._work / f"{path.name}.new"
        unfinished.write_bytes(content)
        unfinished.replace(path)

    def _read_published(self) -> dict[str, list[Json]]:
        try:
            published: dict[str, list[Json]] = json.loads(self._published_file.read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return published


def source_identity(path: Path) -> Json:
    """Changes with the file; does not read it."""
    status = path.stat()
    return [str(path.resolve()), status.st_size, status.st_mtime_ns]


def _identity(path: Path | None, key: str) -> list[Json]:
    """Empty if the file does not exist."""
    if path is None or not path.exists():
        return []
    status = path.stat()
    return [key, status.st_size, status.st_mtime_ns]


def _lock(path: Path) -> IO[str]:
    """A lock that is held until the file is closed, at the latest by the end of the process."""
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file
