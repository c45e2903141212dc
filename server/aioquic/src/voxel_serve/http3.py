"""HTTP/3: ordinary requests, and the CONNECT request that opens a WebTransport session (draft-ietf-webtrans-http3)."""

import contextlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qs

from aioquic.h3.connection import ErrorCode
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived, WebTransportStreamDataReceived
from aioquic.quic.connection import QuicConnection, stream_is_unidirectional
from aioquic.quic.events import (
    ConnectionTerminated,
    DatagramFrameReceived,
    ProtocolNegotiated,
    QuicEvent,
    StopSendingReceived,
    StreamDataReceived,
    StreamReset,
)

from . import structured
from .authorization import OpenedBy
from .capsules import Closing, close_session
from .connection import WEBTRANSPORT_ERROR_0, Connection
from .discovery import ENDPOINT_PATH, VERSION
from .errors import HttpError
from .growing import GrowingBody
from .log import log, path_of
from .quic_internals import HeadTooLong, MessageRejected, VoxelH3Connection, buffered_frame_bytes
from .request import combined_headers
from .session import Session
from .shares import Shares
from .site import HttpRequest, HttpResponse, Site, text_response

WEBTRANSPORT_TOKENS = ("webtransport", "webtransport-h3")
"""The :protocol of the CONNECT request, up to draft-ietf-webtrans-http3-14 and since then."""

IDLE = Closing(0, "idle")
STOPPING = Closing(ErrorCode.H3_NO_ERROR, "the server is stopping")
"""Code and reason of sessions and of connections."""

BUFFERED_STREAM_REJECTED = 0x3994BD84
"""WEBTRANSPORT_BUFFERED_STREAM_REJECTED: a stream of no session (draft-ietf-webtrans-http3-02 section 4.5)."""


@dataclass
class Http3Service:
    """State that all connections share."""

    site: Site
    token: str | None
    """Required in a session's URL as `?token=`; None: sessions need no token."""

    connections: set["Http3Protocol"] = field(default_factory=set)

    def __post_init__(self) -> None:
        limits = self.site.limits
        self.session_shares = Shares(each=limits.sessions_per_address, together=limits.sessions)

    @property
    def busy(self) -> bool:
        """True while a request is in flight, up to the acknowledgement of its response's last byte."""
        return any(connection.busy for connection in self.connections)

    def close_idle_sessions(self, now: float) -> None:
        """Closes sessions that were idle for too long; `now` is the time of the event loop's clock in seconds."""
        for connection in list(self.connections):
            session = connection.session
            if session is None or connection.answers:
                continue
            if now - session.last_request > self.site.limits.session_idle:
                connection.close_session(IDLE)

    def go_away(self) -> None:
        """Asks clients to send further requests elsewhere."""
        for connection in self.connections:
            connection.go_away()

    def close_sessions(self) -> None:
        for connection in list(self.connections):
            connection.close_session(STOPPING)

    def close_connections(self) -> None:
        for connection in list(self.connections):
            connection.close(STOPPING.code, STOPPING.reason)

    def refuse_session(self, headers: Mapping[str, str]) -> None:
        """Raises `HttpError` if a CONNECT request with these headers may not open a session."""
        site = self.site
        path, _, query = headers.get(":path", "").partition("?")
        if site.discovery is None or path != ENDPOINT_PATH or headers.get(":protocol") not in WEBTRANSPORT_TOKENS:
            raise HttpError(HTTPStatus.NOT_FOUND, "no such endpoint")
        site.refuse_while_draining()
        authority = headers.get(":authority", "")
        site.origins.check_host(authority)
        if not site.origins.allows(headers.get("origin"), authority):
            raise HttpError(HTTPStatus.FORBIDDEN, "origin not allowed")
        if self.token is not None:
            token = parse_qs(query).get("token", [""])[0]
            if not hmac.compare_digest(token.encode(), self.token.encode()):
                raise HttpError(HTTPStatus.FORBIDDEN, "wrong or missing token")


class Http3Protocol(Connection):
    """One client's HTTP/3 connection, with at most one WebTransport session."""

    def __init__(self, quic: QuicConnection, service: Http3Service) -> None:
        super().__init__(quic, service.site.limits, service.site.requests)
        self.session: Session | None = None
        self._service = service
        self._site = service.site
        self._http: VoxelH3Connection | None = None
        self._abandoned: set[int] = set()
        """Streams whose frames were too long; further bytes on them are ignored."""
        service.connections.add(self)
        self._site.metrics.add("voxel_quic_connections")

    def quic_event_received(self, event: QuicEvent) -> None:
        match event:
            case ProtocolNegotiated():
                self._http = VoxelH3Connection(
                    self._quic,
                    enable_webtransport=self._site.discovery is not None,
                    section_bytes=self._site.limits.head_bytes,
                )
            case ConnectionTerminated():
                self.end()
            case DatagramFrameReceived():
                pass  # voxel-1 has none from the client, and aioquic would end the connection for a malformed one.
            case StreamDataReceived(stream_id=stream_id) if self._http is not None:
                self._stream_data_received(self._http, event)
                if event.end_stream:
                    self._abandoned.discard(stream_id)
            case StreamReset(stream_id=stream_id) if self._http is not None and stream_id in self._abandoned:
                # The client was asked to; the answer goes on.
                self._abandoned.discard(stream_id)
                self._http.receives_nothing_more(stream_id)
                if stream_id not in self._answers:
                    self._http.sends_nothing_more(stream_id)
            case StreamReset(stream_id=stream_id) | StopSendingReceived(stream_id=stream_id) if self._http is not None:
                self._http.handle_event(event)
                self._http.sends_nothing_more(stream_id)
                self._stream_cancelled(stream_id)
                self._abandoned.discard(stream_id)

    def end(self) -> None:
        if self in self._service.connections:
            self._service.connections.discard(self)
            self._site.metrics.add("voxel_quic_connections", -1)
        self._end_session()
        super().end()

    def close_session(self, closing: Closing) -> None:
        """Closes the session, if there is one."""
        if self.session is None or self._http is None:
            return
        self._http.send_data(self.session.session_id, close_session(closing), end_stream=True)
        self._end_session(closing)
        self.transmit()

    def go_away(self) -> None:
        if self._http is not None:
            self._http.go_away()
            self.transmit()

    def _stream_data_received(self, http: VoxelH3Connection, event: StreamDataReceived) -> None:
        if event.stream_id in self._abandoned:
            return
        for http_event in http.handle_event(event):
            if isinstance(http_event, WebTransportStreamDataReceived):
                http.sends_nothing_more(http_event.stream_id)
            if isinstance(http_event, HeadTooLong):
                self._abandon(http_event.stream_id)
            else:
                self._http_event_received(http_event)
        waiting = buffered_frame_bytes(http, event.stream_id)
        if waiting > self._site.limits.head_bytes:
            self._abandon(event.stream_id)
        elif not stream_is_unidirectional(event.stream_id):
            self._look_at_head(event.stream_id, half_read=waiting > 0)

    def _look_at_head(self, stream_id: int, *, half_read: bool) -> None:
        session = self.session
        if session is not None and stream_id == session.session_id:
            return
        if not half_read and (session is None or not session.is_reading(stream_id)):
            self._head_is_read(stream_id)
            return
        try:
            self._head_is_half_read(stream_id)
        except HttpError as error:
            if session is not None and session.is_reading(stream_id):
                session.refuse(stream_id, error)
            else:
                self._refuse(stream_id, error)
            self._read_no_more(stream_id, WEBTRANSPORT_ERROR_0)

    def give_up_head(self, stream_id: int) -> None:
        super().give_up_head(stream_id)
        if self.session is not None:
            self.session.stream_cancelled(stream_id)
        self._read_no_more(stream_id, WEBTRANSPORT_ERROR_0)
        self._reset_stream(stream_id)
        self.transmit()

    def _http_event_received(self, event: H3Event) -> None:
        match event:
            case HeadersReceived(stream_id=stream_id):
                headers = combined_headers(event.headers)
                if headers.get(":method") == "CONNECT" and ":protocol" in headers:
                    self._connect_received(stream_id, headers)
                    if event.stream_ended:
                        self._session_stream_ended(stream_id)
                elif ":method" in headers:  # Trailers have no method.
                    self._request_received(stream_id, headers)
            case MessageRejected(stream_id=stream_id):
                self._reject_stream(stream_id, ErrorCode.H3_MESSAGE_ERROR, stop=not event.stream_ended)
                self._stream_cancelled(stream_id)
                self._abandoned.add(stream_id)
            case WebTransportStreamDataReceived(stream_id=stream_id):
                if self.session is None or event.session_id != self.session.session_id:
                    self._reject_stream(stream_id)
                elif not stream_is_unidirectional(stream_id):
                    self.session.stream_data_received(stream_id, event.data, stream_ended=event.stream_ended)
            case DataReceived(stream_id=stream_id) if self.session is not None and stream_id == self.session.session_id:
                self.session.capsules.feed(event.data)
                if event.stream_ended or self.session.capsules.closing is not None:
                    self._session_stream_ended(stream_id)

    def _session_stream_ended(self, stream_id: int) -> None:
        session = self.session
        if session is not None and stream_id == session.session_id:
            self.end_stream(stream_id)
            self._end_session(session.capsules.closing or Closing(0, ""))

    def _connect_received(self, stream_id: int, headers: Mapping[str, str]) -> None:
        try:
            self._service.refuse_session(headers)
            if self.session is not None:
                raise HttpError(HTTPStatus.TOO_MANY_REQUESTS, "this connection has a session")
            protocol = _chosen_protocol(headers.get("wt-available-protocols"))
            if not self._service.session_shares.take(self.client):
                raise HttpError(HTTPStatus.TOO_MANY_REQUESTS, "too many sessions")
        except HttpError as error:
            self.answer(stream_id, self._send_response(stream_id, text_response(error)))
            log("session refused", status=error.status.value, reason=error.message, origin=headers.get("origin"))
            return
        assert self._http is not None
        response = [(b":status", b"200")]
        if protocol is not None:
            response.append((b"wt-protocol", f'"{protocol}"'.encode()))
        self._http.send_headers(stream_id, response)
        opened = OpenedBy(headers.get(":path", ""), headers.get(":authority", ""), headers.get("origin"))
        self.session = Session(self, self._site, stream_id, opened)
        self._site.metrics.add("voxel_sessions_total")
        self._site.metrics.add("voxel_sessions")
        log("session opened", client=str(self._quic.get_peer_address()), origin=headers.get("origin"))

    def _request_received(self, stream_id: int, headers: Mapping[str, str]) -> None:
        request = HttpRequest(
            method=headers[":method"],
            target=headers.get(":path", ""),
            authority=headers.get(":authority", headers.get("host", "")),
            headers=headers,
            client=self.address,
        )
        try:
            self.begin(stream_id)
        except HttpError as error:
            self._refuse(stream_id, error)
        else:
            self.answer(stream_id, self._answer_request(stream_id, request))

    def _refuse(self, stream_id: int, error: HttpError) -> None:
        self.answer(stream_id, self._send_response(stream_id, text_response(error)))
        self._site.metrics.answered("http3", error.status, reason=error.message)

    async def _answer_request(self, stream_id: int, request: HttpRequest) -> None:
        response = await self._site.respond(request)
        with contextlib.ExitStack() as stack:
            if isinstance(response.body, GrowingBody):
                try:
                    stack.enter_context(self.following())
                except HttpError as error:
                    response.body.close()
                    response = text_response(error)
            await self._send_response(stream_id, response)
        self._site.metrics.answered("http3", response.status, target=path_of(request.target))

    async def _send_response(self, stream_id: int, response: HttpResponse) -> None:
        assert self._http is not None
        headers = [(b":status", str(response.status.value).encode())]
        headers += [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers]
        try:
            self._http.send_headers(stream_id, headers)
            if isinstance(response.body, GrowingBody):
                self.transmit()  # Bytes may be long in coming.
            while chunk := await self.read(response.body, stream_id):
                self._http.send_data(stream_id, chunk, end_stream=False)
                self.transmit()
                self._site.metrics.add("voxel_stream_bytes_total", len(chunk))
            self._http.send_data(stream_id, b"", end_stream=True)
            self._send()  # At once, as in `end_stream`.
            await self.wait_until_sent(stream_id)
        finally:
            response.body.close()

    def _stream_cancelled(self, stream_id: int) -> None:
        self._head_is_read(stream_id)
        self.cancel_answer(stream_id)
        if self.session is None:
            return
        if stream_id == self.session.session_id:
            # Why the client closes it may stand behind this in the same packet.
            self._loop.call_soon(self._session_stream_broken, stream_id)
        else:
            self.session.stream_cancelled(stream_id)

    def _session_stream_broken(self, stream_id: int) -> None:
        if self.session is not None and stream_id == self.session.session_id:
            self._end_session()

    def _end_session(self, closing: Closing | None = None) -> None:
        """`closing`: what either side has said of it; None: its connection or stream broke."""
        self.cancel_answers()
        if self.session is not None:
            self.session = None
            self._service.session_shares.give_back(self.client)
            self._site.metrics.add("voxel_sessions", -1)
            said = {} if closing is None else closing._asdict()
            log("session closed", client=str(self._quic.get_peer_address()), **said)

    def _abandon(self, stream_id: int) -> None:
        """Reads no more of a stream with a too long frame: aioquic would buffer it until it is complete."""
        if stream_is_unidirectional(stream_id):
            self.close(ErrorCode.H3_EXCESSIVE_LOAD, "control frame too long")
            return
        self._read_no_more(stream_id, ErrorCode.H3_EXCESSIVE_LOAD)
        self._refuse(stream_id, HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "request head too long"))

    def _read_no_more(self, stream_id: int, code: int) -> None:
        assert self._http is not None
        self._abandoned.add(stream_id)
        self._quic.stop_stream(stream_id, code)
        self._http.receives_nothing_more(stream_id)

    def _reject_stream(self, stream_id: int, code: int = BUFFERED_STREAM_REJECTED, *, stop: bool = True) -> None:
        if stop:
            self._quic.stop_stream(stream_id, code)
        if not stream_is_unidirectional(stream_id):
            self._quic.reset_stream(stream_id, code)


def _chosen_protocol(offered: str | None) -> str | None:
    """The supported protocol among those that the client offers; None if it offers none. Raises `HttpError` 400."""
    if offered is None:
        return None
    try:
        protocols = structured.parse_strings(offered)
    except ValueError:
        protocols = []
    if VERSION not in protocols:
        raise HttpError(HTTPStatus.BAD_REQUEST, f"this server speaks {VERSION} only")
    return VERSION
