"""Records of growing files: the same ones however the file grows, and chunks in which every byte is in one range."""

from collections.abc import Iterable

from support.inputs import pieces
from voxel_serve.vxl import Chunk, Record, VxlReader


def fuzz(data: bytes) -> None:
    whole, divided = _read([data[1:]]), _read(pieces(data))
    assert whole == divided, f"{whole} as a whole, {divided} in pieces"
    if whole is None:
        return
    place = 0
    for record in whole:
        if record.chunk is not None:
            assert record.chunk.start == place
            _check(record.chunk)
            place = record.chunk.end
    assert sum(len(record.raw) for record in whole) <= len(data)


def _check(chunk: Chunk) -> None:
    assert chunk.reliable
    place = chunk.start
    for part in sorted((*chunk.reliable, *(part for frame in chunk.frames for part in frame)), key=lambda it: it.start):
        assert part.start == place < part.end
        place = part.end
    assert place == chunk.end


def _read(parts: Iterable[bytes]) -> list[Record] | None:
    reader = VxlReader()
    try:
        return [record for part in parts for record in reader.feed(part)]
    except ValueError:
        return None
