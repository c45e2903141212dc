"""A client that asks for what it needs, at fixed times, and compares every byte.

`python -m conformance.honest URL QUIC_PORT FILE`, in the folder above, asks for ranges of FILE, which is served at
/NAME, until it is terminated, and prints a line for each request: its kind, when it was due (seconds since 1970), how
many ms later its answer was complete, and whether that was right. Waiting for the request before it counts.
"""

import asyncio
import http.client
import json
import signal
import ssl
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

from .client import VoxelClient, connect

INTERVAL_SECONDS = 0.1
NEWCOMER_SECONDS = 1.0

LENGTH = 20_000

LONGEST_SECONDS = 10.0
"""A request that is not answered by then has failed."""


class Honest:
    """Requests of all kinds to one server."""

    def __init__(self, url: str, quic_port: int, file: Path) -> None:
        self._url = urlsplit(url)
        self._quic_port = quic_port
        self._content = file.read_bytes()
        self._target = f"/{file.name}"
        self._place = 0

    async def run(self) -> None:
        """All kinds side by side, for ever."""
        async with connect(self._quic_port) as client:
            assert (await client.open_session())[0] == 200
            tcp = self._tcp()
            await asyncio.gather(
                self._repeat("voxel", INTERVAL_SECONDS, lambda: self._voxel(client)),
                self._repeat("http3", INTERVAL_SECONDS, lambda: self._http3(client)),
                self._repeat("http1", INTERVAL_SECONDS, lambda: asyncio.to_thread(self._http1, tcp)),
                self._repeat("new-quic", NEWCOMER_SECONDS, self._new_quic),
                self._repeat("new-tcp", NEWCOMER_SECONDS, lambda: asyncio.to_thread(self._new_tcp)),
            )

    async def _repeat(self, kind: str, interval: float, request: Callable[[], Awaitable[bool]]) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            try:
                right = await asyncio.wait_for(request(), LONGEST_SECONDS)
            except (OSError, TimeoutError, http.client.HTTPException, AssertionError, KeyError, ValueError):
                right = False
            late = loop.time() - due
            print(json.dumps([kind, time.time() - late, round(1000 * late, 1), right]), flush=True)
            due += interval
            await asyncio.sleep(due - loop.time())

    def _range(self) -> tuple[dict[str, str], bytes]:
        """A range that was not asked for lately, and its bytes."""
        self._place = (self._place + 77_777) % (len(self._content) - LENGTH)
        end = self._place + LENGTH
        return {"range": f"bytes={self._place}-{end - 1}"}, self._content[self._place : end]

    async def _voxel(self, client: VoxelClient) -> bool:
        headers, expected = self._range()
        response = await client.request(self._target, **headers)
        return (response.status, response.body) == (206, expected)

    async def _http3(self, client: VoxelClient) -> bool:
        headers, expected = self._range()
        status, _, body = await client.get(self._target, **headers)
        return (status, body) == (206, expected)

    async def _new_quic(self) -> bool:
        async with connect(self._quic_port) as client:
            return (await client.open_session())[0] == 200 and await self._voxel(client)

    def _tcp(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=LONGEST_SECONDS)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection(host, port, timeout=LONGEST_SECONDS, context=context)

    def _http1(self, tcp: http.client.HTTPConnection) -> bool:
        headers, expected = self._range()
        tcp.request("GET", self._target, headers=headers)
        response = tcp.getresponse()
        return (response.status, response.read()) == (206, expected)

    def _new_tcp(self) -> bool:
        tcp = self._tcp()
        try:
            return self._http1(tcp)
        finally:
            tcp.close()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    asyncio.run(Honest(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])).run())
