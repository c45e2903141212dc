"""Who may use the server from a web page: the origin policy, and the CORS headers that say so."""

import ipaddress
import re
from http import HTTPStatus
from urllib.parse import urlsplit

from .errors import ConfigurationError, HttpError

ANY = "*"

ALLOWED_HEADERS = (
    "range, if-range, cmcd-request, cmcd-object, cmcd-status, cmcd-session, "
    "x-voxel-unreliable, x-slipstream-unreliable, x-voxel-deadline"
)
EXPOSED_HEADERS = "content-length, content-range, accept-ranges, etag, date"
PREFLIGHT_SECONDS = 7200
"""The longest that Chromium keeps a preflight answer."""

_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")


def host_name(authority: str) -> str | None:
    """`host` of `host[:port]`, in lower case and with an IPv6 address's brackets; None when malformed."""
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

    Without a list: pages of the same host name, whatever their port, and pages of this machine when it is asked by
    a loopback name. A client that sends no Origin is no browser and is let in.
    """

    def __init__(self, allowed: frozenset[str], *, own_hosts: frozenset[str] | None = None) -> None:
        """`allowed`: origins as browsers write them, or `*`. Raises `ConfigurationError`.

        `own_hosts`: the names that the server may be asked by, beside loopback names and those in `allowed`; None:
        any name. On a loopback address it keeps out pages whose own name was made to resolve to this machine (DNS
        rebinding): their requests are of the same origin to the browser.
        """
        for origin in allowed - {ANY}:
            parts = urlsplit(origin)
            if (
                parts.scheme not in ("http", "https")
                or f"{parts.scheme}://{parts.netloc}" != origin
                or not parts.netloc
            ):
                raise ConfigurationError(f"bad origin: {origin!r} (write it as https://host or https://host:port)")
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
        """`authority`: the Host that the request came to."""
        if origin is None or ANY in self._allowed:
            return True
        if self._allowed:
            return origin in self._allowed
        own = host_name(authority)
        theirs = host_name(urlsplit(origin).netloc)
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


PREFLIGHT_HEADERS = [
    ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
    ("access-control-allow-headers", ALLOWED_HEADERS),
    ("access-control-max-age", str(PREFLIGHT_SECONDS)),
]
