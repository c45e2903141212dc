"""Attacks on a server of this machine, each from addresses of its own (127.0.0.2 and on).

`python -m conformance.attacks NAME HTTP_PORT QUIC_PORT SECONDS`, in the folder above, leads one of `ATTACKS` for so
long and prints what it has sent. `npm run bench -- server-hostile` watches what becomes of an honest client meanwhile.
"""

import asyncio
import contextlib
import itertools
import json
import os
import random
import resource
import socket
import ssl
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import H3_ALPN, FrameType
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection

from .client import VoxelClient, request_head

ADDRESSES = 20
"""So many that limits of one address do not stop the attack before it is one."""

HUGE = "/huge.bin"

FILM_BYTES = 1000 * 1024 * 1024
"""Length of /film.bin at the edge's origin."""

QUIC_WINDOW = 1024 * 1024


@dataclass
class Attack:
    """Whom, and what has been sent so far."""

    http_port: int
    quic_port: int
    sent: Counter[str] = field(default_factory=Counter)
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def address(self) -> str:
        """The next of the attackers' addresses."""
        return f"127.0.0.{2 + next(self._numbers) % ADDRESSES}"

    async def connected(self, address: str | None = None) -> VoxelClient:
        """A client with a connection, from the next address or from a given one."""
        configuration = QuicConfiguration(
            alpn_protocols=H3_ALPN, is_client=True, max_datagram_frame_size=65536, verify_mode=ssl.CERT_NONE
        )
        _, client = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: VoxelClient(QuicConnection(configuration=configuration)), local_addr=(address or self.address(), 0)
        )
        client.connect(("127.0.0.1", self.quic_port))
        await client.wait_connected()
        self.sent["connections"] += 1
        return client

    async def half_open(self, data: bytes) -> None:
        """A TCP connection that sends this and waits for its end; a new one then."""
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", self.http_port, local_addr=(self.address(), 0)
                )
                writer.write(data)
                self.sent["connections"] += 1
                await reader.read()
                writer.close()
            await asyncio.sleep(0.1)


async def long_heads(attack: Attack) -> None:
    """Heads of 60 kB in QPACK that stand for more than a megabyte."""
    pseudo = bytes([0xC0 | 17, 0xC0 | 23, 0xC0 | 1, 0x50, 9]) + b"127.0.0.1"
    section = bytes(2) + pseudo + bytes([0xC0 | 31]) * 60_000
    head = encode_uint_var(FrameType.HEADERS) + encode_uint_var(len(section)) + section
    client = await attack.connected()
    while True:
        stream_id = client.quic.get_next_available_stream_id()
        client.quic.send_stream_data(stream_id, head, end_stream=True)
        client.transmit()
        attack.sent["heads"] += 1
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(client.ended(stream_id), 5)
        if client.terminated is not None:
            client = await attack.connected()


async def gapped_streams(attack: Attack) -> None:
    """Streams whose first byte never comes, as long as the server's windows take more."""
    for client in [await attack.connected() for _ in range(4)]:
        await client.open_session()
        for _ in range(16):
            stream_id = client.send(bytes(2 * QUIC_WINDOW), end_stream=False)
            sender = client.quic._streams[stream_id].sender
            sender._pending.subtract(0, 1)
            client.transmit()
            attack.sent["streams"] += 1
    await asyncio.Event().wait()


async def unread_responses(attack: Attack) -> None:
    """64 responses on each of 16 connections, of which nothing is read beyond the first windows."""
    clients = [await attack.connected() for _ in range(16)]
    for client in clients:
        client.quic._write_stream_limits = lambda *_, **__: None  # type: ignore[method-assign]
        client.quic._write_connection_limits = lambda *_, **__: None  # type: ignore[method-assign]
        await client.open_session()
        for _ in range(64):
            client.send(request_head(HUGE))
            attack.sent["requests"] += 1
    await asyncio.Event().wait()


async def garbage_initials(attack: Attack) -> None:
    """2,000 packets that look like the beginning of a connection, again every five seconds."""
    source = random.Random(1)
    ids = b"".join(bytes([8]) + source.randbytes(8) for _ in range(2))
    head = b"\xc3\x00\x00\x00\x01" + ids + b"\x00" + (0x4000 | 1150).to_bytes(2, "big")
    while True:
        packets = [_other_ids(head, source) + source.randbytes(1200 - len(head)) for _ in range(2000)]
        await _send_all(attack, packets)
        attack.sent["packets"] += len(packets)
        await asyncio.sleep(5)


def _other_ids(head: bytes, source: random.Random) -> bytes:
    return head[:6] + source.randbytes(8) + head[14:15] + source.randbytes(8) + head[23:]


async def client_hellos(attack: Attack) -> None:
    """2,000 genuine first flights of clients that then say nothing."""
    for _ in range(2000):
        quic = QuicConnection(configuration=QuicConfiguration(alpn_protocols=H3_ALPN))
        quic.connect(("127.0.0.1", attack.quic_port), now=0)
        await _send_all(attack, [datagram for datagram, _ in quic.datagrams_to_send(now=0)])
        attack.sent["clients"] += 1
    await asyncio.Event().wait()


async def _send_all(attack: Attack, packets: list[bytes]) -> None:
    """From all addresses in turn."""
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as stack:
        sockets = []
        for _ in range(min(ADDRESSES, len(packets))):
            udp = stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
            udp.bind((attack.address(), 0))
            udp.setblocking(False)
            sockets.append(udp)
        for udp, packet in zip(itertools.cycle(sockets), packets, strict=False):
            await loop.sock_sendto(udp, packet, ("127.0.0.1", attack.quic_port))


async def idle_tls(attack: Attack) -> None:
    """1,000 TCP connections that never finish the handshake of TLS: half of them say hello, half nothing."""
    context = ssl.create_default_context()
    outgoing = ssl.MemoryBIO()
    handshake = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        handshake.do_handshake()
    hello = outgoing.read()
    await asyncio.gather(*(attack.half_open(hello if number % 2 else b"") for number in range(1000)))


async def half_heads(attack: Attack) -> None:
    """100 TCP connections with half a request head, and as many streams of sessions."""

    async def streams() -> None:
        while True:
            client = await attack.connected()
            await client.open_session()
            ids = [client.send(request_head(HUGE)[:-2], end_stream=False) for _ in range(50)]
            await asyncio.wait({asyncio.create_task(client.received(stream_id).ended.wait()) for stream_id in ids})

    head = b"GET /huge.bin HTTP/1.1\r\nhost: loc"
    await asyncio.gather(streams(), streams(), *(attack.half_open(head) for _ in range(100)))


async def edge_sparse_ranges(attack: Attack) -> None:
    """One address that asks for 2,000 bytes all over a large file, again and again."""
    source = random.Random(1)

    async def ask() -> None:
        client = await attack.connected("127.0.0.2")
        await client.open_session()
        while True:
            places = sorted(source.randrange(FILM_BYTES) for _ in range(2000))
            wanted = ",".join(f"{place}-{place}" for place in places)
            attack.sent["ranges"] += len(places)
            await client.response(client.send(request_head("/film.bin", range=f"bytes={wanted}")))

    await asyncio.gather(*(ask() for _ in range(4)))


async def edge_held_requests(attack: Attack) -> None:
    """One address that asks for 250 files at a time which the origin holds back."""
    names = itertools.count()

    async def ask() -> None:
        while True:
            # Beyond what one address may have a connection is reset.
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", attack.http_port, local_addr=("127.0.0.2", 0)
                )
                writer.write(f"GET /held-{next(names)}.bin HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
                attack.sent["requests"] += 1
                await reader.readline()
                writer.close()
            await asyncio.sleep(0.1)

    await asyncio.gather(*(ask() for _ in range(250)))


async def edge_small_files(attack: Attack) -> None:
    """One address that asks for as many files of 100 bytes as it can."""
    names = itertools.count()

    async def ask() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", attack.http_port, local_addr=("127.0.0.2", 0))
        while True:
            writer.write(f"GET /small-{next(names)}.bin HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(100)
            attack.sent["files"] += 1

    await asyncio.gather(*(ask() for _ in range(8)))


ATTACKS: dict[str, Callable[[Attack], Awaitable[None]]] = {
    "long-heads": long_heads,
    "gapped-streams": gapped_streams,
    "unread-responses": unread_responses,
    "garbage-initials": garbage_initials,
    "client-hellos": client_hellos,
    "idle-tls": idle_tls,
    "half-heads": half_heads,
    "edge-sparse-ranges": edge_sparse_ranges,
    "edge-held-requests": edge_held_requests,
    "edge-small-files": edge_small_files,
}


async def lead(name: str, attack: Attack, seconds: float) -> None:
    """Leads an attack for so long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await ATTACKS[name](attack)


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    led = Attack(int(sys.argv[2]), int(sys.argv[3]))
    asyncio.run(lead(sys.argv[1], led, float(sys.argv[4])))
    print(json.dumps(led.sent), flush=True)
    # Connections end without a word, as those of attackers do.
    os._exit(0)
