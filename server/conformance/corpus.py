"""The odd requests of `corpus/`, read and played. What the keys of an entry mean stands at the top of each file."""

import re
import socket
import tomllib
from dataclasses import dataclass
from http.client import parse_headers
from pathlib import Path
from typing import Any, BinaryIO

FOLDER = Path(__file__).parent / "corpus"

TIMEOUT_SECONDS = 15.0
"""Longer than a server waits for the rest of a head, so that an entry fails by what it gets."""

PROBE = b"GET /empty.bin HTTP/1.1\r\nhost: localhost\r\n\r\n"

_REPEATED = re.compile(r"<<(.*?)\*(\d+)>>", re.DOTALL)

Entry = dict[str, Any]


def entries(name: str) -> dict[str, Entry]:
    """The entries of `corpus/NAME.toml` by "section: what is odd"."""
    document = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    return {f"{section}: {odd}": entry for section, group in document.items() for odd, entry in group.items()}


def expanded(text: str, etag: str) -> str:
    """`text` with the etag and the repetitions that it asks for."""
    text = text.replace("<<etag>>", etag)
    repeated = _REPEATED.sub(lambda match: "" if match[1] == "pad" else match[1] * int(match[2]), text)
    pad = re.search(r"<<pad\*(\d+)>>", text)
    if pad is None:
        return repeated
    start, end = pad.span()
    return text[:start] + "p" * (int(pad[1]) - len(text) + end - start) + text[end:]


def request_bytes(entry: Entry, etag: str) -> bytes:
    """What an entry of `http1.toml` sends."""
    if "send" in entry:
        text = entry["send"]
    else:
        fields = f"{entry['fields']}\r\n" if "fields" in entry else ""
        target = entry.get("target", entry.get("of", "/empty.bin"))
        text = f"GET {target} HTTP/1.1\r\nhost: localhost\r\n{fields}\r\n"
    return expanded(text, etag).encode("latin-1")


@dataclass(frozen=True)
class Http1Answers:
    """What a server makes of an entry of `http1.toml`."""

    statuses: list[int]
    closed: bool


def play_http1(port: int, entry: Entry, etag: str) -> Http1Answers:
    """Sends an entry's bytes, reads the answers that it should get, then finds out whether the connection lives."""
    data = request_bytes(entry, etag)
    # No bodies come for HEAD. Bodies of requests hold no empty line, but in requests that are refused.
    bodiless = [request.lstrip().startswith(b"HEAD ") for request in data.split(b"\r\n\r\n")]
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS) as connection:
        connection.sendall(data)
        if entry.get("fin"):
            connection.shutdown(socket.SHUT_WR)
        stream = connection.makefile("rb")
        statuses: list[int] = []
        for _, is_head in zip(entry["answers"], bodiless, strict=False):
            status = _read_response(stream, is_head=is_head)
            if status is None:
                return Http1Answers(statuses, closed=True)
            statuses.append(status)
        try:
            if not entry.get("fin"):
                connection.sendall(PROBE)
            more = _read_response(stream, is_head=False)
        except ConnectionError:
            more = None
    return Http1Answers(statuses, closed=more is None)


def _read_response(stream: BinaryIO, *, is_head: bool) -> int | None:
    """The status of the next response, read to its end; None at the end of the connection."""
    line = stream.readline()
    if not line:
        return None
    assert line.startswith(b"HTTP/1.1 "), line
    status = int(line.split(b" ")[1])
    fields = parse_headers(stream)
    if not is_head and status not in (204, 304):
        length = int(fields["content-length"])
        assert len(stream.read(length)) == length
    return status
