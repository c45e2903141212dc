"""A WebTransport session: VOXEL requests, one per client-initiated bidirectional stream."""

import asyncio
import contextlib
import functools
from http import HTTPStatus

from aioquic.buffer import encode_uint_var

from .authorization import Asked, OpenedBy
from .capsules import CapsuleReader
from .connection import WEBTRANSPORT_ERROR_0, Connection
from .errors import HttpError
from .files import Body, MediaFile, Redirect
from .flow import Flow
from .following import FollowAnswer
from .limits import Limits
from .log import path_of
from .quic_internals import has_room, max_datagram_bytes, path_figures, pull_datagrams_from
from .ranges import ByteRange, exact_ranges
from .request import RequestReader, VoxelRequest
from .response import error_response, reliable_head, unreliable_end, unreliable_head
from .scheduler import Scheduler
from .site import Site


class Session:
    """Reads requests from the session's streams and answers them on `connection`."""

    def __init__(self, connection: Connection, site: Site, session_id: int, opened: OpenedBy) -> None:
        self.session_id = session_id
        self._opened = opened
        self.capsules = CapsuleReader()
        """What the client says on the stream of its CONNECT request."""
        self._connection = connection
        self._quic = connection._quic
        self._loop = connection._loop
        self._site = site
        self._scheduler = Scheduler(functools.partial(has_room, self._quic))
        self._readers: dict[int, RequestReader | None] = {}
        """Readers by stream, until the client ends it; None: answered, further bytes are ignored."""
        self._followed: set[int] = set()
        """The flows of answers that follow a file."""
        self._flows: dict[int, asyncio.Task[None]] = {}
        """The answers with datagrams that have not ended, by the number of their flow."""
        pull_datagrams_from(self._quic, self._scheduler)
        self.last_request = self._loop.time()

    def stream_data_received(self, stream_id: int, data: bytes, *, stream_ended: bool) -> None:
        """Bytes of a request."""
        if stream_id not in self._readers:
            self._readers[stream_id] = RequestReader(self._site.limits)
        reader = self._readers[stream_id]
        if reader is not None:
            self._feed(stream_id, reader, data, stream_ended=stream_ended)
        if stream_ended:
            self._readers.pop(stream_id, None)

    def is_reading(self, stream_id: int) -> bool:
        """Whether the head of the stream's request is half read."""
        return self._readers.get(stream_id) is not None

    def refuse(self, stream_id: int, error: HttpError) -> None:
        """Answers a stream whose request is half read."""
        self._refuse(stream_id, error)
        self._readers[stream_id] = None

    def stream_cancelled(self, stream_id: int) -> None:
        """The client has reset or stopped the stream."""
        self._readers.pop(stream_id, None)
        self._connection.cancel_answer(stream_id)

    def _feed(self, stream_id: int, reader: RequestReader, data: bytes, *, stream_ended: bool) -> None:
        try:
            request = reader.feed(data)
            if request is None and stream_ended:
                request = reader.feed(b"")
            if request is None:
                return
            self._site.refuse_while_draining()
            self._connection.begin(stream_id)
        except HttpError as error:
            self._refuse(stream_id, error)
            if error.status is HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE and not stream_ended:
                self._quic.stop_stream(stream_id, WEBTRANSPORT_ERROR_0)
        else:
            self.last_request = self._loop.time()
            self._begin(stream_id, request)
        self._readers[stream_id] = None

    def _begin(self, stream_id: int, request: VoxelRequest) -> None:
        """Only what was requested earlier can hold a response back, so that no two wait for each other."""
        before = None if request.after is None else self._flows.get(request.after)
        task = self._connection.answer(stream_id, self._answer(stream_id, request, before))
        number = request.flow
        if (
            number is not None
            and request.follow is None
            and number not in self._flows
            and max_datagram_bytes(self._quic)
        ):
            self._flows[number] = task
            task.add_done_callback(lambda _: self._flow_ended(number))

    def _flow_ended(self, number: int) -> None:
        del self._flows[number]
        self._connection.transmit()

    async def _answer(self, stream_id: int, request: VoxelRequest, before: asyncio.Task[None] | None) -> None:
        arrival = self._loop.time()
        deadline = None if request.deadline is None else arrival + request.deadline
        status = HTTPStatus.OK if request.ranges is None else HTTPStatus.PARTIAL_CONTENT
        datagram_size = max_datagram_bytes(self._quic)
        try:
            file = await self._file(request)
            with contextlib.closing(file):
                if request.follow is not None and file.records is not None:
                    status = HTTPStatus.OK
                    await self._follow(stream_id, request, file, arrival)
                    return self._site.metrics.answered("webtransport", status, target=path_of(request.target))
                body = _body(request, file, self._site.limits)
                if request.flow is None or not datagram_size:
                    head = reliable_head(status, body.length, file.etag, path_figures(self._quic))
                    await self._send_reliably(stream_id, head, body, before)
                else:
                    prefix, parity = encode_uint_var(self.session_id // 4), request.parity
                    flow = Flow(request.flow, body.length, datagram_size, prefix, parity=parity, ranges=body.lengths)
                    figures = path_figures(self._quic)
                    head = unreliable_head(status, body.length, flow.number, file.etag, figures, flow.parity)
                    await self._send_as_datagrams(stream_id, head, body, flow, deadline, before)
        except HttpError as error:  # Nothing has been sent yet.
            self._refuse(stream_id, error, target=path_of(request.target))
        else:
            self._site.metrics.answered("webtransport", status, target=path_of(request.target))

    async def _file(self, request: VoxelRequest) -> MediaFile:
        try:
            return await self._site.open(
                Asked(
                    "GET",
                    request.target,
                    self._opened.authority,
                    request.headers,
                    self._connection.address,
                    self._opened.origin,
                    self._opened.target,
                )
            )
        except Redirect as redirect:
            raise HttpError(HTTPStatus.NOT_FOUND, "no such file") from redirect

    async def _send_reliably(self, stream_id: int, head: bytes, body: Body, before: asyncio.Task[None] | None) -> None:
        await self._connection.write_stream(stream_id, head)
        if before is not None:
            await self._connection.wait_until(before.done)
        while chunk := await self._connection.read(body, stream_id):
            await self._connection.write_stream(stream_id, chunk)
            self._site.metrics.add("voxel_stream_bytes_total", len(chunk))
        self._connection.end_stream(stream_id)
        await self._connection.wait_until_sent(stream_id)

    async def _send_as_datagrams(
        self,
        stream_id: int,
        head: bytes,
        body: Body,
        flow: Flow,
        deadline: float | None,
        before: asyncio.Task[None] | None,
    ) -> None:
        """Returns after the last datagram of the flow is in a packet and the trailer is queued."""
        self._check_unused(flow.number)
        self._scheduler.add(flow, deadline)
        timer = None if deadline is None else self._loop.call_at(deadline, self._expire, flow)
        try:
            await self._connection.write_stream(stream_id, head)
            if before is not None:
                await self._connection.wait_until(lambda: flow.finished or before.done())
            while not flow.finished and (chunk := await body.read(self._connection.ahead_bytes // 2)):
                flow.push(chunk)
                self._connection.transmit()
                await self._connection.wait_until(
                    lambda: flow.finished or flow.unsent_bytes < self._connection.ahead_bytes
                )
            await self._connection.wait_until(lambda: flow.finished)
        finally:
            self._scheduler.remove(flow)
            if timer is not None:
                timer.cancel()
            self._count_flow(flow, body)
        parity_bytes = None if flow.parity is None else flow.sent_parity_bytes
        trailers = unreliable_end(flow.sent_bytes, flow.sent_datagrams, path_figures(self._quic), parity_bytes)
        self._connection.end_stream(stream_id, trailers)

    async def _follow(self, stream_id: int, request: VoxelRequest, file: MediaFile, arrival: float) -> None:
        """Raises `HttpError` 400 and 429 before anything is sent."""
        assert request.follow is not None
        number = request.flow if max_datagram_bytes(self._quic) else None
        if number is not None:
            self._check_unused(number)
        with self._connection.following(), contextlib.closing(self._site.watchers.follow(file)) as following:
            answer = FollowAnswer(
                self._connection,
                stream_id,
                self._scheduler,
                self._site.metrics,
                file,
                following,
                number,
                encode_uint_var(self.session_id // 4),
                request.follow,
                arrival,
            )
            numbers = set() if number is None else {number}
            self._followed |= numbers
            try:
                await answer.send()
            finally:
                self._followed -= numbers

    def _check_unused(self, number: int) -> None:
        """Raises `HttpError` 400."""
        if number in self._scheduler or number in self._followed:
            raise HttpError(HTTPStatus.BAD_REQUEST, f"flow {number} is in use")

    def _expire(self, flow: Flow) -> None:
        flow.stop()
        self._connection.transmit()

    def _refuse(self, stream_id: int, error: HttpError, **fields: str) -> None:
        self._connection.end_stream(stream_id, error_response(error))
        self._site.metrics.answered("webtransport", error.status, reason=error.message, **fields)

    def _count_flow(self, flow: Flow, body: Body) -> None:
        metrics = self._site.metrics
        metrics.add("voxel_datagram_bytes_total", flow.sent_bytes)
        metrics.add("voxel_parity_bytes_total", flow.sent_parity_bytes)
        metrics.add("voxel_datagrams_total", flow.sent_datagrams)
        if flow.sent_bytes < body.length:
            metrics.add("voxel_flows_cut_total")


def _body(request: VoxelRequest, file: MediaFile, limits: Limits) -> Body:
    """Raises `HttpError` 412 and 416."""
    file.check_unchanged(request.if_match)
    if request.ranges is None:
        return Body([ByteRange(0, file.size)], file)
    return Body(exact_ranges(request.ranges, file.size, limits), file)
