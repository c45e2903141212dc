"""Integers of variable length, as QUIC has them (RFC 9000 §16), below 2^53, up to which JavaScript is exact."""

MAX_VARINT = (1 << 53) - 1

_SIZES = (1, 2, 4, 8)


def varint(value: int) -> bytes:
    """The shortest encoding of a number from 0 to `MAX_VARINT`; raises `ValueError` for others."""
    if not 0 <= value <= MAX_VARINT:
        raise ValueError(f"expected a number from 0 to {MAX_VARINT}, got {value}")
    exponent = next(exponent for exponent, size in enumerate(_SIZES) if value < 1 << (8 * size - 2))
    size = _SIZES[exponent]
    return (value | exponent << (8 * size - 2)).to_bytes(size, "big")


def read_varint(data: bytes, at: int, end: int) -> tuple[int, int] | None:
    """The number at `at` and the position after it; None if `data[:end]` ends before it does.

    Raises `ValueError` if it exceeds `MAX_VARINT`.
    """
    if at >= end:
        return None
    size = _SIZES[data[at] >> 6]
    if at + size > end:
        return None
    value = int.from_bytes(data[at : at + size], "big") & ((1 << (8 * size - 2)) - 1)
    if value > MAX_VARINT:
        raise ValueError(f"expected a number of at most {MAX_VARINT}, found {value}")
    return value, at + size
