"""What an output folder is prepared for: its sources, and the options that its content depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from voxel_prepare.errors import InputError
from voxel_prepare.jobs.request import Request
from voxel_prepare.media.encoders import CodecName

Json: TypeAlias = str | int | float | bool | Sequence["Json"] | Mapping[str, "Json"] | None


@dataclass(frozen=True, slots=True)
class Job:
    """The same for every run that goes on with what an earlier one has begun."""

    sources: tuple[str, ...]
    """Paths of the inputs."""
    versions: tuple[str, ...]
    """Changes with each input; see `source_identity`."""
    options: Mapping[str, str]
    """Values by name, as on the command line; without those that are not given and have no value then. Neither what
    says how work is done (`--jobs`, `--scheduler`) nor `--inline`, which adds to the manifest, nor keys."""

    @classmethod
    def of(cls, request: Request) -> "Job":
        """Raises `InputError` if an input is not there."""
        try:
            identities = [source_identity(path) for path in request.inputs]
        except (FileNotFoundError, NotADirectoryError) as error:
            raise InputError(f"{error.filename}: no such file") from error
        return cls(
            sources=tuple(str(path) for path, *_ in identities),
            versions=tuple(f"{size} bytes, {time} ns" for _, size, time in identities),
            options={name: str(value) for name, value in _options(request).items() if value is not None},
        )

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Job":
        """Raises `TypeError`, `KeyError` or `AttributeError` unless `as_json` gave it."""
        options = {str(name): str(value) for name, value in stored["options"].items()}
        return cls(tuple(map(str, stored["sources"])), tuple(map(str, stored["versions"])), options)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def replaced_by(self, other: "Job") -> str | None:
        """What another job would put in place of this one, in words; None if they are the same."""
        sources = ", ".join(self.sources)
        if self.sources != other.sources:
            return f"{sources} by {', '.join(other.sources)}"
        names = dict.fromkeys([*self.options, *other.options])
        different = [name for name in names if self.options.get(name) != other.options.get(name)]
        if different:
            return f"{sources} {self._with(different)} by the same {other._with(different)}"
        return None if self.versions == other.versions else f"{sources} as it was before it changed"

    def _with(self, names: Sequence[str]) -> str:
        given = [f"{name} {self.options[name]}".rstrip() for name in names if name in self.options]
        return f"with {' '.join(given)}" if given else f"without {' '.join(names)}"


def source_identity(path: Path) -> tuple[str, int, int]:
    """Path, size in bytes and time of the last change in ns: changes with the file, and does not read it."""
    status = path.stat()
    return str(path.resolve()), status.st_size, status.st_mtime_ns


def _options(request: Request) -> dict[str, object]:
    scoring = {"--metric": request.metric, "--order": request.order, "--choice": request.choice}
    segment = {"--segment": f"{request.segment_seconds:g}"}
    if request.media == "existing":
        return {"--copy": "", **scoring}
    if request.media == "copy":
        return {"--copy": "", **segment, **scoring}
    names = request.representations
    return {
        "--representations": names and ",".join(f"{name.size}:{name.mbps:g}" for name in names),
        "--codec": None if request.codecs == (CodecName.H264,) else ",".join(request.codecs),
        **segment,
        "--slices": request.slices,
        "--preset": request.preset,
        "--passes": request.passes,
        "--profile": request.profile,
        "--start": f"{request.start:g}",
        "--duration": None if request.duration is None else f"{request.duration:g}",
        **scoring,
    }
