"""Two QUIC connections in memory with a clock of their own: no sockets, no waiting."""

import ssl
from collections.abc import Callable
from datetime import UTC, datetime

from aioquic.h3.connection import H3_ALPN
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import QuicEvent
from voxel_serve.certificate import make_certificate

CLIENT_ADDRESS = ("1.2.3.4", 1234)
SERVER_ADDRESS = ("2.3.4.5", 4433)
ONE_WAY_SECONDS = 0.015
MAX_DATAGRAM_BYTES = 1350


class QuicPair:
    """A client and a server, connected; each `step` carries what both have to send across the link."""

    def __init__(
        self,
        congestion_control: str = "cubic",
        *,
        adopted: Callable[[QuicConnection], None] = lambda _: None,
        max_data: int | None = None,
        max_stream_data: int | None = None,
    ) -> None:
        """`adopted` is called with the server's side before anything has come."""
        client_configuration = QuicConfiguration(
            alpn_protocols=H3_ALPN, max_datagram_frame_size=65536, verify_mode=ssl.CERT_NONE
        )
        server_configuration = QuicConfiguration(
            alpn_protocols=H3_ALPN,
            is_client=False,
            congestion_control_algorithm=congestion_control,
            max_datagram_frame_size=65536,
            max_datagram_size=MAX_DATAGRAM_BYTES,
        )
        if max_data is not None and max_stream_data is not None:
            server_configuration.max_data, server_configuration.max_stream_data = max_data, max_stream_data
        make_certificate(["localhost"], datetime.now(UTC)).install(server_configuration)
        self.now = 0.0
        self.client = QuicConnection(configuration=client_configuration)
        self.client.connect(SERVER_ADDRESS, now=self.now)
        self.server = QuicConnection(
            configuration=server_configuration,
            original_destination_connection_id=self.client.original_destination_connection_id,
        )
        adopted(self.server)
        for _ in range(10):
            self.step()
        self.client_events()

    def step(self) -> list[bytes]:
        """One round trip; returns the server's packets."""
        requests = [data for data, _ in self.client.datagrams_to_send(now=self.now)]
        self.now += ONE_WAY_SECONDS
        for data in requests:
            self.server.receive_datagram(data, CLIENT_ADDRESS, now=self.now)
        self._fire(self.server)
        packets = [data for data, _ in self.server.datagrams_to_send(now=self.now)]
        self.now += ONE_WAY_SECONDS
        for data in packets:
            self.client.receive_datagram(data, SERVER_ADDRESS, now=self.now)
        self._fire(self.client)
        return packets

    def run_until(self, condition: Callable[[], bool], most_steps: int = 500) -> None:
        for _ in range(most_steps):
            if condition():
                return
            self.step()
        raise AssertionError("the condition did not come true")

    def client_events(self) -> list[QuicEvent]:
        """What the client has received since the last call."""
        events = []
        while (event := self.client.next_event()) is not None:
            events.append(event)
        return events

    def _fire(self, quic: QuicConnection) -> None:
        timer = quic.get_timer()
        if timer is not None and timer <= self.now:
            quic.handle_timer(now=self.now)
