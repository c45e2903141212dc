"""A QUIC client and server over a bottleneck in memory, on a clock of its own."""

import heapq
import itertools
from collections.abc import Callable
from functools import partial

from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import DatagramFrameReceived
from voxel_serve.flow import Flow
from voxel_serve.quic_internals import max_datagram_bytes, pull_datagrams_from
from voxel_serve.scheduler import Scheduler

from .quic_pair import CLIENT_ADDRESS, ONE_WAY_SECONDS, SERVER_ADDRESS, QuicPair

IP_AND_UDP_BYTES = 28
QUEUE_PACKETS = 32
"""Packets that the queue holds, as in the trials (docs/TRIALS.md)."""

SETTLE_SECONDS = 1.0
"""For what is on its way, and its acknowledgement."""


class Bottleneck:
    """Packets leave one after another at a rate; those that find the queue full are dropped."""

    def __init__(self, bits_per_second: float) -> None:
        self._bits_per_second = bits_per_second
        self._departures: list[float] = []

    def departure(self, now: float, length: int) -> float | None:
        """When a packet that comes `now` has left; None: it is dropped."""
        self._departures = [time for time in self._departures if time > now]
        if len(self._departures) > QUEUE_PACKETS:
            return None
        start = self._departures[-1] if self._departures else now
        self._departures.append(start + 8 * (length + IP_AND_UDP_BYTES) / self._bits_per_second)
        return self._departures[-1]


class QuicLink:
    """The server's datagrams cross the bottleneck; the client's packets are only delayed."""

    def __init__(self, bits_per_second: float, congestion_control: str) -> None:
        pair = QuicPair(congestion_control)
        self.now = pair.now
        self.client, self.server = pair.client, pair.server
        self._bottleneck = Bottleneck(bits_per_second)
        self._received = 0
        self._scheduler = Scheduler()
        pull_datagrams_from(self.server, self._scheduler)
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._timers: dict[QuicConnection, float | None] = {}

    def send(self, number: int, length: int) -> tuple[float, float]:
        """Sends a flow and waits for what comes of it; its lost share and how many seconds it took to be sent."""
        flow = Flow(number, length, max_datagram_bytes(self.server))
        flow.push(bytes(length))
        self._scheduler.add(flow)
        begun = self.now
        self._transmit()
        while not flow.finished:
            self._step()
        seconds = self.now - begun
        self._scheduler.remove(flow)
        self.rest(SETTLE_SECONDS)
        received, self._received = self._received, 0
        return 1 - received / flow.sent_datagrams, seconds

    def rest(self, seconds: float) -> None:
        """Nothing is sent but what is due."""
        end = self.now + seconds
        while self._events and self._events[0][0] <= end:
            self._step()
        self.now = end

    def _step(self) -> None:
        time, _, action = heapq.heappop(self._events)
        self.now = max(self.now, time)
        action()
        self._transmit()

    def _at(self, time: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._events, (time, next(self._order), action))

    def _transmit(self) -> None:
        for data, _ in self.server.datagrams_to_send(now=self.now):
            departure = self._bottleneck.departure(self.now, len(data))
            if departure is not None:
                self._at(departure + ONE_WAY_SECONDS, partial(self._client_receives, data))
        for data, _ in self.client.datagrams_to_send(now=self.now):
            self._at(self.now + ONE_WAY_SECONDS, partial(self._server_receives, data))
        for quic in (self.server, self.client):
            timer = quic.get_timer()
            if timer is not None and timer != self._timers.get(quic):
                self._timers[quic] = timer
                self._at(timer, partial(self._fire, quic))

    def _server_receives(self, data: bytes) -> None:
        self.server.receive_datagram(data, CLIENT_ADDRESS, now=self.now)

    def _client_receives(self, data: bytes) -> None:
        self.client.receive_datagram(data, SERVER_ADDRESS, now=self.now)
        while (event := self.client.next_event()) is not None:
            if isinstance(event, DatagramFrameReceived):
                self._received += 1

    def _fire(self, quic: QuicConnection) -> None:
        timer = quic.get_timer()
        if timer is not None and timer <= self.now:
            quic.handle_timer(now=self.now)
