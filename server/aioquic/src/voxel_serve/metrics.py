"""Counters in Prometheus' text format (exposition format 0.0.4)."""

from collections import Counter
from http import HTTPStatus

from .log import log

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_HELP = {
    "voxel_requests_total": "Requests answered.",
    "voxel_stream_bytes_total": "Body bytes sent reliably.",
    "voxel_datagram_bytes_total": "Body bytes sent in datagrams.",
    "voxel_parity_bytes_total": "Parity bytes sent in datagrams.",
    "voxel_datagrams_total": "Datagrams sent.",
    "voxel_flows_cut_total": "Flows that ended before all of their bytes were sent.",
    "voxel_sessions_total": "WebTransport sessions opened.",
    "voxel_sessions": "WebTransport sessions open now.",
    "voxel_watched_files": "Growing files that are watched now.",
    "voxel_quic_connections": "QUIC connections open now.",
    "voxel_workers": "Threads that serve QUIC.",
    "voxel_stray_packets_total": "Packets after a change of the client's address that came to another worker.",
    "voxel_certificate_end_seconds": "When the certificate ends, in seconds since 1970.",
}

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counts events by name and labels."""

    def __init__(self) -> None:
        self._values: Counter[tuple[str, Labels]] = Counter()

    def add(self, name: str, amount: int = 1, **labels: str) -> None:
        self._values[name, tuple(sorted(labels.items()))] += amount

    def answered(self, transport: str, status: HTTPStatus, **fields: str) -> None:
        """Counts and logs an answered request."""
        self.add("voxel_requests_total", transport=transport, status=str(status.value))
        log("request", transport=transport, status=status.value, **fields)

    def set(self, name: str, value: int) -> None:
        """Sets a gauge that is known as a whole."""
        self._values[name, ()] = value

    def value(self, name: str, **labels: str) -> int:
        return self._values[name, tuple(sorted(labels.items()))]

    def text(self) -> bytes:
        lines = []
        for name, description in _HELP.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {description}", f"# TYPE {name} {kind}"]
            samples = sorted((labels, value) for (other, labels), value in self._values.items() if other == name)
            lines += [f"{name}{_braces(labels)} {value}" for labels, value in samples or [((), 0)]]
        return ("\n".join(lines) + "\n").encode()


def _braces(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
