"""Several servers behind one UDP load balancer (server/quiche/README.md).

A connection stays with its server wherever its client goes.
"""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from .balancer import Agreement, Balancer, balancing
from .client import VoxelClient, connect, eventually
from .conftest import Start
from .servers import Server, built_program
from .test_resets import record, token_of

KEY = "8f95f09245765f80256934e50c66207f"
SERVER_IDS = [bytes.fromhex("1122334455667788"), bytes.fromhex("1122334455667799")]
"""IDs as AWS' Network Load Balancer has them: eight bytes."""

LOST_SECONDS = 1.5
"""Within which a connection that lives would have gone on."""

CHANGES = 10
"""Changes of a client's address in one connection: a journey by train, or a NAT that forgets within half a minute."""

ATTEMPTS = 20
"""To find a download in its middle."""

TOKEN_BYTES = 16
"""With which a stateless reset ends."""

REBINDINGS = 5
MEDIA_PACKETS = 800
"""About as many packets take the whole of the test's file."""


@dataclass(frozen=True)
class Site:
    """Two servers behind a balancer."""

    balancer: Balancer
    servers: list[Server]

    @property
    def port(self) -> int:
        return self.balancer.port

    def server_of(self, client: VoxelClient) -> int:
        """The number of the only server that has got packets of the client."""
        (port,) = self.balancer.passed[address_of(client)]
        return [server.quic_port for server in self.servers].index(port)


def address_of(client: VoxelClient) -> tuple[str, int]:
    assert client._transport is not None
    return ("127.0.0.1", client._transport.get_extra_info("sockname")[1])


def words_of(server_id: bytes, key: str | None = None, config: str = "") -> list[str]:
    return ["--server-id", f"0x{server_id.hex()}{config}", *(["--server-id-key", key] if key else [])]


@pytest.fixture
async def site(starts: Start) -> AsyncIterator[Site]:
    async with balancing() as balancer:
        servers = [starts(*words_of(server_id)) for server_id in SERVER_IDS]
        balancer.servers |= {server.quic_port: one for server, one in zip(servers, SERVER_IDS, strict=True)}
        yield Site(balancer, servers)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (words_of(SERVER_IDS[0], None, ",config=5"), None),
        (words_of(SERVER_IDS[0], KEY, ",config=5"), KEY),
        # The earlier option, for one release.
        ([*words_of(SERVER_IDS[0]), "--server-id-config", "5"], None),
    ],
    ids=["plain", "encrypted", "earlier"],
)
async def test_every_connection_id_carries_the_server_id(starts: Start, words: list[str], key: str | None) -> None:
    server = starts(*words)
    agreement = Agreement(5, None if key is None else bytes.fromhex(key))
    seen: set[bytes] = set()
    async with connect(server.quic_port) as client:
        for _ in range(CHANGES):
            assert (await client.get("/empty.bin"))[0] == 200
            await eventually(lambda: client.quic._peer_cid_available)
            seen |= {one.cid for one in [client.quic._peer_cid, *client.quic._peer_cid_available]}
            client.change_connection_id()
    assert len(seen) > CHANGES
    contents = {agreement.read(connection_id) for connection_id in seen}
    assert None not in contents
    assert {content[:8] for content in contents if content is not None} == {SERVER_IDS[0]}
    if key is not None:
        assert not any(SERVER_IDS[0] in connection_id for connection_id in seen)


async def download(client: VoxelClient, media: bytes) -> int:
    """Asks for the file, and returns the stream when a tenth of it is here."""
    stream = client.send(b"GET /media.mp4 HTTP/1.1\r\nhost: media.example\r\n\r\n")
    await eventually(lambda: len(client.received(stream).data) > len(media) // 10)
    return stream


async def unfinished_download(client: VoxelClient, media: bytes) -> int:
    """The stream of a download in its middle."""
    # On a busy machine all of it may have come before anybody looks: once more, then.
    for _ in range(ATTEMPTS):
        stream = await download(client, media)
        if not client.received(stream).ended.is_set():
            break
    assert not client.received(stream).ended.is_set()
    return stream


async def download_while(client: VoxelClient, media: bytes, change: object) -> bytes:
    """The body of a request during which `change`, a coroutine, runs."""
    stream = await unfinished_download(client, media)
    await change  # type: ignore[misc]
    return (await client.response(stream)).body


async def test_a_download_goes_on_from_the_clients_next_port(site: Site, media: bytes) -> None:
    async with connect(site.port) as client, connect(site.port) as other:
        for one in (client, other):
            assert (await one.open_session())[0] == 200
        first, before = site.server_of(client), address_of(client)
        assert site.server_of(other) != first
        assert await download_while(client, media, client.migrate()) == media
        assert address_of(client) != before
        assert site.server_of(client) == first
        # What was left of the first download may be few packets.
        assert (await client.request("/media.mp4")).body == media
        # Whole packets of it: the server has seen that the client can be reached there.
        assert site.balancer.passed[address_of(client)][site.servers[first].quic_port].back > 100
        response = await client.request("/media.mp4", range="bytes=0-99999", x_voxel_unreliable="?1;flow=1")
        assert response.trailers["x-voxel-sent"].startswith("100000;")


async def test_a_download_goes_on_when_a_nat_changes_the_clients_port(site: Site, media: bytes) -> None:
    async with connect(site.port) as client:
        assert (await client.open_session())[0] == 200

        async def rebind() -> None:
            site.balancer.rebind()
            # It may have acknowledged all that came, and what is sent to its old port is lost: only it can show itself.
            client.quic.send_ping(1)
            client.transmit()

        assert await download_while(client, media, rebind()) == media


async def test_without_server_ids_a_client_that_changes_its_port_is_lost(starts: Start, media: bytes) -> None:
    async with balancing() as balancer:
        balancer.servers |= {starts().quic_port: b"" for _ in range(2)}
        async with connect(balancer.port) as client:
            assert (await client.open_session())[0] == 200
            stream = await unfinished_download(client, media)
            await client.migrate()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(LOST_SECONDS):
                    await client.response(stream)
            assert len(balancer.passed[address_of(client)]) == 1
            assert len({port for of_client in balancer.passed.values() for port in of_client}) == 2


@pytest.mark.parametrize("way", ["migration", "nat"])
async def test_a_connection_outlives_many_ports(site: Site, media: bytes, way: str) -> None:
    async with connect(site.port) as client:
        assert (await client.open_session())[0] == 200
        first = site.server_of(client)
        for number in range(CHANGES):
            if way == "migration":
                await eventually(lambda: client.quic._peer_cid_available)
                await client.migrate()
            else:
                site.balancer.rebind()
            first_byte = 1000 * number
            response = await client.request("/media.mp4", range=f"bytes={first_byte}-{first_byte + 49_999}")
            assert response.body == media[first_byte : first_byte + 50_000]
            assert site.server_of(client) == first


async def test_a_client_that_must_prove_its_address_comes_back_to_the_same_server(starts: Start) -> None:
    async with balancing() as balancer:
        server = starts(*words_of(SERVER_IDS[0]), "--max-connections-per-address", "2")
        balancer.servers[server.quic_port] = SERVER_IDS[0]
        async with connect(balancer.port) as before:
            assert (await before.open_session())[0] == 200
            async with connect(balancer.port) as client:
                retried = client.quic._retry_source_connection_id
                assert retried is not None
                content = balancer.agreement.read(retried)
                assert content is not None
                assert content.startswith(SERVER_IDS[0])
                assert (await client.open_session())[0] == 200


async def test_a_killed_server_takes_its_own_sessions_only(site: Site, starts: Start, media: bytes) -> None:
    async with connect(site.port) as one, connect(site.port) as other:
        for client in (one, other):
            assert (await client.open_session())[0] == 200
        killed = site.servers[site.server_of(one)]
        server_id = site.balancer.servers.pop(killed.quic_port)
        killed.process.kill()
        killed.process.wait()
        assert (await other.request("/media.mp4", range="bytes=0-9")).body == media[:10]
        # New clients get the server that is left.
        async with connect(site.port) as late:
            assert (await late.open_session())[0] == 200
            assert site.server_of(late) == site.server_of(other)
        # Its successor, on another port, ends what it was left with, so that its clients come back at once.
        again = starts(*words_of(server_id))
        site.balancer.servers[again.quic_port] = server_id
        token, datagrams = token_of(one), record(one)
        one.quic.send_ping(1)
        one.transmit()
        await eventually(lambda: any(datagram.endswith(token) for datagram in datagrams))
        assert (await other.request("/media.mp4", range="bytes=0-9")).body == media[:10]


async def test_a_packet_for_another_server_is_not_answered(starts: Start) -> None:
    server = starts(*words_of(SERVER_IDS[0]))
    answers: list[bytes] = []

    class Listener(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, _: object) -> None:
            answers.append(data)

    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(Listener, remote_addr=("127.0.0.1", server.quic_port))
    ours, others = (b"\x40\x10" + server_id + os.urandom(60) for server_id in SERVER_IDS)

    def is_answered() -> bool:
        # Again and again: a worker may lose what comes before it waits for packets.
        transport.sendto(ours)
        return bool(answers)

    await eventually(is_answered)
    for _ in range(3):
        transport.sendto(others)
    answers.clear()
    await eventually(is_answered)
    await asyncio.sleep(0.05)
    assert len({answer[-TOKEN_BYTES:] for answer in answers}) == 1
    transport.close()


async def test_another_client_downloads_while_a_nat_changes_its_port(site: Site) -> None:
    """It pings where nothing comes.

    A client that has acknowledged all that came, and has nothing to send, is lost to every server: what follows goes to
    its old port.
    """
    program = built_program("voxel-probe", os.environ.get("VOXEL_PROBE"))
    if program is None:
        pytest.skip("voxel-probe is not built (server/quiche/README.md)")
    requests = REBINDINGS + 1
    endpoint, certificate = f"https://127.0.0.1:{site.port}/voxel", site.servers[0].certificate_hashes[0]
    words = ["--hash", certificate, "--target", "/media.mp4", "--requests", str(requests), "--keep-alive", "200"]
    pipe = asyncio.subprocess.PIPE
    probe = await asyncio.create_subprocess_exec(program, endpoint, *words, stdout=pipe)
    rebinding = asyncio.create_task(_rebind_again_and_again(site.balancer))
    try:
        async with asyncio.timeout(60):
            output, _ = await probe.communicate()
    finally:
        rebinding.cancel()
        if probe.returncode is None:
            probe.send_signal(signal.SIGKILL)
    result = json.loads(output)
    assert (result["requests"], result["failedSessions"], result["bytes"]) == (requests, 0, requests * 1_000_000)


async def _rebind_again_and_again(balancer: Balancer) -> None:
    """In the middle of each download."""
    for number in range(REBINDINGS):
        while _packets_of(balancer) < (number + 0.5) * MEDIA_PACKETS:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        balancer.rebind()


def _packets_of(balancer: Balancer) -> int:
    return sum(passed.back for servers in balancer.passed.values() for passed in servers.values())
