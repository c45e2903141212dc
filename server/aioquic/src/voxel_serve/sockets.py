"""Listening sockets."""

import os
import socket

from .errors import ConfigurationError

TCP_BACKLOG = 128
"""Connections that wait to be accepted."""

UDP_BUFFER_BYTES = 4 * 1024 * 1024
"""Requested from the system, which may grant less: this machine must not lose a burst of a whole congestion window."""


def bind_tcp(host: str, port: int, option: str = "--host") -> socket.socket:
    """A TCP socket; `::` also accepts IPv4. Raises `ConfigurationError`, which names `option`."""
    family = _family(host, option)
    try:
        return socket.create_server((host, port), family=family, dualstack_ipv6=host == "::", backlog=TCP_BACKLOG)
    except OSError as error:
        raise _bind_error("TCP", host, port, error) from error


def bind_udp(host: str, port: int) -> socket.socket:
    """A UDP socket; `::` also accepts IPv4. Raises `ConfigurationError`."""
    bound = socket.socket(_family(host), socket.SOCK_DGRAM)
    try:
        if host == "::":
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UDP_BUFFER_BYTES)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UDP_BUFFER_BYTES)
        bound.bind((host, port))
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        raise _bind_error("UDP", host, port, error) from error
    return bound


def _family(host: str, option: str = "--host") -> socket.AddressFamily:
    try:
        return socket.getaddrinfo(host, None)[0][0]
    except OSError as error:
        raise ConfigurationError(f"{option}: {host} cannot be resolved") from error


def _bind_error(protocol: str, host: str, port: int, error: OSError) -> ConfigurationError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return ConfigurationError(f"cannot listen on {protocol} {host} port {port}: {reason}")
