"""Further addresses of the service, which the discovery file names as `paths`."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from .cors import host_name
from .errors import ConfigurationError

MOST_PATHS = 7
"""A client has eight, and the server itself is one of them."""

_HASH = re.compile(r"[A-Za-z0-9+/]{43}=", re.ASCII)
"""Base64 of the 32 bytes of a SHA-256."""

_NUMBER = re.compile(r"[0-9.]+")

_PLAIN = re.compile(r"[!-~]+")
"""Neither spaces nor other than ASCII."""


@dataclass(frozen=True, slots=True)
class AnnouncedPath:
    """One entry of `paths`."""

    url: str
    cost: float = 0
    """Above the least of all paths: metered."""

    certificate_hashes: tuple[str, ...] = ()
    """Hashes as the discovery file has them; empty: publicly trusted."""


def parse_path(text: str) -> AnnouncedPath:
    """`URL[;cost=N][;hash=SHA256]`, `hash` as often as needed. Raises `ConfigurationError`."""
    url, *fields = text.split(";")
    if not _is_endpoint(url):
        raise ConfigurationError(f"--path must begin with a URL of the form https://host:port/voxel, got {text!r}")
    costs, hashes = [], []
    for field in fields:
        name, _, value = field.partition("=")
        if name == "cost":
            costs.append(_cost(value))
        elif name == "hash":
            hashes.append(_hash(value))
        else:
            raise ConfigurationError(f"--path must have the form URL[;cost=N][;hash=SHA256], got {text!r}")
    if len(costs) > 1:
        raise ConfigurationError(f"--path must have one cost, got {text!r}")
    return AnnouncedPath(url, costs[0] if costs else 0, tuple(hashes))


def check_paths(paths: Sequence[AnnouncedPath]) -> None:
    """Raises `ConfigurationError` if clients would refuse these together."""
    urls = [path.url for path in paths]
    for url in urls:
        if urls.count(url) > 1:
            raise ConfigurationError(f"--path must name each address once, got {url!r} twice")
    if len(paths) > MOST_PATHS:
        raise ConfigurationError(f"--path may be given {MOST_PATHS} times, got {len(paths)}")


def _is_endpoint(url: str) -> bool:
    try:
        parts = urlsplit(url)
        well_formed = host_name(parts.netloc) is not None and parts.port != 0
    except ValueError:
        return False
    return well_formed and url.startswith("https://") and "#" not in url and _PLAIN.fullmatch(url) is not None


def _cost(text: str) -> float:
    try:
        cost = float(text) if _NUMBER.fullmatch(text) else math.inf
    except ValueError:
        cost = math.inf
    if not math.isfinite(cost):
        raise ConfigurationError(f"--path: cost must be a number from 0, got {text!r}")
    return int(cost) if cost.is_integer() else cost


def _hash(text: str) -> str:
    if not _HASH.fullmatch(text):
        raise ConfigurationError(f"--path: hash must be the base64 SHA-256 of a certificate, got {text!r}")
    return text
