"""Finds the file for a request path in the served folders, opens it and reads its bytes."""

import asyncio
import errno
import logging
import mimetypes
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import unquote_to_bytes

from .errors import ConfigurationError, HttpError
from .log import log
from .ranges import ByteRange
from .shared_files import Identity, Lease, SharedFiles
from .vxl import MOST_FILE_BYTES, SUFFIX, Record, VxlReader

INDEX = "index.html"

RWF_NOWAIT: Final[int] = getattr(os, "RWF_NOWAIT", 8)
"""Reads only cached data, without waiting: switching to a thread and back costs more than most reads."""

MANY_FILES = 1_000_000
"""No limit of this program."""

UNAVAILABLE = (errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM)
"""Errors that say nothing of the file."""

CONTENT_TYPES = mimetypes.MimeTypes()
for _type, _suffix in (
    ("application/dash+xml", ".mpd"),
    ("application/vnd.apple.mpegurl", ".m3u8"),
    ("video/mp4", ".mp4"),
    ("video/iso.segment", ".m4s"),
    ("text/javascript", ".js"),
    ("text/javascript", ".mjs"),
    ("application/json", ".map"),
    ("application/wasm", ".wasm"),
):
    CONTENT_TYPES.add_type(_type, _suffix)


class Redirect(Exception):
    """The path of a folder had no final slash; `location` is the path with it."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


@dataclass(slots=True)
class LiveRecords:
    """What the `.vxl` beside a live segment says; must be closed."""

    name: str
    lease: Lease
    identity: Identity
    reader: VxlReader
    records: list[Record]
    _is_kept: bool = False

    def kept(self) -> "LiveRecords":
        """The same, which only its new owner closes."""
        kept = replace(self)
        self._is_kept = True
        return kept

    def close(self) -> None:
        if not self._is_kept:
            self.lease.close()


@dataclass(frozen=True, slots=True)
class MediaFile:
    """An open regular file; must be closed."""

    handle: Lease

    size: int
    """Bytes of the file; of one that grows, of its complete chunks."""

    modified_ns: int
    content_type: str
    records: LiveRecords | None = None
    """Records of a live segment."""

    @property
    def grows(self) -> bool:
        """Whether more bytes will come."""
        return self.records is not None and not self.records.reader.ended

    @property
    def etag(self) -> str:
        """A strong validator (RFC 9110 section 8.8.3): changes with the file's time or size; "" of one that grows."""
        return "" if self.grows else f'"{max(0, self.modified_ns):x}-{self.size:x}"'

    def check_unchanged(self, if_match: str | None) -> None:
        """`if_match` is the header. Raises `HttpError` 412."""
        if if_match is not None and not matches(if_match, self.etag):
            raise self.changed()

    def changed(self) -> HttpError:
        """412 with the current validator."""
        headers = (("etag", self.etag),) if self.etag else ()
        return HttpError(HTTPStatus.PRECONDITION_FAILED, "the file has changed", headers)

    def close(self) -> None:
        self.handle.close()
        if self.records is not None:
            self.records.close()


def listed(value: str) -> list[str]:
    """The items of a header that is a list (RFC 9110 section 5.6.1); those in quotes may hold no comma."""
    return [item.strip() for item in value.split(",")]


def matches(if_match: str, etag: str) -> bool:
    """Whether an `If-Match` header allows a file of that strong validator (RFC 9110 section 13.1.1)."""
    return if_match.strip() == "*" or etag in listed(if_match)


class Mounts:
    """The served folders, by URL prefix."""

    def __init__(self, folders: Mapping[str, Path], most: int = MANY_FILES) -> None:
        """`folders`: prefix ("/" or "/media") to folder; `most`: files open at a time. Raises `ConfigurationError`."""
        self._files = SharedFiles(most)
        self._roots: list[tuple[tuple[str, ...], Path]] = []
        for prefix, folder in folders.items():
            if not folder.is_dir():
                raise ConfigurationError(f"no such folder: {folder}")
            self._roots.append((tuple(prefix.strip("/").split("/")) if prefix != "/" else (), folder.resolve()))
        self._roots.sort(key=lambda entry: len(entry[0]), reverse=True)

    def open(self, path: str) -> MediaFile:
        """The file of a request path (without query; percent-encoded). Blocking.

        Raises `HttpError` 404 for whatever is not a regular file under a served folder, and `Redirect`.
        """
        segments = decode(path)
        for prefix, root in self._roots:
            if tuple(segments[: len(prefix)]) == prefix:
                return _open(root, segments[len(prefix) :], path, self._files)
        raise _not_found()

    def place(self, path: str) -> Path:
        """Where the file of a request path is looked for, to see whether it changes: what there is `open` says.

        Raises `HttpError` 404 for a path below none of the folders.
        """
        segments = decode(path)
        for prefix, root in self._roots:
            if tuple(segments[: len(prefix)]) == prefix:
                return root.joinpath(*segments[len(prefix) :])
        raise _not_found()


def _unavailable() -> HttpError:
    return HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "the file cannot be read now")


def _not_found() -> HttpError:
    return HttpError(HTTPStatus.NOT_FOUND, "no such file")


def decode(path: str) -> list[str]:
    """The segments of a path, decoded once; the last is "" for a folder. Dotfiles, `..` and encoded slashes are 404."""
    if not path.startswith("/"):
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed request target")
    segments = [os.fsdecode(unquote_to_bytes(segment)) for segment in path[1:].split("/")]
    if any(segment.startswith(".") or "/" in segment or "\0" in segment for segment in segments):
        raise _not_found()
    if "" in segments[:-1]:
        raise _not_found()
    return segments


def _open(root: Path, segments: Sequence[str], path: str, files: SharedFiles) -> MediaFile:
    try:
        found = root.joinpath(*segments).resolve(strict=True)
        if not found.is_relative_to(root):
            raise _not_found()
        if found.is_dir():
            if not path.endswith("/"):
                raise Redirect(f"{path}/")
            return _open_regular(found / INDEX, files)
        if path.endswith("/"):
            raise _not_found()
        return _open_media(found, files)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        if isinstance(error, OSError) and error.errno in UNAVAILABLE:
            raise _unavailable() from error
        raise _not_found() from error


def _open_media(found: Path, files: SharedFiles) -> MediaFile:
    """Records are read first: the file has all bytes that they name."""
    records = _read_records(found.with_name(found.name + SUFFIX), files)
    try:
        file = _open_regular(found, files)
    except BaseException:
        if records is not None:
            records.close()
        raise
    if records is None:
        return file
    file = replace(file, records=records)
    return replace(file, size=records.reader.available) if file.grows else file


def _read_records(found: Path, files: SharedFiles) -> LiveRecords | None:
    """None: there is no such file, or it is malformed."""
    try:
        if not stat.S_ISREG(os.lstat(found).st_mode):
            return None
        file = _open_regular(found, files)
    except FileNotFoundError:
        return None
    reader = VxlReader()
    try:
        records = reader.feed(os.pread(file.handle.fileno(), MOST_FILE_BYTES + 1, 0))
    except ValueError as error:
        log("malformed records", logging.WARNING, file=str(found), error=str(error))
        file.close()
        return None
    except OSError:
        file.close()
        raise
    return LiveRecords(str(found), file.handle, file.handle.identity, reader, records)


def _open_regular(found: Path, files: SharedFiles) -> MediaFile:
    """Uses O_NOFOLLOW, as the index of a folder may not be a link; with O_NONBLOCK, as opening a pipe must not wait."""
    status = os.lstat(found)
    lease = files.lease(status) if stat.S_ISREG(status.st_mode) else None
    if lease is None:
        if not files.permit():
            raise _unavailable()
        try:
            descriptor = os.open(found, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            files.give_back()
            raise
        lease, status = files.share(descriptor)
    if not stat.S_ISREG(status.st_mode):
        lease.close()
        raise _not_found()
    content_type = CONTENT_TYPES.guess_type(found.name)[0] or "application/octet-stream"
    return MediaFile(lease, status.st_size, status.st_mtime_ns, content_type)


class Body:
    """A response's bytes: literal pieces and ranges of one file, in order. Read in chunks, never as a whole."""

    def __init__(self, pieces: Sequence[bytes | ByteRange], file: MediaFile | None = None) -> None:
        self.lengths = [len(piece) for piece in pieces]
        self.length = sum(self.lengths)
        self._pieces = iter(pieces)
        self._current: bytes | ByteRange = b""
        self._file = file

    async def read(self, size: int) -> bytes:
        """The next bytes, at most `size`; b"" at the end. Raises `OSError` if the file has become shorter."""
        chunk = bytearray()
        try:
            self._fill(chunk, size, RWF_NOWAIT)
        except (OSError, NotImplementedError):  # Not all of it is in memory, or the system cannot say.
            await asyncio.to_thread(self._fill, chunk, size, 0)
        return bytes(chunk)

    def close(self) -> None:
        """Closes the file. A read that still runs in its thread fails, or its bytes are discarded."""
        if self._file is not None:
            self._file.close()

    def _fill(self, chunk: bytearray, size: int, flags: int) -> None:
        """Reads until `chunk` has `size` bytes or the body ends; may be called again after an error."""
        while len(chunk) < size:
            if len(self._current) == 0:
                following = next(self._pieces, None)
                if following is None:
                    break
                self._current = following
            chunk += self._take(size - len(chunk), flags)

    def _take(self, size: int, flags: int) -> bytes | bytearray:
        current = self._current
        if isinstance(current, bytes):
            self._current = current[size:]
            return current[:size]
        assert self._file is not None
        data = bytearray(min(size, len(current)))
        count = os.preadv(self._file.handle.fileno(), [data], current.start, flags)
        if not count:
            raise OSError("the file has become shorter")
        self._current = ByteRange(current.start + count, current.end)
        return data[:count]
