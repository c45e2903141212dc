"""Writes test/vectors/live-records.json, for the readers of live records in all languages: `python live_vectors.py`."""

import json
from pathlib import Path
from random import Random
from typing import Any

from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.manifest.live_records import (
    MAX_CONTENT,
    ChunkFrame,
    ChunkRecord,
    RecordHead,
    Records,
    read_records,
    write_chunk,
    write_end,
    write_head,
)
from voxel_prepare.manifest.varints import MAX_VARINT, read_varint, varint

VECTORS = Path(__file__).parents[2] / "test/vectors/live-records.json"

HEAD = RecordHead(Metric.SSIM, 5, 15_360)
FRAME = 512
CAPTURED = 1_795_000_000_000

FIRST = ChunkRecord(
    range=ByteRange(0, 9_000),
    decode_time=0,
    duration=4 * FRAME,
    captured=CAPTURED,
    whole_score=97_412,
    reliable_score=81_003,
    reliable=(ByteRange(0, 6_120), ByteRange(7_900, 7_912), ByteRange(8_500, 8_511)),
    frames=(
        ChunkFrame(1, (ByteRange(6_120, 7_900),), 4_127),
        ChunkFrame(3, (ByteRange(8_511, 9_000),), 310),
        ChunkFrame(2, (ByteRange(7_912, 8_500),), 12),
    ),
)
SECOND = ChunkRecord(
    range=ByteRange(9_000, 9_900),
    decode_time=4 * FRAME,
    duration=FRAME,
    captured=CAPTURED + 134,
    whole_score=97_410,
    reliable_score=80_990,
    reliable=(ByteRange(9_000, 9_180), ByteRange(9_500, 9_514)),
    frames=(ChunkFrame(4, (ByteRange(9_180, 9_500), ByteRange(9_514, 9_900)), 0),),
)
ALL_RELIABLE = ChunkRecord(ByteRange(0, 1), MAX_VARINT, 1, 0, 0, 0, (ByteRange(0, 1),), ())


def vectors() -> dict[str, list[dict[str, Any]]]:
    """Files and what they say, and bytes that are refused, with the fault."""
    head, first, second, end = write_head(HEAD), write_chunk(FIRST), write_chunk(SECOND), write_end(9_900)
    content = _content(first)
    whole = head + first + second + end
    good = {
        "nothing yet": b"",
        "a part of the head": head[:7],
        "the head alone": head,
        "one chunk": head + first,
        "the next record has begun": head + first + second[:-1],
        "the next record's length has begun": head + first + b"\x01\x40",
        "finished": whole,
        "unknown types": head + b"\x05\x00" + first + b"\x40\x7f\x03abc" + second + end + b"\x3f\x01\x00",
        "numbers that are longer than necessary": head + b"\x40\x01" + _long(len(content)) + content,
        "no frame may be missing": write_head(RecordHead(Metric.VMAF, 0, 1)) + write_chunk(ALL_RELIABLE),
        "like a video": _video(Random(1)),
    }
    return {
        "good": [_described(name, data) for name, data in good.items()],
        "bad": [
            {"name": name, "bytes": data.hex(), "fault": fault} for name, (data, fault) in _bad(head, first).items()
        ],
    }


def _bad(head: bytes, first: bytes) -> dict[str, tuple[bytes, str]]:
    second, content = write_chunk(SECOND), _content(first)
    return {
        "another file": (b"VXIX\1", "magic"),
        "another file of many bytes": (b"\0\0\0\x18ftypiso5" + bytes(40), "magic"),
        "another version": (head[:4] + b"\2" + head[5:], "version"),
        "a metric without a name": (head[:5] + b"\7" + head[6:], "head"),
        "too many decimals": (head[:6] + b"\x0a" + head[7:], "head"),
        "a timescale of 0": (head[:8] + bytes(8), "head"),
        "a number that is not exact in JavaScript": (head + _chunk([0, 1 << 53, 0, 1, 0, 0, 0, 0, 0]), "number"),
        "a record that is too long": (head + varint(1) + varint(MAX_CONTENT + 1), "size"),
        "an unknown record that is too long": (head + varint(9) + varint(MAX_CONTENT + 1), "size"),
        "a chunk without content": (head + b"\1\0", "content"),
        "a content that ends early": (head + varint(1) + varint(len(content) - 1) + content[:-1], "content"),
        "a content that ends inside a number": (head + b"\1\2\0\x40", "content"),
        "bytes after the content": (head + varint(1) + varint(len(content) + 1) + content + b"\0", "content"),
        "more frames than there are": (head + _chunk([0, 9, 0, 1, 0, 0, 0, 1, 0, 9, MAX_VARINT]), "content"),
        "more ranges than there are": (head + _chunk([0, 9, 0, 1, 0, 0, 0, MAX_VARINT]), "content"),
        "an end without content": (head + first + b"\2\0", "content"),
        "bytes after the end's content": (head + first + b"\2\3\x63\x28\0", "content"),
        "a chunk of no bytes": (head + _chunk([0, 0, 0, 1, 0, 0, 0, 0, 0]), "sequence"),
        "a chunk that starts late": (head + second, "sequence"),
        "a chunk again": (head + first + first, "sequence"),
        "a chunk after the end": (head + first + write_end(9_000) + second, "sequence"),
        "two ends": (head + first + write_end(9_000) + write_end(9_000), "sequence"),
        "an end that is not where the last chunk ends": (head + first + write_end(9_001), "sequence"),
        "no reliable byte": (head + _chunk([0, 9, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 9, 5]), "coverage"),
        "a byte in no range": (head + _chunk([0, 9, 0, 1, 0, 0, 0, 1, 0, 4, 1, 1, 1, 5, 4, 5]), "coverage"),
        "a byte in two ranges": (head + _chunk([0, 9, 0, 1, 0, 0, 0, 1, 0, 5, 1, 1, 1, 4, 5, 5]), "coverage"),
        "a gap and a double byte": (
            head + _chunk([0, 9, 0, 1, 0, 0, 0, 1, 0, 4, 2, 1, 1, 4, 3, 5, 2, 1, 6, 2, 5]),
            "coverage",
        ),
        "a range beyond the chunk": (head + _chunk([0, 9, 0, 1, 0, 0, 0, 1, 0, 4, 1, 1, 1, 5, 5, 5]), "coverage"),
        "a range of no bytes": (head + _chunk([0, 9, 0, 1, 0, 0, 0, 2, 0, 9, 0, 0, 0]), "coverage"),
        "a frame without ranges": (head + _chunk([0, 9, 0, 1, 0, 0, 0, 1, 0, 9, 1, 1, 0, 5]), "coverage"),
        "a frame twice": (
            head + _chunk([0, 9, 0, 1, 0, 0, 0, 1, 0, 4, 2, 1, 1, 4, 3, 5, 1, 1, 7, 2, 5]),
            "coverage",
        ),
        "ranges of a frame out of order": (
            head + _chunk([0, 9, 0, 1, 0, 0, 0, 1, 0, 4, 1, 1, 2, 7, 2, 4, 3, 5]),
            "coverage",
        ),
    }


def _content(record: bytes) -> bytes:
    """A record without its type and length."""
    length = read_varint(record, 1, len(record))
    assert length is not None
    return record[length[1] :]


def _long(number: int) -> bytes:
    """A varint of four bytes."""
    return (number | 2 << 30).to_bytes(4, "big")


def _chunk(numbers: list[int]) -> bytes:
    """A chunk record of any numbers."""
    content = b"".join(
        varint(number) if number <= MAX_VARINT else (number | 3 << 62).to_bytes(8, "big") for number in numbers
    )
    return varint(1) + varint(len(content)) + content


def _video(random: Random) -> bytes:
    """Four chunks of four frames, every fourth frame a reference; the first frame is an I frame."""
    data, at = write_head(HEAD), 0
    for number in range(4):
        start, position = at, at + random.randint(180, 260) + (40_000 if number == 0 else 0)
        frames: list[ChunkFrame] = []
        for index in range(4 * number + (number == 0), 4 * number + 4):
            position += random.randint(9, 14)
            size = random.randint(300, 900) * (8 if index % 4 == 0 else 1)
            frames.append(ChunkFrame(index, (ByteRange(position, position + size),), random.randint(5, 900)))
            position += size
        at = position
        whole = ByteRange(start, at)
        order = sorted(frames, key=lambda frame: (frame.index % 4 > 0, -frame.cost / frame.ranges[0].size))
        reliable = complement(whole, [range_ for frame in frames for range_ in frame.ranges])
        data += write_chunk(
            ChunkRecord(
                range=whole,
                decode_time=4 * number * FRAME,
                duration=4 * FRAME,
                captured=CAPTURED + round(4 * number * 1000 / 30),
                whole_score=98_000 - number,
                reliable_score=85_000 + number,
                reliable=tuple(reliable),
                frames=tuple(order),
            )
        )
    return data + write_end(at)


def _described(name: str, data: bytes) -> dict[str, Any]:
    records = read_records(data)
    return {"name": name, "bytes": data.hex(), **described(records)}


def described(records: Records) -> dict[str, Any]:
    """What a file says, in JSON's types; ranges have exclusive ends."""
    head = records.head
    return {
        "completeBytes": records.complete_bytes,
        "head": head and {"metric": str(head.metric), "decimals": head.decimals, "timescale": head.timescale},
        "length": records.length,
        "chunks": [
            {
                "range": chunk.range,
                "decodeTime": chunk.decode_time,
                "duration": chunk.duration,
                "captured": chunk.captured,
                "wholeScore": chunk.whole_score,
                "reliableScore": chunk.reliable_score,
                "reliable": chunk.reliable,
                "frames": [
                    {"index": frame.index, "ranges": frame.ranges, "cost": frame.cost} for frame in chunk.frames
                ],
            }
            for chunk in records.chunks
        ],
    }


if __name__ == "__main__":
    lists = (f'"{name}": [\n' + ",\n".join(map(json.dumps, listed)) + "\n]" for name, listed in vectors().items())
    VECTORS.write_text("{\n" + ",\n".join(lists) + "\n}\n")
