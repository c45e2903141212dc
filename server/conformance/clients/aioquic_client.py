"""aioquic for the interop matrix: ENDPOINT HASH; prints what became of each step as JSON.

It is the conformance suite's client, which reads answers on streams of the session and GOAWAY by itself: aioquic takes
the one for HTTP/3 frames and skips the other.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import Awaitable
from urllib.parse import urlsplit

from aioquic.buffer import encode_uint_var

from server.conformance.client import VoxelClient, connect, eventually, request_head

TARGET = "/media.mp4"
STREAM_BYTES = 1_000_000
DATAGRAM_BYTES = 10_000
FLOW = 7
SESSIONS = 20
PATTERN = bytes(range(251))


def check(body: bytes, length: int) -> None:
    if len(body) != length:
        raise ValueError(f"{len(body)} of {length} bytes")
    if body != (PATTERN * (length // len(PATTERN) + 1))[:length]:
        raise ValueError("wrong bytes")


async def reliable(session: VoxelClient, length: int) -> None:
    check((await session.request(TARGET, range=f"bytes=0-{length - 1}")).body, length)


async def datagrams(session: VoxelClient) -> None:
    await session.request(TARGET, range=f"bytes=0-{DATAGRAM_BYTES - 1}", x_voxel_unreliable=f"?1;flow={FLOW}")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(10):
            await eventually(lambda: session.assembled(FLOW, DATAGRAM_BYTES)[1] == DATAGRAM_BYTES)
    check(session.assembled(FLOW, DATAGRAM_BYTES)[0], DATAGRAM_BYTES)


async def reset(session: VoxelClient) -> None:
    half = session.send(b"GET /med", end_stream=False)
    session.quic.reset_stream(half, 5)
    stopped = session.send(request_head(TARGET))
    await eventually(lambda: session.received(stopped).data)
    session.cancel(stopped)
    await reliable(session, 10)


async def close(session: VoxelClient, code: int, reason: bytes) -> None:
    assert session.session_id is not None
    value = code.to_bytes(4, "big") + reason
    capsule = encode_uint_var(0x2843) + encode_uint_var(len(value)) + value
    session.http.send_data(session.session_id, capsule, end_stream=True)
    session.transmit()
    await session.ended(session.session_id)


async def opened(client: VoxelClient) -> None:
    status, headers = await client.open_session(wt_available_protocols='"voxel-1"')
    if (status, headers.get("wt-protocol")) != (200, '"voxel-1"'):
        raise ValueError(f"{status} {headers}")


async def again(port: int) -> None:
    for _ in range(SESSIONS):
        async with connect(port) as client:
            await opened(client)
            await reliable(client, 10)
            await close(client, 0, b"")


async def main(endpoint: str) -> dict[str, str]:
    result: dict[str, str] = {}

    async def note(step: str, outcome: Awaitable[None]) -> None:
        try:
            await outcome
            result[step] = ""
        except Exception as error:  # noqa: BLE001
            result[step] = repr(error)

    port = urlsplit(endpoint).port
    assert port is not None
    async with connect(port) as client:
        await note("session", opened(client))
        await note("streams", reliable(client, STREAM_BYTES))
        await note("datagrams", datagrams(client))
        await note("reset", reset(client))
        await note("close", close(client, 4711, b"interop"))
    await note("again", again(port))
    return result


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1]))))
