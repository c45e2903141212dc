"""`voxel-live --ingest`: requests of encoders, and of others, over real connections."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from threading import Event

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingested import GOP, HEVC, SOUND, VIDEO, Sender, chunked, head, picture, pictures, request
from processes import wait_for
from voxel_prepare.errors import InputError
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.copied.ingest import connection
from voxel_prepare.live.copied.ingest.address import Ingest
from voxel_prepare.live.copied.ingest.connection import READ_BYTES, IngestConnection
from voxel_prepare.live.copied.ingest.reader import MOST_CONNECTIONS, IngestReader
from voxel_prepare.live.copied.ingest.tracks import MOST_TRACKS, IngestTracks
from voxel_prepare.live.copied.notes import Gone, Note, Opened
from voxel_prepare.live.copied.packets import Packet

TOKEN = "a-token-of-the-test"
PATH = "/live/video.cmfv"


class Listening:
    """An ingest, and what it has passed on."""

    def __init__(self, token: str | None, stop: Event) -> None:
        self.notes: list[Note] = []
        self.reader = IngestReader(0, Ingest("127.0.0.1", 0, token), WallClock(), self.notes.append, stop)
        self.port: int = self.reader._socket.getsockname()[1]
        self.reader.start()

    def connect(self) -> Sender:
        return Sender(self.port)

    @property
    def connections(self) -> int:
        return len(self.reader._tasks)

    @property
    def packets(self) -> list[bytes]:
        return [note.content.data for note in self.notes if isinstance(note.content, Packet)]

    @property
    def lines(self) -> list[str]:
        """What would be said."""
        said = [note.content.reason for note in self.notes if isinstance(note.content, Gone)]
        return said + [line for note in self.notes if isinstance(note.content, Opened) for line in note.content.refused]


@pytest.fixture
def listen() -> Iterator[Callable[..., Listening]]:
    stop = Event()
    found: list[Listening] = []

    def start(token: str | None = None) -> Listening:
        found.append(Listening(token, stop))
        return found[-1]

    yield start
    stop.set()
    for one in found:
        one.reader.join(20)
        assert not one.reader.is_alive()
        assert one.connections == 0


def whole(*numbers: int) -> list[bytes]:
    return [picture(number) for number in numbers]


def test_a_track_comes_in_one_long_request_as_it_is_sent(listen: Callable[..., Listening]) -> None:
    ingest = listen()
    sender = ingest.connect().send(head(PATH, "Transfer-Encoding: chunked", method="POST"))
    sender.send(chunked(VIDEO, pictures([0, 1])))
    wait_for(lambda: ingest.packets == whole(0, 1))  # the request goes on
    sender.send(chunked(pictures([2])) + b"0\r\n\r\n")
    assert sender.answer() == 200
    assert ingest.packets == whole(0, 1, 2)


def test_requests_one_a_segment_may_be_sent_before_the_answer_to_the_last(listen: Callable[..., Listening]) -> None:
    ingest = listen()
    sender = ingest.connect().send(
        request("/live/init-stream0.m4s", VIDEO)
        + b"".join(request(f"/live/chunk-stream0-0000{number}.m4s", pictures([number])) for number in range(3))
        + request("/live/manifest.mpd", b"<MPD/>")
        + head("/live/chunk-stream0-00000.m4s", method="DELETE")
        + request("/live/chunk-stream0-00003.m4s", pictures([3]))
    )
    assert [sender.answer() for _ in range(7)] == [200] * 7
    assert ingest.packets == whole(0, 1, 2, 3)


def test_a_body_may_say_its_length_and_wait_for_a_go_ahead(listen: Callable[..., Listening]) -> None:
    ingest = listen()
    body = VIDEO + pictures([0])
    sender = ingest.connect().send(head(PATH, f"Content-Length: {len(body)}", "Expect: 100-continue"))
    assert sender.answer() == 100
    assert sender.send(body).answer() == 200
    assert ingest.packets == whole(0)


def test_an_empty_request_asks_whether_one_may_send(listen: Callable[..., Listening]) -> None:
    sender = listen(TOKEN).connect()
    assert sender.send(head(f"{PATH}?token={TOKEN}", "Content-Length: 0", method="POST")).answer() == 200


@pytest.mark.parametrize(
    "fields",
    [
        (),
        ("Authorization: Bearer another-token-than-the-one",),
        (f"Authorization: Basic {TOKEN}",),
        (f"Authorization: Bearer {TOKEN[:-1]}",),
        ("Authorization: Bearer \xff\xfe",),
    ],
)
def test_who_has_no_token_is_refused_before_the_body(listen: Callable[..., Listening], fields: tuple[str, ...]) -> None:
    ingest = listen(TOKEN)
    sender = ingest.connect().send(head(PATH, "Content-Length: 1000000000", "Expect: 100-continue", *fields))
    assert sender.answer() == 401
    assert sender.has_ended()
    wait_for(lambda: ingest.connections == 0)
    assert ingest.notes == []


@pytest.mark.parametrize(
    ("query", "fields"),
    [("", (f"Authorization: Bearer {TOKEN}",)), (f"?token={TOKEN}", ()), (f"?a=1&token={TOKEN}", ())],
)
def test_who_has_the_token_may_send(listen: Callable[..., Listening], query: str, fields: tuple[str, ...]) -> None:
    ingest = listen(TOKEN)
    sender = ingest.connect().send(request(PATH + query, VIDEO, pictures([0]), fields=fields))
    assert sender.answer() == 200
    assert ingest.packets == whole(0)


def test_a_query_of_very_many_fields_has_no_token(listen: Callable[..., Listening]) -> None:
    sender = listen(TOKEN).connect().send(request(f"{PATH}?{'a=1&' * 20}token={TOKEN}", VIDEO))
    assert sender.answer() == 401


def test_each_request_of_a_connection_needs_the_token(listen: Callable[..., Listening]) -> None:
    ingest = listen(TOKEN)
    sender = ingest.connect().send(request(f"{PATH}?token={TOKEN}", VIDEO) + request(PATH, pictures([0])))
    assert [sender.answer(), sender.answer()] == [200, 401]
    assert ingest.packets == []


def test_a_track_goes_on_after_its_connection_was_dropped_in_a_chunk(listen: Callable[..., Listening]) -> None:
    ingest = listen()
    begun = head(PATH, "Transfer-Encoding: chunked") + chunked(VIDEO, pictures([0, 1, 2]))
    sender = ingest.connect().send(begun + chunked(pictures([3]))[:-40])
    wait_for(lambda: len(ingest.packets) == 3)
    sender.drop()
    wait_for(lambda: ingest.lines == ["live/video: the connection broke off"])
    again = request(PATH, VIDEO, pictures([0, 1, 2, 3, 4]))
    assert ingest.connect().send(again).answer() == 200
    assert ingest.packets == whole(0, 1, 2, 3, 4)


def test_what_was_lost_with_a_connection_is_missed_up_to_the_next_key_frame(listen: Callable[..., Listening]) -> None:
    ingest = listen()
    sender = ingest.connect().send(head(PATH, "Transfer-Encoding: chunked") + chunked(VIDEO, pictures([0, 1])))
    wait_for(lambda: len(ingest.packets) == 2)
    sender.drop()
    assert ingest.connect().send(request(PATH, VIDEO, pictures([3, GOP, 5]))).answer() == 200
    assert ingest.packets == whole(0, 1, GOP, 5)


def test_a_request_waits_for_the_one_before_it_on_another_connection(listen: Callable[..., Listening]) -> None:
    ingest = listen()
    assert ingest.connect().send(request("/live/init-0.m4s", VIDEO)).answer() == 200
    first = ingest.connect().send(head("/live/chunk-0-1.m4s", "Transfer-Encoding: chunked") + chunked(pictures([0])))
    wait_for(lambda: len(ingest.packets) == 1)
    second = ingest.connect().send(request("/live/chunk-0-2.m4s", pictures([2])))
    assert first.send(chunked(pictures([1])) + b"0\r\n\r\n").answer() == 200
    assert second.answer() == 200
    assert ingest.packets == whole(0, 1, 2)


def test_a_connection_that_is_dead_gives_way_to_the_next(
    listen: Callable[..., Listening], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "TURN_SECONDS", 0.1)
    ingest = listen()
    dead = ingest.connect().send(head(PATH, "Transfer-Encoding: chunked") + chunked(VIDEO, pictures([0])))
    wait_for(lambda: len(ingest.packets) == 1)
    assert ingest.connect().send(request(PATH, VIDEO, pictures([1]))).answer() == 200
    assert dead.has_ended()
    assert ingest.packets == whole(0, 1)


def test_a_sender_that_sends_nothing_more_is_given_up(
    listen: Callable[..., Listening], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BODY_SECONDS", 0.1)
    monkeypatch.setattr(connection, "FIRST_HEAD_SECONDS", 0.1)
    ingest = listen()
    silent = [ingest.connect(), ingest.connect().send(b"PUT /"), ingest.connect().send(request(PATH, VIDEO)[:-5])]
    assert all(one.has_ended() for one in silent)
    wait_for(lambda: ingest.connections == 0)


def test_a_track_that_is_not_copied_leaves_the_connection_to_the_others(listen: Callable[..., Listening]) -> None:
    ingest = listen()
    sender = ingest.connect()
    for path, body, status in [
        ("/live/init-0.m4s", HEVC, 415),
        ("/live/chunk-0-1.m4s", pictures([0]), 415),
        ("/live/init-1.m4s", VIDEO, 200),
        ("/live/chunk-1-1.m4s", pictures([0]), 200),
        ("/live/chunk-0-2.m4s", pictures([1]), 415),
        ("/live/chunk-2-1.m4s", pictures([0]), 412),
        ("/live/chunk-2-2.m4s", pictures([1]), 412),
    ]:
        assert sender.send(request(path, body)).answer() == status
    assert ingest.packets == whole(0)
    assert len(ingest.lines) == 2
    assert ingest.lines[0] == "live/0: expected H.264 to be copied, found hvc1"
    assert "has not come" in ingest.lines[1]


def test_more_tracks_than_there_may_be_are_refused(listen: Callable[..., Listening]) -> None:
    sender = listen().connect()
    answers = [sender.send(request(f"/{number}.cmfv", VIDEO)).answer() for number in range(MOST_TRACKS + 1)]
    assert answers == [200] * MOST_TRACKS + [403]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (head("/", method="GET"), 405),
        (head("/" + "a" * 600), 400),
        (head("*", method="PUT"), 400),
        (head(PATH, "X: " + "a" * 2 * READ_BYTES), 431),
        (request(PATH, b"<html>" * 100), 400),
        (request(PATH, VIDEO, pictures([0])[:-5]), 400),
        (head(PATH, "Transfer-Encoding: gzip"), 501),
        (head(PATH, "Content-Length: many"), 400),
    ],
)
def test_bad_requests_are_refused(listen: Callable[..., Listening], data: bytes, status: int) -> None:
    ingest = listen()
    sender = ingest.connect().send(data)
    assert sender.answer() == status
    sender.drop()
    wait_for(lambda: ingest.connections == 0)
    assert ingest.connect().send(request("/other.cmfa", SOUND)).answer() == 200


def test_more_connections_than_there_may_be_are_closed(listen: Callable[..., Listening]) -> None:
    ingest = listen()
    waiting = [ingest.connect() for _ in range(MOST_CONNECTIONS)]
    wait_for(lambda: ingest.connections == MOST_CONNECTIONS)
    assert ingest.connect().has_ended()
    waiting[0].drop()
    wait_for(lambda: ingest.connections < MOST_CONNECTIONS)
    assert ingest.connect().send(request(PATH, VIDEO)).answer() == 200


def test_an_address_that_is_taken_is_refused(listen: Callable[..., Listening]) -> None:
    port = listen().port
    with pytest.raises(InputError, match="Address already in use"):
        IngestReader(0, Ingest("127.0.0.1", port), WallClock(), lambda _: None, Event())


def serve(data: bytes) -> None:
    """A connection that brings some bytes and ends."""

    async def run() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            theirs.sendall(data)
            theirs.shutdown(socket.SHUT_WR)
            tracks = IngestTracks(0, lambda _: None, lambda: 0)
            try:
                await IngestConnection(Ingest("", 0), tracks, {}, reader, writer).serve()
            except (OSError, h11.ProtocolError):
                pass
            finally:
                writer.close()

    asyncio.run(run())


VALID = request("/a/init.mp4", VIDEO) + request("/a/1.m4s", pictures([0, 1])) + head("/a/1.m4s", method="DELETE")


@settings(max_examples=150)
@given(
    st.binary(max_size=80),
    st.integers(0, len(VALID)),
    st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 255)), max_size=6),
)
def test_any_bytes_end_in_an_answer_or_a_closed_connection(
    garbage: bytes, cut: int, flips: list[tuple[int, int]]
) -> None:
    damaged = bytearray(VALID)
    for position, value in flips:
        damaged[position] = value
    serve(bytes(damaged[:cut]) + garbage)
