"""The head of a VOXEL request: one per WebTransport stream, in HTTP/1.1 message syntax (RFC 9112)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

import h11

from . import structured
from .errors import HttpError
from .limits import Limits
from .ranges import RangeSpec, parse_range_header

VOXEL_HEADERS = ("x-voxel-unreliable", "x-slipstream-unreliable", "x-voxel-deadline")
"""All request headers of the protocol, past ones included."""

_ODD_LINE_END = re.compile(rb"(?<!\r)\n|\n[ \t]")

_MILLISECONDS = re.compile(r"\d{1,15}", re.ASCII)
"""The longest integer of a structured field (RFC 9651 section 3.3.1)."""


@dataclass(frozen=True, slots=True)
class VoxelRequest:
    """A well-formed request; the file may not exist."""

    target: str
    """Path and query as sent."""

    ranges: tuple[RangeSpec, ...] | None
    """In the order of delivery; None: the whole file."""

    flow: int | None
    """The number of the datagram flow; None: the body is sent reliably on the stream."""

    deadline: float | None
    """Seconds after the arrival of the request; datagrams that are unsent by then are dropped."""

    if_match: str | None = None
    """The header of that name; None: whatever the file is now."""


class RequestReader:
    """Collects one stream's bytes until its request is complete. No I/O."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head_bytes)
        self._received = bytearray()

    def feed(self, data: bytes) -> VoxelRequest | None:
        """The request once its head is complete, None before; b"" is the end of the stream.

        Raises `HttpError` if the head is malformed, too long or incomplete. Must not be called again after that.
        """
        self._received += data
        if len(self._received) > self._limits.head_bytes:
            raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "request head too long")
        try:
            self._connection.receive_data(data)
            event = self._connection.next_event()
        except h11.RemoteProtocolError as error:
            raise HttpError(HTTPStatus.BAD_REQUEST, "malformed request head") from error
        if event is h11.NEED_DATA:
            return None
        if not isinstance(event, h11.Request) or event.http_version != b"1.1":
            raise HttpError(HTTPStatus.BAD_REQUEST, "malformed request head")
        head_bytes = len(self._received) - len(self._connection.trailing_data[0])
        check_head(bytes(self._received[:head_bytes]), self._limits)
        return interpret(event, self._limits)


def check_head(head: bytes, limits: Limits) -> None:
    """Refuses what h11 takes: more than the limit in one piece, a bare LF, a folded line (RFC 9112 sections 2.2, 5.2).

    Proxies differ in the latter two, and what two programs read differently smuggles requests. `HttpError` 400, 431.
    """
    if len(head) > limits.head_bytes:
        raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "request head too long")
    if _ODD_LINE_END.search(head):
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed request head")


def combined_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Lower-case names to values, repeated ones joined by commas (RFC 9110 section 5.3)."""
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return {name: ", ".join(repeated) for name, repeated in values.items()}


def interpret(head: h11.Request, limits: Limits) -> VoxelRequest:
    """The request in a syntactically valid head. Raises `HttpError` 400, 405, 431."""
    if head.method != b"GET":
        raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "only GET is answered", (("allow", "GET"),))
    headers = combined_headers(head.headers)
    range_header = headers.get("range")
    return VoxelRequest(
        target=head.target.decode("ascii"),
        ranges=None if range_header is None else parse_range_header(range_header, limits),
        flow=_flow(headers),
        deadline=_deadline(headers),
        if_match=headers.get("if-match"),
    )


def _flow(headers: Mapping[str, str]) -> int | None:
    value = headers.get("x-voxel-unreliable")
    if value is None:
        return None
    try:
        unreliable, parameters = structured.parse_item(value)
    except ValueError:
        unreliable, parameters = "", {}
    if not isinstance(unreliable, bool):
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed x-voxel-unreliable header")
    if not unreliable:
        return None
    flow = parameters.get("flow")
    if isinstance(flow, bool) or not isinstance(flow, int) or flow < 0:
        raise HttpError(HTTPStatus.BAD_REQUEST, "x-voxel-unreliable needs a flow number")
    return flow


def _deadline(headers: Mapping[str, str]) -> float | None:
    value = headers.get("x-voxel-deadline")
    if value is None:
        return None
    if not _MILLISECONDS.fullmatch(value):
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed x-voxel-deadline header")
    return int(value) / 1000
