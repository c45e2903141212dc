"""A QUIC connection on asyncio: one coroutine answers each stream, and can wait for room to send."""

import asyncio
import contextlib
import functools
import logging
from collections.abc import Callable, Coroutine, Iterator
from http import HTTPStatus

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.connection import QuicConnection
from aioquic.quic.packet import QuicErrorCode

from .errors import HttpError
from .files import Body
from .growing import GrowingBody
from .limits import Limits
from .log import log
from .quic_bounds import drop_reset_data, release
from .quic_internals import stream_data_is_unacknowledged, stream_is_writable, unsent_stream_bytes
from .shares import Shares, client_of
from .turns import Packet

SEND_AHEAD_BYTES = 128 * 1024
"""Bytes of a response that are read but not yet sent: two reads, so that one is ready while the other is sent."""

CHUNK_BYTES = SEND_AHEAD_BYTES // 2
"""Size of one read."""

LEAST_AHEAD_BYTES = 4 * 1024
"""The responses of one connection share what is read ahead: a client may ask for many and read none."""

LOOKS = 6
"""How often a response that waits is looked at before it is given up."""

WEBTRANSPORT_ERROR_0 = 0x52E4A40FA8DB
"""WebTransport's stream error 0 as an HTTP/3 error code (draft-ietf-webtrans-http3-02 section 4.3)."""


class Connection(QuicConnectionProtocol):
    """One client's connection."""

    def __init__(self, quic: QuicConnection, limits: Limits, requests: Shares) -> None:
        """`requests`: those in flight of each client."""
        super().__init__(quic)
        self._limits = limits
        self._requests = requests
        self._in_flight: set[int] = set()
        """Streams from the first byte of a request to the end of its answer."""
        self._follows = 0
        """Answers that follow a growing file."""
        self._heads: dict[int, asyncio.TimerHandle] = {}
        """Streams whose head is half read, and what ends them."""
        self.asks_for_turn: Callable[[Connection], None] = Connection._send
        """Called with the connection when it has something to send."""
        self._has_ended = False
        self._waiters: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._answers: dict[int, asyncio.Task[None]] = {}

    @property
    def quic(self) -> QuicConnection:
        """The connection's state in aioquic."""
        return self._quic

    @functools.cached_property
    def client(self) -> str:
        """Whose connection this is, see `client_of`."""
        return client_of(self.address) if self.address else ""

    @functools.cached_property
    def address(self) -> str:
        """The client's address as it connected; "" if it has gone."""
        address = self._quic.get_peer_address()
        return "" if address is None else str(address[0])

    def end(self) -> None:
        """Stops all answers, and sends nothing; once they have ended nothing is left of the connection."""
        self._has_ended = True
        for stream_id in list(self._heads):
            self._head_is_read(stream_id)
        for task in self._answers.values():
            task.cancel()
        if not self._answers:
            self._loop.call_soon(self._release)

    def _release(self) -> None:
        """What refers to itself would stay until the cyclic collector comes, with all buffers."""
        if self._timer is not None:
            self._timer.cancel()
        self._connection_id_issued_handler = self._connection_id_retired_handler = _nothing
        self._connection_terminated_handler = _nothing
        release(self._quic)

    @property
    def answers(self) -> int:
        """Requests in flight."""
        return len(self._answers)

    @property
    def ahead_bytes(self) -> int:
        """Bytes of one response that may be read but not yet sent."""
        return max(LEAST_AHEAD_BYTES, SEND_AHEAD_BYTES // max(1, self.answers))

    @property
    def busy(self) -> bool:
        """True while a request is in flight, up to the acknowledgement of its response's last byte."""
        return self.answers > 0 or stream_data_is_unacknowledged(self._quic)

    def transmit(self) -> None:
        """In the connection's next turn."""
        self.asks_for_turn(self)

    def turn(self, packets: list[Packet]) -> None:
        """Handles what has come, then sends what there is, as far as congestion window and pacer let it."""
        for data, addr in packets:
            if vars(self._quic):
                self._quic.receive_datagram(data, addr, now=self._loop.time())
                self._process_events()
        if self._timer is None and vars(self._quic):
            self._look_at_clock()
        self._send()

    def _handle_timer(self) -> None:
        """In the connection's turn, after the packets that have come: what they acknowledge is not lost."""
        self._timer = None
        self.transmit()

    def _look_at_clock(self) -> None:
        now, due = self._loop.time(), self._quic.get_timer()
        if due is not None and due <= now:
            self._quic.handle_timer(now)
            self._process_events()

    def close(self, error_code: int = QuicErrorCode.NO_ERROR, reason_phrase: str = "") -> None:
        """At once: the server may end with it."""
        super().close(error_code, reason_phrase)
        self._send()

    def _send(self) -> None:
        if not vars(self._quic):
            return  # released
        super().transmit()
        for predicate, future in self._waiters:
            if not future.done() and predicate():
                future.set_result(None)

    async def wait_until(self, predicate: Callable[[], bool]) -> None:
        """Returns once `predicate` is true; it is called again after every transmission."""
        while not predicate():
            waiter = (predicate, self._loop.create_future())
            self._waiters.append(waiter)
            try:
                await waiter[1]
            finally:
                self._waiters.remove(waiter)

    async def write_stream(self, stream_id: int, data: bytes) -> None:
        """Waits for room, then sends `data` on the stream unchanged, with what other streams have by then."""
        await self.wait_for_room(stream_id)
        self.send_now(stream_id, data)

    def send_now(self, stream_id: int, data: bytes) -> None:
        """The same, whether there is room or not."""
        self._quic.send_stream_data(stream_id, data)
        self.transmit()

    def end_stream(self, stream_id: int, data: bytes = b"") -> None:
        """Sends the last bytes of the stream, unless the client has cancelled it."""
        if stream_is_writable(self._quic, stream_id):
            self._quic.send_stream_data(stream_id, data, end_stream=True)
            self._send()  # Does not wait for a turn: a request should be over before its client sends the next.

    async def wait_for_room(self, stream_id: int) -> None:
        """Returns once less than `ahead_bytes` of the stream are unsent. `TimeoutError`: there is no progress."""
        await self.wait_until_unsent_are_fewer_than(self.ahead_bytes, stream_id)

    async def read(self, body: Body | GrowingBody, stream_id: int) -> bytes:
        """The next bytes for the stream, as soon as there is room for them. `TimeoutError`: there is no progress."""
        await self.wait_for_room(stream_id)
        return await body.read(self.ahead_bytes // 2)

    async def wait_until_sent(self, stream_id: int) -> None:
        """Returns once every byte of the stream was sent. Raises `TimeoutError` without progress."""
        await self.wait_until_unsent_are_fewer_than(1, stream_id)

    async def wait_until_unsent_are_fewer_than(self, count: int, stream_id: int) -> None:
        """`TimeoutError`: a client that never reads must not hold a file and its buffer for ever."""
        least, since = unsent_stream_bytes(self._quic, stream_id), self._loop.time()
        while least >= count:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._limits.write_timeout / LOOKS):
                    await self.wait_until(lambda: unsent_stream_bytes(self._quic, stream_id) < count)
            unsent = unsent_stream_bytes(self._quic, stream_id)
            if unsent < least:
                least, since = unsent, self._loop.time()
            elif self._loop.time() - since >= self._limits.write_timeout:
                raise TimeoutError(f"the client has read nothing for {self._limits.write_timeout} s")

    def begin(self, stream_id: int) -> None:
        """Counts a request, at the first call for its stream. Raises `HttpError` 429."""
        if stream_id in self._in_flight:
            return
        if len(self._in_flight) >= self._limits.requests_per_connection or not self._requests.take(self.client):
            raise HttpError(HTTPStatus.TOO_MANY_REQUESTS, "too many requests in flight")
        self._in_flight.add(stream_id)

    @contextlib.contextmanager
    def following(self) -> Iterator[None]:
        """Counts an answer that follows a growing file. Raises `HttpError` 429."""
        if self._follows >= self._limits.follows_per_connection:
            raise HttpError(HTTPStatus.TOO_MANY_REQUESTS, "too many files followed")
        self._follows += 1
        try:
            yield
        finally:
            self._follows -= 1

    def _head_is_half_read(self, stream_id: int) -> None:
        """Ends the stream if the rest of its head does not come in time. Raises `HttpError` 429."""
        if stream_id not in self._heads:
            self.begin(stream_id)
            self._heads[stream_id] = self._loop.call_later(self._limits.head_timeout, self.give_up_head, stream_id)

    def _head_is_read(self, stream_id: int) -> None:
        """Also of a stream that gets no answer."""
        timer = self._heads.pop(stream_id, None)
        if timer is not None:
            timer.cancel()
        if stream_id not in self._answers:
            self._finish(stream_id)

    def give_up_head(self, stream_id: int) -> None:
        """The rest of the head has not come."""
        self._heads.pop(stream_id, None)
        self._finish(stream_id)

    def _finish(self, stream_id: int) -> None:
        if stream_id in self._in_flight:
            self._in_flight.discard(stream_id)
            self._requests.give_back(self.client)

    def answer(self, stream_id: int, coroutine: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Runs `coroutine` to its end or until it is cancelled; if it fails, the stream is reset."""
        task = self._loop.create_task(coroutine)
        self._answers[stream_id] = task
        task.add_done_callback(lambda _: self._answered(stream_id, task))
        return task

    def cancel_answer(self, stream_id: int) -> None:
        """Stops the response after the client has cancelled the stream."""
        task = self._answers.get(stream_id)
        if task is not None:
            task.cancel()
            self._reset_stream(stream_id)

    def cancel_answers(self) -> None:
        """Stops all responses after the end of the session."""
        for task in self._answers.values():
            task.cancel()

    def _answered(self, stream_id: int, task: asyncio.Task[None]) -> None:
        del self._answers[stream_id]
        self._finish(stream_id)
        if self._has_ended and not self._answers:
            self._loop.call_soon(self._release)
        if task.cancelled() or (error := task.exception()) is None:
            return
        log("answer failed", logging.WARNING, stream=stream_id, error=repr(error))
        self._reset_stream(stream_id)

    def _reset_stream(self, stream_id: int) -> None:
        if stream_is_writable(self._quic, stream_id):
            self._quic.reset_stream(stream_id, WEBTRANSPORT_ERROR_0)
            self.transmit()
        drop_reset_data(self._quic, stream_id)


def _nothing(*_: object) -> None:
    """In place of what refers to a connection."""
