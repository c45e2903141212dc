"""The door of the QUIC side: who may begin a connection, what others hear (RFC 9000 sections 5.2, 8.1, 10.3)."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import QuicServer
from aioquic.quic.configuration import SMALLEST_MAX_DATAGRAM_SIZE, QuicConfiguration
from aioquic.quic.connection import NetworkAddress, QuicConnection
from aioquic.quic.packet import QuicErrorCode, QuicFrameType, QuicHeader
from aioquic.quic.retry import QuicRetryTokenHandler

from .connection import Connection
from .limits import Limits
from .quic_bounds import adopt, connection_ids, connection_refused
from .quic_internals import handshake_is_complete, initial_header, is_genuine_initial, is_long
from .resets import StatelessResets
from .shares import Shares, client_of


class GuardedQuicServer(QuicServer):
    """Has clients prove their address once many handshakes are unfinished, and forgets what was none at all.

    Connections count for their client once its address is proven, by a token or a finished handshake: who forges
    addresses cannot use up the share of another.
    """

    def __init__(
        self,
        configuration: QuicConfiguration,
        create: Callable[[QuicConnection], Connection],
        limits: Limits,
        resets: StatelessResets,
    ) -> None:
        super().__init__(configuration=configuration, create_protocol=self._create)
        self._create_connection = create
        self._limits = limits
        self._resets = resets
        self._tokens = QuicRetryTokenHandler()
        self._shares = Shares(each=limits.connections_per_address, together=limits.connections)
        self._clients: dict[Connection, str] = {}
        """Whose share the connections are of that count."""
        self._handshaking: dict[Connection, asyncio.TimerHandle] = {}
        """Unfinished handshakes, and what ends them."""
        self._created: Connection | None = None

    def datagram_received(self, data: bytes | str, addr: NetworkAddress) -> None:
        data = cast(bytes, data)
        length = self._configuration.connection_id_length
        if not is_long(data):
            known = self._protocols.get(data[1 : 1 + length])
            if known is not None:
                known.datagram_received(data, addr)
            elif reset := self._resets.answer(data, length, self._loop.time()):
                self._send(reset, addr)
            return
        header = initial_header(data, length)
        is_new = header is not None and header.destination_cid not in self._protocols
        if header is None or not is_new:
            super().datagram_received(data, addr)
        elif len(data) >= SMALLEST_MAX_DATAGRAM_SIZE:
            self._begin(data, header, addr)
        # With this packet the handshake of its connection may have come to its end.
        connection = cast("Connection | None", self._protocols.get(data[6 : 6 + data[5]] if len(data) > 5 else b""))
        if connection in self._handshaking and handshake_is_complete(connection.quic):
            self._admit(connection)

    def _begin(self, data: bytes, header: QuicHeader, addr: NetworkAddress) -> None:
        client = client_of(addr[0])
        if not self._shares.has_room(client):
            self._send(connection_refused(header), addr)
            return
        # While this is set aioquic asks for a token, and checks those that come.
        is_crowded = len(self._handshaking) >= self._limits.handshakes or self._shares.has_half(client)
        asks = is_crowded or bool(header.token)
        is_known = header.version in self._configuration.supported_versions
        if is_known and (header.token or not asks) and not is_genuine_initial(data, header):
            return
        cast(Any, self)._retry = self._tokens if asks else None
        super().datagram_received(data, addr)
        created, self._created = self._created, None
        if created is None:
            return
        if asks and self._shares.take(client):
            self._clients[created] = client
        timer = self._loop.call_later(self._limits.head_timeout, self._forget, created)
        self._handshaking[created] = timer

    def _create(self, quic: QuicConnection, **_: object) -> Connection:
        adopt(quic, self._resets.token)
        self._created = self._create_connection(quic)
        return self._created

    def _admit(self, connection: Connection) -> None:
        """Counts a connection whose handshake has come to its end, or ends it if it is one too many."""
        self._handshaking.pop(connection).cancel()
        if connection in self._clients:
            return
        if self._shares.take(connection.client):
            self._clients[connection] = connection.client
        else:
            connection.quic.close(QuicErrorCode.CONNECTION_REFUSED, QuicFrameType.PADDING, "too many connections")
            connection.transmit()

    def _connection_terminated(self, protocol: QuicConnectionProtocol) -> None:
        connection = cast(Connection, protocol)
        for connection_id in connection_ids(connection.quic):
            self._protocols.pop(connection_id, None)
        if timer := self._handshaking.pop(connection, None):
            timer.cancel()
        if client := self._clients.pop(connection, None):
            self._shares.give_back(client)

    def _forget(self, connection: Connection) -> None:
        """Without a word: nobody is there, or somebody else."""
        self._connection_terminated(connection)
        connection.abandon()

    def _send(self, data: bytes, addr: NetworkAddress) -> None:
        assert self._transport is not None
        self._transport.sendto(data, addr)
