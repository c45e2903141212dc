"""Where `voxel-live --ingest` listens, and who may send."""

import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl

from voxel_prepare.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LEAST_TOKEN = 16
"""Characters: nobody guesses that many."""
MOST_FIELDS = 16
"""A query with more has no token."""

_ADDRESS = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]/\s]*)):(\d{1,5})", re.ASCII)
_BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ingest:
    """An address to listen on."""

    host: str
    """Empty: every address of this machine."""
    port: int
    """0: any free one."""
    token: str | None = field(default=None, repr=False)
    """What senders must know; None: nothing."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return "ingest"

    def permits(self, headers: Iterable[tuple[bytes, bytes]], query: str) -> bool:
        """Whether a request with these fields (names in lower case) brings the token: as `Authorization: Bearer TOKEN`,
        or as `token=TOKEN` in its query.
        """
        if self.token is None:
            return True
        found = [value for name, value in _fields_of(query) if name == "token"]
        for name, value in headers:
            if name == b"authorization" and (bearer := _BEARER.fullmatch(value.decode("latin-1").strip())):
                found.append(bearer[1])
        wanted = self.token.encode()
        return any(hmac.compare_digest(one.encode(errors="replace"), wanted) for one in found)


def _fields_of(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, max_num_fields=MOST_FIELDS)
    except ValueError:
        return []


def parse_ingest(address: str, token: str | None) -> Ingest:
    """`address`: `HOST:PORT`, `[IPV6]:PORT` or `:PORT`. `token`: `@FILE` is the first line of a file.

    Raises `InputError`.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[3]) > 65_535:
        raise InputError(f"--ingest must be HOST:PORT or :PORT, got {address!r}")
    host = found[1] or found[2]
    secret = None if token is None else _read_token(token)
    if secret is None and host not in LOOPBACK:
        raise InputError(
            f"--ingest: others reach {address}: expected --ingest-token, or a loopback address such as "
            f"127.0.0.1:{found[3]}"
        )
    return Ingest(host, int(found[3]), secret)


def _read_token(token: str) -> str:
    if token.startswith("@"):
        try:
            lines = Path(token[1:]).read_text().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"--ingest-token: {token[1:]}: {getattr(error, 'strerror', None) or 'no text'}") from error
        token = lines[0].strip() if lines else ""
    if len(token) < LEAST_TOKEN or not token.isascii() or any(not " " < one <= "~" for one in token):
        raise InputError(f"--ingest-token must be {LEAST_TOKEN} or more ASCII characters without spaces")
    return token
