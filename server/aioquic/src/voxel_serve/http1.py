"""HTTP/1.1 on TCP with h11: the same files for clients without VOXEL."""

import asyncio
import contextlib
import logging
from http import HTTPStatus
from typing import Protocol, cast

import h11

from .connection import CHUNK_BYTES
from .errors import HttpError
from .limits import Limits
from .log import log, path_of
from .metrics import Metrics
from .request import check_head, combined_headers
from .site import HttpRequest, HttpResponse, text_response

LINGER_SECONDS = 1.0
LINGER_BYTES = 1024 * 1024
"""A refused client may still be sending; closing immediately would reset the connection before it reads the answer."""


class Responder(Protocol):
    """What is served: the site, or its counters on their own address."""

    @property
    def limits(self) -> Limits: ...

    @property
    def metrics(self) -> Metrics: ...

    async def respond(self, request: HttpRequest) -> HttpResponse: ...


class Http1Service:
    """Serves TCP connections and counts requests in flight."""

    def __init__(self, site: Responder) -> None:
        self.answers = 0
        """Requests in flight."""
        self._site = site
        self._connections: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one TCP connection until its end; never raises because of the client."""
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._connections.add(task)
        connection = Http1Connection(self._site, reader, writer)
        try:
            if len(self._connections) > self._site.limits.connections:
                await connection.refuse(HttpError(HTTPStatus.TOO_MANY_REQUESTS, "too many connections"))
            else:
                while (request := await connection.next_request()) is not None:
                    self.answers += 1
                    try:
                        await connection.answer(request)
                    finally:
                        self.answers -= 1
        except (OSError, TimeoutError, h11.LocalProtocolError) as error:
            log("connection lost", logging.DEBUG, error=repr(error))
        finally:
            self._connections.discard(task)
            writer.close()

    def close(self) -> None:
        """Ends all connections."""
        for task in self._connections:
            task.cancel()


class Http1Connection:
    """One TCP connection: requests one after another."""

    def __init__(self, site: Responder, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._site = site
        self._reader = reader
        self._writer = writer
        # `drain` then returns when the system has everything: a request that is over needs no more of this process.
        # Over TLS asyncio pauses at the limit, not above it: 0 would be no end of pauses.
        secure = writer.get_extra_info("sslcontext") is not None
        writer.transport.set_write_buffer_limits(high=1 if secure else 0, low=0)
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=site.limits.head_bytes)
        self._unread = bytearray()
        """What has come since the last head."""

    async def next_request(self) -> h11.Request | None:
        """The next request; None at the end of the connection."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        if self._http.our_state is not h11.IDLE:
            return None
        try:
            request = await self._next_event(self._site.limits.keep_alive)
            if not isinstance(request, h11.Request):
                return None
            if request.http_version not in (b"1.0", b"1.1"):
                raise HttpError(HTTPStatus.BAD_REQUEST, "malformed request")
            head_bytes = len(self._unread) - len(self._http.trailing_data[0])
            check_head(bytes(self._unread[:head_bytes]), self._site.limits)
            del self._unread[:head_bytes]
            # Whatever its length: with a Content-Length beside it, programs differ in where the next request begins.
            if any(name == b"transfer-encoding" for name, _ in request.headers):
                raise HttpError(HTTPStatus.BAD_REQUEST, "a request body is not accepted")
            if not isinstance(await self._next_event(self._site.limits.head_timeout), h11.EndOfMessage):
                raise HttpError(HTTPStatus.BAD_REQUEST, "a request body is not accepted")
        except h11.RemoteProtocolError as error:
            too_long = error.error_status_hint == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if too_long else HTTPStatus.BAD_REQUEST
            await self.refuse(HttpError(status, "request head too long" if too_long else "malformed request"))
            return None
        except HttpError as error:
            await self.refuse(error)
            return None
        return request

    async def answer(self, head: h11.Request) -> None:
        """Sends the response to a request."""
        headers = combined_headers(head.headers)
        target = head.target.decode("ascii")
        request = HttpRequest(head.method.decode("ascii"), target, headers.get("host", ""), headers)
        response = await self._site.respond(request)
        await self._send(response)
        self._count(response.status, target=path_of(target))

    async def refuse(self, error: HttpError) -> None:
        """Answers with an error and ends the connection."""
        response = text_response(error)
        response.headers.append(("connection", "close"))
        await self._send(response)
        self._count(error.status, reason=error.message)
        if self._writer.can_write_eof():
            self._writer.write_eof()
        with contextlib.suppress(TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(LINGER_SECONDS):
                await self._reader.readexactly(LINGER_BYTES)

    def _count(self, status: HTTPStatus, **fields: str) -> None:
        self._site.metrics.add("voxel_requests_total", transport="http1", status=str(status.value))
        log("request", transport="http1", status=status.value, **fields)

    async def _next_event(self, first_byte_timeout: float) -> h11.Event | None:
        """h11's next event, None at the end of the connection. Raises `h11.RemoteProtocolError`, `TimeoutError`."""
        loop = asyncio.get_running_loop()
        started = self._http.trailing_data[0] != b""
        deadline = loop.time() + (self._site.limits.head_timeout if started else first_byte_timeout)
        while (event := self._http.next_event()) is h11.NEED_DATA:
            async with asyncio.timeout_at(deadline):
                data = await self._reader.read(CHUNK_BYTES)
            if not started:
                started = True
                deadline = loop.time() + self._site.limits.head_timeout
            self._unread += data
            self._http.receive_data(data)
        return event if isinstance(event, h11.Event) and not isinstance(event, h11.ConnectionClosed) else None

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
