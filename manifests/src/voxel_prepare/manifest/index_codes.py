"""Numbers and lists of numbers in the index: Exp-Golomb codes with a parameter chosen for each list.

Sizes of frames, their costs and the distances in an order span several powers of ten, with a few outliers: a code whose
length grows with the logarithm of the number suits both. docs/MANIFEST.md specifies the layout.
"""

from collections.abc import Sequence

from voxel_prepare.bits import BitReader, BitWriter

PARAMETER_BITS = 5
MAX_PARAMETER = 20
"""Keeps every number below 2^53, up to which JavaScript is exact."""

CONSTANT = 31
"""Written in place of a parameter: one number follows, to which all members of the list are equal."""


class CodeError(ValueError):
    """The bits are not a valid list of numbers."""


def write_number(writer: BitWriter, value: int, parameter: int) -> None:
    """Appends a number ≥ 0: without its `parameter` low bits as ue(v) (H.264 §9.1), then these bits."""
    writer.ue(value >> parameter)
    writer.bits(value & ((1 << parameter) - 1), parameter)


def read_number(reader: BitReader, parameter: int) -> int:
    """Reads what `write_number` wrote. Raises `MalformedStream`."""
    high = reader.ue()
    return high << parameter | reader.bits(parameter)


def write_list(writer: BitWriter, values: Sequence[int]) -> None:
    """Appends numbers ≥ 0, with the parameter that gives the fewest bits. Does not write their count."""
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
        raise CodeError(f"the parameter of a list must be at most {MAX_PARAMETER} or {CONSTANT}, got {parameter}")
    return [read_number(reader, parameter) for _ in range(count)]


def zigzag(value: int) -> int:
    """Maps 0, -1, 1, -2, 2 … to 0, 1, 2, 3, 4 …"""
    return 2 * value if value >= 0 else -2 * value - 1


def unzigzag(code: int) -> int:
    """The inverse of `zigzag`."""
    return -(code >> 1) - 1 if code & 1 else code >> 1


def _bits(values: Sequence[int], parameter: int) -> int:
    return sum(2 * ((value >> parameter) + 1).bit_length() - 1 + parameter for value in values)
