"""Counters in Prometheus' text format (exposition format 0.0.4)."""

from bisect import bisect_left
from collections import Counter
from http import HTTPStatus
from itertools import accumulate

from .log import log

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BUCKETS = {
    "voxel_cmcd_startup_seconds": (0.25, 0.5, 1, 2, 4, 8, 16, 30),
    "voxel_cmcd_stall_seconds": (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 30),
    "voxel_cmcd_bitrate_bits_per_second": tuple(250_000 * 2**step for step in range(8)),
    "voxel_cmcd_score": (0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 1, 20, 40, 60, 80, 90, 95, 100),
}
"""Upper bounds of each histogram's buckets. Scores of SSIM are up to 1, of the other metrics up to 100."""

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
    "voxel_cmcd_reports_total": "Requests with CMCD, repeated reports left out.",
    "voxel_cmcd_stalls_total": "Reports that a buffer has been empty.",
    "voxel_cmcd_startup_seconds": "Start-up of playbacks, as players report it.",
    "voxel_cmcd_stall_seconds": "Waits for data, as players report them.",
    "voxel_cmcd_bitrate_bits_per_second": "Bitrates of video, as players report them.",
    "voxel_cmcd_score": "Scores of segments of video, as players report them.",
}

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counts events by name and labels, and values by size."""

    def __init__(self) -> None:
        self._values: Counter[tuple[str, Labels]] = Counter()
        self._sums = dict.fromkeys(BUCKETS, 0.0)
        self._sizes = {name: [0] * (len(bounds) + 1) for name, bounds in BUCKETS.items()}
        """How many values each bucket has without those below, the last one above all bounds."""

    def add(self, name: str, amount: int = 1, **labels: str) -> None:
        self._values[name, tuple(sorted(labels.items()))] += amount

    def answered(self, transport: str, status: HTTPStatus, **fields: str) -> None:
        """Counts and logs an answered request."""
        self.add("voxel_requests_total", transport=transport, status=str(status.value))
        log("request", transport=transport, status=status.value, **fields)

    def observe(self, name: str, value: float) -> None:
        """Takes a value into a histogram of `BUCKETS`."""
        self._sizes[name][bisect_left(BUCKETS[name], value)] += 1
        self._sums[name] += value

    def set(self, name: str, value: int) -> None:
        """Sets a gauge that is known as a whole."""
        self._values[name, ()] = value

    def value(self, name: str, **labels: str) -> int:
        return self._values[name, tuple(sorted(labels.items()))]

    def text(self) -> bytes:
        lines = []
        for name, description in _HELP.items():
            kind = "histogram" if name in BUCKETS else "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {description}", f"# TYPE {name} {kind}"]
            if name in BUCKETS:
                lines += self._histogram(name)
                continue
            samples = sorted((labels, value) for (other, labels), value in self._values.items() if other == name)
            lines += [f"{name}{_braces(labels)} {value}" for labels, value in samples or [((), 0)]]
        return ("\n".join(lines) + "\n").encode()

    def _histogram(self, name: str) -> list[str]:
        counts = list(accumulate(self._sizes[name]))
        bounds = [*(f"{bound:g}" if bound < 1000 else str(bound) for bound in BUCKETS[name]), "+Inf"]
        buckets = [f'{name}_bucket{{le="{bound}"}} {count}' for bound, count in zip(bounds, counts, strict=True)]
        return [*buckets, f"{name}_sum {self._sums[name]}", f"{name}_count {counts[-1]}"]


def _braces(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
