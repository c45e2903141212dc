"""Files that grow: one watcher per file reads its `.vxl` for all who follow it."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass

from .files import Body, LiveRecords, MediaFile
from .log import log
from .metrics import Metrics
from .ranges import ByteRange
from .shared_files import Identity
from .vxl import Record

POLL_SECONDS = 0.01
"""How often a file is looked at: a thirteenth of a chunk of four frames at 30 frames/s."""

READ_BYTES = 64 * 1024
"""Bytes of one look: a chunk's record has some hundred."""

SILENCE_SECONDS = 10.0
"""Without a record for that long the encoder is taken for dead."""


@dataclass(frozen=True, slots=True)
class Known:
    """A record, and when it was read, by the event loop's clock."""

    record: Record
    since: float


class Watcher:
    """Reads one `.vxl` until it ends."""

    def __init__(self, file: LiveRecords) -> None:
        self.followers = 0
        self.known: list[Known] = []
        """All records so far."""
        self.failed = False
        """The records are malformed."""
        self.file = file
        self._reader = file.reader
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._add(file.records)
        self._task = None if self.ended else self._loop.create_task(self._watch())

    @property
    def head(self) -> bytes:
        """The first bytes of the `.vxl`; empty before they are there."""
        return self._reader.head

    @property
    def available(self) -> int:
        """Bytes of the media file for which there are records."""
        return self._reader.available

    @property
    def ended(self) -> bool:
        """Whether there is the end record."""
        return self._reader.ended

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self.file.close()

    async def changed(self) -> None:
        """Returns at the next record. Raises `TimeoutError`: there was none for long, `OSError`: they are malformed."""
        async with asyncio.timeout(SILENCE_SECONDS):
            await self._changed.wait()
        self.check()

    def check(self) -> None:
        """Raises `OSError` if the records are malformed."""
        if self.failed:
            raise OSError(f"malformed records: {self.file.name}")

    async def _watch(self) -> None:
        while not (self.ended or self.failed):
            await asyncio.sleep(POLL_SECONDS)
            try:
                # Without a thread: what the encoder has just written is in memory.
                data = os.pread(self.file.lease.fileno(), READ_BYTES, self._reader.taken)
                if data:
                    self._add(self._reader.feed(data))
            except (OSError, ValueError) as error:
                log("malformed records", logging.WARNING, file=self.file.name, error=str(error))
                self.failed = True
                self._notify()

    def _add(self, records: list[Record]) -> None:
        now = self._loop.time()
        self.known += [Known(record, now) for record in records]
        if records:
            self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class Following:
    """One follower's hold on a watcher; must be closed."""

    def __init__(self, watchers: "Watchers", watcher: Watcher) -> None:
        watcher.followers += 1
        self.watcher = watcher
        self._watchers: Watchers | None = watchers

    async def records(self) -> AsyncIterator[Known]:
        """All records, as they come, up to the last one. Raises as `Watcher.changed`."""
        watcher, place = self.watcher, 0
        while True:
            while place < len(watcher.known):
                yield watcher.known[place]
                place += 1
            watcher.check()
            if watcher.ended:
                return
            await watcher.changed()

    def close(self) -> None:
        watchers, self._watchers = self._watchers, None
        if watchers is not None:
            watchers.leave(self.watcher)


class Watchers:
    """Those of all files that grow and are followed."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._watchers: dict[Identity, Watcher] = {}

    def follow(self, file: MediaFile) -> Following:
        """Follows a file with live records, which are closed with the last follower."""
        assert file.records is not None
        identity = file.records.identity
        watcher = self._watchers.get(identity)
        if watcher is None:
            watcher = self._watchers[identity] = Watcher(file.records.kept())
            self._metrics.add("voxel_watched_files")
        return Following(self, watcher)

    def leave(self, watcher: Watcher) -> None:
        """One follower less; the last one ends the watcher."""
        watcher.followers -= 1
        if watcher.followers == 0:
            watcher.stop()
            del self._watchers[watcher.file.identity]
            self._metrics.add("voxel_watched_files", -1)


class GrowingBody:
    """The bytes of a response over HTTP that follows a file, up to the last complete record."""

    def __init__(self, file: MediaFile, following: Following, wanted: ByteRange | None = None) -> None:
        """`wanted`: the bytes that were asked for; it begins at what is there, or before."""
        self._file = file
        self._following = following
        self._place = 0 if wanted is None else wanted.start
        self._end = None if wanted is None else wanted.end

    async def read(self, size: int) -> bytes:
        """The next bytes, at most `size`, as soon as there are any; b"" at the end. Raises as `Watcher.changed`."""
        watcher = self._following.watcher
        while (end := self._known_end()) <= self._place:
            watcher.check()
            if watcher.ended or self._place == self._end:
                return b""
            await watcher.changed()
        data = await Body([ByteRange(self._place, min(end, self._place + size))], self._file).read(size)
        self._place += len(data)
        return data

    def close(self) -> None:
        self._following.close()
        self._file.close()

    def _known_end(self) -> int:
        available = self._following.watcher.available
        return available if self._end is None else min(available, self._end)
