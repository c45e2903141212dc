"""A `Range` header over a file whose size is the first byte, against sets of positions."""

from support.inputs import LIMITS
from voxel_serve.errors import HttpError
from voxel_serve.ranges import RangeSpec, exact_ranges, parse_range_header, satisfiable_ranges


def fuzz(data: bytes) -> None:
    size, value = data[0] if data else 0, data[1:].decode("latin-1")
    try:
        specs = parse_range_header(value, LIMITS)
    except HttpError as error:
        assert error.status in (400, 431), error.status
        return
    if specs is None:
        assert value.partition("=")[0].strip().lower() != "bytes"
        return
    assert 1 <= len(specs) <= LIMITS.ranges
    expected = [set(range(size)) & _positions(spec, size) for spec in specs]
    for resolve in (exact_ranges, satisfiable_ranges):
        try:
            granted = resolve(specs, size, LIMITS)
        except HttpError as error:
            assert error.status == 416
            assert resolve is exact_ranges or not any(expected) or sum(map(len, expected)) > LIMITS.overlap * size
            continue
        assert [set(range(part.start, part.end)) for part in granted] == [found for found in expected if found]
        assert sum(map(len, granted)) <= LIMITS.overlap * size


def _positions(spec: RangeSpec, size: int) -> set[int]:
    """The positions below 2 × `size` that a range means (RFC 9110 section 14.1.2)."""
    if spec.first is None:
        return set(range(max(0, size - (spec.last or 0)), size))
    last = 2 * size if spec.last is None else min(spec.last, 2 * size)
    return set(range(spec.first, last + 1))
