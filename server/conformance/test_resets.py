"""Stateless resets (RFC 9000 section 10.3): after a restart clients learn at once that their connection is gone."""

import asyncio
import os
import random
import socket
import stat
from pathlib import Path

import pytest

from .client import TIMEOUT_SECONDS, VoxelClient, connect, eventually
from .conftest import Start
from .servers import Server, free_port

SHORTEST = 21
"""A shorter datagram is no stateless reset."""

SILENCE_SECONDS = 2.0
"""For an answer that should not come."""


def token_of(client: VoxelClient) -> bytes:
    token = client.quic._peer_cid.stateless_reset_token
    assert len(token) == 16
    return token


def record(client: VoxelClient) -> list[bytes]:
    """All datagrams that arrive from now on."""
    datagrams: list[bytes] = []
    receive = client.datagram_received

    def datagram_received(data: bytes | str, address: object) -> None:
        datagrams.append(bytes(data))  # type: ignore[arg-type]
        receive(data, address)

    client.datagram_received = datagram_received  # type: ignore[method-assign,assignment]
    return datagrams


def killed(server: Server) -> None:
    """Without a word to its clients."""
    server.process.kill()
    server.process.wait()


async def test_a_restarted_server_resets_old_connections(starts: Start) -> None:
    server = starts(quic_port=free_port())  # Nobody is given it between the two servers.
    async with connect(server.quic_port) as client:
        assert (await client.open_session())[0] == 200
        token = token_of(client)
        killed(server)
        again = starts(quic_port=server.quic_port)
        datagrams = record(client)
        client.quic.send_ping(1)
        client.transmit()
        # What the first server had sent may still be in the socket.
        await eventually(lambda: any(datagram.endswith(token) for datagram in datagrams))
        reset = next(datagram for datagram in datagrams if datagram.endswith(token))
        assert len(reset) >= SHORTEST
        assert reset[0] & 0xC0 == 0x40
        async with connect(again.quic_port) as other:
            assert (await other.open_session())[0] == 200


def test_the_key_is_private_and_stays(starts: Start, cache: Path) -> None:
    starts().stop()
    key = cache / "voxel-serve" / "stateless-reset-key"
    content = key.read_bytes()
    assert len(content) == 32
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    starts()
    assert key.read_bytes() == content


async def test_another_server_of_the_same_key_resets_nothing_here(starts: Start) -> None:
    server, other = starts(), starts()
    async with connect(server.quic_port) as client:
        packet = unknown(64)
        packet = packet[:1] + client.quic._peer_cid.cid + packet[1 + len(client.quic._peer_cid.cid) :]
        assert not answer(other, packet, TIMEOUT_SECONDS).endswith(token_of(client))


def unknown(length: int) -> bytes:
    """A packet with a short header of a connection that nobody knows."""
    return (b"\x40" + os.urandom(length))[:length]


def answer(server: Server, packet: bytes, seconds: float) -> bytes:
    """What the server sends back, nothing if it sends nothing for so long."""
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.settimeout(seconds)
        udp.sendto(packet, ("127.0.0.1", server.quic_port))
        try:
            return udp.recv(2000)
        except TimeoutError:
            return b""


@pytest.mark.parametrize("length", [22, 23, 30, 43, 44, 100, 1200, 1400])
def test_a_reset_is_shorter_than_its_packet(server: Server, length: int) -> None:
    assert SHORTEST <= len(answer(server, unknown(length), TIMEOUT_SECONDS)) < length


@pytest.mark.parametrize("length", [1, 5, 20, 21])
def test_what_is_too_short_for_a_shorter_reset_gets_none(server: Server, length: int) -> None:
    assert answer(server, unknown(length), SILENCE_SECONDS) == b""


def test_a_long_header_gets_no_reset(server: Server) -> None:
    handshake = b"\xe0\x00\x00\x00\x01\x08" + os.urandom(8) + b"\x08" + os.urandom(8)
    assert answer(server, handshake + os.urandom(100), SILENCE_SECONDS) == b""


async def test_two_servers_do_not_answer_each_other_for_ever(starts: Start) -> None:
    # Each answers what the other has sent: the datagrams become shorter until one is no packet.
    server = starts()
    lengths = [200]
    while reset := answer(server, unknown(lengths[-1]), TIMEOUT_SECONDS if lengths[-1] > SHORTEST else SILENCE_SECONDS):
        lengths.append(len(reset))
    assert lengths == sorted(set(lengths), reverse=True)
    assert len(lengths) < 30


async def test_resets_are_few_whatever_is_sent(starts: Start) -> None:
    server = starts()
    packets, source = 5000, random.Random(1)
    received = 0
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.setblocking(False)
        for number in range(packets):
            udp.sendto(b"\x40" + source.randbytes(60), ("127.0.0.1", server.quic_port))
            if number % 50 == 0:
                await asyncio.sleep(0)
        async with connect(server.quic_port) as client:
            # Answered after the packets: whatever was sent for them has arrived.
            assert (await client.get("/empty.bin"))[0] == 200
        try:
            while udp.recv(2000):
                received += 1
        except BlockingIOError:
            pass
    assert 0 < received < packets / 2
