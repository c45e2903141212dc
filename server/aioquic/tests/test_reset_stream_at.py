"""RESET_STREAM_AT (draft-ietf-quic-reliable-stream-reset): what comes before its reliable size is delivered first."""

from dataclasses import dataclass

import pytest
from aioquic.buffer import encode_uint_var
from aioquic.quic.connection import QuicConnectionError, QuicReceiveContext
from aioquic.quic.events import QuicEvent, StreamDataReceived, StreamReset
from aioquic.quic.packet import QuicErrorCode
from aioquic.tls import Epoch
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.quic_bounds import BoundedQuicConnection, adopt

from .quic_pair import QuicPair

CODE = 0x52E4A40FA8DB
WINDOW = 10_000


@dataclass
class Frame:
    """One frame of the client's, as it is on the wire."""

    data: bytes


def stream(data: bytes, offset: int, *, fin: bool = False) -> Frame:
    head = bytes([0x0E | fin]) + encode_uint_var(0) + encode_uint_var(offset) + encode_uint_var(len(data))
    return Frame(head + data)


def reset_at(final: int, reliable: int, code: int = CODE) -> Frame:
    return Frame(b"\x24" + b"".join(encode_uint_var(number) for number in (0, code, final, reliable)))


def reset(final: int, code: int = CODE) -> Frame:
    return Frame(b"\x04" + b"".join(encode_uint_var(number) for number in (0, code, final)))


class Server:
    """A server that is given a client's frames, without packets."""

    def __init__(self) -> None:
        pair = QuicPair(adopted=lambda quic: adopt(quic, lambda _: bytes(16)), max_data=WINDOW, max_stream_data=WINDOW)
        assert isinstance(pair.server, BoundedQuicConnection)
        self.quic = pair.server
        self.pair = pair
        self.events()

    def receive(self, *frames: Frame) -> list[QuicEvent]:
        """Frames of one packet; what the application hears of it."""
        path, version = self.quic._network_paths[0], self.quic._version
        context = QuicReceiveContext(Epoch.ONE_RTT, self.quic.host_cid, path, None, self.pair.now, version)
        self.quic._payload_received(context, b"".join(frame.data for frame in frames))
        return self.events()

    def events(self) -> list[QuicEvent]:
        events = []
        while (event := self.quic.next_event()) is not None:
            events.append(event)
        return events


def seen(events: list[QuicEvent]) -> tuple[bytes, bool, int | None]:
    """The data, whether they were said to be all, and the code of the reset; nothing may come behind that."""
    data, ended, code = b"", False, None
    for event in events:
        assert code is None
        if isinstance(event, StreamDataReceived):
            data, ended = data + event.data, ended or event.end_stream
        elif isinstance(event, StreamReset):
            code = event.error_code
    return data, ended, code


def test_what_has_come_before_the_reset_needs_no_waiting() -> None:
    server = Server()
    assert seen(server.receive(stream(b"head and", 0), reset_at(8, 4))) == (b"head and", False, CODE)


def test_the_reliable_part_that_comes_later_is_delivered_and_then_the_reset() -> None:
    server = Server()
    assert seen(server.receive(reset_at(100, 6))) == (b"", False, None)
    assert seen(server.receive(stream(b"d-", 4))) == (b"", False, None)
    assert seen(server.receive(stream(b"hea-", 0))) == (b"hea-d-", False, CODE)
    assert server.receive(stream(b"more", 6)) == []
    assert server.quic._pending_resets == {}


@given(
    st.lists(st.tuples(st.integers(0, 39), st.integers(1, 20)), max_size=30),
    st.integers(0, 40),
    st.integers(0, 30),
    st.booleans(),
)
def test_in_any_order_the_reset_comes_once_behind_the_reliable_part(
    pieces: list[tuple[int, int]], reliable: int, at: int, fin: bool
) -> None:
    data = bytes(range(40))
    server = Server()
    frames = [stream(data[start : start + length], start, fin=fin and start + length >= 40) for start, length in pieces]
    frames.insert(at, reset_at(40, reliable))
    frames += [stream(data[start : start + 7], start) for start in (14, 7, 28, 0, 21, 35)]
    events = [event for frame in frames for event in server.receive(frame)]
    got, ended, code = seen(events)
    # All data with their end may be complete before the reset comes.
    assert (ended, code) in ((False, CODE), (True, None))
    assert got == data[: len(got)]
    assert len(got) >= reliable


def test_a_later_frame_may_only_take_back_what_is_reliable() -> None:
    server = Server()
    assert server.receive(reset_at(100, 6), reset_at(100, 50)) == []
    assert seen(server.receive(stream(b"he", 0))) == (b"he", False, None)
    assert seen(server.receive(reset_at(100, 2))) == (b"", False, CODE)


def test_an_ordinary_reset_takes_all_of_it_back() -> None:
    server = Server()
    assert seen(server.receive(reset_at(100, 6), reset(100, 7))) == (b"", False, 7)
    assert server.receive(stream(b"head", 0)) == []
    assert server.quic._pending_resets == {}


@pytest.mark.parametrize(
    ("frames", "error"),
    [
        ([reset_at(4, 5)], QuicErrorCode.FRAME_ENCODING_ERROR),
        ([reset_at(WINDOW + 1, 0)], QuicErrorCode.FLOW_CONTROL_ERROR),
        ([reset_at(100, 6), reset_at(101, 6)], QuicErrorCode.FINAL_SIZE_ERROR),
        ([reset_at(100, 6), reset(101)], QuicErrorCode.FINAL_SIZE_ERROR),
        ([reset_at(100, 6), stream(b"x", 100)], QuicErrorCode.FINAL_SIZE_ERROR),
        ([stream(b"head", 0), reset_at(3, 0)], QuicErrorCode.FINAL_SIZE_ERROR),
        ([reset_at(100, 6), reset_at(100, 6, CODE + 1)], QuicErrorCode.STREAM_STATE_ERROR),
    ],
)
def test_what_breaks_the_rules_ends_the_connection(frames: list[Frame], error: QuicErrorCode) -> None:
    server = Server()
    with pytest.raises(QuicConnectionError) as raised:
        server.receive(*frames)
    assert raised.value.error_code == error


def test_the_windows_count_what_will_never_come() -> None:
    server = Server()
    used = server.quic._local_max_data.used
    server.receive(reset_at(100, 6))
    assert server.quic._local_max_data.used == used + 100
    server.receive(stream(b"head--", 0), reset_at(100, 6))
    assert server.quic._local_max_data.used == used + 100
