"""Clients that vanish, stall, reset, send garbage, or open streams and say nothing.

`python -m conformance.misbehave PORT SECONDS`, in the folder above, lets them loose on a server of this machine and
prints how many there were of each kind. `npm run bench -- server-soak` watches what becomes of the others meanwhile.
"""

import asyncio
import contextlib
import json
import os
import random
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable

from .client import VoxelClient, connect, request_head

PAUSE_SECONDS = 1.0
"""Between two clients of a kind."""

HOLD_SECONDS = 15.0
"""How long those that stall or are silent stay."""

STREAMS = 60

TARGET = "/segment.bin"


async def vanish(client: VoxelClient, _port: int) -> None:
    """Asks for much and is gone without a word."""
    await client.open_session()
    client.send(request_head(TARGET, x_voxel_unreliable="?1;flow=1"))
    await asyncio.sleep(0.05)
    _fall_silent(client)


async def stall(client: VoxelClient, _port: int) -> None:
    """Asks for much and acknowledges nothing of it."""
    await client.open_session()
    for _ in range(10):
        client.send(request_head(TARGET))
    _fall_silent(client)
    await asyncio.sleep(HOLD_SECONDS)


async def reset(client: VoxelClient, _port: int) -> None:
    """Cancels everything that it has asked for, again and again."""
    await client.open_session()
    for flow in range(STREAMS):
        head = request_head(TARGET, x_voxel_unreliable=f"?1;flow={flow}") if flow % 2 else request_head(TARGET)
        client.cancel(client.send(head))
        await asyncio.sleep(0.01)


async def garbage(client: VoxelClient, port: int) -> None:
    """Sends what is no packet, no frame, no request and no datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
        plain.setblocking(False)
        for _ in range(100):
            with contextlib.suppress(BlockingIOError):
                plain.sendto(random.randbytes(random.randrange(1, 1400)), ("127.0.0.1", port))
    await client.open_session()
    for _ in range(20):
        client.send(random.randbytes(random.randrange(1, 4000)))
        client.quic.send_datagram_frame(random.randbytes(random.randrange(0, 1000)))
        client.transmit()
        await asyncio.sleep(0.01)
    stream_id = client.quic.get_next_available_stream_id()
    client.send_more(stream_id, random.randbytes(4000))
    await asyncio.sleep(0.1)


async def be_silent(client: VoxelClient, _port: int) -> None:
    """Opens streams and sends half a request on each."""
    await client.open_session()
    for _ in range(STREAMS):
        client.send(request_head(TARGET)[:-2], end_stream=False)
    await asyncio.sleep(HOLD_SECONDS)


KINDS: list[Callable[[VoxelClient, int], Awaitable[None]]] = [vanish, stall, reset, garbage, be_silent]


def _fall_silent(client: VoxelClient) -> None:
    """From now on nothing goes out and nothing comes in."""
    client.transmit = lambda: None  # type: ignore[method-assign]
    client.datagram_received = lambda data, addr: None  # type: ignore[method-assign]


async def _one(kind: Callable[[VoxelClient, int], Awaitable[None]], port: int, counts: Counter[str]) -> None:
    # The server may well refuse such a client or end its connection: only the others matter.
    with contextlib.suppress(Exception):
        async with asyncio.timeout(2 * HOLD_SECONDS):
            # `connect` would wait for the end of a connection that does not answer any more.
            await _connected(port, lambda client: kind(client, port))
    counts[kind.__name__] += 1


async def _connected(port: int, use: Callable[[VoxelClient], Awaitable[None]]) -> None:
    manager = connect(port)
    client = await manager.__aenter__()
    try:
        await use(client)
    finally:
        client.close()
        assert client._transport is not None
        client._transport.close()


async def misbehave(port: int, seconds: float) -> Counter[str]:
    """All kinds side by side, a client of each every second; how many there were."""
    counts: Counter[str] = Counter()
    tasks: set[asyncio.Task[None]] = set()
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        for kind in KINDS:
            task = asyncio.create_task(_one(kind, port, counts))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            await asyncio.sleep(PAUSE_SECONDS / len(KINDS))
    for task in tasks:
        task.cancel()
    return counts


if __name__ == "__main__":
    result = asyncio.run(misbehave(int(sys.argv[1]), float(sys.argv[2])))
    print(json.dumps(result), flush=True)
    # What still waits for servers that do not answer need not be waited for.
    os._exit(0)
