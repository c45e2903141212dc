"""Codec, header and layout of parity, against the vectors that all three languages share."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.coding import Encoder
from voxel_serve.parity import Parity, blocks, parse_parity

VECTORS: dict[str, list[Any]] = json.loads((Path(__file__).parents[3] / "test" / "vectors" / "coding.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["codes"], ids=lambda vector: vector["name"])
def test_codes(vector: dict[str, Any]) -> None:
    data = [bytes.fromhex(symbol) for symbol in vector["data"]]
    encoder = Encoder(len(vector["parity"]), len(data[0]))
    for index, symbol in enumerate(data):
        encoder.add(index, symbol)
    assert [symbol.hex() for symbol in encoder.parity] == vector["parity"]


@pytest.mark.parametrize("vector", VECTORS["headers"], ids=lambda vector: vector["header"][:40])
def test_headers(vector: dict[str, Any]) -> None:
    parsed, parity = vector["parsed"], parse_parity(vector["header"])
    if parsed is None:
        assert parity is None
    else:
        assert parity == Parity(tuple(parsed["amounts"]), parsed["block"], parsed["symbol"], parsed["always"])
        assert str(parity) == vector["echo"]


@pytest.mark.parametrize("vector", VECTORS["layouts"], ids=lambda vector: vector["header"])
def test_layouts(vector: dict[str, Any]) -> None:
    parity = parse_parity(vector["header"])
    assert parity is not None
    found = [
        {
            "start": block.start,
            "end": block.end,
            "symbols": block.symbols,
            "symbolBytes": block.symbol_bytes,
            "parity": block.parity,
            "parityStart": block.parity_start,
        }
        for block in blocks(vector["ranges"], parity)
    ]
    assert found == vector["blocks"]


@given(st.text('0123456789 ();=-."blocksymbolalways?', max_size=60))
def test_any_header_is_read_or_ignored(value: str) -> None:
    parity = parse_parity(value)
    if parity is not None:
        assert parse_parity(str(parity)) == parity
