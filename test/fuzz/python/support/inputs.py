"""What targets share."""

from collections.abc import Iterator

from voxel_serve.limits import Limits

LIMITS = Limits(head_bytes=1024, ranges=16)
"""Small, so that short inputs reach them."""

MOST = 10**15 - 1
"""The largest integer of a structured field (RFC 9651 section 3.3.1)."""


def pieces(data: bytes) -> Iterator[bytes]:
    """`data` without its first byte, which is the length of all pieces but the last."""
    if data:
        size = max(1, data[0])
        yield from (data[start : start + size] for start in range(1, len(data), size))
