"""The `Range` header (RFC 9110 section 14) over one file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from .errors import HttpError
from .limits import Limits

# Positions of up to 15 digits stay exact in every client's numbers (RFC 9651 section 3.3.1) and far exceed any file.
# 2^53 - 1 as the last one says that what comes is to be followed, without an end (RFC 8673 section 2).
_RANGE = re.compile(r"[ \t]*(?:(\d{1,15})-(\d{0,15}|9007199254740991)|-(\d{1,15}))[ \t]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Half-open interval `[start, end)` in bytes from the start of the file."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class RangeSpec:
    """One requested range, before the size of the file is known.

    `first` None: the last `last` bytes. `last` None: to the end. `last` is inclusive otherwise.
    """

    first: int | None
    last: int | None


def parse_range_header(value: str, limits: Limits) -> tuple[RangeSpec, ...] | None:
    """The ranges of a `Range` header in the requested order; None for a unit other than bytes, which is ignored.

    Raises `HttpError` 400 for a malformed header, 431 for more than `limits.ranges`.
    """
    unit, separator, ranges = value.partition("=")
    if not separator:
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed range header")
    if unit.strip().lower() != "bytes":
        return None
    items = ranges.split(",", limits.ranges)
    if len(items) > limits.ranges:
        raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"more than {limits.ranges} ranges")
    return tuple(_parse_range(item) for item in items)


def _parse_range(text: str) -> RangeSpec:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed range header")
    first, last, suffix = match.groups()
    if suffix is not None:
        return RangeSpec(None, int(suffix))
    spec = RangeSpec(int(first), int(last) if last else None)
    if spec.last is not None and spec.last < int(first):
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed range header: a range ends before it starts")
    return spec


def exact_ranges(specs: Sequence[RangeSpec], size: int, limits: Limits) -> list[ByteRange]:
    """The ranges of a VOXEL request in request order.

    Each must be inside the file: a shortened range would move all bytes after it in the concatenation.
    Raises `HttpError` 416.
    """
    ranges = []
    for spec in specs:
        resolved = _resolve(spec, size)
        if resolved is None or (spec.last is not None and spec.first is not None and spec.last >= size):
            raise _unsatisfiable("a range lies outside the file", size)
        ranges.append(resolved)
    return _bounded(ranges, size, limits)


def satisfiable_ranges(specs: Sequence[RangeSpec], size: int, limits: Limits) -> list[ByteRange]:
    """The ranges of an HTTP request according to RFC 9110: shortened to the end of the file, those after it left out.

    Raises `HttpError` 416 if none remains.
    """
    ranges = [resolved for spec in specs if (resolved := _resolve(spec, size)) is not None]
    if not ranges:
        raise _unsatisfiable("no range lies inside the file", size)
    return _bounded(ranges, size, limits)


def followed_range(specs: Sequence[RangeSpec], size: int) -> ByteRange | None:
    """The range of an HTTP request for a file that grows, with `size` bytes by now: the part to be followed (RFC 8673).

    It begins at what is there and ends beyond it. None: the request is for what is there.
    """
    spec = specs[0]
    if len(specs) > 1 or spec.first is None or spec.last is None or not spec.first <= size <= spec.last:
        return None
    return ByteRange(spec.first, spec.last + 1)


def known_ranges(specs: Sequence[RangeSpec], size: int, limits: Limits) -> list[ByteRange]:
    """Ranges of an HTTP request for a file that grows, with `size` bytes by now. Raises `HttpError` 416."""
    known = [spec for spec in specs if spec.first is not None]  # Where it ends nobody knows.
    return satisfiable_ranges(known, size, limits)


def _resolve(spec: RangeSpec, size: int) -> ByteRange | None:
    if spec.first is None:
        start, end = max(0, size - (spec.last or 0)), size
    else:
        start, end = spec.first, size if spec.last is None else min(spec.last + 1, size)
    return ByteRange(start, end) if start < end else None


def _bounded(ranges: list[ByteRange], size: int, limits: Limits) -> list[ByteRange]:
    if sum(map(len, ranges)) > limits.overlap * size:
        raise _unsatisfiable("the ranges overlap too much", size)
    return ranges


def _unsatisfiable(message: str, size: int) -> HttpError:
    return HttpError(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, message, (("content-range", f"bytes */{size}"),))
