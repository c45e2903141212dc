"""pywebtransport for the interop matrix: ENDPOINT HASH; prints what became of each step as JSON."""

import asyncio
import json
import ssl
import sys
from collections.abc import Awaitable
from typing import Any

from pywebtransport.client import WebTransportClient  # type: ignore[import-not-found]
from pywebtransport.config import ClientConfig  # type: ignore[import-not-found]

TARGET = "/media.mp4"
STREAM_BYTES = 1_000_000
DATAGRAM_BYTES = 10_000
FLOW = 7
SESSIONS = 20
PATIENCE = 10
PATTERN = bytes(range(251))


def head(fields: str = "") -> bytes:
    return f"GET {TARGET} HTTP/1.1\r\nhost: interop\r\n{fields}\r\n".encode()


def check(body: bytes, length: int, offset: int = 0) -> None:
    if len(body) != length:
        raise ValueError(f"{len(body)} of {length} bytes")
    if body != (PATTERN * ((offset + length) // len(PATTERN) + 1))[offset : offset + length]:
        raise ValueError("wrong bytes")


def varint(data: bytes) -> tuple[int, bytes]:
    length = 1 << (data[0] >> 6)
    return int.from_bytes(data[:length], "big") & ((1 << (8 * length - 2)) - 1), data[length:]


async def request(session: Any, fields: str) -> bytes:
    stream = await session.create_bidirectional_stream()
    await stream.write_all(data=head(fields))
    answer: bytes = await stream.read_all()
    return answer.partition(b"\r\n\r\n")[2]


async def reliable(session: Any, length: int) -> None:
    check(await request(session, f"range: bytes=0-{length - 1}\r\n"), length)


async def datagrams(session: Any) -> None:
    transport = await session.create_datagram_transport()
    await request(session, f"range: bytes=0-{DATAGRAM_BYTES - 1}\r\nx-voxel-unreliable: ?1;flow={FLOW}\r\n")
    received = 0
    while received < DATAGRAM_BYTES:
        flow, rest = varint(await transport.receive(timeout=PATIENCE))
        offset, payload = varint(rest)
        if flow != FLOW:
            raise ValueError(f"a datagram of flow {flow}")
        check(payload, len(payload), offset)
        received += len(payload)


async def reset(session: Any) -> None:
    half = await session.create_bidirectional_stream()
    await half.write(data=b"GET /med")
    await half.abort(code=5)
    stopped = await session.create_bidirectional_stream()
    await stopped.write(data=head(), end_stream=True)
    await stopped.read(size=1000)
    await stopped.abort(code=6)
    await reliable(session, 10)


async def again(endpoint: str) -> None:
    for number in range(SESSIONS):
        async with WebTransportClient(config=config()) as client:
            try:
                session = await client.connect(url=endpoint)
                await reliable(session, 10)
                await session.close()
            except Exception as error:
                raise ValueError(f"session {number + 1}: {error!r}") from error


def config() -> ClientConfig:
    # It has no hashes of certificates.
    return ClientConfig(
        verify_mode=ssl.CERT_NONE, connect_timeout=PATIENCE, read_timeout=PATIENCE, stream_creation_timeout=2
    )


async def main(endpoint: str) -> dict[str, str]:
    result: dict[str, str] = {}

    async def note(step: str, outcome: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(2 * PATIENCE):
                await outcome
            result[step] = ""
        except Exception as error:  # noqa: BLE001
            result[step] = repr(error)

    async with WebTransportClient(config=config()) as client:
        try:
            session = await client.connect(url=endpoint)
        except Exception as error:  # noqa: BLE001
            return {"session": repr(error)}
        result["session"] = ""
        await note("streams", reliable(session, STREAM_BYTES))
        await note("datagrams", datagrams(session))
        await note("reset", reset(session))
        await note("close", session.close(code=4711, reason="interop"))
    await note("again", again(endpoint))
    return result


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1]))))
