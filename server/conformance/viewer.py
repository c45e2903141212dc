"""A viewer that takes a segment's bytes as players do: some reliably, the rest as datagrams with parity and a deadline.

`python -m conformance.viewer QUIC_PORT TARGET LENGTH`, in the folder above, asks for a segment of LENGTH bytes four
times a second until it is terminated. It is a load, not a check.
"""

import asyncio
import signal
import sys

from .client import connect

INTERVAL_SECONDS = 0.25

RELIABLE_SHARE = 10
"""One byte in so many comes on a stream."""

DEADLINE_MS = 1000


async def watch(quic_port: int, target: str, length: int) -> None:
    """One segment after another, for ever."""
    cut = length // RELIABLE_SHARE
    async with connect(quic_port) as client:
        await client.open_session()
        flow = 0
        while True:
            await client.request(target, range=f"bytes=0-{cut - 1}")
            flow += 1
            await client.request(
                target,
                range=f"bytes={cut}-{length - 1}",
                x_voxel_unreliable=f"?1;flow={flow}",
                x_voxel_deadline=str(DEADLINE_MS),
                x_voxel_parity="(2);block=20;symbol=1150;always",
            )
            client.datagrams.clear()
            await asyncio.sleep(INTERVAL_SECONDS)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    asyncio.run(watch(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
