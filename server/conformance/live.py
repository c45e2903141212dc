"""A writer of growing files and their `.vxl`, as an encoder does it, and a reader of what follows them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aioquic.buffer import encode_uint_var

HEAD = b"VXLV\x01\x00\x05\x00" + (15360).to_bytes(4, "big") + bytes(4)

Piece = tuple[int | None, int]
"""The frame whose bytes these are, None for reliable ones, and how many."""

CHUNK: Sequence[Piece] = ((None, 700), (1, 2500), (None, 12), (2, 900), (None, 11), (1, 300))
"""Two frames; of the first one two ranges, and more bytes than fit a datagram."""


def record(number: int, *numbers: int) -> bytes:
    content = b"".join(map(encode_uint_var, numbers))
    return encode_uint_var(number) + encode_uint_var(len(content)) + content


class Encoder:
    """Writes one segment; chunk after chunk."""

    def __init__(self, file: Path) -> None:
        """Both files exist, empty."""
        self.file = file
        self.vxl = file.with_name(file.name + ".vxl")
        self.content = HEAD
        """Content of the `.vxl`."""
        self.size = 0
        self.reliable: list[list[tuple[int, int]]] = []
        """Reliable ranges of each chunk, as start and end."""
        self.frames: list[list[list[tuple[int, int]]]] = []
        """Ranges of each chunk's frames, the most important first."""
        file.write_bytes(b"")
        self.vxl.write_bytes(b"")

    @property
    def media(self) -> bytes:
        return self.file.read_bytes()

    def chunk(self, pieces: Sequence[Piece] = CHUNK) -> bytes:
        """Appends a chunk, of whose frames the last is the most important, then its record, which is returned."""
        self.chunk_without_record(pieces)
        place = self.size
        reliable: list[tuple[int, int]] = []
        frames: dict[int, list[tuple[int, int]]] = {}
        for frame, length in pieces:
            part = (place, place + length)
            place += length
            (reliable if frame is None else frames.setdefault(frame, [])).append(part)
        ranked = sorted(frames.items(), reverse=True)
        number = len(self.reliable)
        numbers = [self.size, place - self.size, 2048 * number, 2048, 1795450650123, 98765, 71234, len(reliable)]
        at = self.size
        for start, end in reliable:
            numbers += [start - at, end - start]
            at = end
        numbers.append(len(ranked))
        for frame, parts in ranked:
            numbers += [frame, len(parts), *(n for start, end in parts for n in (start - self.size, end - start)), 100]
        self.size = place
        self.reliable.append(reliable)
        self.frames.append([parts for _, parts in ranked])
        return self.write(record(1, *numbers))

    def chunk_without_record(self, pieces: Sequence[Piece] = CHUNK) -> None:
        """Only its bytes, which are not to be served yet."""
        length = sum(length for _, length in pieces)
        with self.file.open("r+b") as file:
            if length > 1_000_000:
                file.truncate(self.size + length)  # Zeros, which need no place.
                return
            file.seek(self.size)
            seed = f"{self.file.name} {self.size}".encode()
            blocks = (hashlib.sha256(seed + number.to_bytes(4)).digest() for number in range(length // 32 + 1))
            file.write(b"".join(blocks)[:length])

    def end(self) -> bytes:
        return self.write(record(2, self.size))

    def write(self, data: bytes) -> bytes:
        """Appends to the `.vxl`."""
        with self.vxl.open("ab") as file:
            file.write((HEAD if not file.tell() else b"") + data)
        self.content = self.vxl.read_bytes()
        return data

    def frames_concatenated(self) -> bytes:
        """The frames of all chunks, as offsets count them."""
        media = self.media
        parts = [part for chunk in self.frames for frame in chunk for part in frame]
        return b"".join(media[start:end] for start, end in parts)


@dataclass(frozen=True)
class Record:
    """One record of the body of a response."""

    number: int
    raw: bytes
    content: bytes

    @property
    def numbers(self) -> list[int]:
        """Numbers of a content that consists of varints."""
        numbers, place = [], 0
        while place < len(self.content):
            number, place = _varint(self.content, place)
            numbers.append(number)
        return numbers

    def number_and_rest(self) -> tuple[int, bytes]:
        """The number with which a content begins, and the rest."""
        number, place = _varint(self.content, 0)
        return number, self.content[place:]


@dataclass(frozen=True)
class Followed:
    """A response that follows a file, as far as it has come."""

    head: str
    vxl_head: bytes
    records: list[Record]
    ended: bool
    """Whether the last chunk of the coding has come."""

    def of(self, number: int) -> list[Record]:
        return [record for record in self.records if record.number == number]

    @property
    def reliable(self) -> list[bytes]:
        """Reliable bytes of each chunk."""
        chunks: list[bytes] = []
        for found in self.records:
            if found.number == 1:
                chunks.append(b"")
            if found.number == 16:
                chunks[-1] += found.content
        return chunks

    @property
    def verbatim(self) -> bytes:
        """What is of the file."""
        return self.vxl_head + b"".join(found.raw for found in self.records if found.number < 16)

    @property
    def sent(self) -> dict[int, list[int]]:
        """What was sent, by chunk: bytes, datagrams, round-trip time in ms, congestion window."""
        return {found.numbers[0]: found.numbers[1:] for found in self.of(17)}


def followed(data: bytes) -> Followed:
    """Takes apart what has come on a stream."""
    head, _, rest = data.partition(b"\r\n\r\n")
    body, ended = _decoded(rest)
    records, place = [], len(HEAD)
    while True:
        try:
            number, start = _varint(body, place)
            length, start = _varint(body, start)
        except IndexError:
            break
        if start + length > len(body):
            break
        records.append(Record(number, body[place : start + length], body[start : start + length]))
        place = start + length
    return Followed(head.decode(), body[: len(HEAD)], records, ended)


def _decoded(data: bytes) -> tuple[bytes, bool]:
    """Content of the chunked coding."""
    body, place = bytearray(), 0
    while (end := data.find(b"\r\n", place)) >= 0:
        length = int(data[place:end], 16)
        if length == 0:
            assert data[end:] == b"\r\n\r\n"
            return bytes(body), True
        body += data[end + 2 : end + 2 + length]
        place = end + 2 + length + 2
    return bytes(body), False


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """RFC 9000 section 16. Raises `IndexError`."""
    end = place + (1 << (data[place] >> 6))
    if end > len(data):
        raise IndexError
    return int.from_bytes(data[place:end]) & ((1 << (8 * (end - place) - 2)) - 1), end
