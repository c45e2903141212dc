"""docs/PROTOCOL.md, "Parity": what is sent, that it repairs what is lost, and that nothing else changes."""

import asyncio
import random

import pytest

from .client import Response, VoxelClient, connect, eventually, request_head
from .erasures import Block, blocks, rebuild
from .servers import Server
from .test_requests import settle

Case = tuple[str, list[int], int, int | None]

CASES: list[Case] = [
    ("(6 3 1);block=16;symbol=1000;always", [6, 3, 1], 16, 1000),
    ("(12);block=128;symbol=1150;always", [12], 128, 1150),
    ("(2 0);block=3;symbol=400;always", [2, 0], 3, 400),
    ("(6);block=18;always", [6], 18, None),
    ("(2 4);block=192;always", [2, 4], 192, None),
]
RANGES = [(500_000, 520_011), (20, 21), (300_000, 300_017), (0, 701), (999_000, 1_000_000)]
LENGTHS = [end - start for start, end in RANGES]
CONNECTIONS = 5
RANGE = "bytes=" + ",".join(f"{start}-{end - 1}" for start, end in RANGES)


async def fetch(session: VoxelClient, parity: str, **headers: str) -> Response:
    response = await session.request(
        "/media.mp4", **{"range": RANGE, "x_voxel_unreliable": "?1;flow=17", "x_voxel_parity": parity} | headers
    )
    await settle()
    return response


def sent(response: Response) -> dict[str, int]:
    """What the trailer says, by parameter."""
    body, *parameters = response.trailers["x-voxel-sent"].split(";")
    return {"body": int(body)} | {name: int(value) for name, value in (item.split("=") for item in parameters)}


def symbols_of(session: VoxelClient, block: Block) -> tuple[dict[int, bytes], dict[int, bytes]]:
    """Data and parity symbols of a block that have come, by number. Datagrams hold whole symbols of one block."""
    data: dict[int, bytes] = {}
    parity: dict[int, bytes] = {}
    for _, offset, payload in session.datagrams:
        for start, found, end in (
            (block.start, data, block.end),
            (block.parity_start, parity, block.parity_start + block.parity * block.symbol_bytes),
        ):
            if start <= offset < end:
                first, rest = divmod(offset - start, block.symbol_bytes)
                assert rest == 0
                assert offset + len(payload) <= end
                assert len(payload) % block.symbol_bytes == 0 or offset + len(payload) == end
                for place in range(0, len(payload), block.symbol_bytes):
                    found[first + place // block.symbol_bytes] = payload[place : place + block.symbol_bytes]
    return data, parity


@pytest.mark.parametrize(("header", "amounts", "block", "symbol"), CASES)
async def test_a_body_can_be_rebuilt_from_any_symbols_that_are_as_many_as_its_data(
    session: VoxelClient, media: bytes, header: str, amounts: list[int], block: int, symbol: int | None
) -> None:
    response = await fetch(session, header)
    assert response.headers["x-voxel-parity"] == header
    expected = b"".join(media[start:end] for start, end in RANGES)
    chance, count = random.Random(header), 0
    for coded in blocks(LENGTHS, amounts, block, symbol):
        data, parity = symbols_of(session, coded)
        full = sum(len(symbol) == coded.symbol_bytes for symbol in data.values())
        assert len(parity) == min(coded.parity, full)
        count += sum(map(len, parity.values()))
        whole = [(data, number) for number in data] + [(parity, number) for number in parity]
        for symbols, number in chance.sample(whole, len(parity)):
            del symbols[number]
        assert rebuild(coded, data, parity) == expected[coded.start : coded.end]
    assert sent(response) == {"body": len(expected), "datagrams": len(session.datagrams), "parity": count}


async def test_a_data_datagram_is_one_symbol_and_parity_follows_its_block(session: VoxelClient) -> None:
    await fetch(session, "(2);block=4;symbol=700;always", range="bytes=0-6999")
    end = 7000
    places = [(offset, len(payload)) for _, offset, payload in session.datagrams]
    expected = []
    for block in range(3):
        expected += [(place, 700) for place in range(block * 2800, min(end, block * 2800 + 2800), 700)]
        expected += [(end + (2 * block + number) * 700, 700) for number in range(2)]
    assert places == expected


async def test_frames_share_no_datagram(session: VoxelClient) -> None:
    await fetch(session, "(0);block=18;always")
    borders = [sum(LENGTHS[:count]) for count in range(1, len(LENGTHS))]
    for _, offset, payload in session.datagrams:
        assert not any(offset < border < offset + len(payload) for border in borders)


async def test_parity_is_never_more_than_the_data(session: VoxelClient) -> None:
    response = await fetch(session, "(64);block=1;symbol=64;always", range="bytes=0-6399")
    assert sent(response) == {"body": 6400, "datagrams": 200, "parity": 6400}
    assert max(offset for _, offset, _ in session.datagrams) == 6400 + 99 * 64 * 64


@pytest.mark.parametrize(("last", "sent"), [(0, 0), (43, 0), (999, 1000), (1043, 1000), (1999, 2000), (3043, 3000)])
async def test_parity_of_symbols_that_are_a_packet_each_is_no_more_than_the_data_either(
    session: VoxelClient, last: int, sent: int
) -> None:
    response = await fetch(session, "(4);block=4;symbol=1000;always", range=f"bytes=0-{last}")
    assert f";parity={sent}" in response.trailers["x-voxel-sent"]


async def test_in_slow_start_parity_is_left_out(server: Server) -> None:
    # A packet that a busy machine brings late counts as lost where round trips are this short, and ends slow start:
    # several connections.
    counts: list[dict[str, int]] = []
    for _ in range(CONNECTIONS):
        async with connect(server.quic_port) as client:
            assert (await client.open_session())[0] == 200
            response = await fetch(client, "(3);block=4;symbol=1000", range="bytes=0-4999")
            assert response.headers["x-voxel-parity"] == "(3);block=4;symbol=1000"
            counts.append(sent(response))
    assert {"body": 5000, "datagrams": 5, "parity": 0} in counts


@pytest.mark.parametrize(
    "header",
    [
        "",
        "6;block=18;always",
        "(65);block=18;always",
        "();block=18;always",
        "(6);block=193;always",
        "(6);symbol=1000;always",
        "(6);block=18;symbol=1400;always",
        "(6);block=1;always",
        "(6);block=18;always=1",
        f"({' '.join(['1'] * 65)});block=18;always",
    ],
)
async def test_what_cannot_be_honoured_is_as_absent(session: VoxelClient, media: bytes, header: str) -> None:
    response = await fetch(session, header, range="bytes=0-49999")
    assert "x-voxel-parity" not in response.headers
    assert sent(response) == {"body": 50_000, "datagrams": len(session.datagrams)}
    assert session.assembled(17, 50_000) == (media[:50_000], 50_000)
    sizes = [len(payload) for _, _, payload in session.datagrams]
    assert min(sizes[:-1]) >= 1190


async def test_a_reliable_body_has_no_parity(session: VoxelClient, media: bytes) -> None:
    response = await session.request("/media.mp4", range="bytes=0-99", x_voxel_parity="(6);block=18;always")
    assert "x-voxel-parity" not in response.headers
    assert response.body == media[:100]


async def test_an_empty_body_has_no_parity(session: VoxelClient) -> None:
    for flow, parity in enumerate(("(6);block=18;always", "(6);block=18;symbol=64;always")):
        headers = {"x_voxel_unreliable": f"?1;flow={flow}", "x_voxel_parity": parity}
        assert sent(await session.request("/empty.bin", **headers)) == {"body": 0, "datagrams": 0, "parity": 0}


async def test_deadline_and_cancel_hold_for_parity(session: VoxelClient) -> None:
    headers = {"x_voxel_parity": "(64);block=64;symbol=1000;always"}
    response = await session.request("/huge.bin", x_voxel_unreliable="?1;flow=1", x_voxel_deadline="100", **headers)
    await settle()
    told, received = sent(response), len(session.datagrams)
    assert told["body"] < 50_000_000
    assert told["parity"] <= told["body"]
    assert told["body"] + told["parity"] == 1000 * told["datagrams"]
    stream_id = session.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=2", **headers))
    await eventually(lambda: len(session.datagrams) > received)
    session.cancel(stream_id)
    await session.wait_reset(stream_id)
    # What is sent of the flow is sent before this answer.
    assert (await session.request("/media.mp4", range="bytes=0-1")).status == 206
    received = len(session.datagrams)
    await asyncio.sleep(0.1)
    assert len(session.datagrams) == received
