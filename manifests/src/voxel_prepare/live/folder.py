"""The files of one representation, as they grow: media by whole chunks, and the records beside them."""

from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.manifest.live_mpd import RECORDS_SUFFIX
from voxel_prepare.manifest.live_records import (
    ChunkRecord,
    RecordHead,
    Records,
    read_records,
    write_chunk,
    write_end,
    write_head,
)

INIT = "init.mp4"
MEDIA_SUFFIX = ".m4s"


class TrackFolder:
    """Writes the segments of a representation one after the other."""

    def __init__(self, folder: Path, head: RecordHead) -> None:
        self.folder = folder
        self._head = head
        self._number: int | None = None
        self._media: Path
        self._position = 0
        self._is_open = False

    def write_init(self, init: bytes) -> None:
        """The initialization segment; written again only if it differs, so that caches keep what they have."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / INIT
        if not path.exists() or path.read_bytes() != init:
            path.write_bytes(init)

    def begin(self, number: int) -> int:
        """Goes to a segment, and makes the files of the next one: a request for it is held instead of refused.

        The bytes of the segment so far: 0 unless it was begun before an interruption, which keeps its complete chunks.
        """
        if number != self._number:
            self._number, self._is_open = number, True
            for of in (number, number + 1):
                self._path(of, MEDIA_SUFFIX).touch()
                self._path(of, RECORDS_SUFFIX).touch()
            self._position = self._resume(number)
        return self._position

    def append(self, chunk: bytes, record: ChunkRecord) -> None:
        """Adds a chunk to the segment: first its bytes, then the record that announces them."""
        assert self._number is not None and record.range == ByteRange(self._position, self._position + len(chunk))
        _append(self._path(self._number, MEDIA_SUFFIX), chunk)
        _append(self._path(self._number, RECORDS_SUFFIX), write_chunk(record))
        self._position += len(chunk)

    def finish(self) -> None:
        """Ends the segment."""
        assert self._number is not None
        _append(self._path(self._number, RECORDS_SUFFIX), write_end(self._position))
        self._is_open = False

    def close(self) -> None:
        """Ends the last segment, and removes the empty files of the one that will not come."""
        if self._is_open:
            self.finish()
        for path in self.folder.glob(f"*{MEDIA_SUFFIX}"):
            if path.stat().st_size == 0:
                path.with_name(path.name + RECORDS_SUFFIX).unlink(missing_ok=True)
                path.unlink()

    def remove_before(self, number: int) -> None:
        """Deletes all older segments."""
        for old in self.numbers():
            if old < number:
                self._path(old, MEDIA_SUFFIX).unlink(missing_ok=True)
                self._path(old, RECORDS_SUFFIX).unlink(missing_ok=True)

    def numbers(self) -> list[int]:
        """Numbers of all segments in the folder, ascending."""
        names = (path.name.removesuffix(MEDIA_SUFFIX) for path in self.folder.glob(f"*{MEDIA_SUFFIX}"))
        return sorted(int(name) for name in names if name.isdecimal())

    def records(self, number: int) -> Records:
        """What is known of a segment, as far as its media go: after a loss of power records may announce what is not
        there. Raises `RecordError`; `OSError` if there is none.
        """
        records = read_records(self._path(number, RECORDS_SUFFIX).read_bytes())
        size = self._path(number, MEDIA_SUFFIX).stat().st_size
        held = tuple(takewhile(lambda chunk: chunk.range.end <= size, records.chunks))
        if records.head is None or len(held) == len(records.chunks):
            return records
        complete_bytes = sum(map(len, [write_head(records.head), *map(write_chunk, held)]))
        return replace(records, chunks=held, length=None, complete_bytes=complete_bytes)

    def media(self, number: int) -> bytes:
        """A segment's bytes. Raises `OSError`."""
        return self._path(number, MEDIA_SUFFIX).read_bytes()

    def _resume(self, number: int) -> int:
        """Cuts what is incomplete; the bytes that are left."""
        records = self.records(number)
        path = self._path(number, RECORDS_SUFFIX)
        if records.head is None:
            path.write_bytes(write_head(self._head))
            _cut(self._path(number, MEDIA_SUFFIX), 0)
            return 0
        _cut(path, records.complete_bytes)
        position = records.chunks[-1].range.end if records.chunks else 0
        _cut(self._path(number, MEDIA_SUFFIX), position)
        return position

    def _path(self, number: int, suffix: str) -> Path:
        name = f"{number}{MEDIA_SUFFIX}"
        return self.folder / (name if suffix == MEDIA_SUFFIX else name + RECORDS_SUFFIX)


def _append(path: Path, data: bytes) -> None:
    """Adds `data` in one write, so that followers see all of it or nothing; where the disk is full, nothing stays.

    Raises `OSError`.
    """
    with path.open("ab", buffering=0) as file:
        size = file.tell()
        try:
            written = file.write(data)
            while written < len(data):  # what is missing had no room: the next write says so, or it has some by now
                written += file.write(data[written:])
        except OSError as error:
            file.truncate(size)
            raise OSError(error.errno, error.strerror, str(path)) from error


def _cut(path: Path, size: int) -> None:
    if path.stat().st_size > size:
        with path.open("r+b") as file:
            file.truncate(size)
