import socket

import pytest
from aioquic.quic.connection import NetworkAddress
from voxel_serve import handshakes
from voxel_serve.app import Server
from voxel_serve.connection import Connection
from voxel_serve.quic_bounds import BoundedQuicConnection
from voxel_serve.turns import OVERHEAD_BYTES, Turns

from server.conformance.client import VoxelClient, connect, eventually

ADDRESS = ("192.0.2.1", 1)

PADDING = bytes(40)
"""In place of what a genuine packet has after its connection ID."""


def packet(number: int) -> tuple[bytes, NetworkAddress]:
    return bytes([number]), ADDRESS


def turns(each_packets: int = 100, together_packets: int = 1000) -> Turns[str]:
    size = 1 + OVERHEAD_BYTES
    return Turns(each_bytes=each_packets * size, together_bytes=together_packets * size)


def test_who_has_little_waits_for_one_turn_of_each_other() -> None:
    order = turns()
    for number in range(5):
        order.add("busy", packet(number))
    order.add("honest", packet(0))
    order.ask("sender")
    seen = []
    while order:
        member = order.next()
        seen.append((member, [data[0] for data, _ in order.take(member, 2)]))
    assert seen == [("busy", [0, 1]), ("honest", [0]), ("sender", []), ("busy", [2, 3]), ("busy", [4])]


def test_a_member_waits_for_one_turn_however_often_it_asks() -> None:
    order = turns()
    for _ in range(3):
        order.ask("a")
    order.add("a", packet(0))
    assert order.take(order.next(), 2) == [packet(0)]
    assert not order


def test_what_is_too_much_for_one_is_lost_and_others_have_room() -> None:
    order = turns(each_packets=2)
    for number in range(4):
        order.add("busy", packet(number))
    order.add("honest", packet(0))
    assert order.take("busy", 10) == [packet(0), packet(1)]
    assert order.take("honest", 10) == [packet(0)]
    order.add("busy", packet(4))
    assert order.take("busy", 10) == [packet(4)]


def test_what_all_have_waiting_is_bounded() -> None:
    order = turns(together_packets=2)
    order.add("a", packet(0))
    assert order.has_room
    order.add("b", packet(1))
    assert not order.has_room
    order.take("a", 1)
    assert order.has_room


async def test_a_packet_waits_for_one_turn_of_each_other_client(
    server: Server, client: VoxelClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for all that have come before it."""
    await client.open_session()
    (busy,) = server.http3.connections
    async with connect(server.quic_port) as other:
        await other.open_session()
        (honest,) = server.http3.connections - {busy}
        handled: list[object] = []
        receive = BoundedQuicConnection.receive_datagram

        def recorded(self: BoundedQuicConnection, data: bytes, addr: NetworkAddress, now: float) -> None:
            if data.endswith(PADDING):
                handled.append(self)
            receive(self, data, addr, now)

        monkeypatch.setattr(BoundedQuicConnection, "receive_datagram", recorded)
        with socket.socket(type=socket.SOCK_DGRAM) as udp:
            for connection, count in ((busy, 100), (honest, 1)):
                for _ in range(count):
                    udp.sendto(b"\x40" + connection.quic.host_cid + PADDING, ("127.0.0.1", server.quic_port))
        await eventually(lambda: len(handled) == 101)
    assert handled.index(honest.quic) <= 2 * handshakes.AT_ONCE


async def test_connections_send_in_turns(server: Server, client: VoxelClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often one asks."""
    await client.open_session()
    (first,) = server.http3.connections
    async with connect(server.quic_port) as other:
        await other.open_session()
        (second,) = server.http3.connections - {first}
        order: list[Connection] = []
        send = Connection._send

        def recorded(self: Connection) -> None:
            order.append(self)
            send(self)

        monkeypatch.setattr(Connection, "_send", recorded)
        for connection in (first, first, second, first):
            connection.transmit()
        await eventually(lambda: len(order) >= 2)
    assert order[:2] == [first, second]


async def test_what_has_come_is_handled_before_the_timer(
    server: Server, client: VoxelClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else packets whose acknowledgement waits for its turn would be taken for lost."""
    await client.open_session()
    (connection,) = server.http3.connections
    quic, handled = connection.quic, list[str]()

    def received(data: bytes, addr: NetworkAddress, now: float) -> None:
        handled.append("packet")

    monkeypatch.setattr(quic, "receive_datagram", received)
    monkeypatch.setattr(quic, "get_timer", lambda: 0.0)
    monkeypatch.setattr(quic, "handle_timer", lambda now: handled.append("timer"))
    server.quic._turns.add(connection, packet(0))
    connection._handle_timer()
    await eventually(lambda: "timer" in handled)
    assert handled[0] == "packet"


async def test_others_have_their_turns_when_one_fails(
    server: Server, client: VoxelClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await client.open_session()
    (first,) = server.http3.connections
    failures = []

    def failing(_: object) -> None:
        failures.append(1)
        raise ValueError

    monkeypatch.setattr(first, "turn", failing)
    first.transmit()
    async with connect(server.quic_port) as other:
        assert (await other.open_session())[0] == 200
    assert failures
