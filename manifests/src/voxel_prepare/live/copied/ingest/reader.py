"""Listens for encoders in a thread of its own, and passes on what they send."""

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable
from threading import Event, Thread

import h11

from voxel_prepare.errors import InputError
from voxel_prepare.jobs.progress import say
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.copied.ingest.address import Ingest
from voxel_prepare.live.copied.ingest.connection import READ_BYTES, IngestConnection
from voxel_prepare.live.copied.ingest.tracks import IngestTracks
from voxel_prepare.live.copied.ingest.turns import Turn
from voxel_prepare.live.copied.notes import Note
from voxel_prepare.live.copied.packets import TICKS

MOST_CONNECTIONS = 64
STOP_SECONDS = 0.1
"""How often it is looked whether to stop."""


class IngestReader(Thread):
    """Puts notes of one input: all tracks that encoders send to one address."""

    def __init__(self, number: int, ingest: Ingest, clock: WallClock, put: Callable[[Note], None], stop: Event) -> None:
        """Raises `InputError` if nothing can listen there."""
        super().__init__(name=ingest.name, daemon=True)
        self._ingest, self._stop_event = ingest, stop
        self._tracks = IngestTracks(number, put, lambda: round(clock.now() * TICKS / 1000))
        self._turns: dict[str, Turn] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._socket = _listen(ingest)
        host = f"[{ingest.host}]" if ":" in ingest.host else ingest.host
        say(f"{ingest.name}: encoders may send to http://{host or '*'}:{self._socket.getsockname()[1]}/")

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        stopped = asyncio.Event()
        self._look(stopped)
        async with await asyncio.start_server(self._connected, sock=self._socket, limit=READ_BYTES):
            await stopped.wait()
            for task in self._tasks:
                task.cancel()

    def _look(self, stopped: asyncio.Event) -> None:
        """Sets it when the event of the other threads is set."""
        if self._stop_event.is_set():
            stopped.set()
        else:
            asyncio.get_running_loop().call_later(STOP_SECONDS, self._look, stopped)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        try:
            if len(self._tasks) < MOST_CONNECTIONS:
                self._tasks.add(task)
                await IngestConnection(self._ingest, self._tracks, self._turns, reader, writer).serve()
        except (OSError, TimeoutError, h11.ProtocolError, asyncio.CancelledError):
            pass  # The connection is over; what had come of it has been taken.
        finally:
            self._tasks.discard(task)
            writer.close()


def _listen(ingest: Ingest) -> socket.socket:
    try:
        if not ingest.host and socket.has_dualstack_ipv6():
            with contextlib.suppress(OSError):  # A machine may have no IPv6 though Python has.
                return socket.create_server(("", ingest.port), family=socket.AF_INET6, dualstack_ipv6=True)
        family = socket.AF_INET6 if ":" in ingest.host else socket.AF_INET
        return socket.create_server((ingest.host, ingest.port), family=family)
    except OSError as error:
        # Python adds the address to what the system says.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise InputError(f"--ingest: {ingest.host or '*'}, port {ingest.port}: {reason}") from error
