"""The configuration of a server."""

import os
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from .announced import AnnouncedPath, check_paths
from .connection_ids import ServerId
from .cors import is_loopback
from .errors import ConfigurationError
from .limits import Limits


class CongestionControl(StrEnum):
    CUBIC = "cubic"
    RENO = "reno"
    BBR_IF_AVAILABLE = "bbr-if-available"


def default_cache() -> Path:
    """The folder for the self-signed certificate (XDG Base Directory specification)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "voxel-serve"


@dataclass(frozen=True)
class Config:
    """The whole configuration. Raises `ConfigurationError` if settings contradict each other."""

    folders: dict[str, Path]
    """URL prefix ("/", "/media") to folder."""

    host: str = "127.0.0.1"
    http_port: int = 8080
    quic_port: int = 4433
    """Port 0: any free one."""

    certificate: Path | None = None
    key: Path | None = None
    """PEM files; both or neither. Without them the server makes a certificate, which clients accept by its hash."""

    certificate_cache: Path = field(default_factory=default_cache)

    allowed_origins: frozenset[str] = frozenset()
    """Empty: only pages of the server's own host name."""

    token: str | None = None

    authorize: str | None = None
    """Address that is asked who may read; None: everybody may."""

    authorize_headers: tuple[str, ...] = ()
    """Further headers of clients of which it is told."""

    authorize_seconds: float = 30
    """Time for which it is not asked again about the same path and credentials."""

    public_endpoint: str | None = None

    paths: tuple[AnnouncedPath, ...] = ()
    """Further addresses of the service for clients."""

    server_id: ServerId | None = None
    """What a load balancer finds this server by."""

    congestion_control: CongestionControl = CongestionControl.CUBIC
    qlog: Path | None = None

    insecure: bool = False
    """Plain HTTP on an address other than loopback."""

    webtransport: bool = True

    metrics: tuple[str, int] | None = ("127.0.0.1", 0)
    """Address and port of the counters; port 0: any free one. None: they are not served."""

    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ConfigurationError("--certificate and --key must be used together, got only one of them")
        if self.public_endpoint is not None and not self.public_endpoint.startswith("https://"):
            raise ConfigurationError(
                f"--public-endpoint must have the form https://host:port/voxel, got {self.public_endpoint!r}"
            )
        if self.authorize_headers and self.authorize is None:
            raise ConfigurationError("--authorize-header needs --authorize")
        check_paths(self.paths)
        if not is_loopback(self.host) and self.certificate is None and not self.insecure:
            raise ConfigurationError(
                f"--host {self.host} is not a loopback address: add --certificate and --key, or --insecure for tests"
            )

    @property
    def tls(self) -> bool:
        """Whether the TCP side speaks HTTPS."""
        return self.certificate is not None and not is_loopback(self.host) and not self.insecure
