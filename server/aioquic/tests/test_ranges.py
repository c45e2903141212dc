from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.errors import HttpError
from voxel_serve.limits import Limits
from voxel_serve.ranges import ByteRange, RangeSpec, exact_ranges, parse_range_header, satisfiable_ranges

LIMITS = Limits()
SIZE = 1000

spans = st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).map(lambda pair: (min(pair), max(pair)))


@given(st.lists(spans, min_size=1, max_size=50))
def test_ranges_keep_the_order_of_the_request(asked: list[tuple[int, int]]) -> None:
    specs = parse_range_header("bytes=" + ",".join(f"{first}-{last}" for first, last in asked), LIMITS)
    assert specs == tuple(RangeSpec(first, last) for first, last in asked)
    expected = [ByteRange(first, last + 1) for first, last in asked]
    if sum(map(len, expected)) <= LIMITS.overlap * SIZE:
        assert exact_ranges(specs, SIZE, LIMITS) == expected
    else:
        with pytest.raises(HttpError):
            exact_ranges(specs, SIZE, LIMITS)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [("0-0", 0, 1), ("990-", 990, 1000), ("-10", 990, 1000), ("-5000", 0, 1000), (" 3-4 ", 3, 5)],
)
def test_open_and_suffix_ranges(text: str, start: int, end: int) -> None:
    specs = parse_range_header(f"bytes={text}", LIMITS)
    assert specs is not None
    assert exact_ranges(specs, SIZE, LIMITS) == satisfiable_ranges(specs, SIZE, LIMITS) == [ByteRange(start, end)]


@pytest.mark.parametrize("text", ["1000-", "-0", "0-1000", "5000-6000"])
def test_a_voxel_request_must_lie_inside_the_file(text: str) -> None:
    specs = parse_range_header(f"bytes=0-1,{text}", LIMITS)
    assert specs is not None
    with pytest.raises(HttpError) as refused:
        exact_ranges(specs, SIZE, LIMITS)
    assert refused.value.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    assert ("content-range", "bytes */1000") in refused.value.headers


def test_http_cuts_ranges_at_the_end_and_leaves_out_those_behind() -> None:
    specs = parse_range_header("bytes=2000-3000,900-5000", LIMITS)
    assert specs is not None
    assert satisfiable_ranges(specs, SIZE, LIMITS) == [ByteRange(900, 1000)]


@pytest.mark.parametrize(
    "text",
    ["", "1", "-", "5-4", "0-1,", "0-1;2-3", "+1-2", "a-b", "1--2", "0x1-2", f"0-{'9' * 16}", "١-٢", "0 - 1"],
)
def test_malformed_ranges_are_refused(text: str) -> None:
    with pytest.raises(HttpError) as refused:
        parse_range_header(f"bytes={text}", LIMITS)
    assert refused.value.status == HTTPStatus.BAD_REQUEST


def test_other_units_are_ignored() -> None:
    assert parse_range_header("frames=1-2", LIMITS) is None


def test_the_number_of_ranges_is_limited() -> None:
    most = ",".join(["0-0"] * LIMITS.ranges)
    assert len(parse_range_header(f"bytes={most}", LIMITS) or ()) == 4096
    with pytest.raises(HttpError) as refused:
        parse_range_header(f"bytes={most},0-0", LIMITS)
    assert refused.value.status == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE


def test_overlap_cannot_amplify() -> None:
    specs = parse_range_header("bytes=" + ",".join(["0-999"] * 3), LIMITS)
    assert specs is not None
    for resolve in (exact_ranges, satisfiable_ranges):
        with pytest.raises(HttpError, match="overlap"):
            resolve(specs, SIZE, LIMITS)
        assert len(resolve(specs[:2], SIZE, LIMITS)) == 2


@given(st.text())
def test_any_header_is_read_or_refused(text: str) -> None:
    for value in (text, f"bytes={text}"):
        try:
            parse_range_header(value, LIMITS)
        except HttpError as error:
            assert error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
