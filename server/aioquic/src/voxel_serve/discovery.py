"""`/.well-known/voxel.json`: the URL of the WebTransport endpoint and the hashes of its certificates."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .announced import AnnouncedPath
from .cors import host_name

DISCOVERY_PATH = "/.well-known/voxel.json"
ENDPOINT_PATH = "/voxel"
VERSION = "voxel-1"
FEATURES = ["follow"]

IPV4_WILDCARD = "0.0.0.0"
WILDCARDS = (IPV4_WILDCARD, "::")

LOOPBACK = "127.0.0.1"
"""What `localhost` is called where only IPv4 is served: for Chromium's WebTransport that name is `::1` alone."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The content of the discovery file."""

    host: str
    """The address that the server is bound to."""

    port: int
    """The UDP port."""

    public_endpoint: str | None
    """The URL for clients, if it differs from the address of the server."""

    certificate_hashes: Callable[[], Sequence[str]]
    """Base64 SHA-256 of the certificates' DER form; empty: publicly trusted. Changes when certificates are renewed."""

    paths: Sequence[AnnouncedPath] = ()
    """Further addresses. The endpoint's own may be among them, to have a cost; its hashes are the server's own."""

    def endpoint(self, authority: str | None = None) -> str:
        """The endpoint's URL for a client whose Host header is `authority`."""
        if self.public_endpoint is not None:
            return self.public_endpoint
        host = f"[{self.host}]" if ":" in self.host else self.host
        if self.host in WILDCARDS:
            host = (host_name(authority) if authority else None) or LOOPBACK
            if self.host == IPV4_WILDCARD and host == "localhost":
                host = LOOPBACK
        return f"https://{host}:{self.port}{ENDPOINT_PATH}"

    def document(self, authority: str) -> bytes:
        """The file's JSON text."""
        endpoint, hashes = self.endpoint(authority), list(self.certificate_hashes())
        content: dict[str, object] = {"endpoint": endpoint, "certificateHashes": hashes, "versions": [VERSION]}
        content["features"] = FEATURES
        if self.paths:
            content["paths"] = [
                {
                    "endpoint": path.url,
                    "certificateHashes": hashes if path.url == endpoint else list(path.certificate_hashes),
                    "cost": path.cost,
                }
                for path in self.paths
            ]
        return json.dumps(content).encode() + b"\n"
