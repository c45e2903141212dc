"""What a field section of a request or its trailers may hold in HTTP/3 (RFC 9114 sections 4.2 to 4.4)."""

import re
from collections.abc import Sequence

Fields = Sequence[tuple[bytes, bytes]]

_NAME = re.compile(rb":?[!#$%&'*+.^_`|~0-9a-z-]+")

_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
"""Bytes that stand in no value, RFC 9110 section 5.5."""

_LENGTH = re.compile(rb"[0-9]{1,19}")


def check_trailers(fields: Fields) -> None:
    """Raises `ValueError`, what is wrong."""
    for name, value in fields:
        if not _NAME.fullmatch(name):
            raise ValueError("malformed field name")
        if _CONTROL.search(value):
            raise ValueError("malformed field value")


def check_request(fields: Fields) -> list[tuple[bytes, bytes]]:
    """The fields with an :authority: where that is missing Host stands for it. Raises `ValueError`, what is wrong."""
    check_trailers(fields)
    known = dict(reversed(fields))
    _check_pseudo_headers(known)
    hosts = [value for name, value in fields if name == b"host"]
    authority = known.get(b":authority")
    if (authority is not None and any(host != authority for host in hosts)) or len(hosts) > 1:
        raise ValueError("host and :authority differ, or two hosts")
    lengths = [value for name, value in fields if name == b"content-length"]
    if len(lengths) > 1 or any(not _LENGTH.fullmatch(length) for length in lengths):
        raise ValueError("malformed content-length")
    return list(fields) if authority is not None or not hosts else [(b":authority", hosts[0]), *fields]


def _check_pseudo_headers(known: dict[bytes, bytes]) -> None:
    is_connect, is_extended = known.get(b":method") == b"CONNECT", b":protocol" in known
    if is_extended and not is_connect:
        raise ValueError(":protocol without CONNECT")
    needed = (b":method",) if is_connect and not is_extended else (b":method", b":scheme", b":path")
    if not all(known.get(name) for name in needed):
        raise ValueError("a pseudo-header is missing or empty")
    if is_connect and not is_extended and (b":scheme" in known or b":path" in known):
        raise ValueError("CONNECT with :scheme or :path")
    if known.get(b":authority") == b"":
        raise ValueError("an empty :authority")
