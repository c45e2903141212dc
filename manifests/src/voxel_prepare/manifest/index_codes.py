"""Numbers and lists of numbers as the index writes them: Exp-Golomb codes whose parameter fits the list.

Sizes of frames, their costs and the distances in an order spread over decades, with a few outliers far beyond the rest:
a code that grows with the logarithm of a number takes both. docs/MANIFEST.md has the layout.
"""

from collections.abc import Sequence

from voxel_prepare.h264.bits import BitReader, BitWriter

PARAMETER_BITS = 5
MAX_PARAMETER = 20
"""Keeps every number below 2^53, which JavaScript still counts exactly."""

CONSTANT = 31
"""In place of a parameter: all numbers of the list are the one that follows."""


class CodeError(ValueError):
    """These bits are no list of numbers."""


def write_number(writer: BitWriter, value: int, parameter: int) -> None:
    """Appends a number ≥ 0: all but its `parameter` low bits as ue(v) (H.264 §9.1), then those."""
    writer.ue(value >> parameter)
    writer.bits(value & ((1 << parameter) - 1), parameter)


def read_number(reader: BitReader, parameter: int) -> int:
    """Reads what `write_number` wrote. Raises `MalformedStream`."""
    high = reader.ue()
    return high << parameter | reader.bits(parameter)


def write_list(writer: BitWriter, values: Sequence[int]) -> None:
    """Appends numbers ≥ 0, with the parameter that makes them shortest; their count is not written."""
    if not values:
        return
    if len(values) > 1 and len(set(values)) == 1:
        writer.bits(CONSTANT, PARAMETER_BITS)
        writer.ue(values[0])
        return
    parameter = min(range(MAX_PARAMETER + 1), key=lambda candidate: _bits(values, candidate))
    writer.bits(parameter, PARAMETER_BITS)
    for value in values:
        write_number(writer, value, parameter)


def read_list(reader: BitReader, count: int) -> list[int]:
    """Reads `count` numbers. Raises `CodeError` or `MalformedStream`."""
    if count == 0:
        return []
    parameter = reader.bits(PARAMETER_BITS)
    if parameter == CONSTANT:
        return [reader.ue()] * count
    if parameter > MAX_PARAMETER:
        raise CodeError(f"a list's parameter is {parameter}")
    return [read_number(reader, parameter) for _ in range(count)]


def zigzag(value: int) -> int:
    """Maps 0, -1, 1, -2, 2 … to 0, 1, 2, 3, 4 …"""
    return 2 * value if value >= 0 else -2 * value - 1


def unzigzag(code: int) -> int:
    """The inverse of `zigzag`."""
    return -(code >> 1) - 1 if code & 1 else code >> 1


def _bits(values: Sequence[int], parameter: int) -> int:
    return sum(2 * ((value >> parameter) + 1).bit_length() - 1 + parameter for value in values)
