"""What voxel-prepare has put into an output folder, so that it reuses and removes these files and touches no others."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from voxel_prepare.jobs.durable import write_durably
from voxel_prepare.jobs.job import Job


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file as it was published."""

    part: str
    """Name of the part that it was made as."""
    key: str
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path, part: str, key: str) -> "PublishedFile":
        status = path.stat()
        return cls(part, key, status.st_size, status.st_mtime_ns)

    def is_at(self, path: Path) -> bool:
        """False if the file is gone, or somebody has changed it."""
        try:
            return path.is_file() and self == PublishedFile.of(path, self.part, self.key)
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class Ledger:
    """The published files, which of them manifests name, and what for."""

    files: Mapping[str, PublishedFile] = field(default_factory=dict)
    """All that may exist, by name."""
    current: frozenset[str] = frozenset()
    """Those of the manifest; during a publication those of the old and of the new one."""
    previous: frozenset[str] = frozenset()
    """Those of the publication before: players may still play it."""
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Manifest and playlists, which are replaced under their names: SHA-256 of what may stand there."""
    job: Job | None = None
    """The last one that was begun here."""

    @classmethod
    def read(cls, path: Path) -> "Ledger":
        """Empty if there is no ledger, or none that can be read."""
        try:
            stored = json.loads(path.read_bytes())
            if "files" not in stored:  # of an earlier version: key, size and time by name
                stored = {"files": {name: [name, *fields] for name, fields in stored.items()}, "current": [*stored]}
            files = {name: PublishedFile(*fields) for name, fields in stored["files"].items() if _is_name(name)}
            texts = {str(name): tuple(map(str, digests)) for name, digests in stored.get("texts", {}).items()}
            job = None if stored.get("job") is None else Job.from_json(stored["job"])
            return cls(files, _known(stored["current"], files), _known(stored.get("previous", []), files), texts, job)
        except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return cls()

    def write(self, path: Path) -> None:
        stored = {
            "files": {
                name: [file.part, file.key, file.size, file.mtime_ns] for name, file in sorted(self.files.items())
            },
            "current": sorted(self.current),
            "previous": sorted(self.previous),
            "texts": dict(self.texts),
            "job": self.job and self.job.as_json(),
        }
        write_durably(path, json.dumps(stored).encode(), through=path.parent)

    def find(self, folder: Path, part: str, key: str) -> str | None:
        """The name of the unchanged file of that part; None if there is none."""
        found = (name for name, file in self.files.items() if (file.part, file.key) == (part, key))
        return next((name for name in found if self.files[name].is_at(folder / name)), None)

    def has_written(self, path: Path) -> bool:
        """True if the text at `path` is as it was written here."""
        return path.is_file() and not path.is_symlink() and _digest(path.read_bytes()) in self.texts.get(path.name, ())

    def with_publication(self, files: Mapping[str, PublishedFile], texts: Mapping[str, bytes]) -> "Ledger":
        """The ledger before a manifest names `files`: they may already be played, those that it named may still be."""
        names = frozenset(files)
        previous = self.previous if self.current == names else self.current
        digests = {name: (*self.texts.get(name, ()), _digest(text)) for name, text in texts.items()}
        return Ledger({**self.files, **files}, self.current | names, previous, {**self.texts, **digests}, self.job)

    def completed(self, files: Mapping[str, PublishedFile], texts: Mapping[str, bytes]) -> "Ledger":
        """The ledger after the manifest names `files`."""
        digests = {name: (_digest(text),) for name, text in texts.items()}
        return replace(self, current=frozenset(files), texts=digests)

    def remove_obsolete(self, folder: Path) -> "Ledger":
        """Deletes the files of older publications, unless somebody has changed them; without them in the ledger."""
        kept = self.current | self.previous
        for name, file in self.files.items():
            if name not in kept and file.is_at(folder / name):
                (folder / name).unlink()
        return replace(self, files={name: file for name, file in self.files.items() if name in kept})


def _digest(text: bytes) -> str:
    return sha256(text).hexdigest()


def _is_name(name: str) -> bool:
    """A ledger out of foreign hands must not lead elsewhere."""
    return Path(name).name == name and name not in {"", ".", ".."}


def _known(names: Iterable[str], files: Mapping[str, PublishedFile]) -> frozenset[str]:
    return frozenset(files.keys() & set(names))
