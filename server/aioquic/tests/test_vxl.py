"""The records beside growing files, and the vectors of following them that all three languages share."""

import itertools
import json
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.errors import HttpError
from voxel_serve.flow import Flow
from voxel_serve.follow import bytes_record, follow_head, frames_record, sent_record
from voxel_serve.limits import Limits
from voxel_serve.request import RequestReader
from voxel_serve.vxl import Chunk, VxlReader

from server.conformance.client import parse_datagram

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "test" / "vectors" / "follow.json").read_text())
MEDIA = bytes.fromhex(VECTORS["media"])


def chunks_of(vxl: str) -> list[Chunk]:
    return [record.chunk for record in VxlReader().feed(bytes.fromhex(vxl)) if record.chunk is not None]


def facts(chunk: Chunk) -> dict[str, Any]:
    return {
        "start": chunk.start,
        "length": chunk.end - chunk.start,
        "reliable": [[part.start, part.end] for part in chunk.reliable],
        "frames": [[[part.start, part.end] for part in frame] for frame in chunk.frames],
    }


def expected_facts(record: dict[str, Any]) -> dict[str, Any]:
    frames = [frame["ranges"] for frame in record["frames"]]
    return {name: record[name] for name in ("start", "length", "reliable")} | {"frames": frames}


@pytest.mark.parametrize("vector", VECTORS["requests"], ids=lambda vector: vector["name"])
def test_requests(vector: dict[str, Any]) -> None:
    request = RequestReader(Limits()).feed(vector["head"].encode())
    assert request is not None
    assert request.flow == vector["flow"]
    wish = request.follow
    deadline = None if wish is None or wish.deadline is None else wish.deadline * 1000
    assert (wish and {"deadline": deadline, "group": wish.group}) == vector["follow"]


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["name"])
def test_refused_requests(vector: dict[str, Any]) -> None:
    with pytest.raises(HttpError) as refusal:
        RequestReader(Limits()).feed(vector["head"].encode())
    assert refusal.value.status == vector["status"] == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("vector", VECTORS["responses"], ids=lambda vector: str(vector["flow"]))
def test_responses(vector: dict[str, Any]) -> None:
    assert follow_head(vector["flow"]) == vector["bytes"].encode()


def own_record(record: dict[str, Any]) -> bytes:
    if record["type"] == 16:
        return bytes_record(bytes.fromhex(record["payload"]))
    if record["type"] == 18:
        return frames_record(record["offset"], bytes.fromhex(record["payload"]))
    rtt = record["rtt"] / 1000
    return sent_record(record["chunk"], record["bytes"], record["datagrams"], rtt, record["window"])


@pytest.mark.parametrize("vector", VECTORS["bodies"], ids=lambda vector: vector["name"])
def test_bodies(vector: dict[str, Any]) -> None:
    reader = VxlReader()
    verbatim = iter(reader.feed(bytes.fromhex(vector["vxl"])))
    body = reader.head
    for expected in vector["records"]:
        if expected["type"] >= 16:
            body += own_record(expected)
            continue
        record = next(verbatim)
        body += record.raw
        if record.chunk is not None:
            assert facts(record.chunk) == expected_facts(expected)
    assert next(verbatim, None) is None
    assert body.hex() == vector["bytes"]


@pytest.mark.parametrize("vector", VECTORS["layouts"], ids=lambda vector: vector["name"])
def test_datagrams_have_bytes_of_one_frame(vector: dict[str, Any]) -> None:
    offset = 0
    for chunk, expected in zip(chunks_of(vector["vxl"]), vector["chunks"], strict=True):
        frames = [sum(map(len, frame)) for frame in chunk.frames]
        flow = Flow(vector["flow"], sum(frames), vector["datagramSize"], first_offset=offset, pieces=frames)
        flow.push(b"".join(MEDIA[part.start : part.end] for frame in chunk.frames for part in frame))
        found = []
        while (datagram := flow.peek()) is not None:
            assert len(datagram) <= vector["datagramSize"]
            number, place, payload = parse_datagram(datagram)
            assert number == vector["flow"]
            found.append([place, len(payload)])
            flow.commit()
        assert flow.finished
        assert found == expected["datagrams"]
        offset += sum(frames)


def test_nothing_leaves_while_reliable_bytes_wait() -> None:
    waiting = [b"reliable"]
    flow = Flow(17, 5, 100, is_held=lambda: bool(waiting))
    flow.push(b"12345")
    assert flow.peek() is None
    waiting.clear()
    assert flow.peek() is not None


@pytest.mark.parametrize("vector", VECTORS["malformed"], ids=lambda vector: vector["name"])
def test_malformed_files(vector: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        VxlReader().feed(bytes.fromhex(vector["bytes"]))


@given(st.sampled_from(VECTORS["bodies"]), st.lists(st.integers(0, 200), max_size=8))
def test_records_are_the_same_however_the_file_grows(vector: dict[str, Any], cuts: list[int]) -> None:
    data, reader, found = bytes.fromhex(vector["vxl"]), VxlReader(), []
    places = [0, *sorted(cuts), len(data)]
    for start, end in itertools.pairwise(places):
        found += reader.feed(data[start:end])
    assert found == VxlReader().feed(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_records_or_refused(data: bytes) -> None:
    head = bytes.fromhex(VECTORS["bodies"][0]["vxl"])[:16]
    reader = VxlReader()
    try:
        records = reader.feed(head + data)
    except ValueError:
        return
    place = 0
    for chunk in (record.chunk for record in records if record.chunk is not None):
        parts = sorted(
            [*chunk.reliable, *(part for frame in chunk.frames for part in frame)], key=lambda part: part.start
        )
        for part in parts:
            assert part.start == place < part.end
            place = part.end
    assert place == reader.available


LIVE: dict[str, Any] = json.loads((Path(__file__).parents[3] / "test" / "vectors" / "live-records.json").read_text())


@pytest.mark.parametrize("vector", LIVE["good"], ids=lambda vector: vector["name"])
def test_live_records(vector: dict[str, Any]) -> None:
    reader = VxlReader()
    chunks = [record.chunk for record in reader.feed(bytes.fromhex(vector["bytes"])) if record.chunk is not None]
    assert [[chunk.start, chunk.end] for chunk in chunks] == [chunk["range"] for chunk in vector["chunks"]]
    for chunk, expected in zip(chunks, vector["chunks"], strict=True):
        found = facts(chunk)
        assert found["reliable"] == expected["reliable"]
        assert found["frames"] == [frame["ranges"] for frame in expected["frames"]]
    assert (reader.available if reader.ended else None) == vector["length"]


@pytest.mark.parametrize("vector", LIVE["bad"], ids=lambda vector: vector["name"])
def test_faulty_live_records(vector: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        VxlReader().feed(bytes.fromhex(vector["bytes"]))
