"""docs/PROTOCOL.md, "limits": what one client sends must not keep others out."""

import itertools
import random
import socket

import pytest
from aioquic.h3.connection import H3_ALPN
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection

from .client import VoxelClient, connect
from .conftest import Start
from .servers import Server

HANDSHAKES = 250
"""Unfinished ones from which on both servers ask for a token."""

CONNECTIONS = 1000

BATCH = 10
"""Handshakes sent in a row: a socket's buffer holds more."""

ATTEMPTS = 5
"""To have enough handshakes unfinished when another client comes."""


def garbage(source: random.Random) -> bytes:
    """What looks like an Initial packet of a new connection (RFC 9000 section 17.2.2)."""
    ids = b"".join(bytes([8]) + source.randbytes(8) for _ in range(2))
    head = b"\xc3\x00\x00\x00\x01" + ids + b"\x00" + (0x4000 | 1150).to_bytes(2, "big")
    return (head + source.randbytes(1200))[:1200]


def client_hello(port: int) -> list[bytes]:
    """The first flight of a client that then says nothing more."""
    quic = QuicConnection(configuration=QuicConfiguration(alpn_protocols=H3_ALPN))
    quic.connect(("127.0.0.1", port), now=0)
    return [datagram for datagram, _ in quic.datagrams_to_send(now=0)]


async def test_garbage_that_looks_like_handshakes_keeps_nobody_out(starts: Start) -> None:
    server = starts()
    source = random.Random(2)
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        for _ in range(2 * CONNECTIONS):
            udp.sendto(garbage(source), ("127.0.0.1", server.quic_port))
    async with connect(server.quic_port) as client:
        assert (await client.get("/media.mp4"))[0] == 200
        assert client.quic._retry_source_connection_id is None


async def flood(server: Server, hellos: list[list[bytes]], before: VoxelClient) -> None:
    """Begins these handshakes, while a client that was there before is served."""
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        for first in range(0, len(hellos), BATCH):
            for datagram in itertools.chain(*hellos[first : first + BATCH]):
                udp.sendto(datagram, ("127.0.0.1", server.quic_port))
            # Served in between: the socket's buffer does not hold all.
            assert (await before.get("/empty.bin"))[0] == 200


async def test_a_flood_of_handshakes_makes_others_prove_their_address(starts: Start) -> None:
    server = starts()
    # On a busy machine the server may have forgotten some before the client comes: once more, then.
    for _ in range(ATTEMPTS):
        # Made before, as they take long, and the server forgets in time those that nobody finishes.
        hellos = [client_hello(server.quic_port) for _ in range(HANDSHAKES + 50)]
        async with connect(server.quic_port) as before:
            await flood(server, hellos, before)
            async with connect(server.quic_port) as client:
                if client.quic._retry_source_connection_id is not None:
                    assert (await client.open_session())[0] == 200
                    assert (await client.request("/media.mp4", range="bytes=0-1")).status == 206
                    return
    pytest.fail("no client had to prove its address")


@pytest.mark.parametrize("size", [100, 1199])
async def test_a_short_initial_begins_nothing(starts: Start, size: int) -> None:
    server = starts()
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.settimeout(1)
        hello = client_hello(server.quic_port)[0]
        udp.sendto(hello[:size], ("127.0.0.1", server.quic_port))
        with pytest.raises(TimeoutError):
            udp.recv(2000)
