"""The vectors that all three languages share."""

import json
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from aioquic.buffer import encode_uint_var
from voxel_serve.cmsd import Figures
from voxel_serve.errors import HttpError
from voxel_serve.files import matches
from voxel_serve.limits import Limits
from voxel_serve.parity import parse_parity
from voxel_serve.ranges import RangeSpec, exact_ranges, parse_range_header
from voxel_serve.request import RequestReader, VoxelRequest
from voxel_serve.response import unreliable_end, unreliable_head

VECTORS: dict[str, list[Any]] = json.loads(
    (Path(__file__).parents[3] / "test" / "vectors" / "protocol.json").read_text()
)


@pytest.mark.parametrize("vector", VECTORS["datagrams"], ids=lambda vector: vector["bytes"])
def test_datagram_heads(vector: dict[str, Any]) -> None:
    head = encode_uint_var(vector["flow"]) + encode_uint_var(vector["offset"])
    assert head.hex() + vector["payload"] == vector["bytes"]


@pytest.mark.parametrize("vector", VECTORS["written"] + VECTORS["read"], ids=lambda vector: vector["name"])
def test_requests(vector: dict[str, Any]) -> None:
    ranges = vector["ranges"] and tuple(RangeSpec(*spec) for spec in vector["ranges"])
    deadline = None if vector["deadline"] is None else vector["deadline"] / 1000
    if_match, after = vector.get("ifMatch"), vector.get("after")
    expected = VoxelRequest(vector["target"], ranges, vector["flow"], deadline, if_match=if_match, after=after)
    assert RequestReader(Limits()).feed(vector["head"].encode()) == expected


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["name"])
def test_refused_requests(vector: dict[str, Any]) -> None:
    with pytest.raises(HttpError) as refusal:
        RequestReader(Limits()).feed(vector["head"].encode())
    assert refusal.value.status == vector["status"]


@pytest.mark.parametrize("vector", VECTORS["ranges"], ids=lambda vector: f"{vector['range']} of {vector['size']}")
def test_granted_ranges(vector: dict[str, Any]) -> None:
    specs = parse_range_header(vector["range"], Limits())
    assert specs is not None
    try:
        granted = [[part.start, part.end] for part in exact_ranges(specs, vector["size"], Limits())]
    except HttpError as error:
        assert error.status is HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
        granted = None
    assert granted == vector["granted"]


@pytest.mark.parametrize("vector", VECTORS["ifMatch"], ids=lambda vector: vector["value"])
def test_states_of_a_file_that_are_asked_for(vector: dict[str, Any]) -> None:
    assert matches(vector["value"], vector["etag"]) is vector["matches"]


@pytest.mark.parametrize("vector", VECTORS["responses"], ids=lambda vector: str(vector["status"]))
def test_responses(vector: dict[str, Any]) -> None:
    rtt = None if vector["rtt"] is None else vector["rtt"] / 1000
    figures = Figures(None if vector.get("etp") is None else vector["etp"] * 125, rtt)
    parity = parse_parity(vector.get("parity", ""))
    head = unreliable_head(
        HTTPStatus(vector["status"]), vector["length"], vector["flow"], vector["etag"], figures, parity
    )
    end = unreliable_end(vector["sent"], vector["datagrams"], figures, vector.get("sentParity"))
    assert head + end == vector["bytes"].encode()
