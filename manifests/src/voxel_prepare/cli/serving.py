"""How a finished presentation is served: the last lines of the commands that write one."""

import os
import shlex
from pathlib import Path
from urllib.parse import quote

from voxel_prepare.manifest.mpd_file import MANIFEST

ORIGIN = "http://localhost:8080"
"""Where `voxel-serve` answers unless it is told otherwise."""


def how_to_serve(out: Path, media: Path | None = None) -> list[str]:
    """The lines that say where the manifest in `out` will be, and by which command.

    `media` is the folder of the media files, if that is another one: the manifest leads there by relative URLs. The
    command serves these two folders, and nothing that lies around them.
    """
    out = out.resolve()
    media = out if media is None else media.resolve()
    above = Path(os.path.commonpath([out, media]))
    places = [folder.relative_to(above) for folder in (out, media)]
    hidden = next((part for place in places for part in place.parts if part.startswith(".")), None)
    if hidden is not None:
        return [f"warning: voxel-serve serves nothing in hidden folders, such as {hidden}: move {out} or {media}"]
    words = ["voxel-serve", _argument(above)]
    if above not in (out, media) and not any("=" in str(place) for place in places):
        mounts = (
            f"/{place.as_posix()}={_argument(folder)}" for place, folder in zip(places, (out, media), strict=True)
        )
        words = ["voxel-serve", _argument(out), *(word for mount in mounts for word in ("--mount", mount))]
    address = "/".join((ORIGIN, *(quote(os.fsencode(part)) for part in places[0].parts), MANIFEST))
    return [f"manifest: {address}", f"now: {shlex.join(words)}"]


def _argument(folder: Path) -> str:
    """The folder, relative to the working directory if it lies in there."""
    here = Path.cwd()
    path = str(folder.relative_to(here) if folder.is_relative_to(here) else folder)
    return f"./{path}" if path.startswith("-") else path
