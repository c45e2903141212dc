"""Who may read a file is asked of the site's own service: what is asked, and what its answer means. No I/O.

docs/PROTOCOL.md, "Who may read".
"""

import hashlib
import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from .errors import HttpError
from .files import decode

CREDENTIALS = ("authorization", "cookie")
"""Headers of clients that the question holds in any case."""

_RESERVED = frozenset(
    ("connection", "content-length", "expect", "host", "origin", "range", "te", "transfer-encoding", "upgrade")
)
_RESERVED_PREFIXES = ("x-original-", "x-forwarded-", "x-voxel-")
"""Headers that are the server's own to write, or are of one connection."""

_NAME = re.compile(r"[a-z0-9_-]+", re.ASCII)

_SECONDS = re.compile(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a file, as far as it says who asks."""

    method: str
    target: str
    """Path and query as sent."""

    authority: str
    headers: Mapping[str, str]
    client: str
    """The client's address."""

    origin: str | None = None
    """Origin of the page; of a session: of the page that opened it."""

    session: str | None = None
    """Path and query of the session's URL; None: the request came over HTTP."""


@dataclass(frozen=True, slots=True)
class OpenedBy:
    """The CONNECT request of a session, as far as it says who opened it."""

    target: str
    """Path and query of the session's URL."""

    authority: str
    origin: str | None
    """Origin of the page."""


Question = tuple[tuple[str, str], ...]
"""Header names and values, which are in ISO-8859-1 as in HTTP: all that the service's verdict may depend on."""


def question(asked: Asked, names: Iterable[str] = ()) -> Question:
    """The question about a request; `names`: further headers of clients that it holds.

    Raises `HttpError` for a path that no file can have.
    """
    fields: list[tuple[str, str | None]] = [
        ("x-original-method", asked.method),
        ("x-original-uri", canonical(asked.target)),
        ("x-forwarded-host", asked.authority),
        ("x-forwarded-for", _plain(asked.client)),
        ("x-voxel-session", asked.session),
        ("origin", asked.origin),
    ]
    fields += [(name, asked.headers.get(name)) for name in (*CREDENTIALS, *names)]
    return tuple((name, value) for name, value in fields if value is not None)


def digest(asked: Question) -> bytes:
    """The same for the same question, and another for any other."""
    texts = (text.encode("latin-1") for field in asked for text in field)
    return hashlib.sha256(b"".join(len(text).to_bytes(8, "big") + text for text in texts)).digest()


def canonical(target: str) -> str:
    """Path and query of a target, without CMCD, which is another with every request.

    Each file has one path, decoded once and encoded again, whatever a client has encoded. Raises `HttpError`.
    """
    path, _, query = target.partition("?")
    path = "".join(f"/{quote(segment, safe='', errors='surrogateescape')}" for segment in decode(path))
    parameters = [it for it in query.split("&") if it != "CMCD" and not it.startswith("CMCD=")] if query else []
    return f"{path}?{'&'.join(parameters)}" if parameters else path


def may_be_asked_about(name: str) -> bool:
    """Whether clients may have a header of that name of which the service is told."""
    return _NAME.fullmatch(name) is not None and name not in _RESERVED and not name.startswith(_RESERVED_PREFIXES)


def verdict(status: int, headers: Mapping[str, str], most: float) -> float:
    """Seconds for which the client may read the file without being asked about again, at most `most`.

    Raises `HttpError` 401 and 403, as the service says, and 502 for an answer that says neither.
    """
    if 200 <= status < 300:
        return min(_seconds(headers.get("cache-control", ""), most), most)
    if status == HTTPStatus.UNAUTHORIZED:
        how = headers.get("www-authenticate")
        raise HttpError(HTTPStatus.UNAUTHORIZED, "not authorized", () if how is None else (("www-authenticate", how),))
    if status == HTTPStatus.FORBIDDEN:
        raise HttpError(HTTPStatus.FORBIDDEN, "not allowed to read this")
    raise unclear()


def unclear() -> HttpError:
    """The refusal of a request of which nobody could say whether it is allowed."""
    return HttpError(HTTPStatus.BAD_GATEWAY, "whether this may be read cannot be found out now")


def _seconds(cache_control: str, otherwise: float) -> float:
    directives = [it.strip().lower() for it in cache_control.split(",")]
    if "no-store" in directives or "no-cache" in directives:
        return 0
    for directive in directives:
        name, _, value = directive.partition("=")
        if name == "max-age":
            # One that cannot be read is of no time at all (RFC 9111 section 4.2.1).
            return int(value) if _SECONDS.fullmatch(value) else 0
    return otherwise


def _plain(client: str) -> str:
    address = ipaddress.ip_address(client.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)
