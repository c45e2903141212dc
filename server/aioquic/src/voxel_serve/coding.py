"""Cauchy Reed-Solomon code over GF(2^8) (docs/PROTOCOL.md, "Parity"): parity symbols from data symbols. No I/O.

The matrix is that of J. Blömer et al., An XOR-based erasure-resilient coding scheme (1995). Coordinates depend on
nothing but the symbol's number.
"""

POLYNOMIAL = 0x11D
"""x^8 + x^4 + x^3 + x^2 + 1"""

MAX_SYMBOLS = 256
"""Number of symbols, data and parity together: each needs a coordinate of its own."""


def _powers() -> list[int]:
    """Powers of 2, which generates the field."""
    powers = [1]
    while len(powers) < MAX_SYMBOLS - 1:
        double = powers[-1] << 1
        powers.append(double ^ POLYNOMIAL if double >= MAX_SYMBOLS else double)
    return powers


def _quotients() -> list[bytes]:
    """Quotients by a divisor (the first is no divisor): those of all bytes, for `bytes.translate`."""
    powers = _powers()
    logarithm = {power: exponent for exponent, power in enumerate(powers)}
    rows = [bytes(MAX_SYMBOLS)]
    for divisor in range(1, MAX_SYMBOLS):
        shift = logarithm[divisor]
        rows.append(bytes([0, *(powers[(logarithm[byte] - shift) % 255] for byte in range(1, MAX_SYMBOLS))]))
    return rows


QUOTIENTS = _quotients()


class Encoder:
    """Makes the parity symbols of one block while its data symbols go by."""

    def __init__(self, count: int, symbol_bytes: int) -> None:
        """`count` parity symbols of `symbol_bytes` each."""
        self._symbol_bytes = symbol_bytes
        self._sums = [0] * count
        """Sums as integers, for their sum is XOR; little-endian, so that short symbols end in zeros."""

    def add(self, index: int, symbol: bytes) -> None:
        """Adds data symbol `index`, once; a shorter one counts as filled up with zeros."""
        coordinate = MAX_SYMBOLS - 1
        for number in range(len(self._sums)):
            quotient = symbol.translate(QUOTIENTS[coordinate - number ^ index])
            self._sums[number] ^= int.from_bytes(quotient, "little")

    @property
    def parity(self) -> list[bytes]:
        """Parity of the data added so far."""
        return [total.to_bytes(self._symbol_bytes, "little") for total in self._sums]
