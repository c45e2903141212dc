"""Every limit in one place. Sizes in bytes, times in seconds. Of connections, sessions and requests 0 is no limit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may demand of the server."""

    head_bytes: int = 64 * 1024
    """Request line and headers; enough for 3200 ranges of nine-digit positions."""

    ranges: int = 4096
    """Ranges per request: a 4 s segment at 60 frames/s and 16 slices per frame has 3840."""

    overlap: int = 2
    """A body may be this many times as long as its file: more overlap of ranges is an attempt at amplification."""

    sessions: int = 1000
    """Simultaneous WebTransport sessions."""

    connections: int = 1000
    """Simultaneous TCP connections, and simultaneous QUIC connections."""

    connections_per_address: int = 250
    """The same of one client address; an IPv6 network of 64 bits counts as one."""

    sessions_per_address: int = 100
    """Simultaneous WebTransport sessions of one client address: viewers behind one router."""

    requests_per_address: int = 1000
    """Requests in flight of one client address, over all of its connections."""

    handshakes: int = 250
    """Unfinished QUIC handshakes beyond which clients must prove their address before another begins."""

    requests_per_connection: int = 64
    """Requests in flight on one QUIC connection, from their first byte on; a player has two or three."""

    follows_per_connection: int = 8
    """Number of these that follow a growing file: two tracks, each with two segments, and as many again."""

    session_idle: float = 600.0
    """A session without a request for this time is closed; longer than the buffer of any player."""

    head_timeout: float = 10.0
    """Time for a request head, from its first byte, and for a handshake of TLS or QUIC."""

    keep_alive: float = 60.0
    """Time until the next request on a TCP connection."""

    write_timeout: float = 30.0
    """Time after which a client that reads nothing of its response is cut off."""

    drain: float = 5.0
    """Time for requests in flight when the server is stopped."""
