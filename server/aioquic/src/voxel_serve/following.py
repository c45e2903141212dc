"""Answers a VOXEL request that follows a growing file: reliable bytes on the stream, frames as datagrams or after."""

import asyncio
import math
from dataclasses import dataclass, field

from .connection import Connection
from .files import Body, MediaFile
from .flow import Flow
from .follow import LAST_CHUNK, bytes_record, coded, follow_head, frames_record, sent_record
from .growing import Following
from .metrics import Metrics
from .quic_internals import congestion_window, max_datagram_bytes, smoothed_rtt
from .request import Follow
from .scheduler import Scheduler
from .vxl import Chunk

STREAM_PIECE_BYTES = 4 * 1024
STREAM_AHEAD_BYTES = 4 * STREAM_PIECE_BYTES
"""Frames on a stream: what is passed to QUIC can neither expire nor be overtaken."""


@dataclass
class Sent:
    """What was sent of one chunk's frames."""

    bytes: int = 0
    datagrams: int = 0


@dataclass
class FollowAnswer:
    """One response."""

    connection: Connection
    stream_id: int
    scheduler: Scheduler
    metrics: Metrics
    file: MediaFile
    following: Following
    flow: int | None
    """The number of the flow; None: frames come on the stream."""

    prefix: bytes
    """Prefix of all datagrams of the session."""

    wish: Follow

    since: float
    """When the request came, by the event loop's clock."""

    _reliable_waits: bool = False
    """Frames of earlier chunks are held back meanwhile."""

    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the first chunk whose frames are not all read: later ones would only take memory."""
    _flows: list[Flow] = field(default_factory=list)
    _broken: bool = False
    """No frame is sent any more: a chunk was cut, and all are one group."""

    async def send(self) -> None:
        """Returns when all is sent. Raises as `Watcher.changed`, or in a group."""
        await self.connection.write_stream(self.stream_id, follow_head(self.flow))
        number, offset, is_first = 0, 0, True
        async with asyncio.TaskGroup() as tasks:
            async for known in self.following.records():
                self._reliable_waits = True
                head = self.following.watcher.head if is_first else b""
                is_first = False
                await self._write(head + known.record.raw)
                chunk = known.record.chunk
                if chunk is not None:
                    await self._send_reliable(chunk)
                    due = math.inf
                    if self.wish.deadline is not None:
                        due = max(known.since, self.since) + self.wish.deadline
                    tasks.create_task(self._send_frames(number, chunk, offset, due))
                    number, offset = number + 1, offset + sum(_lengths(chunk))
                self._reliable_waits = False
                self.connection.transmit()
        self.connection.end_stream(self.stream_id, LAST_CHUNK)
        await self.connection.wait_until_sent(self.stream_id)

    async def _send_reliable(self, chunk: Chunk) -> None:
        body = Body(chunk.reliable, self.file)
        while data := await self.connection.read(body, self.stream_id):
            await self._write(bytes_record(data))

    async def _send_frames(self, number: int, chunk: Chunk, offset: int, due: float) -> None:
        sent = Sent()
        if not self._broken and asyncio.get_running_loop().time() < due:
            await self._send_until(due, chunk, offset, sent)
        if sent.bytes < sum(_lengths(chunk)):
            self.metrics.add("voxel_flows_cut_total")
            if self.wish.group:
                self._end_group()
        quic = self.connection.quic
        window, rtt = congestion_window(quic), smoothed_rtt(quic)
        await self._write(sent_record(number, sent.bytes, sent.datagrams, rtt, window))

    def _end_group(self) -> None:
        self._broken = True
        for flow in self._flows:
            flow.stop()
        self.connection.transmit()

    async def _send_until(self, due: float, chunk: Chunk, offset: int, sent: Sent) -> None:
        try:
            async with asyncio.timeout_at(None if due == math.inf else due) as limit:
                if self.flow is None:
                    await self._send_on_stream(chunk, offset, sent)
                else:
                    await self._send_as_datagrams(self.flow, chunk, offset, due, sent)
        except TimeoutError:
            if not limit.expired():
                raise

    async def _send_as_datagrams(self, number: int, chunk: Chunk, offset: int, due: float, sent: Sent) -> None:
        size = max_datagram_bytes(self.connection.quic)
        frames = _lengths(chunk)
        length, is_held = sum(frames), lambda: self._reliable_waits
        flow = Flow(number, length, size, self.prefix, first_offset=offset, pieces=frames, is_held=is_held)
        self._flows.append(flow)
        self.scheduler.add(flow, due)
        try:
            async with self._reading:
                body = Body([piece for frame in chunk.frames for piece in frame], self.file)
                while not self._broken and (data := await body.read(self.connection.ahead_bytes // 2)):
                    flow.push(data)
                    self.connection.transmit()
                    await self.connection.wait_until(self._has_room)
            await self.connection.wait_until(lambda: flow.finished)
        finally:
            self.scheduler.remove(flow)
            self._flows.remove(flow)
            sent.bytes, sent.datagrams = flow.sent_bytes, flow.sent_datagrams
            self.metrics.add("voxel_datagram_bytes_total", sent.bytes)
            self.metrics.add("voxel_datagrams_total", sent.datagrams)

    def _has_room(self) -> bool:
        return sum(flow.unsent_bytes for flow in self._flows) < self.connection.ahead_bytes

    async def _send_on_stream(self, chunk: Chunk, offset: int, sent: Sent) -> None:
        async with self._reading:
            for frame in chunk.frames:
                body = Body(frame, self.file)
                while not self._broken and (data := await body.read(STREAM_PIECE_BYTES)):
                    await self._wait_for_turn()
                    self.connection.send_now(self.stream_id, coded(frames_record(offset + sent.bytes, data)))
                    sent.bytes += len(data)

    async def _wait_for_turn(self) -> None:
        """Returns once frames may be written on the stream."""
        while True:
            await self.connection.wait_until_unsent_are_fewer_than(STREAM_AHEAD_BYTES, self.stream_id)
            if not self._reliable_waits:
                return
            await self.connection.wait_until(lambda: not self._reliable_waits)

    async def _write(self, data: bytes) -> None:
        await self.connection.write_stream(self.stream_id, coded(data))
        self.metrics.add("voxel_stream_bytes_total", len(data))


def _lengths(chunk: Chunk) -> list[int]:
    return [sum(map(len, frame)) for frame in chunk.frames]
