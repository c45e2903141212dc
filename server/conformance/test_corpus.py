"""Odd requests, each of which both servers answer as the RFCs say (`corpus/`)."""

import http.client
from collections.abc import Iterator

import pytest

from .corpus import Http1Answers, entries, play_http1
from .corpus_http3 import Http3Player
from .servers import Server

HTTP1 = entries("http1")
HTTP3 = entries("http3")


@pytest.fixture(scope="session")
def etag(server: Server) -> str:
    """The validator of /media.mp4."""
    connection = http.client.HTTPConnection("127.0.0.1", server.http_port)
    connection.request("HEAD", "/media.mp4")
    etag = connection.getresponse().getheader("etag")
    connection.close()
    assert etag is not None
    return etag


@pytest.fixture(scope="session")
def player(server: Server) -> Iterator[Http3Player]:
    player = Http3Player(server.quic_port)
    yield player
    player.close()


@pytest.mark.parametrize("odd", HTTP1)
def test_an_odd_request_over_http1(server: Server, etag: str, odd: str) -> None:
    entry = HTTP1[odd]
    expected = Http1Answers(entry["answers"], closed=entry.get("closed", False))
    assert play_http1(server.http_port, entry, etag) == expected


@pytest.mark.parametrize("odd", HTTP3)
def test_an_odd_request_over_http3(player: Http3Player, odd: str) -> None:
    expected = HTTP3[odd]["answer"]
    closes = isinstance(expected, str) and expected.startswith("close ")
    assert player.play(HTTP3[odd]) == (expected, not closes)
