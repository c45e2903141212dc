"""The head of a VOXEL request: one per WebTransport stream, in HTTP/1.1 message syntax (RFC 9112)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

import h11

from . import structured
from .errors import HttpError
from .limits import Limits
from .parity import Parity, parse_parity
from .ranges import RangeSpec, parse_range_header

VOXEL_HEADERS = (
    "x-voxel-unreliable",
    "x-slipstream-unreliable",
    "x-voxel-deadline",
    "x-voxel-after",
    "x-voxel-parity",
    "x-voxel-follow",
)
"""All request headers of the protocol, past ones included."""

_HEAD_END = re.compile(rb"\n\r?\n")

_ODD = re.compile(rb"(?<!\r)\n|\r(?!\n)|\n[ \t]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_LENGTH = re.compile(rb"\ncontent-length:([^\r]*)", re.IGNORECASE)

_MILLISECONDS = re.compile(r"\d{1,15}", re.ASCII)
"""The longest integer of a structured field (RFC 9651 section 3.3.1)."""


@dataclass(frozen=True, slots=True)
class Follow:
    """The wish to get a growing file as it grows."""

    deadline: float | None
    """Seconds after a chunk is known; its frames that are unsent by then are dropped. None: they are not."""

    group: bool = False
    """Once a chunk is cut, nothing more is sent of any frames."""


@dataclass(frozen=True, slots=True)
class VoxelRequest:
    """A well-formed request; the file may not exist."""

    target: str
    """Path and query as sent."""

    ranges: tuple[RangeSpec, ...] | None
    """Ranges in the order of delivery; None: the whole file."""

    flow: int | None
    """The number of the datagram flow; None: the body is sent reliably on the stream."""

    deadline: float | None
    """Seconds after the arrival of the request; datagrams that are unsent by then are dropped."""

    if_match: str | None = None
    """The header of that name; None: whatever the file is now."""

    after: int | None = None
    """The number of the flow whose bytes go before this body; None: it waits for no other."""

    follow: Follow | None = None
    """None: what is there now; so it is for ranges."""

    parity: Parity | None = None
    """The parity that is wanted with datagrams."""

    headers: Mapping[str, str] = field(default_factory=dict, compare=False)
    """All fields but the ranges, of which some say who asks."""


class HeadReader:
    """Takes heads out of the bytes of a connection or stream. No I/O."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._received = bytearray()
        self._empty_line_seen = False
        self._searched = 0
        """The head does not end before this place, so that no byte is looked at twice."""

    @property
    def has_more(self) -> bool:
        """Whether bytes have come since the last head."""
        return bool(self._received)

    def feed(self, data: bytes) -> bytes | None:
        """The next head with the empty line at its end, None as long as it is incomplete; further bytes are kept.

        Raises `HttpError` 400 and 431. Must not be called again after that.
        """
        self._received += data
        # One empty line before a request is ignored (RFC 9112 section 2.2).
        if not self._empty_line_seen and self._received.startswith(b"\r\n"):
            del self._received[:2]
            self._empty_line_seen = True
        end = _HEAD_END.search(self._received, self._searched)
        length = end.end() if end else len(self._received)
        if length > self._limits.head_bytes:
            raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "request head too long")
        if end is None:
            self._searched = max(0, length - 2)
            return None
        head = bytes(self._received[:length])
        del self._received[:length]
        self._empty_line_seen, self._searched = False, 0
        check_head(head)
        return head


class RequestReader:
    """Collects one stream's bytes until its request is complete. No I/O."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._head = HeadReader(limits)

    def feed(self, data: bytes) -> VoxelRequest | None:
        """The request once its head is complete, None before; b"" is the end of the stream.

        Raises `HttpError` if the head is malformed, too long or incomplete. Must not be called again after that.
        """
        head = self._head.feed(data)
        if head is None and data:
            return None
        try:
            connection = h11.Connection(h11.SERVER, max_incomplete_event_size=self._limits.head_bytes)
            connection.receive_data(head or b"")
            event = connection.next_event()
        except h11.RemoteProtocolError as error:
            raise malformed_head() from error
        if not isinstance(event, h11.Request) or event.http_version != b"1.1":
            raise malformed_head()
        return interpret(event, self._limits)


def check_head(head: bytes) -> None:
    """Refuses with `HttpError` 400 what h11 takes.

    A bare LF or CR, a folded line, a control character, more than one length (RFC 9112 sections 2.2, 5.2, 6.3, RFC 9110
    section 5.5): proxies differ in these, and what two programs read differently smuggles requests.
    """
    lengths: list[bytes] = _LENGTH.findall(head)
    if _ODD.search(head) or len(lengths) > 1 or b"," in b"".join(lengths):
        raise malformed_head()


def announces_body(head: bytes) -> bool:
    """Whether a body follows a valid head.

    A coding says so whatever its length: with a length beside it programs differ in where the next request begins.
    """
    lengths: list[bytes] = _LENGTH.findall(head)
    return b"\ntransfer-encoding:" in head.lower() or any(length.strip(b" \t").strip(b"0") for length in lengths)


def malformed_head() -> HttpError:
    """400"""
    return HttpError(HTTPStatus.BAD_REQUEST, "malformed request head")


def combined_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Lower-case names to values, repeated ones joined by commas (RFC 9110 section 5.3).

    Cookies are joined by semicolons (RFC 9114 section 4.2.1).
    """
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return {name: ("; " if name == "cookie" else ", ").join(repeated) for name, repeated in values.items()}


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
        after=_after(headers),
        follow=_follow(headers),
        parity=parse_parity(headers.get("x-voxel-parity", "")),
        headers={name: value for name, value in headers.items() if name != "range"},
    )


def _flow(headers: Mapping[str, str]) -> int | None:
    value = headers.get("x-voxel-unreliable")
    if value is None:
        return None
    unreliable, parameters = _item(value)
    if not isinstance(unreliable, bool):
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed x-voxel-unreliable header")
    if not unreliable:
        return None
    flow = _flow_number(parameters.get("flow"))
    if flow is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, "x-voxel-unreliable needs a flow number")
    return flow


def _follow(headers: Mapping[str, str]) -> Follow | None:
    value = headers.get("x-voxel-follow")
    if value is None:
        return None
    wanted, parameters = _item(value)
    deadline = _flow_number(parameters.get("deadline", 0))
    group = parameters.get("group", False)
    if not isinstance(wanted, bool) or deadline is None or not isinstance(group, bool):
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed x-voxel-follow header")
    if not wanted or "range" in headers:
        return None
    return Follow(deadline / 1000 if "deadline" in parameters else None, group)


def _after(headers: Mapping[str, str]) -> int | None:
    flow, _ = _item(headers.get("x-voxel-after", ""))
    return _flow_number(flow)


def _item(value: str) -> tuple[structured.BareItem, Mapping[str, structured.BareItem]]:
    """An empty string where it is malformed: no field here takes that."""
    try:
        return structured.parse_item(value)
    except ValueError:
        return "", {}


def _flow_number(value: structured.BareItem | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _deadline(headers: Mapping[str, str]) -> float | None:
    value = headers.get("x-voxel-deadline")
    if value is None:
        return None
    if not _MILLISECONDS.fullmatch(value):
        raise HttpError(HTTPStatus.BAD_REQUEST, "malformed x-voxel-deadline header")
    return int(value) / 1000
