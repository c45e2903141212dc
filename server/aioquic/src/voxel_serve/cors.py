"""Which web pages may use the server: the origin policy and its CORS headers."""

import ipaddress
import re
from http import HTTPStatus
from urllib.parse import urlsplit

from .errors import ConfigurationError, HttpError
from .request import VOXEL_HEADERS

ANY = "*"

ALLOWED_HEADERS = ", ".join(
    ("range", "if-range", "if-match", "cmcd-request", "cmcd-object", "cmcd-status", "cmcd-session", *VOXEL_HEADERS)
)
EXPOSED_HEADERS = "content-length, content-range, accept-ranges, etag, date"
PREFLIGHT_SECONDS = 7200
"""The longest time for which Chromium keeps a preflight response."""

_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")


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

    def __init__(self, allowed: frozenset[str], *, own_hosts: frozenset[str] | None = None) -> None:
        """`allowed`: origins as browsers write them, or `*`. Raises `ConfigurationError`.

        `own_hosts`: the accepted Host names, besides loopback names and those in `allowed`; None: any name. On a
        loopback address they keep out pages whose own name resolves to this machine (DNS rebinding): for the browser
        their requests are of the same origin.
        """
        for origin in allowed - {ANY}:
            parts = urlsplit(origin)
            if (
                parts.scheme not in ("http", "https")
                or f"{parts.scheme}://{parts.netloc}" != origin
                or not parts.netloc
            ):
                raise ConfigurationError(
                    f"--allow-origin must be * or have the form https://host[:port], got {origin!r}"
                )
        self._allowed = allowed
        self._hosts: frozenset[str | None] | None = None
        if own_hosts is not None and ANY not in allowed:
            self._hosts = own_hosts | {host_name(urlsplit(origin).netloc) for origin in allowed}

    def check_host(self, authority: str) -> None:
        """Raises `HttpError` 400 for a malformed Host, 403 for one that is not the server's."""
        name = host_name(authority)
        if name is None:
            raise HttpError(HTTPStatus.BAD_REQUEST, "malformed host")
        if self._hosts is not None and name not in self._hosts and not is_loopback(name):
            raise HttpError(HTTPStatus.FORBIDDEN, "host not allowed")

    def allows(self, origin: str | None, authority: str) -> bool:
        """`authority` is the Host header of the request."""
        if origin is None or ANY in self._allowed:
            return True
        if self._allowed:
            return origin in self._allowed
        own = host_name(authority)
        theirs = _host_of(origin)
        if own is None or theirs is None:
            return False
        return theirs == own or (is_loopback(theirs) and is_loopback(own))

    def response_headers(self, origin: str | None, authority: str) -> list[tuple[str, str]]:
        """The CORS and timing headers for a response to that origin."""
        headers = [("vary", "origin")]
        if origin is not None and self.allows(origin, authority):
            headers += [
                ("access-control-allow-origin", origin),
                ("access-control-expose-headers", EXPOSED_HEADERS),
                ("timing-allow-origin", origin),
            ]
        return headers


def _host_of(origin: str) -> str | None:
    """The host name in an Origin header; None if there is none, or if it is malformed."""
    try:
        return host_name(urlsplit(origin).netloc)
    except ValueError:  # an address in brackets that is none
        return None


PREFLIGHT_HEADERS = [
    ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
    ("access-control-allow-headers", ALLOWED_HEADERS),
    ("access-control-max-age", str(PREFLIGHT_SECONDS)),
]
