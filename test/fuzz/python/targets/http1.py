"""Requests on a TCP connection: the same ones are answered however the bytes are divided."""

import re

from support.connections import play_http1
from support.inputs import LIMITS, pieces


def fuzz(data: bytes) -> None:
    whole, divided = play_http1([data[1:]], LIMITS), play_http1(list(pieces(data)), LIMITS)
    assert whole == divided, f"{whole} as a whole, {divided} in pieces"
    for target, headers in whole.requests:
        assert re.fullmatch(r"[!-~]+", target)
        assert sum(len(name) + len(value) for name, value in headers.items()) <= LIMITS.head_bytes
