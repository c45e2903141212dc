"""The door of the QUIC side, with a client that says itself when its packets come."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aioquic.h3.connection import H3_ALPN
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import PingAcknowledged
from voxel_serve.app import Server
from voxel_serve.handshakes import GuardedQuicServer

from server.conformance.client import eventually

from .quic_pair import CLIENT_ADDRESS, SERVER_ADDRESS


class Wire(asyncio.DatagramTransport):
    """In place of the server's socket: keeps what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def sendto(self, data: Any, addr: Any = None) -> None:
        self.sent.append(data)

    def is_closing(self) -> bool:
        return False


class Client:
    """A client that sends nothing before the server has answered."""

    def __init__(self, server: GuardedQuicServer, wire: Wire) -> None:
        self._server = server
        self._wire = wire
        self._now = asyncio.get_running_loop().time
        self.quic = QuicConnection(configuration=QuicConfiguration(alpn_protocols=H3_ALPN, verify_mode=ssl.CERT_NONE))
        self.quic.connect(SERVER_ADDRESS, now=self._now())

    async def exchange(self) -> list[bytes]:
        """Sends what the client has to send; what the server answers, which the client has received then."""
        for data, _ in self.quic.datagrams_to_send(now=self._now()):
            self._server.datagram_received(data, CLIENT_ADDRESS)
        await eventually(lambda: self._wire.sent)
        answers, self._wire.sent = self._wire.sent, []
        for data in answers:
            self.quic.receive_datagram(data, SERVER_ADDRESS, now=self._now())
        return answers

    @property
    def ping_is_acknowledged(self) -> bool:
        """Whether it was since the last look."""
        return any(isinstance(event, PingAcknowledged) for event in iter(self.quic.next_event, None))


@pytest.fixture
async def client(server: Server) -> AsyncIterator[Client]:
    wire, socket = Wire(), server.quic._transport
    server.quic._transport = wire
    yield Client(server.quic, wire)
    server.quic._transport = socket


async def test_a_client_may_use_a_connection_id_in_its_first_packet_after_it_was_issued(client: Client) -> None:
    # As quic-go's client does: a third of its connections were answered with a stateless reset.
    quic = client.quic
    while not quic._peer_cid_available:
        await client.exchange()
    for _ in range(3):
        quic._peer_cid_available.reverse()  # aioquic would use the oldest first.
        quic.change_connection_id()
        quic.send_ping(1)
        token = quic._peer_cid.stateless_reset_token
        while not client.ping_is_acknowledged:
            assert not [answer for answer in await client.exchange() if answer.endswith(token)]
