"""The connection IDs that this server issues: random ones, or such as a load balancer can read
(draft-ietf-quic-load-balancers-21).
"""

import os
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import ECB

from .errors import ConfigurationError

RANDOM_BYTES = 8
"""Random bytes of an ID without a server ID."""

BLOCK_BYTES = 16
"""Server ID and nonce fill a block of AES, which is then encrypted in a single pass (section 5.4.1 of the draft)."""

MOST_SERVER_ID_BYTES = 8
"""What is left of the block must be a nonce that never repeats by chance."""

MOST_CONFIGURATION = 6
"""Three bits of the first octet; the last value means "no configuration" (section 3.1)."""

CONFIGURATION_SHIFT = 5


@dataclass(frozen=True)
class ServerId:
    """What the load balancer and this server have agreed on. Raises `ConfigurationError`."""

    value: bytes
    configuration: int = 0
    """The number of the load balancer's configuration."""
    key: bytes | None = field(default=None, repr=False)
    """Key of AES-128; None: everybody may read the server ID."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.value) <= MOST_SERVER_ID_BYTES:
            raise ConfigurationError(f"--server-id must be 1 to {MOST_SERVER_ID_BYTES} bytes, got {len(self.value)}")
        if not 0 <= self.configuration <= MOST_CONFIGURATION:
            raise ConfigurationError(_bad_configuration(self.configuration))
        if self.key is not None and len(self.key) != BLOCK_BYTES:
            raise ConfigurationError(f"--server-id-key must be {BLOCK_BYTES} bytes, got {len(self.key)}")

    def encode(self, nonce: bytes) -> bytes:
        """The ID with this nonce, which fills what the server ID leaves of the block."""
        block = self.value + nonce
        assert len(block) == BLOCK_BYTES
        # Its low bits say how many bytes follow (section 3.3).
        first = self.configuration << CONFIGURATION_SHIFT | BLOCK_BYTES
        if self.key is not None:
            block = Cipher(AES128(self.key), ECB()).encryptor().update(block)
        return bytes([first]) + block

    def is_in(self, connection_id: bytes) -> bool:
        """Whether a server with this ID has made the connection ID."""
        first, block = connection_id[:1], connection_id[1:]
        if len(block) != BLOCK_BYTES or first[0] >> CONFIGURATION_SHIFT != self.configuration:
            return False
        if self.key is not None:
            block = Cipher(AES128(self.key), ECB()).decryptor().update(block)
        return block.startswith(self.value)


def parse_server_id(server_id: str | None, key: str | None, configuration: int = 0) -> ServerId | None:
    """The server ID that the options give, with `configuration` if they name none. Raises `ConfigurationError`."""
    if server_id is None:
        if key is not None:
            raise ConfigurationError("--server-id-key needs --server-id")
        return None
    # A key is not repeated: logs are read by others.
    secret = None if key is None else _hexadecimal("--server-id-key must be 16 bytes in hexadecimal", key)
    digits, separator, config = server_id.partition(",config=")
    if separator:
        if not (config.isascii() and config.isdecimal()):
            raise ConfigurationError(_bad_configuration(config))
        configuration = int(config)
    example = f"1 to {MOST_SERVER_ID_BYTES} bytes in hexadecimal, such as 0x1122334455667788"
    value = _hexadecimal(f"--server-id must be {example}, got {digits!r}", digits)
    return ServerId(value, configuration, secret)


def _bad_configuration(given: object) -> str:
    return f"--server-id: config must be 0 to {MOST_CONFIGURATION}, got '{given}'"


def _hexadecimal(refusal: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text.removeprefix("0x"))
    except ValueError as error:
        raise ConfigurationError(refusal) from error


class ConnectionIds:
    """Makes connection IDs."""

    def __init__(self, server_id: ServerId | None = None) -> None:
        """With this server ID in all of them; None: of random bytes."""
        self._server_id = server_id

    @property
    def length(self) -> int:
        """Bytes of each ID: headers of short packets do not say it."""
        return RANDOM_BYTES if self._server_id is None else 1 + BLOCK_BYTES

    def make(self) -> bytes:
        """Another one."""
        if self._server_id is None:
            return os.urandom(RANDOM_BYTES)
        return self._server_id.encode(os.urandom(BLOCK_BYTES - len(self._server_id.value)))

    def may_have_issued(self, connection_id: bytes) -> bool:
        """Whether this server, or an earlier one in its place, may have issued the ID. Of one with another server ID
        this server knows nothing: the load balancer has sent it here by mistake, and its connection may be alive.
        """
        return self._server_id is None or self._server_id.is_in(connection_id)
