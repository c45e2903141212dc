"""Reads wheels and source distributions as an index would: metadata, contents, hashes. Prints a JSON object for each.

Usage: check_distributions.py FILE..., each a .whl or .tar.gz
"""

import base64
import hashlib
import json
import sys
import tarfile
import zipfile
from pathlib import Path

from packaging.metadata import Metadata


def read(path: Path) -> dict[str, bytes]:
    """The files in a distribution, by name. Links are not allowed: some installers do not follow them."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    files = {}
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            data = archive.extractfile(member) if member.isfile() else None
            if data is None:
                raise ValueError(f"{member.name} is not an ordinary file")
            files[member.name.partition("/")[2]] = data.read()
    return files


def record_problems(files: dict[str, bytes], folder: str) -> list[str]:
    """What of a wheel's RECORD differs from its contents."""
    recorded = dict(line.rsplit(",", 1)[0].split(",", 1) for line in files[f"{folder}RECORD"].decode().splitlines())
    actual = {
        name: "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        for name, data in files.items()
    }
    actual[f"{folder}RECORD"] = ""
    return [
        f"RECORD is wrong about {name}"
        for name in recorded.keys() | actual.keys()
        if recorded.get(name) != actual.get(name)
    ]


def examine(path: Path) -> dict[str, object]:
    """Name, version, licence and text of the licence, the names of the files, and what is wrong with the metadata."""
    files = read(path)
    is_wheel = path.suffix == ".whl"
    folder = (
        next(name for name in files if name.endswith(".dist-info/METADATA"))[: -len("METADATA")] if is_wheel else ""
    )
    # Raises for fields that an index would refuse.
    metadata = Metadata.from_email(files[f"{folder}METADATA" if is_wheel else "PKG-INFO"], validate=True)
    problems = record_problems(files, folder) if is_wheel else []
    if metadata.description_content_type != "text/markdown" or not metadata.description:
        problems.append("the description must be the README, in Markdown")
    licence = files.get(f"{folder}licenses/LICENSE" if is_wheel else "LICENSE", b"")
    return {
        "name": metadata.name,
        "version": str(metadata.version),
        "licence": metadata.license_expression,
        "licenceText": licence.decode(),
        "files": sorted(files),
        "problems": problems,
    }


for argument in sys.argv[1:]:
    print(json.dumps(examine(Path(argument))))
