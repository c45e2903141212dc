"""File descriptors: how many this process may have, and what they are for."""

import resource
from dataclasses import dataclass

OWN = 64
"""Descriptors for standard streams, listening sockets, event loop, threads and readers of the counters."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How descriptors are divided: neither connections nor files may use up those of the others."""

    connections: int
    """TCP connections at a time; QUIC connections share one descriptor, but are limited to as many."""

    files: int
    """Files open for responses at a time."""


def divide(descriptors: int, connections: int) -> Budget:
    """The budget for that many connections (0: any number), or as many as there can be with a file for each."""
    available = max(0, descriptors - OWN)
    most = max(1, available // 2)
    connections = min(connections or most, most)
    return Budget(connections, max(1, available - connections))


def raise_limit() -> int:
    """Allows this process as many descriptors as the system lets it have; returns how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):  # Unlimited may be more than the system can do.
        return soft
    return hard
