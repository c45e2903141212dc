"""The header `x-voxel-parity` and the blocks that it asks for (docs/PROTOCOL.md, "Parity"). No I/O."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import structured

MOST_AMOUNTS = 64
AMOUNTS = range(65)
BLOCK_SYMBOLS = range(1, 193)
SYMBOL_BYTES = range(64, 1401)


@dataclass(frozen=True, slots=True)
class Parity:
    """What a request asks for."""

    amounts: tuple[int, ...]
    """Parity symbols of each block, 0 to 64; the last number holds for all further blocks."""

    block: int
    """Data symbols of a block, 1 to 192."""

    symbol: int | None = None
    """Bytes of a symbol, 64 to 1400; None: every range is a block, of symbols of equal length."""

    always: bool = False
    """Whether parity is sent whatever the link does."""

    def amount(self, block: int) -> int:
        """Parity symbols of a block by its number from 0."""
        return self.amounts[min(block, len(self.amounts) - 1)]

    def __str__(self) -> str:
        """The header."""
        symbol = "" if self.symbol is None else f";symbol={self.symbol}"
        return f"({' '.join(map(str, self.amounts))});block={self.block}{symbol}{';always' if self.always else ''}"


@dataclass(frozen=True, slots=True)
class Block:
    """Data that are coded together: bytes `start` to `end` of the body, half-open."""

    start: int
    end: int
    symbols: int
    """Data symbols; those that reach beyond `end` count as filled up with zeros."""

    symbol_bytes: int
    parity: int
    """Parity symbols that were asked for."""

    parity_start: int
    """Place of the first one in the flow; the others follow."""

    @property
    def sent_parity(self) -> int:
        """Parity symbols that are sent: never more than the block has data symbols that are full."""
        return min(self.parity, (self.end - self.start) // self.symbol_bytes)


def parse_parity(value: str) -> Parity | None:
    """The header; None if it is malformed or a value is out of bounds."""
    try:
        amounts, parameters = structured.parse_inner_list(value)
    except ValueError:
        return None
    always = parameters.get("always", False)
    if not 1 <= len(amounts) <= MOST_AMOUNTS or not isinstance(always, bool):
        return None
    try:
        symbol = _integer(parameters["symbol"], SYMBOL_BYTES) if "symbol" in parameters else None
        block = _integer(parameters.get("block"), BLOCK_SYMBOLS)
        return Parity(tuple(_integer(amount, AMOUNTS) for amount in amounts), block, symbol, always)
    except ValueError:
        return None


def blocks(ranges: Sequence[int], parity: Parity) -> Iterator[Block]:
    """The blocks of a body that consists of ranges of these lengths."""
    length, symbol = sum(ranges), parity.symbol
    if not length:
        return
    if symbol is None:
        lengths, parity_start = iter(ranges), length
    else:
        size = parity.block * symbol
        lengths = (min(size, length - start) for start in range(0, length, size))
        parity_start = -(-length // symbol) * symbol
    start = 0
    for number, block_length in enumerate(lengths):
        symbol_bytes = symbol or -(-block_length // parity.block)
        symbols = parity.block if symbol is None else -(-block_length // symbol)
        amount, end = parity.amount(number), start + block_length
        yield Block(start, end, symbols, symbol_bytes, amount, parity_start)
        start, parity_start = end, parity_start + amount * symbol_bytes


def longest_symbol(ranges: Sequence[int], parity: Parity) -> int:
    """Length of the longest symbol, in bytes."""
    return parity.symbol or -(-max(ranges, default=0) // parity.block)


def _integer(item: structured.BareItem | None, bounds: range) -> int:
    if not isinstance(item, int) or isinstance(item, bool) or item not in bounds:
        raise ValueError("out of bounds")
    return item
