"""The output folder: finished parts wait in a hidden folder and appear under their final names all at once."""

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
    """A file to make; a finished one is used again when name and key are the same."""

    name: str
    """Its final file name."""
    key: str
    """Stands for everything that decides its content."""

    @classmethod
    def of(cls, name: str, facts: Json) -> "Part":
        return cls(name, hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16])


class Workspace:
    """Makes parts and publishes them; used by one process at a time."""

    def __init__(self, folder: Path) -> None:
        """Creates `folder` where needed. Raises `InputError` when it cannot be written or another process uses it."""
        self.folder = folder
        self._work = folder / WORK_FOLDER
        self._published_file = self._work / "published.json"
        self._lock_file = self._work / "lock"
        try:
            self._work.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self._lock_file)
        except BlockingIOError as error:
            raise InputError(f"{folder}: another voxel-prepare is at work there") from error
        except OSError as error:
            raise InputError(f"{folder}: cannot write there: {error.strerror}") from error
        self._published = self._read_published()
        for leftover in self._work.glob("*.unfinished"):
            shutil.rmtree(leftover)

    def close(self) -> None:
        """Lets other processes use the folder."""
        self._lock.close()

    def find(self, part: Part) -> Path | None:
        """Where the finished part lies, if there is one."""
        staged = self._staged(part)
        if staged.exists():
            return staged
        published = self.folder / part.name
        is_current = self._published.get(part.name, []) == _identity(published, part.key) != []
        return published if is_current else None

    def path(self, part: Part) -> Path:
        """Where the part lies, which is finished."""
        path = self.find(part)
        assert path is not None, f"{part.name} was made before"
        return path

    @contextmanager
    def make(self, part: Part) -> Iterator[Path]:
        """A path to write the part to; it counts as finished when the block ends without an exception."""
        folder = self._work / f"{part.name}.unfinished"
        folder.mkdir()
        try:
            yield folder / part.name
            (folder / part.name).replace(self._staged(part))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def publish(self, parts: Sequence[Part], manifest: bytes) -> None:
        """Moves the finished parts to their final names and writes the manifest, last; forgets all other parts.

        A reader of the folder sees the old content, then no manifest for a moment, then the new content.
        """
        staged = [part for part in parts if self._staged(part).exists()]
        identities = {part.name: _identity(self.find(part), part.key) for part in parts}
        obsolete = self._published.keys() - identities.keys()
        self._published = identities
        # Before the files move, so that an interrupted publication loses none of them.
        self._write(self._published_file, json.dumps(identities).encode())
        if staged:
            (self.folder / MANIFEST).unlink(missing_ok=True)
        for part in staged:
            self._staged(part).replace(self.folder / part.name)
        self._write(self.folder / MANIFEST, manifest)
        for name in obsolete:
            (self.folder / name).unlink(missing_ok=True)

    def keep_only(self, parts: Sequence[Part]) -> None:
        """Deletes staged parts of other settings: those that share no key with any of `parts`."""
        keys = {part.key for part in parts}
        for path in self._work.iterdir():
            if path.name.partition("-")[0] not in keys and path not in {self._published_file, self._lock_file}:
                path.unlink()

    def discard(self, parts: Sequence[Part]) -> None:
        """Deletes staged parts that are not needed any more."""
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
    """Changes when the file does, without reading it."""
    status = path.stat()
    return [str(path.resolve()), status.st_size, status.st_mtime_ns]


def _identity(path: Path | None, key: str) -> list[Json]:
    """Empty when there is no such file."""
    if path is None or not path.exists():
        return []
    status = path.stat()
    return [key, status.st_size, status.st_mtime_ns]


def _lock(path: Path) -> IO[str]:
    """Held until the file is closed, also by the process' end."""
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file
