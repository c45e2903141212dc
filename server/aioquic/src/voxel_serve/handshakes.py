"""The door of the QUIC side: a flood of handshakes must not keep others out (RFC 9000 sections 8.1 and 21.3)."""

from collections.abc import Callable
from typing import Any, cast

from aioquic.asyncio.server import QuicServer
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import NetworkAddress, QuicConnection
from aioquic.quic.retry import QuicRetryTokenHandler

from .connection import Connection
from .limits import Limits
from .quic_internals import handshake_is_complete, has_decrypted_nothing, initial_token


class GuardedQuicServer(QuicServer):
    """Has clients prove their address once many handshakes are unfinished, and forgets what was none at all."""

    def __init__(
        self, configuration: QuicConfiguration, create: Callable[[QuicConnection], Connection], limits: Limits
    ) -> None:
        super().__init__(configuration=configuration, create_protocol=self._create)
        self._create_connection = create
        self._limits = limits
        self._tokens = QuicRetryTokenHandler()
        self._handshaking: set[Connection] = set()
        self._created: Connection | None = None

    def datagram_received(self, data: bytes | str, addr: NetworkAddress) -> None:
        # While this is set aioquic asks for a token, and checks those that come.
        token = initial_token(cast(bytes, data), self._configuration.connection_id_length)
        asks = token is not None and (token != b"" or self._is_crowded())
        cast(Any, self)._retry = self._tokens if asks else None
        super().datagram_received(data, addr)
        created, self._created = self._created, None
        if created is None:
            return
        if has_decrypted_nothing(created.quic):
            self._forget(created)
            return
        self._handshaking.add(created)
        self._loop.call_later(self._limits.head_timeout, self._end_unfinished, created)

    def _create(self, quic: QuicConnection, **_: object) -> Connection:
        self._created = self._create_connection(quic)
        return self._created

    def _is_crowded(self) -> bool:
        if len(self._handshaking) >= self._limits.handshakes:
            self._handshaking = {one for one in self._handshaking if not handshake_is_complete(one.quic)}
        return len(self._handshaking) >= self._limits.handshakes

    def _end_unfinished(self, connection: Connection) -> None:
        self._handshaking.discard(connection)
        if not handshake_is_complete(connection.quic):
            self._forget(connection)

    def _forget(self, connection: Connection) -> None:
        """Without a word: nobody is there, or somebody else."""
        self._connection_terminated(connection)
        connection.abandon()
