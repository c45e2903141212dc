"""The blocks and the code of docs/PROTOCOL.md, "Parity", as a client needs them: slow and obvious."""

from dataclasses import dataclass

POLYNOMIAL = 0x11D


@dataclass(frozen=True)
class Block:
    """Bytes `start` to `end` of a body, coded together, and the parity that was asked for."""

    start: int
    end: int
    symbols: int
    symbol_bytes: int
    parity: int
    parity_start: int


def blocks(ranges: list[int], amounts: list[int], block: int, symbol: int | None) -> list[Block]:
    """Blocks of a body of ranges of these lengths."""
    length = sum(ranges)
    if symbol is None:
        lengths, parity_start = ranges, length
    else:
        size = block * symbol
        lengths = [min(size, length - start) for start in range(0, length, size)]
        parity_start = (length + symbol - 1) // symbol * symbol
    found, start = [], 0
    for number, block_length in enumerate(lengths):
        symbol_bytes = symbol or (block_length + block - 1) // block
        symbols = block if symbol is None else (block_length + symbol - 1) // symbol
        amount = amounts[min(number, len(amounts) - 1)]
        found.append(Block(start, start + block_length, symbols, symbol_bytes, amount, parity_start))
        start, parity_start = start + block_length, parity_start + amount * symbol_bytes
    return found


def rebuild(block: Block, data: dict[int, bytes], parity: dict[int, bytes]) -> bytes:
    """The block's bytes from the symbols that have come, by number."""
    size = block.symbol_bytes
    filled = {number: symbol.ljust(size, b"\0") for number, symbol in data.items()}
    # A symbol that reaches beyond the block is known to be zero where it does.
    for number in range(block.symbols):
        if block.start + number * size >= block.end:
            filled.setdefault(number, bytes(size))
    missing = [number for number in range(block.symbols) if number not in filled]
    rows = []
    for number, symbol in list(parity.items())[: len(missing)]:
        total = bytearray(symbol)
        for known, value in filled.items():
            _add(total, _inverse(255 - number ^ known), value)
        rows.append(([_inverse(255 - number ^ y) for y in missing], total))
    assert len(rows) == len(missing), "too few symbols"
    for place in range(len(missing)):
        pivot = next(index for index in range(place, len(rows)) if rows[index][0][place])
        rows[place], rows[pivot] = rows[pivot], rows[place]
        factor = _inverse(rows[place][0][place])
        scaled = [_product(factor, entry) for entry in rows[place][0]], bytearray(size)
        _add(scaled[1], factor, rows[place][1])
        rows[place] = scaled
        for index, (row, total) in enumerate(rows):
            if index != place and row[place]:
                factor = row[place]
                rows[index] = [one ^ _product(factor, other) for one, other in zip(row, scaled[0], strict=True)], total
                _add(total, factor, scaled[1])
    for number, (_, total) in zip(missing, rows, strict=True):
        filled[number] = bytes(total)
    return b"".join(filled[number] for number in range(block.symbols))[: block.end - block.start]


def _product(one: int, other: int) -> int:
    product = 0
    while other:
        if other & 1:
            product ^= one
        one <<= 1
        if one & 0x100:
            one ^= POLYNOMIAL
        other >>= 1
    return product


INVERSES = [0, *(next(b for b in range(1, 256) if _product(a, b) == 1) for a in range(1, 256))]


def _inverse(element: int) -> int:
    return INVERSES[element]


def _add(total: bytearray, factor: int, symbol: bytes | bytearray) -> None:
    products = bytes(_product(factor, byte) for byte in range(256))
    for place, byte in enumerate(symbol.translate(products)):
        total[place] ^= byte
