"""Streams of an HTTP/3 connection: the same requests and sessions however the bytes of a stream are divided."""

from collections.abc import Iterator
from http import HTTPStatus

from support.connections import StreamPart, play_http3
from support.inputs import LIMITS

STREAM_IDS = (0, 4, 8, 2, 6, 10, 14, 12)


def fuzz(data: bytes) -> None:
    parts = list(_stream_parts(data))
    whole, divided = play_http3(parts, LIMITS), play_http3(list(_divided(parts)), LIMITS)
    # Of a stream whose frame is too long no more is looked at.
    is_given_up = any(event is HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE for _, event in divided.events)
    assert whole.closed == divided.closed or is_given_up, f"{whole} as a whole, {divided} in pieces"
    # What came before an error in the same piece is not told.
    seen = len(whole.events) if whole.closed else None
    assert whole.events == divided.events[:seen], f"{whole} as a whole, {divided} in pieces"


def _stream_parts(data: bytes) -> Iterator[StreamPart]:
    """Stream, bytes, whether they end it. Each begins with a byte of stream (3 bits) and end (1), and one of length."""
    ended: set[int] = set()
    at = 0
    while at + 1 < len(data):
        stream, is_end, length = STREAM_IDS[data[at] & 7], bool(data[at] & 8), data[at + 1]
        if stream not in ended:
            yield stream, data[at + 2 : at + 2 + length], is_end
        if is_end:
            ended.add(stream)
        at += 2 + length


def _divided(parts: list[StreamPart]) -> Iterator[StreamPart]:
    for stream, data, is_end in parts:
        for at in range(len(data)):
            yield stream, data[at : at + 1], is_end and at == len(data) - 1
        if not data:
            yield stream, data, is_end
