"""The window of datagrams in bursts: as an object, and over a link with a short queue in memory."""

import pytest
from aioquic.quic.packet import QuicPacketType
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.tls import Epoch
from voxel_serve import congestion
from voxel_serve.congestion import BETA, Cubic

from .quic_link import QuicLink

PACKET = 1350
RTT = 0.03
INITIAL_WINDOW = 10 * PACKET
"""RFC 9002 section 7.2."""


class Path:
    """Sends packets under a window and has each acknowledged a round trip later."""

    def __init__(self) -> None:
        self.cubic = Cubic(max_datagram_size=PACKET)
        self.now = 1.0

    def round(self, packets: int | None = None, *, rtt: float = RTT) -> None:
        """A round trip with so many packets, None: as many as the window takes."""
        count = self.cubic.congestion_window // PACKET if packets is None else packets
        flight = self.send(count)
        self.now += rtt
        for packet in flight:
            self.cubic.on_packet_acked(now=self.now, packet=packet)
        self.cubic.on_rtt_measurement(now=self.now, rtt=rtt)

    def lose(self) -> None:
        flight = self.send(1)
        self.now += RTT
        self.cubic.on_packets_lost(now=self.now, packets=flight)

    def send(self, count: int) -> list[QuicSentPacket]:
        flight = [sent_packet(self.now) for _ in range(count)]
        for packet in flight:
            self.cubic.on_packet_sent(packet=packet)
        self.now += 0.001
        return flight


def sent_packet(sent_time: float) -> QuicSentPacket:
    return QuicSentPacket(
        epoch=Epoch.ONE_RTT,
        in_flight=True,
        is_ack_eliciting=True,
        is_crypto_packet=False,
        packet_number=0,
        packet_type=QuicPacketType.ONE_RTT,
        sent_time=sent_time,
        sent_bytes=PACKET,
    )


@pytest.fixture
def path() -> Path:
    """After the first round trip, which has no time to compare with."""
    path = Path()
    path.round(1)
    assert path.cubic.congestion_window == INITIAL_WINDOW
    return path


def test_slow_start_doubles_the_window_while_the_round_trip_time_stands(path: Path) -> None:
    for _ in range(4):
        path.round()
    assert path.cubic.congestion_window == 16 * INITIAL_WINDOW
    assert path.cubic.ssthresh is None


def test_slow_start_pauses_for_a_queue_and_ends_when_it_stands(path: Path) -> None:
    path.round()
    path.round(rtt=2 * RTT)
    window = path.cubic.congestion_window  # The sample comes after the acknowledgements that brought it.
    path.round(rtt=RTT)
    assert path.cubic.congestion_window == window
    assert path.cubic.ssthresh is None
    path.round(rtt=2 * RTT)
    assert path.cubic.congestion_window == 2 * window
    path.round(rtt=2 * RTT)
    path.round(rtt=2 * RTT)
    assert path.cubic.ssthresh == 2 * window


def test_a_window_that_is_not_used_does_not_grow(path: Path) -> None:
    for _ in range(20):
        path.round(4)
    assert path.cubic.congestion_window == INITIAL_WINDOW
    path.lose()
    window = path.cubic.congestion_window
    for _ in range(20):
        path.round(2)
    assert path.cubic.congestion_window == window


def test_an_idle_time_neither_grows_nor_forgets_the_window(path: Path) -> None:
    for _ in range(3):
        path.round()
    path.lose()
    path.round()
    window = path.cubic.congestion_window
    path.now += 60
    path.round()
    assert window <= path.cubic.congestion_window < window + 2 * PACKET


def test_the_packets_lost_from_one_flight_shrink_the_window_once(path: Path) -> None:
    for _ in range(3):
        path.round()
    window = path.cubic.congestion_window
    flight = path.send(3)
    path.now += RTT
    for packet in flight:
        path.cubic.on_packets_lost(now=path.now, packets=[packet])
    assert path.cubic.congestion_window == int(BETA * window)
    assert path.cubic.bytes_in_flight == 0


def test_the_window_comes_back_to_where_it_was_lost_and_stays_there_before_it_grows_on(path: Path) -> None:
    for _ in range(6):
        path.round()
    plateau = path.cubic.congestion_window
    path.lose()
    windows = []
    for _ in range(600):
        path.round()
        windows.append(path.cubic.congestion_window)
    back = next(index for index, window in enumerate(windows) if window > 0.98 * plateau)
    assert windows[back + 20] < 1.02 * plateau
    assert windows[-1] > 1.2 * plateau


def test_persistent_congestion_leaves_two_packets(path: Path) -> None:
    path.lose()
    path.cubic.on_persistent_congestion()
    assert path.cubic.congestion_window == 2 * PACKET
    path.round()
    assert path.cubic.congestion_window == 4 * PACKET


@pytest.mark.parametrize(("mbps", "segment_bytes"), [(2, 100_000), (4.3, 200_000), (10, 300_000)])
def test_segments_with_pauses_between_them_lose_little_in_a_short_queue(mbps: float, segment_bytes: int) -> None:
    # docs/TRIALS.md: 32 packets, drop-tail, 30 ms. aioquic's own CUBIC loses up to 10 % of a segment here.
    congestion.register()
    link = QuicLink(mbps * 1e6, congestion.NAME)
    lost, seconds = [], 0.0
    for number in range(6):
        share, duration = link.send(number, segment_bytes)
        lost.append(share)
        seconds += duration
        link.rest(1.0)
    assert sum(lost) / len(lost) < 0.01
    assert max(lost) < 0.05
    assert len(lost) * segment_bytes * 8 / seconds > 0.95 * mbps * 1e6


def test_a_sender_with_little_to_send_says_nothing_of_the_path(path: Path) -> None:
    for _ in range(9):
        path.round(packets=2)
    assert path.cubic.delivery_rate.bytes_per_second is None


def test_a_steady_sender_is_measured_and_its_rate_lasts_through_pauses_and_little_demand(path: Path) -> None:
    flight = path.send(path.cubic.congestion_window // PACKET)
    path.lose()
    for _ in range(60):  # One packet for each that is acknowledged, 10 ms apart.
        path.now += 0.01
        path.cubic.on_packet_acked(now=path.now, packet=flight.pop(0))
        path.cubic.on_rtt_measurement(now=path.now, rtt=0.1)
        while path.cubic.bytes_in_flight + PACKET <= path.cubic.congestion_window:
            flight += path.send(1)
    rate = path.cubic.delivery_rate.bytes_per_second
    assert rate == pytest.approx(PACKET / 0.01, rel=0.2)
    for packet in flight:
        path.now += 0.01
        path.cubic.on_packet_acked(now=path.now, packet=packet)
    last = path.cubic.delivery_rate.bytes_per_second
    for _ in range(5):
        path.round(packets=2, rtt=0.1)
    assert path.cubic.delivery_rate.bytes_per_second == last
