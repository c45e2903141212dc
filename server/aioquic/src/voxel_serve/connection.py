"""A QUIC connection on asyncio: one coroutine answers each stream, and can wait for room to send."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.connection import QuicConnection

from .log import log
from .quic_internals import stream_data_is_unacknowledged, stream_is_writable, unsent_stream_bytes

SEND_AHEAD_BYTES = 128 * 1024
"""Bytes of a response that are read but not yet sent: two reads, so that one is ready while the other is sent."""

CHUNK_BYTES = SEND_AHEAD_BYTES // 2
"""Size of one read."""

LOOKS = 6
"""How often a response that waits is looked at before it is given up."""

WEBTRANSPORT_ERROR_0 = 0x52E4A40FA8DB
"""WebTransport's stream error 0 as an HTTP/3 error code (draft-ietf-webtrans-http3-02 section 4.3)."""


class Connection(QuicConnectionProtocol):
    """One client's connection."""

    def __init__(self, quic: QuicConnection, write_timeout: float) -> None:
        """`write_timeout`: seconds after which a response is reset of which nothing more can be sent."""
        super().__init__(quic)
        self._write_timeout = write_timeout
        self._waiters: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._answers: dict[int, asyncio.Task[None]] = {}

    @property
    def quic(self) -> QuicConnection:
        """The connection's state in aioquic."""
        return self._quic

    def abandon(self) -> None:
        """Ends all that the connection does on its own: it is forgotten, and nothing is sent."""
        if self._timer is not None:
            self._timer.cancel()

    @property
    def answers(self) -> int:
        """Requests in flight."""
        return len(self._answers)

    @property
    def busy(self) -> bool:
        """True while a request is in flight, up to the acknowledgement of its response's last byte."""
        return self.answers > 0 or stream_data_is_unacknowledged(self._quic)

    def transmit(self) -> None:
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
        """Waits for room, then sends `data` on the stream unchanged."""
        await self.wait_for_room(stream_id)
        self._quic.send_stream_data(stream_id, data)
        self.transmit()

    def end_stream(self, stream_id: int, data: bytes = b"") -> None:
        """Sends the last bytes of the stream, unless the client has cancelled it."""
        if stream_is_writable(self._quic, stream_id):
            self._quic.send_stream_data(stream_id, data, end_stream=True)
            self.transmit()

    async def wait_for_room(self, stream_id: int) -> None:
        """Returns once less than `SEND_AHEAD_BYTES` of the stream are unsent. `TimeoutError`: there is no progress."""
        await self._wait_until_unsent_are_fewer_than(SEND_AHEAD_BYTES, stream_id)

    async def wait_until_sent(self, stream_id: int) -> None:
        """Returns once every byte of the stream was sent. Raises `TimeoutError` without progress."""
        await self._wait_until_unsent_are_fewer_than(1, stream_id)

    async def _wait_until_unsent_are_fewer_than(self, count: int, stream_id: int) -> None:
        """A client that never reads must not hold a file and its buffer for ever."""
        least, since = unsent_stream_bytes(self._quic, stream_id), self._loop.time()
        while least >= count:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._write_timeout / LOOKS):
                    await self.wait_until(lambda: unsent_stream_bytes(self._quic, stream_id) < count)
            unsent = unsent_stream_bytes(self._quic, stream_id)
            if unsent < least:
                least, since = unsent, self._loop.time()
            elif self._loop.time() - since >= self._write_timeout:
                raise TimeoutError(f"the client has read nothing for {self._write_timeout} s")

    def answer(self, stream_id: int, coroutine: Coroutine[None, None, None]) -> None:
        """Runs `coroutine` to its end or until it is cancelled; if it fails, the stream is reset."""
        task = self._loop.create_task(coroutine)
        self._answers[stream_id] = task
        task.add_done_callback(lambda _: self._answered(stream_id, task))

    def cancel_answer(self, stream_id: int) -> None:
        """Stops the response after the client has cancelled the stream."""
        task = self._answers.get(stream_id)
        if task is not None:
            task.cancel()
            self._reset_stream(stream_id)

    def cancel_answers(self) -> None:
        """Stops all responses after the end of the connection."""
        for task in self._answers.values():
            task.cancel()

    def _answered(self, stream_id: int, task: asyncio.Task[None]) -> None:
        del self._answers[stream_id]
        if task.cancelled() or (error := task.exception()) is None:
            return
        log("answer failed", logging.WARNING, stream=stream_id, error=repr(error))
        self._reset_stream(stream_id)

    def _reset_stream(self, stream_id: int) -> None:
        if stream_is_writable(self._quic, stream_id):
            self._quic.reset_stream(stream_id, WEBTRANSPORT_ERROR_0)
            self.transmit()
