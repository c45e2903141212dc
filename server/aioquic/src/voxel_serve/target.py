"""The target of an HTTP/1.1 request (RFC 9112 section 3.2)."""

import re

from .cors import host_name

_ABSOLUTE = re.compile(r"https?://([^/?]*)(.*)", re.IGNORECASE | re.DOTALL)


def effective_target(target: str, host: str) -> tuple[str, str]:
    """The authority that is asked, and path and query; `host` is the Host header.

    A server must accept the absolute form, too; its authority stands above a well-formed Host (section 3.2.2).
    """
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None or host_name(host) is None:
        return host, target
    authority, path = absolute.groups()
    return authority, path if path.startswith("/") else f"/{path}"
