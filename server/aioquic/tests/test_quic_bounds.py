"""What a client can make the server keep, on QUIC connections in memory."""

import pytest
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, StreamDataReceived
from aioquic.quic.stream import QuicStream
from voxel_serve.quic_bounds import CONNECTION_WINDOW_BYTES, MOST_GAPS, STREAM_WINDOW_BYTES, adopt, connection_ids
from voxel_serve.resets import StatelessResets

from .quic_pair import QuicPair

FLOOD_BYTES = 64 * 1024 * 1024
RESETS = StatelessResets(bytes(32), 4433)


def bounded_pair() -> QuicPair:
    return QuicPair(
        adopted=lambda quic: adopt(quic, RESETS.token),
        max_data=CONNECTION_WINDOW_BYTES,
        max_stream_data=STREAM_WINDOW_BYTES,
    )


def send_without_first_byte(quic: QuicConnection, length: int) -> int:
    stream_id = quic.get_next_available_stream_id()
    quic.send_stream_data(stream_id, bytes(length))
    quic._streams[stream_id].sender._pending.subtract(0, 1)
    return stream_id


def waiting_bytes(quic: QuicConnection) -> list[int]:
    return [len(stream.receiver._buffer) for stream in quic._streams.values()]


def step_until_nothing_more_comes(pair: QuicPair) -> None:
    before = -1
    while sum(waiting_bytes(pair.server)) != before:
        before = sum(waiting_bytes(pair.server))
        for _ in range(5):
            pair.step()


def test_a_stream_whose_first_byte_never_comes_fills_one_window() -> None:
    pair = bounded_pair()
    send_without_first_byte(pair.client, FLOOD_BYTES)
    step_until_nothing_more_comes(pair)
    assert waiting_bytes(pair.server) == [STREAM_WINDOW_BYTES]


def test_all_such_streams_together_fill_the_connections_window() -> None:
    pair = bounded_pair()
    for _ in range(20):
        send_without_first_byte(pair.client, FLOOD_BYTES // 20)
    step_until_nothing_more_comes(pair)
    assert sum(waiting_bytes(pair.server)) == CONNECTION_WINDOW_BYTES


def test_windows_move_on_with_what_was_delivered() -> None:
    pair = bounded_pair()
    length = 4 * CONNECTION_WINDOW_BYTES
    streams = [pair.client.get_next_available_stream_id(), pair.client.get_next_available_stream_id() + 4]
    for stream_id in streams:
        pair.client.send_stream_data(stream_id, bytes(length), end_stream=True)
    received = dict.fromkeys(streams, 0)
    ended = set()
    for _ in range(1000):
        pair.step()
        while (event := pair.server.next_event()) is not None:
            if isinstance(event, StreamDataReceived):
                received[event.stream_id] += len(event.data)
                ended |= {event.stream_id} if event.end_stream else set()
        if len(ended) == len(streams):
            break
    assert received == dict.fromkeys(streams, length)
    assert pair.server._local_max_data.value <= 2 * length + CONNECTION_WINDOW_BYTES


def test_a_stream_that_is_reset_gives_its_window_back() -> None:
    pair = bounded_pair()
    for _ in range(4 * CONNECTION_WINDOW_BYTES // STREAM_WINDOW_BYTES):
        stream_id = send_without_first_byte(pair.client, STREAM_WINDOW_BYTES)
        pair.run_until(lambda: STREAM_WINDOW_BYTES in waiting_bytes(pair.server))
        pair.client.reset_stream(stream_id, 0)
        pair.run_until(lambda: pair.server._streams[stream_id].receiver.is_finished)  # noqa: B023
        pair.server.reset_stream(stream_id, 0)
        pair.run_until(lambda: stream_id not in pair.server._streams)  # noqa: B023


def test_a_stream_in_a_thousand_pieces_ends_the_connection() -> None:
    pair = bounded_pair()
    stream_id = pair.client.get_next_available_stream_id()
    pair.client.send_stream_data(stream_id, bytes(4 * MOST_GAPS))
    sender = pair.client._streams[stream_id].sender
    for place in range(0, 4 * MOST_GAPS, 2):
        sender._pending.subtract(place, place + 1)
    pair.run_until(lambda: any(isinstance(event, ConnectionTerminated) for event in pair.client_events()))


def test_reset_tokens_can_be_made_again() -> None:
    pair = bounded_pair()
    given = [pair.client._peer_cid, *pair.client._peer_cid_available]
    assert len(given) > 1
    assert all(one.stateless_reset_token == RESETS.token(one.cid) for one in given)


def test_the_ids_of_a_connection_are_all_by_which_it_is_known() -> None:
    pair = bounded_pair()
    assert connection_ids(pair.server) == [
        pair.client.original_destination_connection_id,
        *(one.cid for one in pair.server._host_cids),
    ]


@pytest.mark.parametrize("window", [0, 1, STREAM_WINDOW_BYTES])
def test_a_window_is_raised_once_half_of_it_is_used(window: int) -> None:
    pair = bounded_pair()
    stream_id = pair.client.get_next_available_stream_id()
    pair.client.send_stream_data(stream_id, bytes(max(1, window // 2)))
    for _ in range(5):
        pair.step()
    stream: QuicStream = pair.server._streams[stream_id]
    grown = stream.receiver.starting_offset() * 2 > STREAM_WINDOW_BYTES
    assert (stream.max_stream_data_local > STREAM_WINDOW_BYTES) == grown
