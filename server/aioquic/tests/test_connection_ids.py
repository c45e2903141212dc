"""Connection IDs with a server ID, which the quiche server makes in the same way (test/vectors)."""

import json
from pathlib import Path
from typing import Any

import pytest
from voxel_serve.connection_ids import ConnectionIds, ServerId, parse_server_id
from voxel_serve.errors import ConfigurationError

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "test" / "vectors" / "connection-ids.json").read_text()
)
KEY = "8f95f09245765f80256934e50c66207f"


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["connectionId"])
def test_the_shared_vectors(vector: dict[str, Any]) -> None:
    server_id = parse_server_id(f"{vector['serverId']},config={vector['configuration']}", vector["key"])
    assert server_id is not None
    assert server_id.encode(bytes.fromhex(vector["nonce"])).hex() == vector["connectionId"]
    assert server_id.is_in(bytes.fromhex(vector["connectionId"]))


@pytest.mark.parametrize("key", [None, KEY])
def test_an_id_is_its_servers_only(key: str | None) -> None:
    server_id = parse_server_id("0x0102,config=2", key)
    ids = ConnectionIds(server_id)
    first, second = ids.make(), ids.make()
    assert first != second
    assert len(first) == ids.length
    assert ids.may_have_issued(first)
    assert not ConnectionIds(parse_server_id("0x0103,config=2", key)).may_have_issued(first)
    assert not ConnectionIds(parse_server_id("0x0102,config=3", key)).may_have_issued(first)
    assert not any(ids.may_have_issued(first[:length]) for length in range(len(first)))


def test_without_a_server_id_all_are_random_and_may_be_ours() -> None:
    ids = ConnectionIds(None)
    assert len(ids.make()) == ids.length
    assert ids.may_have_issued(b"anything")


def test_a_key_is_not_shown() -> None:
    assert "key" not in repr(ServerId(b"\x01", 0, bytes.fromhex(KEY)))


@pytest.mark.parametrize(
    ("server_id", "key"),
    [
        ("", None),
        ("0x", None),
        ("xyz", None),
        ("112233445566778899", None),
        ("01,config=7", None),
        ("01,config=", None),
        ("01,config=+1", None),
        ("01,nonce=1", None),
        (",config=1", None),
        ("01", "abc"),
        ("01", "00" * 15),
        (None, KEY),
    ],
)
def test_what_is_no_server_id_is_refused(server_id: str | None, key: str | None) -> None:
    with pytest.raises(ConfigurationError, match="--server-id"):
        parse_server_id(server_id, key)


def test_the_earlier_option_counts_where_the_server_id_names_no_configuration() -> None:
    assert parse_server_id("01", None, 5) == ServerId(b"\x01", 5)
    assert parse_server_id("01,config=2", None, 5) == ServerId(b"\x01", 2)
