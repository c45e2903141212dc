"""HTTP/1.1 on TCP with h11: the same files for clients without VOXEL."""

import asyncio
import contextlib
import logging
import ssl
import traceback
from asyncio.sslproto import SSLProtocol
from http import HTTPStatus
from types import FrameType
from typing import cast

import h11

from .connection import CHUNK_BYTES
from .errors import HttpError
from .log import log, path_of
from .metrics_page import MetricsPage
from .request import HeadReader, announces_body, combined_headers, malformed_head
from .shares import Shares, client_of
from .site import HttpRequest, HttpResponse, Site, body_left_out, text_response
from .target import effective_target

SSLProtocol.max_size = 4 * 1024
"""What asyncio reads at a time, allocated with each connection before its handshake: by default 256 KiB."""

LINGER_SECONDS = 1.0
LINGER_BYTES = 1024 * 1024
"""A refused client may still be sending; closing immediately would reset the connection before it reads the answer."""


ROOM_TURNS = 100
"""Turns of the event loop in which a connection that has to make room for another ends."""

Responder = Site | MetricsPage
"""What is served: the site, or its counters on their own address."""


class Http1Service:
    """Serves TCP connections and counts requests in flight."""

    def __init__(self, site: Responder, tls: ssl.SSLContext | None = None) -> None:
        self.answers = 0
        """Requests in flight."""
        self._site = site
        self._tls = tls
        self._shares = Shares(each=site.limits.connections_per_address, together=site.limits.connections)
        self._connections: set[asyncio.Task[None]] = set()
        self._handshakes: dict[asyncio.Timeout, None] = {}
        """Those of TLS that are not finished, the oldest first."""
        self._heads: dict[asyncio.Timeout, None] = {}
        """Those of requests for the counters that are not complete, the oldest first."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one TCP connection until its end; never raises because of the client."""
        address = writer.get_extra_info("peername")
        client = "" if address is None else client_of(address[0])  # None: it has gone already.
        if not client or not await self._has_place(client):
            writer.close()
            return
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._connections.add(task)
        try:
            if self._tls is not None:  # Here, so that handshakes count.
                await self._begin_tls(writer, self._tls)
            await self._serve(Http1Connection(self._site, reader, writer, address[0]), client)
        except (OSError, TimeoutError, h11.LocalProtocolError) as error:
            log("connection lost", logging.DEBUG, error=repr(error))
        finally:
            self._connections.discard(task)
            self._shares.give_back(client)
            writer.close()
            asyncio.get_running_loop().call_soon(_forget_frames, reader)  # after the end of the transport

    async def _serve(self, connection: "Http1Connection", client: str) -> None:
        while (request := await self._next_request(connection)) is not None:
            is_counted = self._site.requests.take(client)
            self.answers += 1
            try:
                await connection.answer(request, is_one_too_many=not is_counted)
            finally:
                self.answers -= 1
                if is_counted:
                    self._site.requests.give_back(client)

    async def _has_place(self, client: str) -> bool:
        """Takes a place of the client. At the counters others make room, for which they need some turns of the loop."""
        for _ in range(ROOM_TURNS if isinstance(self._site, MetricsPage) else 0):
            if self._shares.take(client):
                return True
            await asyncio.sleep(0)
        return self._shares.take(client)

    async def _next_request(self, connection: "Http1Connection") -> h11.Request | None:
        """The next request. At the counters, who sends no whole head makes room for a health check."""
        if not isinstance(self._site, MetricsPage):
            return await connection.next_request()
        async with asyncio.timeout(None) as timeout:
            _make_room(self._heads, self._site.limits.connections // 2)
            self._heads[timeout] = None
            try:
                return await connection.next_request()
            finally:
                self._heads.pop(timeout, None)

    async def _begin_tls(self, writer: asyncio.StreamWriter, tls: ssl.SSLContext) -> None:
        """A handshake that nobody finishes makes room for others before its time is over."""
        limits = self._site.limits
        most = min(limits.handshakes, max(1, limits.connections // 2) if limits.connections else limits.handshakes)
        async with asyncio.timeout(limits.head_timeout) as timeout:
            _make_room(self._handshakes, most)
            self._handshakes[timeout] = None
            plain = writer.transport.get_protocol()
            try:
                await writer.start_tls(tls, ssl_handshake_timeout=2 * limits.head_timeout)
            finally:
                self._handshakes.pop(timeout, None)
                if writer.get_extra_info("sslcontext") is None:  # asyncio forgets to say so.
                    asyncio.get_running_loop().call_soon(plain.connection_lost, None)

    def close(self) -> None:
        """Ends all connections."""
        for task in self._connections:
            task.cancel()


def _make_room(waiting: dict[asyncio.Timeout, None], most: int) -> None:
    """For one more: ends the oldest."""
    while len(waiting) >= most:
        oldest = next(iter(waiting))
        del waiting[oldest]
        oldest.reschedule(0)


class Http1Connection:
    """One TCP connection: requests one after another."""

    def __init__(
        self, site: Responder, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: str
    ) -> None:
        """`client`: its address."""
        self._site = site
        self._client = client
        self._reader = reader
        self._writer = writer
        # `drain` then returns when the system has everything: a request that is over needs no more of this process.
        # Over TLS asyncio pauses at the limit, not above it: 0 would be no end of pauses.
        secure = writer.get_extra_info("sslcontext") is not None
        writer.transport.set_write_buffer_limits(high=1 if secure else 0, low=0)
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=site.limits.head_bytes)
        self._head = HeadReader(site.limits)

    async def next_request(self) -> h11.Request | None:
        """The next request; None at the end of the connection."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        if self._http.our_state is not h11.IDLE:
            return None
        try:
            head = await self._next_head()
            if head is None:
                return None
            self._http.receive_data(head)
            request = self._http.next_event()
            if not isinstance(request, h11.Request) or request.http_version not in (b"1.0", b"1.1"):
                raise malformed_head()
            if announces_body(head):
                raise HttpError(HTTPStatus.BAD_REQUEST, "a request body is not accepted")
            self._http.next_event()
        except h11.RemoteProtocolError:
            await self.refuse(malformed_head())
            return None
        except HttpError as error:
            await self.refuse(error)
            return None
        return request

    async def answer(self, head: h11.Request, *, is_one_too_many: bool) -> None:
        """Sends the response to a request; 429 if the client has too many in flight."""
        headers = combined_headers(head.headers)
        authority, target = effective_target(head.target.decode("ascii"), headers.get("host", ""))
        request = HttpRequest(head.method.decode("ascii"), target, authority, headers, self._client)
        if not is_one_too_many:
            response = await self._site.respond(request)
        else:
            response = text_response(HttpError(HTTPStatus.TOO_MANY_REQUESTS, "too many requests in flight"))
            response = body_left_out(response) if request.method == "HEAD" else response
        await self._send(response)
        self._site.metrics.answered("http1", response.status, target=path_of(target))

    async def refuse(self, error: HttpError) -> None:
        """Answers with an error and ends the connection."""
        response = text_response(error)
        response.headers.append(("connection", "close"))
        await self._send(response)
        self._site.metrics.answered("http1", error.status, reason=error.message)
        if self._writer.can_write_eof():
            self._writer.write_eof()
        with contextlib.suppress(TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(LINGER_SECONDS):
                await self._reader.readexactly(LINGER_BYTES)

    async def _next_head(self) -> bytes | None:
        """The bytes of the next head, None at the end of the connection. Raises `HttpError`, `TimeoutError`."""
        loop = asyncio.get_running_loop()
        begun = self._head.has_more
        deadline = loop.time() + (self._site.limits.head_timeout if begun else self._site.limits.keep_alive)
        data = b""
        while (head := self._head.feed(data)) is None:
            async with asyncio.timeout_at(deadline):
                data = await self._reader.read(CHUNK_BYTES)
            if not data:
                return None
            if not begun:
                begun = True
                deadline = loop.time() + self._site.limits.head_timeout
        return head

    async def _send(self, response: HttpResponse) -> None:
        try:
            status = response.status
            await self._write(
                h11.Response(status_code=status.value, reason=status.phrase.encode(), headers=response.headers)
            )
            while chunk := await response.body.read(CHUNK_BYTES):
                await self._write(h11.Data(data=chunk))
                self._site.metrics.add("voxel_stream_bytes_total", len(chunk))
            await self._write(h11.EndOfMessage())
        finally:
            response.body.close()

    async def _write(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            self._writer.write(data)
            async with asyncio.timeout(self._site.limits.write_timeout):
                await self._writer.drain()


def _forget_frames(reader: asyncio.StreamReader) -> None:
    """It keeps the error that ended it, whose frames keep the reader: only the cyclic collector would free them."""
    error = reader.exception()
    for frame, _ in traceback.walk_tb(None if error is None else error.__traceback__):
        caller: FrameType | None = frame
        while caller is not None:
            with contextlib.suppress(RuntimeError):  # It still runs.
                caller.clear()
            caller = caller.f_back
    if error is not None:
        error.__traceback__ = error.__context__ = None
