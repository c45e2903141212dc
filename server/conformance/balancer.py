"""A UDP load balancer of the kind that servers stand behind, for tests.

It finds a connection's server by the server ID in its connection ID (draft-ietf-quic-load-balancers-21), and gives new
clients to the servers in turn.

As a program it prints its own port, then reads lines from standard input: `server PORT HEX`, `gone PORT`, `rebind`,
`rebind-at-response`.
"""

import argparse
import asyncio
import contextlib
import json
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import cast

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import ECB

Address = tuple[str, int]

LONG_HEADER_BIT = 0x80
CONNECTION_ID_AT = 6
"""In a long header: first byte, version, and the length that stands before it (RFC 8999 section 5.1)."""

CONNECTION_ID_BYTES = 17
"""First octet and a block: what this balancer and its servers have agreed on."""

MOST_ACKNOWLEDGEMENT_BYTES = 64
"""Most bytes of a packet with nothing but acknowledgements: the head of a response is longer."""

ACKNOWLEDGED_SECONDS = 0.1
"""Seconds until a client has acknowledged all packets it has: `max_ack_delay` is 25 ms (RFC 9000 section 13.2.1)."""


@dataclass(frozen=True)
class Agreement:
    """How connection IDs are to be read."""

    configuration: int = 0
    key: bytes | None = None

    def read(self, connection_id: bytes) -> bytes | None:
        """What begins with the server ID; None: the connection ID is the client's own, or of another configuration."""
        if len(connection_id) != CONNECTION_ID_BYTES or connection_id[0] >> 5 != self.configuration:
            return None
        if self.key is None:
            return connection_id[1:]
        return Cipher(AES128(self.key), ECB()).decryptor().update(connection_id[1:])


def destination_of(packet: bytes) -> bytes:
    """The connection ID that a packet is sent to; of a short header as many bytes as our servers' IDs have."""
    if packet[0] & LONG_HEADER_BIT:
        return packet[CONNECTION_ID_AT : CONNECTION_ID_AT + packet[CONNECTION_ID_AT - 1]]
    return packet[1 : 1 + CONNECTION_ID_BYTES]


@dataclass
class Passed:
    """Packets of one client and one server."""

    there: int = 0
    back: int = 0


@dataclass
class Balancer(asyncio.DatagramProtocol):
    """Looks at a packet's connection ID, else at the client's address, else chooses the next server."""

    agreement: Agreement
    servers: dict[int, bytes] = field(default_factory=dict)
    """Server ID by UDP port."""
    passed: dict[Address, dict[int, Passed]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(Passed)))
    """What has passed, by the client's address and the server's port."""

    def __post_init__(self) -> None:
        self._front: asyncio.DatagramTransport | None = None
        self._chosen: dict[Address, int] = {}
        self._upstreams: dict[tuple[Address, int], asyncio.Task[asyncio.DatagramTransport]] = {}
        self._turn = 0
        self._rebinds_at_response = False
        self._lost: tuple[Address, int] | None = None

    @property
    def port(self) -> int:
        """Where clients send to."""
        assert self._front is not None
        return int(self._front.get_extra_info("sockname")[1])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._front = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, client: Address) -> None:
        server = self.server_of(data, client)
        if server is None:
            return
        self.passed[client][server].there += 1
        key = (client, server)
        if key not in self._upstreams:
            self._upstreams[key] = asyncio.create_task(self._open(client, server))
        upstream = self._upstreams[key]
        if upstream.done():
            upstream.result().sendto(data)
        else:
            upstream.add_done_callback(lambda done: done.result().sendto(data))

    def server_of(self, packet: bytes, client: Address) -> int | None:
        """The port of the server that the packet is for; None: there is no server."""
        content = self.agreement.read(destination_of(packet))
        for port, server_id in self.servers.items():
            if content is not None and server_id and content.startswith(server_id):
                return port
        if self._chosen.get(client) not in self.servers and self.servers:
            self._chosen[client] = list(self.servers)[self._turn % len(self.servers)]
            self._turn += 1
        return self._chosen.get(client)

    def rebind(self) -> None:
        """Acts as a NAT that has forgotten its mappings: what follows comes from other ports."""
        for upstream in self._upstreams.values():
            upstream.add_done_callback(lambda done: done.result().close())
        self._upstreams.clear()

    def rebind_at_response(self) -> None:
        """Does so within the next response: its first packet passes, and what follows is lost.

        The client has acknowledged what it has, and has nothing to send: only it can show the server where it is.
        """
        self._rebinds_at_response = True

    def _lose_response(self, client: Address, server: int) -> None:
        self._rebinds_at_response = False
        self._lost = (client, server)

        def rebind() -> None:
            self._lost = None
            self.rebind()

        asyncio.get_running_loop().call_later(ACKNOWLEDGED_SECONDS, rebind)

    def close(self) -> None:
        """Ends it."""
        self.rebind()
        if self._front is not None:
            self._front.close()

    async def _open(self, client: Address, server: int) -> asyncio.DatagramTransport:
        def create() -> asyncio.DatagramProtocol:
            return _Upstream(self, client, server)

        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(create, remote_addr=("127.0.0.1", server))
        return transport

    def answered(self, data: bytes, client: Address, server: int) -> None:
        """A packet for a client."""
        if self._lost == (client, server):
            return
        self.passed[client][server].back += 1
        if self._front is not None:
            self._front.sendto(data, client)
        if self._rebinds_at_response and len(data) > MOST_ACKNOWLEDGEMENT_BYTES:
            self._lose_response(client, server)


@dataclass(frozen=True)
class _Upstream(asyncio.DatagramProtocol):
    """The way back: one client's packets from one server."""

    balancer: Balancer
    client: Address
    server: int

    def datagram_received(self, data: bytes, _: Address) -> None:
        self.balancer.answered(data, self.client, self.server)


@contextlib.asynccontextmanager
async def balancing(agreement: Agreement | None = None) -> AsyncIterator[Balancer]:
    """A balancer on a free port of 127.0.0.1, without servers yet."""
    balancer = Balancer(agreement or Agreement())
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: balancer, local_addr=("127.0.0.1", 0))
    try:
        yield balancer
    finally:
        balancer.close()


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=int, default=0, help="number of the configuration of connection IDs")
    parser.add_argument("--key", type=bytes.fromhex, default=None, help="AES-128 key of the server IDs, hexadecimal")
    options = parser.parse_args()
    async with balancing(Agreement(options.config, options.key)) as balancer:
        print(json.dumps({"event": "ready", "port": balancer.port}), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            match line.split():
                case ["server", port, server_id]:
                    balancer.servers[int(port)] = bytes.fromhex(server_id)
                case ["gone", port]:
                    balancer.servers.pop(int(port), None)
                case ["rebind"]:
                    balancer.rebind()
                case ["rebind-at-response"]:
                    balancer.rebind_at_response()


if __name__ == "__main__":
    asyncio.run(_main())
