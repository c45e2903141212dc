"""Stateless resets (RFC 9000 section 10.3): who lost a connection, as by a restart, says so at once.

Tokens are made of connection IDs with a key that outlives the server, so they are those that clients were given.
"""

import contextlib
import hmac
import os
import tempfile
from pathlib import Path

from .connection_ids import ConnectionIds, ServerId
from .log import log
from .quic_bounds import STATELESS_RESET_TOKEN_BYTES, stateless_reset

KEY_FILE = "stateless-reset-key"
KEY_BYTES = 32

RESETS_PER_SECOND = 100
"""And as many at once: those of players after a restart, and little of a flood."""


class StatelessResets:
    """Answers packets of unknown connections, shorter than they are and not too often: no loop, no reflection."""

    def __init__(self, key: bytes, port: int, server_id: ServerId | None = None) -> None:
        """`port`: the UDP port. Servers of one key have other tokens on other ports: a packet that somebody sends on to
        them must end no connection here (RFC 9000 section 21.11). With a server ID, that counts in place of the port:
        the next server of this ID resets this one's connections wherever it is.
        """
        self._key = key
        self._salt = port.to_bytes(2, "big") if server_id is None else b"server " + server_id.value
        self._ids = ConnectionIds(server_id)
        self._left = float(RESETS_PER_SECOND)
        self._at = 0.0

    def token(self, connection_id: bytes) -> bytes:
        """The stateless reset token of a connection ID."""
        return hmac.digest(self._key, self._salt + connection_id, "sha256")[:STATELESS_RESET_TOKEN_BYTES]

    def answer(self, packet: bytes, now: float) -> bytes | None:
        """The answer to a packet with a short header; `now` in seconds of any clock. None: it gets none."""
        self._left = min(RESETS_PER_SECOND, self._left + (now - self._at) * RESETS_PER_SECOND)
        self._at = now
        connection_id = packet[1 : 1 + self._ids.length]
        if self._left < 1 or not self._ids.may_have_issued(connection_id):
            return None
        reset = stateless_reset(self.token(connection_id), len(packet))
        if reset is not None:
            self._left -= 1
        return reset


def reset_key(cache: Path) -> bytes:
    """The key that is kept in `cache`, made at the first start. One that cannot be kept ends with this server."""
    file = cache / KEY_FILE
    key = _read(file)
    if key is not None:
        return key
    key = os.urandom(KEY_BYTES)
    try:
        _keep(file, key)
    except OSError as error:
        log("stateless reset key is not kept", file=str(file), error=str(error))
    return _read(file) or key  # Another server may have been faster.


def _read(file: Path) -> bytes | None:
    """The key; None if there is none, or half of one."""
    try:
        key = file.read_bytes()
    except OSError:
        return None
    return key if len(key) == KEY_BYTES else None


def _keep(file: Path, key: bytes) -> None:
    """Under another name first, readable by its owner only; replaces no key but a damaged one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as output:
            output.write(key)
        if file.exists():
            Path(temporary).replace(file)
        else:
            with contextlib.suppress(FileExistsError):
                os.link(temporary, file)
    finally:
        Path(temporary).unlink(missing_ok=True)
