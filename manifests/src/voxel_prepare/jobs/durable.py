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
    """Replaces a file at once, by way of a new one in the folder `through`, of which nothing stays where it fails.

    Raises `OSError` with the file's name.
    """
    new = new_file(path, through)
    try:
        new.write_bytes(content)
        sync(new)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    sync(path.parent)


def new_file(path: Path, through: Path) -> Path:
    """What becomes the file; a process that was killed leaves it."""
    return through / f"{path.name}.new"
