import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.connection_ids import ConnectionIds, ServerId
from voxel_serve.resets import KEY_BYTES, KEY_FILE, RESETS_PER_SECOND, StatelessResets, reset_key

KEY = bytes(range(KEY_BYTES))


@given(st.binary(min_size=1, max_size=1500))
def test_an_answer_is_shorter_than_its_packet_and_ends_with_the_token(packet: bytes) -> None:
    resets = StatelessResets(KEY, 4433)
    answer = resets.answer(packet, now=1)
    assert (answer is None) == (len(packet) < 22)
    if answer is not None:
        assert 21 <= len(answer) < len(packet)
        assert answer[0] & 0xC0 == 0x40
        assert answer.endswith(resets.token(packet[1:9]))


def test_tokens_are_of_key_port_and_connection() -> None:
    token = StatelessResets(KEY, 4433).token(bytes(8))
    assert token == StatelessResets(KEY, 4433).token(bytes(8))
    others = [StatelessResets(KEY, 4434).token(bytes(8)), StatelessResets(bytes(KEY_BYTES), 4433).token(bytes(8))]
    assert token not in [*others, StatelessResets(KEY, 4433).token(bytes(7) + b"1")]


def test_with_a_server_id_the_port_does_not_matter_and_other_servers_ids_get_no_answer() -> None:
    one, other = ServerId(b"\x01"), ServerId(b"\x02")
    resets = StatelessResets(KEY, 4433, one)
    mine, foreign = ConnectionIds(one).make(), ConnectionIds(other).make()
    assert resets.token(mine) == StatelessResets(KEY, 4434, one).token(mine)
    assert resets.token(mine) != StatelessResets(KEY, 4433, other).token(mine)
    packets = [b"\x40" + connection_id + bytes(50) for connection_id in (mine, foreign)]
    assert [resets.answer(packet, now=1) is not None for packet in packets] == [True, False]


def test_a_flood_gets_few_answers() -> None:
    resets = StatelessResets(KEY, 4433)
    packet = b"\x40" + bytes(100)
    answers = [resets.answer(packet, now=10 + number / 10_000) for number in range(10_000)]
    assert sum(answer is not None for answer in answers) <= 2 * RESETS_PER_SECOND
    assert resets.answer(packet, now=20) is not None


def test_the_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    cache = tmp_path / "new" / "cache"
    key = reset_key(cache)
    assert len(key) == KEY_BYTES
    assert reset_key(cache) == key
    assert stat.S_IMODE((cache / KEY_FILE).stat().st_mode) == 0o600
    assert [file.name for file in cache.iterdir()] == [KEY_FILE]


@pytest.mark.parametrize("damaged", [b"", b"short", bytes(33)])
def test_a_damaged_key_is_replaced(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / KEY_FILE).write_bytes(damaged)
    key = reset_key(tmp_path)
    assert (tmp_path / KEY_FILE).read_bytes() == key
    assert reset_key(tmp_path) == key


def test_a_key_that_cannot_be_kept_still_serves(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert len(reset_key(tmp_path / "file")) == KEY_BYTES
