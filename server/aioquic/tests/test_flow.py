import math

from hypothesis import assume, given
from hypothesis import strategies as st
from voxel_serve.coding import Encoder
from voxel_serve.flow import Flow
from voxel_serve.parity import Block, Parity, blocks
from voxel_serve.scheduler import Scheduler

from server.conformance.client import parse_datagram

DATAGRAM_BYTES = 1200


def take(flow: Flow) -> list[bytes]:
    """All datagrams that are ready."""
    datagrams = []
    while (datagram := flow.peek()) is not None:
        flow.commit()
        datagrams.append(datagram)
    return datagrams


@given(
    chunks=st.lists(st.binary(min_size=1, max_size=5000), min_size=1, max_size=10),
    number=st.integers(0, 2**62 - 1),
    size=st.integers(20, DATAGRAM_BYTES),
)
def test_datagrams_carry_every_byte_once_in_order(chunks: list[bytes], number: int, size: int) -> None:
    body = b"".join(chunks)
    flow = Flow(number, len(body), size)
    datagrams = []
    for chunk in chunks:
        flow.push(chunk)
        datagrams += take(flow)
    assert all(len(datagram) <= size for datagram in datagrams)
    # All but the last are full: chunk borders do not show.
    assert all(len(datagram) == size for datagram in datagrams[:-1])
    position = 0
    for datagram in datagrams:
        flow_number, offset, payload = parse_datagram(datagram)
        assert (flow_number, offset) == (number, position)
        assert payload == body[position : position + len(payload)]
        position += len(payload)
    assert flow.finished
    assert (flow.sent_bytes, flow.sent_datagrams) == (len(body), len(datagrams))


def expected_parity(body: bytes, block: Block) -> bytes:
    encoder = Encoder(block.parity, block.symbol_bytes)
    for index in range(block.symbols):
        start = block.start + index * block.symbol_bytes
        encoder.add(index, body[start : min(start + block.symbol_bytes, block.end)])
    return b"".join(encoder.parity)


parities = st.builds(
    Parity,
    amounts=st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple),
    block=st.integers(1, 12),
    symbol=st.none() | st.integers(64, 120),
    always=st.booleans(),
)


@given(
    ranges=st.lists(st.integers(1, 700), min_size=1, max_size=5),
    parity=parities,
    size=st.integers(140, 300),
    piece=st.integers(1, 2000),
    links=st.lists(st.booleans(), min_size=1, max_size=6),
)
def test_coded_blocks_carry_every_byte_once_and_the_codecs_parity_behind_it(
    ranges: list[int], parity: Parity, size: int, piece: int, links: list[bool]
) -> None:
    length = sum(ranges)
    body = bytes(index * index % 251 for index in range(length))
    flow = Flow(5, length, size, parity=parity, ranges=ranges)
    assume(flow.parity is not None)
    answers = iter(links * length)
    payloads = []
    for start in range(0, length, piece):
        flow.push(body[start : start + piece])
        while (datagram := flow.peek()) is not None:
            assert len(datagram) <= size
            flow.commit(lambda: next(answers))
            payloads.append(parse_datagram(datagram)[1:])
    assert flow.finished
    assert flow.sent_datagrams == len(payloads)
    answers = iter(links * length)
    queue = iter(payloads)
    data = parity_bytes = 0
    for block in blocks(ranges, parity):
        while data < block.end:
            offset, payload = next(queue)
            assert offset == data
            assert payload == body[offset : offset + len(payload)]
            data += len(payload)
            assert data <= block.end
            assert len(payload) % block.symbol_bytes == 0 or data == block.end
            assert parity.symbol is None or len(payload) <= parity.symbol
        if not (parity.always or next(answers)):
            continue
        place, wanted = block.parity_start, expected_parity(body, block)[: block.sent_parity * block.symbol_bytes]
        while wanted:
            offset, payload = next(queue)
            assert offset == place >= length
            assert wanted.startswith(payload)
            assert len(payload) % block.symbol_bytes == 0
            assert parity.symbol is None or len(payload) == parity.symbol
            wanted, place = wanted[len(payload) :], place + len(payload)
            parity_bytes += len(payload)
    assert next(queue, None) is None
    assert (flow.sent_bytes, flow.sent_parity_bytes) == (length, parity_bytes)
    assert parity_bytes <= length


def test_a_symbol_that_is_too_long_for_a_datagram_is_no_parity_at_all() -> None:
    for parity in (Parity((1,), 4, 112), Parity((1,), 1)):
        longest = 120 - 1 - 8
        assert Flow(1, 111, 120, parity=parity, ranges=[longest + 1]).parity is None
        assert Flow(1, 110, 120, parity=Parity((1,), 4, longest), ranges=[longest]).parity is not None


def test_a_stopped_flow_sends_no_parity() -> None:
    flow = Flow(1, 64, DATAGRAM_BYTES, parity=Parity((1,), 1, 64), ranges=[64])
    flow.push(bytes(64))
    flow.peek()
    flow.commit()
    assert not flow.finished
    assert flow.peek() is not None
    flow.stop()
    assert flow.finished
    assert flow.peek() is None


def test_every_datagram_starts_with_the_prefix() -> None:
    flow = Flow(7, 3000, DATAGRAM_BYTES, prefix=b"\x2a")
    flow.push(bytes(3000))
    datagrams = take(flow)
    assert [datagram[:1] for datagram in datagrams] == [b"\x2a"] * 3
    assert parse_datagram(datagrams[0][1:])[:2] == (7, 0)


def test_an_empty_body_is_finished_without_a_datagram() -> None:
    flow = Flow(1, 0, DATAGRAM_BYTES)
    assert flow.finished
    assert take(flow) == []


def test_peeking_twice_sends_nothing_twice() -> None:
    flow = Flow(1, 100, DATAGRAM_BYTES)
    flow.push(bytes(100))
    assert flow.peek() == flow.peek()
    assert flow.sent_bytes == 0


def test_a_stopped_flow_has_nothing_more_and_remembers_what_it_sent() -> None:
    flow = Flow(1, 5000, DATAGRAM_BYTES)
    flow.push(bytes(5000))
    flow.peek()
    flow.commit()
    flow.peek()
    flow.stop()
    assert flow.finished
    assert flow.peek() is None
    assert (flow.sent_bytes, flow.sent_datagrams) == (DATAGRAM_BYTES - 2, 1)


def full_flow(number: int) -> Flow:
    flow = Flow(number, 2000, DATAGRAM_BYTES)
    flow.push(bytes(2000))
    return flow


def order(scheduler: Scheduler) -> list[int]:
    """The flows' numbers as their datagrams go out."""
    numbers = []
    while (datagram := scheduler.peek()) is not None:
        scheduler.commit()
        numbers.append(parse_datagram(datagram)[0])
    return numbers


def test_flows_go_out_in_the_order_of_request() -> None:
    scheduler = Scheduler()
    for number in (3, 1, 2):
        scheduler.add(full_flow(number))
    assert order(scheduler) == [3, 3, 1, 1, 2, 2]


def test_the_earliest_deadline_goes_first() -> None:
    scheduler = Scheduler()
    for number, deadline in ((1, None), (2, 9.0), (3, 4.0), (4, math.inf)):
        scheduler.add(full_flow(number), deadline)
    assert order(scheduler) == [3, 3, 2, 2, 1, 1, 4, 4]


def test_a_flow_that_waits_for_its_file_does_not_hold_up_the_next() -> None:
    scheduler = Scheduler()
    waiting = Flow(1, 2000, DATAGRAM_BYTES)
    scheduler.add(waiting)
    scheduler.add(full_flow(2))
    assert order(scheduler) == [2, 2]
    waiting.push(bytes(2000))
    assert order(scheduler) == [1, 1]


def test_a_removed_flow_sends_nothing_more() -> None:
    scheduler = Scheduler()
    flow = full_flow(1)
    scheduler.add(flow)
    assert 1 in scheduler
    scheduler.peek()
    scheduler.remove(flow)
    assert 1 not in scheduler
    assert order(scheduler) == []


def test_committing_after_the_flow_was_removed_counts_nothing() -> None:
    scheduler = Scheduler()
    flow = full_flow(1)
    scheduler.add(flow)
    scheduler.remove(flow)
    scheduler.commit()
    assert flow.sent_bytes == 0
