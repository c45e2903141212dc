"""The door of the QUIC side: whose turn it is, who may begin, what others hear (RFC 9000 sections 5.2, 8.1, 10.3)."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any, cast

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import QuicServer
from aioquic.quic.configuration import SMALLEST_MAX_DATAGRAM_SIZE, QuicConfiguration
from aioquic.quic.connection import NetworkAddress, QuicConnection
from aioquic.quic.packet import QuicErrorCode, QuicFrameType, QuicHeader, encode_quic_retry
from aioquic.quic.retry import QuicRetryTokenHandler

from .connection import Connection
from .connection_ids import ConnectionIds
from .limits import Limits
from .quic_bounds import adopt, connection_ids, connection_refused
from .quic_internals import handshake_is_complete, initial_header, is_genuine_initial, is_long
from .resets import StatelessResets
from .shares import Shares, client_of
from .turns import Turns

MOST_READS = 256
"""Packets that are read from the system in one go."""

AT_ONCE = 16
"""Packets of a connection that are handled in its turn, before it sends."""

SERVING_SECONDS = 0.01
"""Turns are given for so long before the event loop does everything else, which may take long."""

UDP_PAYLOAD_BYTES = 65535

TOGETHER_BYTES = 4 * 1024 * 1024
EACH_BYTES = TOGETHER_BYTES // 16
"""Bytes that wait for a turn, see `Turns`: as much as the system's buffer, and hundreds of each connection."""


class GuardedQuicServer(QuicServer):
    """Gives connections their turns; all packets that belong to none have one together, for one packet.

    Has clients prove their address once many handshakes are unfinished, and forgets what was none at all.

    Connections count for their client once its address is proven, by a token or a finished handshake: who forges
    addresses cannot use up the share of another.
    """

    def __init__(
        self,
        configuration: QuicConfiguration,
        create: Callable[[QuicConnection], Connection],
        limits: Limits,
        resets: StatelessResets,
        connection_ids: ConnectionIds,
        udp: socket.socket,
    ) -> None:
        """`udp`: the socket of the transport, which would hand over one packet in each turn of the event loop."""
        super().__init__(configuration=configuration, create_protocol=self._create)
        self._create_connection = create
        self._limits = limits
        self._resets = resets
        self._connection_ids = connection_ids
        self._udp = udp
        self._turns = Turns["Connection | None"](each_bytes=EACH_BYTES, together_bytes=TOGETHER_BYTES)
        """Turns of connections; None: of all packets that belong to none."""
        self._is_serving = False
        self._tokens = QuicRetryTokenHandler()
        self._shares = Shares(each=limits.connections_per_address, together=limits.connections)
        self._clients: dict[Connection, str] = {}
        """Whose share the connections are of that count."""
        self._handshaking: dict[Connection, asyncio.TimerHandle] = {}
        """Unfinished handshakes, and what ends them."""
        self._created: Connection | None = None

    def datagram_received(self, data: bytes | str, addr: NetworkAddress) -> None:
        self._arrived(cast(bytes, data), addr)
        with contextlib.suppress(OSError):
            for _ in range(MOST_READS):
                if not self._turns.has_room:
                    break
                self._arrived(*self._udp.recvfrom(UDP_PAYLOAD_BYTES))
        if self._turns and not self._is_serving:
            self._serve()

    def _arrived(self, data: bytes, addr: NetworkAddress) -> None:
        self._turns.add(self._known(data), (data, addr))

    def _known(self, data: bytes) -> Connection | None:
        """The connection that a packet belongs to."""
        if not is_long(data):
            connection_id = data[1 : 1 + self._configuration.connection_id_length]
        else:
            connection_id = data[6 : 6 + data[5]] if len(data) > 5 else b""
        return cast("Connection | None", self._protocols.get(connection_id))

    def _asks(self, connection: Connection) -> None:
        self._turns.ask(connection)
        if not self._is_serving:
            self._is_serving = True
            self._loop.call_soon(self._serve)

    def _serve(self) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        self._is_serving = True
        until = self._loop.time() + SERVING_SECONDS
        try:
            self._give_turn(self._turns.next())
            while self._turns and self._loop.time() < until:
                self._give_turn(self._turns.next())
        finally:
            self._is_serving = bool(self._turns)
            if self._is_serving:
                self._loop.call_soon(self._serve)

    def _give_turn(self, connection: Connection | None) -> None:
        if connection is not None:
            connection.turn(self._turns.take(connection, AT_ONCE))
        else:
            for data, addr in self._turns.take(None, 1):
                self._receive(data, addr)
                connection = self._known(data)
        # With these packets the handshake of the connection may have come to its end.
        if connection in self._handshaking and handshake_is_complete(connection.quic):
            self._admit(connection)

    def _receive(self, data: bytes, addr: NetworkAddress) -> None:
        """A packet that belonged to no connection when it came."""
        known = self._known(data)
        if known is not None:
            known.datagram_received(data, addr)
            return
        if not is_long(data):
            if reset := self._resets.answer(data, self._loop.time()):
                self._send(reset, addr)
            return
        header = initial_header(data, self._configuration.connection_id_length)
        if header is None:
            super().datagram_received(data, addr)
        elif len(data) >= SMALLEST_MAX_DATAGRAM_SIZE:
            self._begin(data, header, addr)

    def _begin(self, data: bytes, header: QuicHeader, addr: NetworkAddress) -> None:
        client = client_of(addr[0])
        if not self._shares.has_room(client):
            self._send(connection_refused(header), addr)
            return
        # While this is set aioquic checks the tokens that come.
        is_crowded = len(self._handshaking) >= self._limits.handshakes or self._shares.has_half(client)
        asks = is_crowded or bool(header.token)
        is_known = header.version in self._configuration.supported_versions
        if is_known and asks and not header.token:
            self._ask_for_token(header, addr)
            return
        if is_known and not is_genuine_initial(data, header):
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

    def _ask_for_token(self, header: QuicHeader, addr: NetworkAddress) -> None:
        """Retry (RFC 9000 section 8.1.2). aioquic's own gives a random connection ID, which a load balancer may send
        elsewhere.
        """
        assert header.version is not None
        source_cid = self._connection_ids.make()
        token = self._tokens.create_token(
            address=addr,
            original_destination_connection_id=header.destination_cid,
            retry_source_connection_id=source_cid,
            now=self._loop.time(),
        )
        retry = encode_quic_retry(
            version=header.version,
            source_cid=source_cid,
            destination_cid=header.source_cid,
            original_destination_cid=header.destination_cid,
            retry_token=token,
        )
        self._send(retry, addr)

    def _create(self, quic: QuicConnection, **_: object) -> Connection:
        def register(connection_id: bytes) -> None:
            self._protocols[connection_id] = connection

        adopt(quic, self._resets.token, self._connection_ids, register)
        connection = self._create_connection(quic)
        connection.asks_for_turn = self._asks
        self._created = connection
        return connection

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
        connection.end()

    def _send(self, data: bytes, addr: NetworkAddress) -> None:
        assert self._transport is not None
        self._transport.sendto(data, addr)
