"""Conditions of HTTP requests besides `If-Match` and ranges (RFC 9110 section 13)."""

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime

from .files import listed

_DATES = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")
"""All three forms must be accepted (RFC 9110 section 5.6.7)."""


def is_unchanged(headers: Mapping[str, str], etag: str, modified_ns: int) -> bool:
    """Whether the client has this state of the file: the answer is 304."""
    tags = headers.get("if-none-match")
    if tags is not None:
        return tags.strip() == "*" or etag in [tag.removeprefix("W/") for tag in listed(tags)]
    since = _seconds(headers.get("if-modified-since"))
    return since is not None and modified_ns // 10**9 <= since


def has_changed(headers: Mapping[str, str], modified_ns: int) -> bool:
    """Whether `If-Unmodified-Since` forbids an answer: it is 412. An `If-Match` stands above it."""
    since = None if "if-match" in headers else _seconds(headers.get("if-unmodified-since"))
    return since is not None and modified_ns // 10**9 > since


def _seconds(date: str | None) -> float | None:
    """Seconds since 1970; None for what is no date, which is ignored."""
    for form in _DATES if date is not None else ():
        with contextlib.suppress(ValueError):
            return datetime.strptime(str(date), form).replace(tzinfo=UTC).timestamp()
    return None
