from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.errors import HttpError
from voxel_serve.limits import Limits
from voxel_serve.ranges import RangeSpec
from voxel_serve.request import RequestReader, VoxelRequest

from server.conformance.client import request_head

LIMITS = Limits()


def read(data: bytes) -> VoxelRequest | None:
    return RequestReader(LIMITS).feed(data)


def refusal(data: bytes) -> HTTPStatus:
    reader = RequestReader(LIMITS)
    with pytest.raises(HttpError) as refused:
        if reader.feed(data) is None:
            reader.feed(b"")
    return refused.value.status


def test_the_request_of_the_protocol_document() -> None:
    head = request_head(
        "/bbb/q07.mp4",
        range="bytes=1048-9120,20480-20500,9121-14000",
        x_voxel_unreliable="?1;flow=17",
        x_voxel_deadline="3200",
        cmcd_request="bl=21300",
    )
    assert read(head) == VoxelRequest(
        target="/bbb/q07.mp4",
        ranges=(RangeSpec(1048, 9120), RangeSpec(20480, 20500), RangeSpec(9121, 14000)),
        flow=17,
        deadline=3.2,
    )


def test_a_plain_request_is_for_the_whole_file_reliably() -> None:
    assert read(request_head("/a.mp4?x=1")) == VoxelRequest("/a.mp4?x=1", ranges=None, flow=None, deadline=None)


def test_the_older_header_name_and_an_explicit_no_mean_reliable() -> None:
    for headers in ({"x_slipstream_unreliable": "?1;flow=1"}, {"x_voxel_unreliable": "?0"}):
        request = read(request_head("/a", **headers))
        assert request is not None
        assert request.flow is None


@given(st.integers(1, 40))
def test_a_head_may_come_in_pieces(size: int) -> None:
    head = request_head("/a.mp4", range="bytes=5-9")
    reader = RequestReader(LIMITS)
    results = [reader.feed(head[start : start + size]) for start in range(0, len(head), size)]
    assert results[:-1] == [None] * (len(results) - 1)
    assert results[-1] is not None
    assert results[-1].ranges == (RangeSpec(5, 9),)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET",
        b"GET /a HTTP/1.1\r\n",
        b"\x16\x03\x01\x02\x00",
        b"GET /a HTTP/1.1\r\n\r\n",  # no host
        b"GET /a\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /a HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n",
        b"GET /a HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n",
        b"GET /a HTTP/1.1\r\nhost : x\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /a HTTP/2.0\r\nhost: x\r\n\r\n",
    ],
)
def test_malformed_heads_are_refused(head: bytes) -> None:
    assert refusal(head) == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize(
    "value", ["yes", "?1", "?1;flow", "?1;flow=-1", "?1;flow=?1", "?1;flow=a", '?1;flow="1"', "?2"]
)
def test_a_malformed_flow_is_refused(value: str) -> None:
    assert refusal(request_head("/a", x_voxel_unreliable=value)) == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("value", ["soon", "-1", "1.5", "9" * 16, "0" * 5000, "1 2"])
def test_a_malformed_deadline_is_refused(value: str) -> None:
    assert refusal(request_head("/a", x_voxel_deadline=value)) == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("method", [b"POST", b"HEAD", b"OPTIONS", b"BREW"])
def test_only_get_is_answered(method: bytes) -> None:
    assert refusal(request_head("/a").replace(b"GET", method)) == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize("complete", [True, False])
def test_the_head_is_limited(complete: bool) -> None:
    head = request_head("/a", x_long="x" * LIMITS.head_bytes)
    assert refusal(head if complete else head[:-4]) == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE


def test_the_limit_counts_the_head_only_however_the_bytes_come() -> None:
    head, more = request_head("/a"), b"x" * LIMITS.head_bytes
    assert read(head + more) == read(head)
    malformed = b"no method" + more + b"\r\n\r\n"
    reader = RequestReader(LIMITS)
    assert reader.feed(malformed[:100]) is None
    with pytest.raises(HttpError) as refused:
        reader.feed(malformed[100:])
    assert refused.value.status == refusal(malformed) == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE


@given(
    st.sampled_from(["range", "x-voxel-unreliable", "x-voxel-deadline", "x-voxel-after", "x-voxel-parity"]),
    st.text('0123456789?=;,-()flowbytesck "', max_size=50),
)
def test_any_header_value_is_read_or_refused(name: str, value: str) -> None:
    try:
        read(request_head("/a", **{name: value}))
    except HttpError as error:
        assert error.status == HTTPStatus.BAD_REQUEST


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for candidate in (data, b"GET /a HTTP/1.1\r\nhost: x\r\n" + data + b"\r\n\r\n"):
        try:
            read(candidate)
        except HttpError as error:
            assert error.status in (400, 405, 431)
