"""The whole server: starts TCP and QUIC, renews the certificate, drains and stops."""

import asyncio
import contextlib
import functools
import logging
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

from aioquic.h3.connection import H3_ALPN
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.logger import QuicFileLogger

from . import congestion
from .authorize import Authorizer
from .certificate import Certificate, CertificateKeeper, cached_certificate, load_certificate
from .config import Config, CongestionControl
from .connection_ids import ConnectionIds
from .cors import OriginPolicy, host_name, is_loopback
from .descriptors import divide, raise_limit
from .discovery import Discovery
from .errors import ConfigurationError
from .files import Mounts
from .handshakes import GuardedQuicServer
from .http1 import Http1Service
from .http3 import Http3Protocol, Http3Service
from .limits import Limits
from .log import log
from .metrics import Metrics
from .metrics_page import METRICS_PATH, MetricsPage
from .quic_bounds import CONNECTION_WINDOW_BYTES, STREAM_WINDOW_BYTES
from .quic_internals import has_congestion_control
from .resets import StatelessResets, reset_key
from .site import Site
from .sockets import TCP_BACKLOG, bind_tcp, bind_udp

MAX_DATAGRAM_BYTES = 1350
"""UDP payload of a packet: with headers it fits a path of 1400 bytes, as in tunnels."""

MAX_DATAGRAM_FRAME_BYTES = 65536
"""Announces that datagram frames of any size are accepted (RFC 9221 section 3); not a packet size."""

QUIC_IDLE_SECONDS = 60.0
"""Time without a packet after which a connection is closed; browsers offer 30."""

HOUSEKEEPING_SECONDS = 10.0

ACCEPTED_AT_ONCE = 4
"""TCP connections in a round of the event loop: asyncio's hundred are a tenth of a second of TLS for all others."""

DRAIN_POLL_SECONDS = 0.05

GOODBYE_SECONDS = 1.0
"""For clients to acknowledge that their sessions were closed: a few round trips, or the repetition of a lost packet."""


@dataclass
class Server:
    """A running server."""

    config: Config
    site: Site
    http_port: int
    quic_port: int
    http1: Http1Service
    http3: Http3Service
    quic: GuardedQuicServer
    certificates: CertificateKeeper
    metrics_url: str | None

    @property
    def url(self) -> str:
        """The URL of the TCP side."""
        return f"{'https' if self.config.tls else 'http'}://{_in_url(self.config.host)}:{self.http_port}/"

    def ready_event(self) -> dict[str, object]:
        """The line that is printed once the server accepts requests."""
        discovery = self.site.discovery
        return {
            "event": "ready",
            "url": self.url,
            "quicPort": self.quic_port,
            "endpoint": None if discovery is None else discovery.endpoint(),
            "certificateHashes": [] if discovery is None else list(discovery.certificate_hashes()),
            "metrics": self.metrics_url,
        }

    async def drain(self) -> None:
        """Refuses new requests and waits for those in flight, at most `limits.drain` seconds."""
        self.site.draining = True
        self.http3.go_away()
        await self._finished(self.config.limits.drain)
        log("drained", finished=not (self.http1.answers or self.http3.busy))

    async def say_goodbye(self) -> None:
        """Closes sessions, then connections: nothing reaches a client behind the end of its connection."""
        self.http3.close_sessions()
        await self._finished(GOODBYE_SECONDS)
        self.http3.close_connections()

    async def _finished(self, seconds: float) -> None:
        """Waits for what is in flight, at most so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.http1.answers or self.http3.busy:  # noqa: ASYNC110
                    await asyncio.sleep(DRAIN_POLL_SECONDS)


@contextlib.asynccontextmanager
async def running(config: Config) -> AsyncIterator[Server]:
    """A running server, which is closed at the end of the block. Raises `ConfigurationError`."""
    limits, files = _within_descriptors(config.limits)
    mounts = Mounts(config.folders, files)
    authorizer = _authorizer(config)
    origins = _origin_policy(config)
    if authorizer is not None:
        origins.take_credentials(config.authorize_headers)
    tls = _tls_context(config)
    configuration = _quic_configuration(config)
    metrics = Metrics()
    metrics.set("voxel_workers", 1)
    certificates = CertificateKeeper(
        functools.partial(_obtain_certificate, config),
        functools.partial(_install_certificate, config, configuration, tls),
        metrics,
        given=config.certificate is not None,
    )
    async with contextlib.AsyncExitStack() as stack:
        tcp = stack.enter_context(bind_tcp(config.host, config.http_port))
        udp = stack.enter_context(bind_udp(config.host, config.quic_port))
        http_port, quic_port = tcp.getsockname()[1], udp.getsockname()[1]
        discovery = None
        if config.webtransport:
            hashes = certificates.hashes
            discovery = Discovery(config.host, quic_port, config.public_endpoint, hashes, config.paths)
        site = Site(mounts, origins, limits, metrics, discovery, authorizer)
        http1, http3 = Http1Service(site, tls), Http3Service(site, config.token)
        resets = StatelessResets(reset_key(config.certificate_cache), quic_port, config.server_id)
        connection_ids = ConnectionIds(config.server_id)
        configuration.connection_id_length = connection_ids.length
        metrics_url = None if config.metrics is None else await _serve_metrics(stack, *config.metrics, site)

        tcp_server = await asyncio.start_server(http1.serve, sock=tcp, backlog=ACCEPTED_AT_ONCE)
        tcp.listen(TCP_BACKLOG)  # asyncio has one number for both.
        stack.callback(http1.close)
        stack.callback(tcp_server.close)
        _, quic_server = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: GuardedQuicServer(
                configuration, lambda quic: Http3Protocol(quic, http3), limits, resets, connection_ids, udp
            ),
            sock=udp,
        )
        stack.callback(quic_server.close)
        housekeeping = asyncio.create_task(_keep_house(http3, certificates))
        stack.callback(housekeeping.cancel)
        if config.certificate is not None and tls is None and not config.insecure:
            reason = "on a loopback address the certificate is of QUIC alone"
            log("plain HTTP", logging.WARNING, host=config.host, reason=reason)
        yield Server(config, site, http_port, quic_port, http1, http3, quic_server, certificates, metrics_url)


def _within_descriptors(limits: Limits) -> tuple[Limits, int]:
    """The limits for which the system's descriptors suffice, and how many files may be open for responses."""
    descriptors = raise_limit()
    budget = divide(descriptors, limits.connections)
    if budget.connections != limits.connections:
        fields = {"descriptors": descriptors, "connections": budget.connections, "files": budget.files}
        log("descriptors limited", logging.WARNING, **fields)
    return replace(limits, connections=budget.connections), budget.files


async def _serve_metrics(stack: contextlib.AsyncExitStack, host: str, port: int, site: Site) -> str:
    """Serves the counters until the end of `stack`; their URL."""
    bound = stack.enter_context(bind_tcp(host, port, "--metrics"))
    http = Http1Service(MetricsPage(site.metrics, host, site.refuse_while_draining))
    server = await asyncio.start_server(http.serve, sock=bound)
    stack.callback(http.close)
    stack.callback(server.close)
    return f"http://{_in_url(host)}:{bound.getsockname()[1]}{METRICS_PATH}"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _obtain_certificate(config: Config, now: datetime, anew: bool) -> Certificate:
    """The configured certificate, read again each time, or a self-signed one, `anew` or kept."""
    if config.certificate is not None and config.key is not None:
        return load_certificate(config.certificate, config.key)
    hosts = {"localhost", "127.0.0.1", "::1", config.host}
    if config.public_endpoint is not None:
        hosts.add(urlsplit(config.public_endpoint).hostname or config.host)
    return cached_certificate(config.certificate_cache, hosts, now, anew)


def _authorizer(config: Config) -> Authorizer | None:
    if config.authorize is None:
        return None
    # Without a limit of its own an address is no client.
    each = config.limits.requests_per_address > 0
    return Authorizer(config.authorize, config.authorize_headers, config.authorize_seconds, each=each)


def _origin_policy(config: Config) -> OriginPolicy:
    if not is_loopback(config.host):
        return OriginPolicy(config.allowed_origins, plain=config.insecure)
    public_host = None if config.public_endpoint is None else host_name(urlsplit(config.public_endpoint).netloc)
    own_hosts = frozenset() if public_host is None else frozenset({public_host})
    return OriginPolicy(config.allowed_origins, own_hosts=own_hosts)


async def _keep_house(http3: Http3Service, certificates: CertificateKeeper) -> None:
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(HOUSEKEEPING_SECONDS)
        http3.close_idle_sessions(loop.time())
        certificates.renew_if_due(datetime.now(UTC))


def _quic_configuration(config: Config) -> QuicConfiguration:
    algorithm: str = config.congestion_control
    if algorithm == CongestionControl.BBR_IF_AVAILABLE:
        algorithm = "bbr" if has_congestion_control("bbr") else CongestionControl.CUBIC
        log("congestion control", algorithm=algorithm)
    if algorithm == CongestionControl.CUBIC:
        congestion.register()
        algorithm = congestion.NAME
    return QuicConfiguration(
        alpn_protocols=H3_ALPN,
        is_client=False,
        congestion_control_algorithm=algorithm,
        idle_timeout=QUIC_IDLE_SECONDS,
        max_data=CONNECTION_WINDOW_BYTES,
        max_datagram_frame_size=MAX_DATAGRAM_FRAME_BYTES,
        max_stream_data=STREAM_WINDOW_BYTES,
        max_datagram_size=MAX_DATAGRAM_BYTES,
        quic_logger=_qlog(config),
    )


def _qlog(config: Config) -> QuicFileLogger | None:
    if config.qlog is None:
        return None
    try:
        config.qlog.mkdir(parents=True, exist_ok=True)
        return QuicFileLogger(str(config.qlog))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"--qlog: {config.qlog} must be a writable folder: {error}") from error


def _tls_context(config: Config) -> ssl.SSLContext | None:
    if not config.tls or config.certificate is None:
        return None
    return ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)


def _install_certificate(
    config: Config, configuration: QuicConfiguration, tls: ssl.SSLContext | None, certificate: Certificate
) -> None:
    """New connections use the certificate, on both sides; open ones keep theirs. Raises `ConfigurationError`."""
    if tls is not None and config.certificate is not None:
        try:
            tls.load_cert_chain(config.certificate, config.key)
        except OSError as error:  # ssl.SSLError is one
            raise ConfigurationError(
                f"the certificate or key cannot be read: {config.certificate}, {config.key}: {error}"
            ) from error
    certificate.install(configuration)
