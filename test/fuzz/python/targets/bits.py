"""Bit reading and emulation prevention, against the same with strings of digits."""

from voxel_prepare.bits import BitReader
from voxel_prepare.emulation_prevention import escape, escaped_length, unescape
from voxel_prepare.errors import MalformedStream


def fuzz(data: bytes) -> None:
    digits = "".join(f"{byte:08b}" for byte in data[1:])
    reader, at = BitReader(data[1:]), 0
    golomb = bool(data and data[0] & 0x80)
    count = data[0] & 0x3F if data else 1
    try:
        while True:
            zeros = len(digits[at:]) - len(digits[at:].lstrip("0")) if golomb else 0
            if golomb:
                length = 2 * zeros + 1
                number = reader.ue()
                assert number == int(digits[at : at + length], 2) - 1
            else:
                length = count
                number = reader.bits(count)
                assert number == int(digits[at : at + length] or "0", 2)
            at += length
            assert reader.position == at <= len(digits)
            if length == 0:
                break
    except MalformedStream:
        assert zeros > 31 or at + (2 * zeros + 1 if golomb else count) > len(digits)
    assert unescape(escape(data)) == data
    assert b"\0\0\0" not in escape(data) and b"\0\0\1" not in escape(data) and b"\0\0\2" not in escape(data)
    for length in range(min(len(unescape(data)), 64)):
        assert len(unescape(data[: escaped_length(data, length)])) >= length
