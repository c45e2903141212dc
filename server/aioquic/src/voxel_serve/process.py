"""What the system knows of this process, under the names that Prometheus' own libraries use."""

import resource
import time
from pathlib import Path

_PROC = Path("/proc/self")
_START = time.time()


def process_text() -> bytes:
    """Counters of the process in Prometheus' text format; where there is no /proc without what only that says."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    values: list[tuple[str, str, str, float]] = [
        ("process_cpu_seconds_total", "counter", "CPU time in seconds.", time.process_time()),
        ("process_max_fds", "gauge", "File descriptors that may be open.", descriptors),
        ("process_start_time_seconds", "gauge", "When the process began, in seconds since 1970.", _START),
    ]
    if _PROC.exists():
        # The one that reads the folder is not counted.
        values += [
            ("process_open_fds", "gauge", "File descriptors open now.", len(list((_PROC / "fd").iterdir())) - 1),
            ("process_resident_memory_bytes", "gauge", "Memory in use.", _resident_bytes()),
        ]
    return "".join(
        f"# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}\n" for name, kind, about, value in values
    ).encode()


def _resident_bytes() -> int:
    return int((_PROC / "statm").read_text().split()[1]) * resource.getpagesize()
