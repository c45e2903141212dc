"""Console command `voxel-serve`."""

import asyncio
import json
import logging
import re
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from .announced import parse_path
from .app import running
from .config import Config, CongestionControl
from .connection_ids import parse_server_id
from .errors import ConfigurationError
from .health import ask_health
from .limits import Limits
from .log import LogFormat, configure_logging, log

EXIT_BAD_CONFIGURATION = 2
DEFAULTS = Limits()

_PORT = re.compile(r"\d{1,5}", re.ASCII)

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def _check_health(address: str | None) -> None:
    if address is not None:
        raise typer.Exit(ask_health(address))


@app.command()
def serve(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder whose files are served at /.")],
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 or :: for all.")] = "127.0.0.1",
    http_port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port of HTTP/1.1; 0: any free one.")] = 8080,
    quic_port: Annotated[
        int, typer.Option(min=0, max=65535, help="UDP port of HTTP/3 and WebTransport; 0: any free one.")
    ] = 4433,
    mount: Annotated[
        list[str] | None, typer.Option(metavar="/PREFIX=DIR", help="Serve another folder under a prefix; repeatable.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="PEM certificate chain. Default: self-signed, accepted by its hash.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="PEM key of the certificate.")] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Origin whose pages may use the server, or *; repeatable."
            " Default: the server's own host; over http only on loopback.",
        ),
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="VOXEL_TOKEN", help="Require ?token=TOKEN in the URL of sessions.")
    ] = None,
    authorize: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Address that is asked who may read, as nginx' auth_request: 2xx lets a request through, 401 and 403"
            " refuse it; with path, credentials, page and client of each request for a file, over HTTP and sessions.",
        ),
    ] = None,
    authorize_header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Header of clients of which that address is told, besides authorization and cookie; repeatable.",
        ),
    ] = None,
    authorize_seconds: Annotated[
        int,
        typer.Option(
            min=0,
            max=3600,
            help="Seconds for which it is not asked again about the same path and credentials; 0: it is asked about"
            " every request.",
        ),
    ] = 30,
    public_endpoint: Annotated[
        str | None,
        typer.Option(metavar="URL", help="WebTransport URL for clients, if it differs from the address of the server."),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL[;cost=N][;hash=SHA256]",
            help="Another address of the same files, for clients that use several; cost above the others': metered;"
            " hash: of its certificate, if that is self-signed; repeatable.",
        ),
    ] = None,
    server_id: Annotated[
        str | None,
        typer.Option(
            metavar="HEX[,config=N]",
            help="ID of this server among those behind one UDP load balancer, 1 to 8 bytes; part of every connection ID"
            " (QUIC-LB); config: number of the balancer's configuration that the ID belongs to, 0 to 6, else 0.",
        ),
    ] = None,
    server_id_config: Annotated[
        int | None, typer.Option(min=0, max=6, help="Earlier place of config.", hidden=True)
    ] = None,
    server_id_key: Annotated[
        str | None,
        typer.Option(
            metavar="HEX",
            envvar="VOXEL_SERVER_ID_KEY",
            help="AES-128 key that the load balancer reads the ID with; without it everybody can.",
        ),
    ] = None,
    congestion_control: Annotated[
        CongestionControl, typer.Option(help="Congestion control of streams and datagrams.")
    ] = (CongestionControl.CUBIC),
    qlog: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a qlog file for each connection to this folder.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow plain HTTP on other than loopback addresses, for test networks.")
    ] = False,
    log_format: Annotated[LogFormat, typer.Option(help="Format of the log on standard error.")] = LogFormat.TEXT,
    no_webtransport: Annotated[
        bool, typer.Option("--no-webtransport", help="Serve HTTP/1.1 and HTTP/3 only, without the discovery file.")
    ] = False,
    max_connections: Annotated[
        int, typer.Option(min=0, help="TCP connections at a time, and as many QUIC connections; 0: no limit.")
    ] = DEFAULTS.connections,
    max_connections_per_address: Annotated[
        int, typer.Option(min=0, help="The same of one client address, or IPv6 network of 64 bits; 0: no limit.")
    ] = DEFAULTS.connections_per_address,
    max_sessions_per_address: Annotated[
        int, typer.Option(min=0, help="WebTransport sessions of one client address at a time; 0: no limit.")
    ] = DEFAULTS.sessions_per_address,
    max_requests_per_address: Annotated[
        int, typer.Option(min=0, help="Requests in flight of one client address; 0: no limit.")
    ] = DEFAULTS.requests_per_address,
    check_health: Annotated[
        str | None,
        typer.Option(
            "--check-health",
            metavar="HOST:PORT",
            is_eager=True,
            callback=_check_health,
            help="Serve nothing: ask the server whose counters are there whether it is well; exit code 1 if not.",
        ),
    ] = None,
    metrics: Annotated[
        str,
        typer.Option(
            envvar="VOXEL_METRICS",
            metavar="HOST:PORT|none",
            help="Where the counters and health are served; port 0: any free one.",
        ),
    ] = "127.0.0.1:0",
) -> None:
    """Serves the files of a folder over WebTransport (voxel-1), HTTP/3 and HTTP/1.1.

    Prints one JSON line to standard output once it accepts requests. SIGTERM and Ctrl-C let requests in flight finish.
    """
    configure_logging(log_format)
    if server_id_config is not None:
        log(
            "option goes with the next release",
            logging.WARNING,
            option="--server-id-config",
            instead="--server-id HEX,config=N",
        )
    try:
        config = Config(
            folders={"/": folder, **_parse_mounts(mount or [])},
            host=host,
            http_port=http_port,
            quic_port=quic_port,
            certificate=certificate,
            key=key,
            allowed_origins=frozenset(allow_origin or []),
            token=token,
            authorize=authorize,
            authorize_headers=tuple(authorize_header or []),
            authorize_seconds=authorize_seconds,
            public_endpoint=public_endpoint,
            paths=tuple(parse_path(text) for text in path or []),
            server_id=parse_server_id(server_id, server_id_key, server_id_config or 0),
            congestion_control=congestion_control,
            qlog=qlog,
            insecure=insecure,
            webtransport=not no_webtransport,
            metrics=_parse_metrics(metrics),
            limits=Limits(
                connections=max_connections,
                connections_per_address=max_connections_per_address,
                sessions_per_address=max_sessions_per_address,
                requests_per_address=max_requests_per_address,
            ),
        )
        asyncio.run(_serve_until_stopped(config))
    except ConfigurationError as error:
        typer.echo(f"voxel-serve: {error}", err=True)
        raise typer.Exit(EXIT_BAD_CONFIGURATION) from error


def _parse_mounts(mounts: list[str]) -> dict[str, Path]:
    folders = {}
    for mount in mounts:
        prefix, separator, folder = mount.partition("=")
        if not separator or not prefix.startswith("/") or not prefix.strip("/") or not folder:
            raise ConfigurationError(f"--mount must have the form /PREFIX=DIR, got {mount!r}")
        folders["/" + prefix.strip("/")] = Path(folder)
    return folders


def _parse_metrics(text: str) -> tuple[str, int] | None:
    if text == "none":
        return None
    host, separator, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not separator or not host or (":" in host and not bracketed) or not _PORT.fullmatch(port) or int(port) > 65535:
        raise ConfigurationError(f"--metrics must be none or have the form HOST:PORT, got {text!r}")
    return host[1:-1] if bracketed else host, int(port)


async def _serve_until_stopped(config: Config) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    async with running(config) as server:
        print(json.dumps(server.ready_event()), flush=True)
        log("ready", url=server.url)
        # As ACME clients and service managers expect; without it the files are looked at every half minute.
        loop.add_signal_handler(signal.SIGHUP, lambda: server.certificates.renew(datetime.now(UTC)))
        await stopped.wait()
        await server.drain()
        await server.say_goodbye()


def main() -> None:
    """Entry point."""
    app()
