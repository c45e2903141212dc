"""Which web pages may use the server: the origin policy and its CORS headers."""

import ipaddress
import re
from http import HTTPStatus
from typing import NamedTuple

from .errors import ConfigurationError, HttpError
from .request import VOXEL_HEADERS

ANY = "*"

ALLOWED_HEADERS = (
    *("range", "if-range", "if-match", "cmcd-request", "cmcd-object", "cmcd-status", "cmcd-session"),
    *VOXEL_HEADERS,
)
EXPOSED_HEADERS = "content-length, content-range, accept-ranges, etag, date"
PREFLIGHT_SECONDS = 7200
"""The longest time for which Chromium keeps a preflight response."""

_NAME = r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])"
_HOST = re.compile(rf"{_NAME}(?::\d{{0,5}})?")
_ORIGIN = re.compile(rf"(https?)://{_NAME}(?::(\d{{1,5}}))?", re.IGNORECASE)

_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """The origin of a page (RFC 6454), of the schemes that pages have."""

    scheme: str
    host: str
    port: int


def parse_origin(text: str) -> Origin | None:
    """Parses `scheme://host[:port]`, in any case; None for anything else, such as the `null` of a page without one."""
    match = _ORIGIN.fullmatch(text)
    if match is None:
        return None
    scheme, host, port = match.groups()
    return Origin(scheme.lower(), host.lower(), int(port) if port else _PORTS[scheme.lower()])


def host_name(authority: str) -> str | None:
    """`host` of `host[:port]`, in lower case and with the brackets of an IPv6 address; None if malformed."""
    match = _HOST.fullmatch(authority)
    return match[1].lower() if match else None


def is_loopback(name: str) -> bool:
    """True for localhost and the addresses of this machine's loopback interface."""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


class OriginPolicy:
    """The origins whose pages may read responses and open sessions.

    Without a list: pages of the same host name with any port, and for requests to a loopback name also pages of other
    loopback names. A client without an Origin header is not a browser and always allowed.
    """

    def __init__(self, allowed: frozenset[str], *, plain: bool = True, own_hosts: frozenset[str] | None = None) -> None:
        """`allowed`: origins, or `*`. `plain`: whether the own host's `http` pages are allowed without a list, too.

        Raises `ConfigurationError`.

        `own_hosts`: the accepted Host names, besides loopback names and those in `allowed`; None: any name. On a
        loopback address they keep out pages whose own name resolves to this machine (DNS rebinding): for the browser
        their requests are of the same origin.
        """
        self._any = ANY in allowed
        self._allowed = {_parse_option(origin) for origin in allowed - {ANY}}
        self._credentials: tuple[str, ...] | None = None
        self._own_schemes = ("http", "https") if plain else ("https",)
        self._hosts: frozenset[str] | None = None
        if own_hosts is not None and not self._any:
            self._hosts = own_hosts | {origin.host for origin in self._allowed}

    def take_credentials(self, names: tuple[str, ...]) -> None:
        """It matters who asks.

        Pages may send `authorization` and headers of these names, and cookies where they are not of just any origin.
        """
        self._credentials = ("authorization", *names)

    def preflight_headers(self) -> list[tuple[str, str]]:
        """Those of a preflight response, besides the origin."""
        return [
            ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
            ("access-control-allow-headers", ", ".join((*ALLOWED_HEADERS, *(self._credentials or ())))),
            ("access-control-max-age", str(PREFLIGHT_SECONDS)),
        ]

    def check_host(self, authority: str) -> None:
        """Raises `HttpError` 400 for a malformed Host, 403 for one that is not the server's."""
        name = host_name(authority)
        if name is None:
            raise HttpError(HTTPStatus.BAD_REQUEST, "malformed host")
        if self._hosts is not None and name not in self._hosts and not is_loopback(name):
            raise HttpError(HTTPStatus.FORBIDDEN, "host not allowed")

    def allows(self, origin: str | None, authority: str) -> bool:
        """`authority` is the Host header of the request."""
        if origin is None or self._any:
            return True
        page = parse_origin(origin)
        if self._allowed or page is None:
            return page in self._allowed
        own = host_name(authority)
        if own is None or page.scheme not in self._own_schemes:
            return False
        return page.host == own or (is_loopback(page.host) and is_loopback(own))

    def response_headers(self, origin: str | None, authority: str) -> list[tuple[str, str]]:
        """The CORS and timing headers for a response to that origin."""
        headers = [("vary", "origin")]
        if origin is not None and self.allows(origin, authority):
            headers += [
                ("access-control-allow-origin", origin),
                ("access-control-expose-headers", EXPOSED_HEADERS),
                ("timing-allow-origin", origin),
            ]
            if self._credentials is not None and not self._any:
                headers.append(("access-control-allow-credentials", "true"))
        return headers


def _parse_option(text: str) -> Origin:
    origin = parse_origin(text)
    if origin is None:
        raise ConfigurationError(f"--allow-origin must be * or have the form https://host[:port], got {text!r}")
    return origin
