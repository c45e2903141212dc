"""Files open for responses: one descriptor each, however many responses read it."""

import io
import os
import threading
from weakref import WeakValueDictionary

from .descriptors import FilePermits


class PermittedFile(io.FileIO):
    """Gives its permit back when it is closed, which the end of its last lease does."""

    def __init__(self, descriptor: int, permits: FilePermits) -> None:
        super().__init__(descriptor)
        self._permits = permits

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._permits.give_back()

    def __del__(self) -> None:
        self.close()


class Lease:
    """A response's hold on an open file.

    Also ended when no longer referenced: a request may be cancelled while a thread opens its file.
    """

    def __init__(self, file: PermittedFile) -> None:
        self._file: PermittedFile | None = file

    def fileno(self) -> int:
        """The descriptor. Raises `ValueError` after `close`."""
        if self._file is None:
            raise ValueError("the file is closed")
        return self._file.fileno()

    def close(self) -> None:
        """From here on this response does not read it."""
        self._file = None


class SharedFiles:
    """What is open now, by device and inode, which no other file has while it is open. For any thread."""

    def __init__(self, permits: FilePermits) -> None:
        self._permits = permits
        self._open: WeakValueDictionary[tuple[int, int], PermittedFile] = WeakValueDictionary()
        self._lock = threading.Lock()

    def lease(self, status: os.stat_result) -> Lease | None:
        """Of the file, if a response reads it already."""
        with self._lock:
            file = self._open.get((status.st_dev, status.st_ino))
            return None if file is None else Lease(file)

    def permit(self) -> bool:
        """Takes a permit to open another file; False: there is none left."""
        return self._permits.take()

    def give_back(self) -> None:
        """The file was not opened after all."""
        self._permits.give_back()

    def share(self, descriptor: int, status: os.stat_result) -> Lease:
        """Of a file that has just been opened with a permit; others can read it from here on."""
        file = PermittedFile(descriptor, self._permits)
        with self._lock:
            self._open[(status.st_dev, status.st_ino)] = file
        return Lease(file)
