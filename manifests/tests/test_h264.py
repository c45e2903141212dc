"""Parameter sets, slice headers and all-skip slices."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_slices import random_slice
from voxel_prepare.bits import BitReader, BitWriter
from voxel_prepare.emulation_prevention import escape, escaped_length, unescape
from voxel_prepare.errors import MalformedStream, UnsupportedStream
from voxel_prepare.h264 import ParameterSets, parse_slice_header, skip_slice
from voxel_prepare.h264.parameter_sets import parse_pps, parse_sps

VECTORS = json.loads((Path(__file__).parents[2] / "test/vectors/repair.json").read_text())
zero_heavy = st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 4, 255])).map(bytes)


@given(codes=st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**32 - 2))), signed=st.lists(st.integers(-9, 9)))
def test_codes_read_as_written(codes: list[int], signed: list[int]) -> None:
    writer = BitWriter()
    for code in codes:
        writer.ue(code)
    for value in signed:
        writer.se(value)
    writer.align(1)
    reader = BitReader(writer.to_bytes())
    assert [reader.ue() for _ in codes] == codes
    assert [reader.se() for _ in signed] == signed


@given(rbsp=zero_heavy)
def test_escaping_hides_start_codes_and_can_be_undone(rbsp: bytes) -> None:
    escaped = escape(rbsp)
    assert not any(pattern in escaped for pattern in (b"\0\0\0", b"\0\0\1", b"\0\0\2"))
    if not rbsp.endswith(b"\0\0\3"):  # a NAL unit never ends so: it ends with its stop bit
        assert unescape(escaped) == rbsp
    for length in range(len(rbsp) + 1):
        assert escaped_length(escaped, length) == len(escape(rbsp[:length]))


def test_reading_past_the_end_is_refused() -> None:
    with pytest.raises(MalformedStream, match="ends inside"):
        BitReader(b"\xff").bits(9)
    with pytest.raises(MalformedStream, match="longer than 32 bits"):
        BitReader(bytes(40)).ue()


@pytest.mark.parametrize("seed", range(200))
def test_a_header_reads_as_it_was_written(seed: int) -> None:
    expected = random_slice(Random(seed))
    header = parse_slice_header(expected.nal, ParameterSets.from_avcc(expected.avcc))
    assert (header.slice_type, header.pps.cabac, header.first_mb) == (expected.type, expected.cabac, expected.first_mb)
    assert (header.cabac_init_idc, header.qp) == (expected.cabac_init_idc, expected.qp)
    assert (header.header_bits, header.header_bytes) == (expected.header_bits, expected.header_bytes)


@pytest.mark.parametrize("vector", VECTORS)
def test_shared_vectors(vector: dict[str, object]) -> None:
    nal = bytes.fromhex(str(vector["nal"]))
    header = parse_slice_header(nal, ParameterSets.from_avcc(bytes.fromhex(str(vector["avcc"]))))
    assert (header.slice_type, header.qp) == (vector["type"], vector["qp"])
    assert (header.header_bits, header.header_bytes) == (vector["headerBits"], vector["headerBytes"])
    macroblocks = vector["macroblocks"]
    assert isinstance(macroblocks, int)
    if vector["skipSlice"] is None:
        with pytest.raises(ValueError, match="cannot be skipped"):
            skip_slice(nal, header, macroblocks)
    else:
        assert skip_slice(nal[: header.header_bytes], header, macroblocks).hex() == vector["skipSlice"]


def test_a_header_that_is_cut_off_is_refused() -> None:
    for vector in VECTORS:
        parameter_sets = ParameterSets.from_avcc(bytes.fromhex(vector["avcc"]))
        nal = bytes.fromhex(vector["nal"])
        for length in range(vector["headerBytes"]):
            with pytest.raises(MalformedStream):
                parse_slice_header(nal[:length], parameter_sets)


def test_a_configuration_that_is_cut_off_is_refused() -> None:
    avcc = bytes.fromhex(VECTORS[0]["avcc"])
    for length in range(len(avcc)):
        with pytest.raises(MalformedStream):
            ParameterSets.from_avcc(avcc[:length])


def _high_sps(*, chroma_format: int = 1, width: int = 20, frames_only: int = 1) -> bytes:
    writer = BitWriter()
    writer.bits(0x67640028, 32)
    for code in (0, chroma_format, 0, 0):
        writer.ue(code)
    writer.bits(0, 2)  # no transform bypass, no scaling lists
    for code in (0, 2, 4):
        writer.ue(code)
    writer.bits(0, 1)
    for code in (width - 1, 499):
        writer.ue(code)
    writer.bits(frames_only, 1)
    writer.align(1)
    return escape(writer.to_bytes())


@pytest.mark.parametrize(
    ("features", "reason"),
    [
        ({"chroma_format": 3}, "chroma format other than 4:2:0"),
        ({"frames_only": 0}, "interlaced video"),
        ({"width": 500}, "larger than any level"),
    ],
)
def test_what_is_not_supported_says_so(features: dict[str, int], reason: str) -> None:
    assert parse_sps(_high_sps()).picture_macroblocks == 10_000
    with pytest.raises(UnsupportedStream, match=reason):
        parse_sps(_high_sps(**features))


def test_slice_groups_are_not_supported() -> None:
    writer = BitWriter()
    writer.bits(0x68, 8)
    writer.bits(0b11_00_010_1, 8)  # ids 0, CAVLC, no delta, two slice groups
    sps = parse_sps(_high_sps())
    with pytest.raises(UnsupportedStream, match="slice groups"):
        parse_pps(writer.to_bytes(), {sps.id: sps})
