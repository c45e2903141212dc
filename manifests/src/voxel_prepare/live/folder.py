"""The files of one representation, as they grow: media by whole chunks, and the records beside them."""

from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.jobs.durable import write_durably
from voxel_prepare.live.room import AT_ONCE, Room
from voxel_prepare.manifest.live_mpd import RECORDS_SUFFIX
from voxel_prepare.manifest.live_records import (
    ChunkRecord,
    RecordHead,
    Records,
    read_intact,
    read_records,
    write_chunk,
    write_end,
    write_head,
)

INIT = "init.mp4"
MEDIA_SUFFIX = ".m4s"

LATE_REQUESTS_SECONDS = 10
"""Segments stay longer than the manifest says, for requests on their way."""

NOTHING = Records(None, (), None, 0)

OnGrowth = Callable[[int, ChunkRecord | None], None]
"""Called with the number of a segment, and the chunk that it has got; None: it has ended."""


class TrackFolder:
    """Writes the segments of a representation one after the other."""

    def __init__(self, folder: Path, head: RecordHead, room: Room = AT_ONCE) -> None:
        self.folder = folder
        self._room = room
        self.on_growth: OnGrowth | None = None
        self._head = head
        self._number: int | None = None
        self._media: Path
        self._position = 0
        self._is_open = False
        self._removed: int | None = None
        """No segment before it is there any more; None: nobody has looked."""

    @property
    def timescale(self) -> int:
        """Units of media time per second."""
        return self._head.timescale

    def write_init(self, init: bytes) -> None:
        """The initialization segment; written again only if it differs, so that caches keep what they have."""
        path = self.folder / INIT

        def write() -> None:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != init:
                write_durably(path, init, through=self.folder)

        self._room.write(write)

    def begin(self, number: int) -> int:
        """Goes to a segment, and makes the files of the next one: a request for it is held instead of refused.

        The bytes of the segment so far: 0 unless it was begun before an interruption, which keeps its complete chunks.
        """
        if number != self._number:
            self._number, self._is_open = number, True
            self._position = self._room.write(lambda: self._open(number))
        return self._position

    def append(self, chunk: bytes, record: ChunkRecord) -> None:
        """Adds a chunk to the segment: first its bytes, then the record that announces them."""
        assert self._number is not None and record.range == ByteRange(self._position, self._position + len(chunk))
        self._append(MEDIA_SUFFIX, chunk)
        self._append(RECORDS_SUFFIX, write_chunk(record))
        self._position += len(chunk)
        self._tell(record)

    def shorten(self) -> None:
        """Takes the last chunk away from the segment."""
        assert self._number is not None
        records = self.records(self._number)
        shorter = _cut_records(records, records.chunks[:-1])
        self._cut_to(self._number, shorter)
        self._position = _media_bytes(shorter)

    def finish(self) -> None:
        """Ends the segment."""
        assert self._number is not None
        self._append(RECORDS_SUFFIX, write_end(self._position))
        self._is_open = False
        self._tell(None)

    def _tell(self, record: ChunkRecord | None) -> None:
        if self.on_growth is not None and self._number is not None:
            self.on_growth(self._number, record)

    def close(self) -> None:
        """Ends the last segment, and removes the empty files of the one that will not come."""
        if self._is_open:
            self.finish()
        for path in self.folder.glob(f"*{MEDIA_SUFFIX}"):
            if path.stat().st_size == 0:
                path.with_name(path.name + RECORDS_SUFFIX).unlink(missing_ok=True)
                path.unlink()

    def remove_before(self, number: int) -> None:
        """Deletes all older segments. Only the first call looks for them, as there may be many that stay."""
        found = self.numbers() if self._removed is None else range(self._removed, number)
        for old in found:
            if old < number:
                for path in self.files(old):
                    path.unlink(missing_ok=True)
        self._removed = max(number, self._removed or 0)

    def numbers(self) -> list[int]:
        """Numbers of all segments in the folder, ascending."""
        names = (path.name.removesuffix(MEDIA_SUFFIX) for path in self.folder.glob(f"*{MEDIA_SUFFIX}"))
        return sorted(int(name) for name in names if name.isdecimal())

    def records(self, number: int) -> Records:
        """What is known of a segment, as far as its media go: after a loss of power records may announce what is not
        there. Raises `RecordError`; `OSError` if there is none.
        """
        size = self._path(number, MEDIA_SUFFIX).stat().st_size
        return _up_to(read_records(self._path(number, RECORDS_SUFFIX).read_bytes()), size)

    def files(self, number: int) -> tuple[Path, Path]:
        """Those of a segment: its records and its media."""
        return self._path(number, RECORDS_SUFFIX), self._path(number, MEDIA_SUFFIX)

    def media(self, number: int) -> bytes:
        """A segment's bytes. Raises `OSError`."""
        return self._path(number, MEDIA_SUFFIX).read_bytes()

    def recover(self, first: int, count: int, is_whole: Callable[[bytes], bool]) -> None:
        """Cuts what an encoder left at the first chunk that is not there as it was written, as after a loss of power.

        `first`: the first number of the presentation. Of it the last `count` segments are looked at. `is_whole` is
        given the bytes of a chunk. Segments after the cut become empty: requests for them may be held.
        """
        numbers = [number for number in self.numbers() if number >= first][-count:]
        is_cut = False
        for number in range(numbers[0], numbers[-1] + 1) if numbers else ():
            if is_cut or number not in numbers:
                self._cut_to(number, NOTHING)
                is_cut = True
                continue
            found = read_intact(self._read(number, RECORDS_SUFFIX))
            media = self._read(number, MEDIA_SUFFIX)
            chunks = _held(found.chunks, media, is_whole)
            is_cut = found.length is None or len(chunks) < len(found.chunks)
            self._cut_to(number, _cut_records(found, chunks) if is_cut else found)

    def _open(self, number: int) -> int:
        for of in (number, number + 1):
            self._path(of, MEDIA_SUFFIX).touch()
            self._path(of, RECORDS_SUFFIX).touch()
        return self._resume(number)

    def _append(self, suffix: str, data: bytes) -> None:
        """Adds to a file of the present segment."""
        assert self._number is not None
        path = self._path(self._number, suffix)
        self._room.write(lambda: _append(path, data))

    def _read(self, number: int, suffix: str) -> bytes:
        path = self._path(number, suffix)
        return path.read_bytes() if path.exists() else b""

    def _cut_to(self, number: int, records: Records) -> None:
        for suffix, size in ((MEDIA_SUFFIX, _media_bytes(records)), (RECORDS_SUFFIX, records.complete_bytes)):
            path = self._path(number, suffix)
            path.touch()
            _cut(path, size)

    def _resume(self, number: int) -> int:
        """Cuts what is incomplete, and an end: more follows; the bytes that are left."""
        size = self._path(number, MEDIA_SUFFIX).stat().st_size
        records = _up_to(read_intact(self._path(number, RECORDS_SUFFIX).read_bytes()), size)
        records = _cut_records(records, records.chunks)
        self._cut_to(number, records)
        if records.head is None:
            _append(self._path(number, RECORDS_SUFFIX), write_head(self._head))
        return _media_bytes(records)

    def _path(self, number: int, suffix: str) -> Path:
        name = f"{number}{MEDIA_SUFFIX}"
        return self.folder / (name if suffix == MEDIA_SUFFIX else name + RECORDS_SUFFIX)


def _held(chunks: tuple[ChunkRecord, ...], media: bytes, is_whole: Callable[[bytes], bool]) -> tuple[ChunkRecord, ...]:
    """Those before the first that is not whole in the media."""

    def is_held(chunk: ChunkRecord) -> bool:
        return chunk.range.end <= len(media) and is_whole(media[chunk.range.start : chunk.range.end])

    return tuple(takewhile(is_held, chunks))


def _media_bytes(records: Records) -> int:
    return records.chunks[-1].range.end if records.chunks else 0


def _up_to(records: Records, size: int) -> Records:
    """What is announced of media of so many bytes."""
    held = tuple(takewhile(lambda chunk: chunk.range.end <= size, records.chunks))
    return records if len(held) == len(records.chunks) else _cut_records(records, held)


def _cut_records(records: Records, chunks: tuple[ChunkRecord, ...]) -> Records:
    """Records of a segment that has these chunks and no end."""
    if records.head is None:
        return NOTHING
    size = sum(map(len, [write_head(records.head), *map(write_chunk, chunks)]))
    return Records(records.head, chunks, None, size)


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
