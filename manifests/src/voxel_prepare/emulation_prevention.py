"""Emulation prevention bytes of a NAL unit (H.264 §7.4.1)."""

import re

_NEEDS_ESCAPE = re.compile(rb"\x00\x00(?=[\x00-\x03])")


def unescape(payload: bytes) -> bytes:
    """Removes emulation prevention bytes."""
    return payload.replace(b"\x00\x00\x03", b"\x00\x00")


def escape(rbsp: bytes) -> bytes:
    """Inserts emulation prevention bytes, so that no start code can appear."""
    return _NEEDS_ESCAPE.sub(b"\x00\x00\x03", rbsp)


def escaped_length(payload: bytes, rbsp_bytes: int) -> int:
    """The number of bytes of the escaped `payload` that contain its first `rbsp_bytes` unescaped bytes."""
    escapes = 0
    at = payload.find(b"\x00\x00\x03")
    while at >= 0 and at + 2 < rbsp_bytes + escapes:
        escapes += 1
        at = payload.find(b"\x00\x00\x03", at + 3)
    return rbsp_bytes + escapes
