"""Writes that survive a loss of power."""

import errno
import os
from pathlib import Path


def sync(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems cannot do it for folders
            raise
    finally:
        os.close(descriptor)


def write_durably(path: Path, content: bytes, *, through: Path) -> None:
    """Replaces a file at once, by way of a new one in the folder `through`."""
    new = through / f"{path.name}.new"
    new.write_bytes(content)
    sync(new)
    new.replace(path)
    sync(path.parent)
