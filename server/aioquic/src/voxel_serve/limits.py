"""Every limit in one place. Sizes in bytes, times in seconds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may ask of the server."""

    head_bytes: int = 64 * 1024
    """Request line and headers; 3200 ranges of nine-digit positions fit."""

    ranges: int = 4096
    """Ranges per request: a 4 s segment at 60 frames/s and 16 slices per frame has 3840."""

    overlap: int = 2
    """A body may be this many times as long as its file: ranges that overlap more are an attempt to amplify."""

    sessions: int = 1000
    """WebTransport sessions at a time."""

    connections: int = 1000
    """TCP connections, and likewise QUIC connections, at a time."""

    requests_per_connection: int = 64
    """Requests in flight on one QUIC connection; a player has two or three."""

    session_idle: float = 600.0
    """A session without a request for so long is closed; longer than any player's buffer lasts."""

    head_timeout: float = 10.0
    """For a request head on a TCP connection, from its first byte."""

    keep_alive: float = 60.0
    """For the next request on a TCP connection."""

    write_timeout: float = 30.0
    """For a TCP client that takes nothing of its response."""

    drain: float = 5.0
    """For what is in flight when the server is told to stop."""
