"""Playlists that requests wait for: one watcher looks at a file for all of them."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from .errors import HttpError
from .files import MediaFile, Mounts, Redirect, decode
from .playlist import MOST_BYTES, Directives, Playlist

CONTENT_TYPE = "application/vnd.apple.mpegurl"

POLL_SECONDS = 0.01
"""How often a playlist is looked at."""


@dataclass(frozen=True, slots=True)
class State:
    """A playlist at some time."""

    playlist: Playlist | None
    """None: it is a file as any other, as it has ended."""
    data: bytes
    etag: str

    @classmethod
    def of(cls, file: MediaFile) -> "State | None":
        """None for what is surely no playlist."""
        if file.content_type != CONTENT_TYPE or file.grows or file.size > MOST_BYTES:
            return None
        data = os.pread(file.handle.fileno(), MOST_BYTES, 0)
        return cls(Playlist.read(data), data, file.etag)


class Watcher:
    """Looks at one file for as long as somebody waits for it."""

    def __init__(self, mounts: Mounts, path: str) -> None:
        self.waiting = 0
        self.state: State | None = None
        """None: it has not been looked at yet, or there is none any more."""
        self.error: HttpError | None = None
        self._mounts, self._path = mounts, path
        self._changed = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._watch(mounts.place(path)))

    async def changed(self) -> None:
        await self._changed.wait()

    def stop(self) -> None:
        self._task.cancel()

    async def _watch(self, place: Path) -> None:
        known: tuple[int, int, int] | None = None
        while True:
            seen = _state_of(place)  # Without a thread: what the encoder has just written is in memory.
            if seen != known:
                known = seen
                await asyncio.to_thread(self._read)
                self._changed.set()
                self._changed = asyncio.Event()
            await asyncio.sleep(POLL_SECONDS)

    def _read(self) -> None:
        try:
            file = self._mounts.open(self._path)
        except HttpError as error:
            self.state, self.error = None, error
            return
        except Redirect:
            self.state, self.error = None, HttpError(HTTPStatus.NOT_FOUND, "no such file")
            return
        try:
            self.state, self.error = State.of(file), None
        finally:
            file.close()


def _state_of(place: Path) -> tuple[int, int, int]:
    """What differs where a file is another one."""
    try:
        status = place.stat()
    except OSError:
        return 0, 0, 0
    return status.st_ino, status.st_mtime_ns, status.st_size


class Playlists:
    """Those that somebody waits for."""

    def __init__(self, mounts: Mounts, is_draining: Callable[[], bool]) -> None:
        self._mounts, self._is_draining = mounts, is_draining
        self._watchers: dict[tuple[str, ...], Watcher] = {}
        """Watchers by the path as it is decoded: a client may write one path in many ways."""

    async def wait(self, path: str, state: State, wanted: Directives) -> State:
        """The playlist once it has what is wanted; at once where it need not be waited for.

        Raises `HttpError`: 400 for what is too far ahead, 503 where it does not come.
        """
        playlist = state.playlist
        if playlist is None or playlist.has(wanted):
            return state
        playlist.check(wanted)
        deadline = asyncio.get_running_loop().time() + playlist.patience
        with self._watching(path) as watcher:
            while True:
                if watcher.error is not None:
                    raise watcher.error
                now = watcher.state
                if now is not None and (now.playlist is None or now.playlist.has(wanted)):
                    return now
                try:
                    async with asyncio.timeout_at(deadline):
                        await watcher.changed()
                except TimeoutError:
                    message = "the playlist does not grow"
                    raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, message) from None
                if self._is_draining():
                    raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the server is stopping")

    @contextlib.contextmanager
    def _watching(self, path: str) -> Iterator[Watcher]:
        key = tuple(decode(path))
        watcher = self._watchers.get(key)
        if watcher is None:
            watcher = self._watchers[key] = Watcher(self._mounts, path)
        watcher.waiting += 1
        try:
            yield watcher
        finally:
            watcher.waiting -= 1
            if not watcher.waiting:
                watcher.stop()
                del self._watchers[key]
