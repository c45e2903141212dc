"""Reliable bytes never wait behind datagrams, shown on QUIC connections in memory."""

from importlib.metadata import version
from inspect import getsource

from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import DatagramFrameReceived, StreamDataReceived
from voxel_serve.flow import Flow
from voxel_serve.quic_internals import (
    has_room,
    max_datagram_bytes,
    pull_datagrams_from,
    stream_data_waits,
    unsent_stream_bytes,
)
from voxel_serve.scheduler import Scheduler

from .quic_pair import MAX_DATAGRAM_BYTES, QuicPair

FLOW_BYTES = 4_000_000
STREAM_BYTES = 50_000
SMALL_WINDOW = 4 * MAX_DATAGRAM_BYTES


def pair_with_flow() -> tuple[QuicPair, Flow]:
    """A flow with megabytes to send, over a congestion window of four packets."""
    pair = QuicPair()
    flow = Flow(1, FLOW_BYTES, max_datagram_bytes(pair.server))
    flow.push(bytes(FLOW_BYTES))
    scheduler = Scheduler()
    scheduler.add(flow)
    pull_datagrams_from(pair.server, scheduler)
    pair.server._loss._cc.congestion_window = SMALL_WINDOW
    return pair, flow


def open_stream(pair: QuicPair) -> int:
    """A stream of the client's, which the server may answer on."""
    stream_id = pair.client.get_next_available_stream_id()
    pair.client.send_stream_data(stream_id, b"request")
    pair.step()
    return stream_id


def test_the_private_state_was_verified_on_the_installed_aioquic() -> None:
    assert version("aioquic") == "1.7.2"


def test_no_more_datagrams_leave_the_flow_than_the_window_takes_now() -> None:
    pair, flow = pair_with_flow()
    loss = pair.server._loss
    for _ in range(50):
        before = flow.sent_datagrams
        packets = pair.step()
        assert flow.sent_datagrams - before <= len(packets)
        assert loss.bytes_in_flight <= loss.congestion_window
    assert 0 < flow.sent_bytes < FLOW_BYTES


def test_what_was_taken_from_the_flow_has_gone_into_packets() -> None:
    pair, flow = pair_with_flow()
    pair.run_until(lambda: flow.sent_datagrams >= 100)
    received = [event for event in pair.client_events() if isinstance(event, DatagramFrameReceived)]
    assert len(received) == flow.sent_datagrams


def test_stream_bytes_leave_before_any_further_datagram() -> None:
    pair, flow = pair_with_flow()
    stream_id = open_stream(pair)
    pair.run_until(lambda: flow.sent_datagrams >= 20)
    pair.client_events()

    pair.server.send_stream_data(stream_id, bytes(STREAM_BYTES))
    sent_before = flow.sent_datagrams
    flights = 0
    while unsent_stream_bytes(pair.server, stream_id) > 0:
        # Only a flight that carries the stream's last bytes may have datagrams behind them.
        assert flow.sent_datagrams == sent_before
        pair.step()
        flights += 1
    assert flights > 2
    kinds = [type(event) for event in pair.client_events()]
    last_stream_data = max(index for index, kind in enumerate(kinds) if kind is StreamDataReceived)
    assert DatagramFrameReceived not in kinds[:last_stream_data]

    pair.run_until(lambda: flow.sent_datagrams > sent_before + 20)


def test_lost_stream_bytes_go_first_too() -> None:
    pair, flow = pair_with_flow()
    stream_id = open_stream(pair)
    pair.server.send_stream_data(stream_id, bytes(1000))
    pair.server.datagrams_to_send(now=pair.now)  # lost on the way, with the datagrams behind it
    pair.run_until(lambda: any(isinstance(event, StreamDataReceived) for event in pair.client_events()))
    assert not stream_data_waits(pair.server)
    sent = flow.sent_datagrams
    pair.run_until(lambda: flow.sent_datagrams > sent)


def test_a_stream_that_flow_control_holds_back_does_not_hold_back_datagrams() -> None:
    pair, flow = pair_with_flow()
    stream_id = open_stream(pair)
    pair.server._streams[stream_id].max_stream_data_remote = 500
    pair.server.send_stream_data(stream_id, bytes(STREAM_BYTES))
    pair.run_until(lambda: flow.sent_datagrams >= 20)
    assert unsent_stream_bytes(pair.server, stream_id) == STREAM_BYTES - 500


def test_the_largest_datagram_fits_and_one_byte_more_never_would() -> None:
    pair = QuicPair()
    most = max_datagram_bytes(pair.server)
    assert most > 1200  # what docs/PROTOCOL.md calls safe
    pair.server.send_datagram_frame(bytes(most))
    pair.step()
    assert [len(event.data) for event in pair.client_events() if isinstance(event, DatagramFrameReceived)] == [most]
    pair.server.send_datagram_frame(bytes(most + 1))
    for _ in range(5):
        pair.step()
    assert not any(isinstance(event, DatagramFrameReceived) for event in pair.client_events())


def test_there_is_room_after_slow_start_while_no_queue_grows() -> None:
    pair = QuicPair()
    loss = pair.server._loss
    loss._rtt_latest = loss._rtt_min = 0.03
    assert not has_room(pair.server)  # slow start
    loss._cc.ssthresh = loss._cc.congestion_window
    assert has_room(pair.server)
    loss._rtt_latest = 0.039
    assert has_room(pair.server)
    loss._rtt_latest = 0.041
    assert not has_room(pair.server)
    loss._rtt_min, loss._rtt_latest = 0.1, 0.124
    assert has_room(pair.server)
    loss._rtt_latest = 0.126
    assert not has_room(pair.server)
    loss._rtt_latest = 0.1
    loss._cc.congestion_window -= 1
    assert not has_room(pair.server)


def test_a_peer_without_datagrams_gets_none() -> None:
    pair = QuicPair()
    pair.server._remote_max_datagram_frame_size = None
    assert max_datagram_bytes(pair.server) == 0


def test_aioquic_takes_finished_packets_from_its_builder_in_the_known_ways_only() -> None:
    lines = [line.strip() for line in getsource(QuicConnection._flush_builder).splitlines()]
    assert [line for line in lines if "builder." in line] == [
        "datagrams, packets = builder.flush()",
        "self._packet_number = builder.packet_number",
    ]
