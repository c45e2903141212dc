"""Bits: reading, writing, Exp-Golomb codes (H.264 §7.2, §9.1; H.265 and AV1 have the same)."""

from voxel_prepare.errors import MalformedStream

_WINDOW_BYTES = 9
"""Bytes read at a time: enough for any 64 bits, wherever they start."""

_MAX_GOLOMB_ZEROS = 31
"""ue(v) reaches 2^32 - 2 at most."""


class BitReader:
    """Reads unescaped bytes from the most significant bit on. Raises `MalformedStream` past the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._end = 8 * len(data)
        self.position = 0
        """Bits read so far."""

    def bits(self, count: int) -> int:
        """The next `count` ≤ 64 bits as an unsigned number, u(n)."""
        value = self._peek64() >> (64 - count)
        self.skip(count)
        return value

    def flag(self) -> bool:
        return self.bits(1) == 1

    def ue(self) -> int:
        """Unsigned Exp-Golomb code, ue(v)."""
        zeros = 64 - self._peek64().bit_length()
        if zeros > _MAX_GOLOMB_ZEROS:
            raise MalformedStream("Exp-Golomb code longer than 32 bits")
        return self.bits(2 * zeros + 1) - 1

    def se(self) -> int:
        """Signed Exp-Golomb code, se(v)."""
        code = self.ue()
        return (code + 1) // 2 if code & 1 else -(code // 2)

    def _peek64(self) -> int:
        first = self.position >> 3
        window = self._data[first : first + _WINDOW_BYTES]
        value = int.from_bytes(window, "big") << 8 * (_WINDOW_BYTES - len(window))
        return value >> (8 - (self.position & 7)) & 0xFFFF_FFFF_FFFF_FFFF

    def skip(self, count: int) -> None:
        """Passes over `count` bits."""
        self.position += count
        if self.position > self._end:
            raise MalformedStream("the data ends inside a header")


class BitWriter:
    """Collects bits, most significant first."""

    def __init__(self) -> None:
        self._value = 0
        self.position = 0
        """Bits written so far."""

    def bits(self, value: int, count: int) -> None:
        """Appends the `count` low bits of `value`."""
        self._value = self._value << count | value
        self.position += count

    def ue(self, value: int) -> None:
        """Appends an unsigned Exp-Golomb code, ue(v)."""
        self.bits(value + 1, 2 * (value + 1).bit_length() - 1)

    def se(self, value: int) -> None:
        """Appends a signed Exp-Golomb code, se(v)."""
        self.ue(2 * value - 1 if value > 0 else -2 * value)

    def align(self, bit: int) -> None:
        """Fills the last byte with `bit`."""
        count = -self.position % 8
        self.bits((1 << count) - 1 if bit else 0, count)

    def to_bytes(self) -> bytes:
        """The bytes so far; the position must be at a byte's end."""
        return self._value.to_bytes(self.position // 8, "big")
