"""Files open for responses: one descriptor each, however many responses read it."""

import os
import threading
from dataclasses import dataclass

Identity = tuple[int, int]
"""Device and inode, which no other file has while this one is open."""


@dataclass(slots=True)
class _OpenFile:
    descriptor: int
    identity: Identity
    leases: int = 1


class Lease:
    """A response's hold on an open file.

    Also ended when no longer referenced: a request may be cancelled while a thread opens its file.
    """

    def __init__(self, files: "SharedFiles", file: _OpenFile) -> None:
        self._files = files
        self._file: _OpenFile | None = file

    def fileno(self) -> int:
        """The descriptor. Raises `ValueError` after `close`."""
        if self._file is None:
            raise ValueError("the file is closed")
        return self._file.descriptor

    @property
    def identity(self) -> Identity:
        """Identity of the file. Raises `ValueError` after `close`."""
        if self._file is None:
            raise ValueError("the file is closed")
        return self._file.identity

    def close(self) -> None:
        """Ends the reading of this response."""
        file, self._file = self._file, None
        if file is not None:
            self._files.end_lease(file)

    def __del__(self) -> None:
        self.close()


class SharedFiles:
    """What is open now, for any thread. Leases are counted: a file that is just being closed must not be found."""

    def __init__(self, most: int) -> None:
        """`most`: files open at a time."""
        self._left = most
        self._open: dict[Identity, _OpenFile] = {}
        # The garbage collector may end a lease in a thread that holds the lock.
        self._lock = threading.RLock()

    def lease(self, status: os.stat_result) -> Lease | None:
        """A lease of the file, if a response reads it already."""
        with self._lock:
            file = self._open.get(_identity(status))
            if file is None:
                return None
            file.leases += 1
        return Lease(self, file)

    def permit(self) -> bool:
        """Takes a permit to open another file; False: there is none left."""
        with self._lock:
            if self._left <= 0:
                return False
            self._left -= 1
            return True

    def give_back(self) -> None:
        """The file was not opened after all."""
        with self._lock:
            self._left += 1

    def share(self, descriptor: int) -> tuple[Lease, os.stat_result]:
        """Lease and properties of a file that has just been opened with a permit; others can read it from here on."""
        status = os.fstat(descriptor)
        file = _OpenFile(descriptor, _identity(status))
        with self._lock:
            self._open[file.identity] = file
        return Lease(self, file), status

    def end_lease(self, file: _OpenFile) -> None:
        """The last one closes the file."""
        with self._lock:
            file.leases -= 1
            if file.leases > 0:
                return
            # Another thread may have opened it at the same time.
            if self._open.get(file.identity) is file:
                del self._open[file.identity]
        os.close(file.descriptor)
        self.give_back()


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino
