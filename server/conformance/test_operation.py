"""What an operator sets: congestion control, logs of connections, certificates, counters."""

import asyncio
import base64
import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from email.message import Message
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from .client import VoxelClient, connect, eventually, request_head
from .conftest import Start
from .servers import Server, free_port


@pytest.mark.parametrize("algorithm", ["cubic", "reno", "bbr-if-available"])
async def test_every_congestion_control_serves(starts: Start, media: bytes, algorithm: str) -> None:
    server = starts("--congestion-control", algorithm)
    async with connect(server.quic_port) as client:
        await client.open_session()
        response = await client.request("/media.mp4", range="bytes=0-299999")
        assert response.body == media[:300_000]
        response = await client.request("/media.mp4", range="bytes=0-99999", x_voxel_unreliable="?1;flow=1")
        assert response.trailers["x-voxel-sent"].startswith("100000;")


async def test_qlog_has_a_file_for_each_connection(starts: Start, tmp_path: Path) -> None:
    folder = tmp_path / "qlog"
    server = starts("--qlog", str(folder))
    for _ in range(2):
        async with connect(server.quic_port) as client:
            await client.open_session()
            assert (await client.request("/media.mp4", range="bytes=0-1")).status == 206
    # voxel-serve writes a log when its connection has drained: three probe timeouts after its end.
    await eventually(lambda: len(list(folder.iterdir())) == 2)
    server.stop()
    files = list(folder.iterdir())
    assert len(files) == 2
    assert all(b"packet" in file.read_bytes() for file in files)


async def test_a_given_certificate_is_shown_on_both_ports_and_not_announced_by_its_hash(
    starts: Start, tmp_path: Path
) -> None:
    certificate, chain, key = long_lived_certificate(tmp_path)
    server = starts("--host", "0.0.0.0", "--certificate", str(chain), "--key", str(key))
    assert server.certificate_hashes == []
    async with connect(server.quic_port) as client:
        assert _shown(client) == certificate
    assert server.url.startswith("https://")
    trusting = ssl.create_default_context(cafile=str(chain))
    url = f"https://127.0.0.1:{server.http_port}/empty.bin"
    response = await asyncio.to_thread(urllib.request.urlopen, url, context=trusting)
    with response:
        assert response.status == 200


@pytest.mark.parametrize(
    ("days", "reason"),
    [((-9, -2), "it has expired"), ((2, 9), "it is not valid yet")],
    ids=["expired", "not yet valid"],
)
async def test_a_given_certificate_that_is_not_valid_is_warned_of(
    starts: Start, tmp_path: Path, days: tuple[int, int], reason: str
) -> None:
    _, chain, key = long_lived_certificate(tmp_path, days)
    server = starts("--host", "0.0.0.0", "--certificate", str(chain), "--key", str(key))
    await eventually(lambda: warnings(server, "certificate not valid"))
    (warning,) = warnings(server, "certificate not valid")
    assert warning["reason"] == reason


async def test_a_certificate_that_is_of_quic_alone_is_warned_of(starts: Start, tmp_path: Path) -> None:
    _, chain, key = long_lived_certificate(tmp_path)
    given = ["--certificate", str(chain), "--key", str(key)]
    server = starts(*given)
    assert server.url.startswith("http://")
    (warning,) = warnings(server, "plain HTTP")
    assert warning["reason"] == "on a loopback address the certificate is of QUIC alone"
    assert warnings(starts(*given, "--insecure"), "plain HTTP") == []
    assert warnings(starts(*given, "--host", "0.0.0.0"), "plain HTTP") == []


async def test_a_replaced_certificate_is_shown_on_both_ports_after_a_hangup(starts: Start, tmp_path: Path) -> None:
    _, chain, key = long_lived_certificate(tmp_path)
    server = starts("--host", "0.0.0.0", "--certificate", str(chain), "--key", str(key))
    async with connect(server.quic_port) as before:
        assert (await before.open_session())[0] == 200
        # A moment in which the files do not match, as when one is written after the other.
        key.write_bytes(b"half a fi")
        server.process.send_signal(signal.SIGHUP)
        certificate, _, _ = long_lived_certificate(tmp_path)
        server.process.send_signal(signal.SIGHUP)
        trusting = ssl.create_default_context(cafile=str(chain))
        await eventually_connects(server.http_port, trusting)
        await eventually_shows(server, certificate.fingerprint(hashes.SHA256()))
        assert (await before.request("/media.mp4", range="bytes=0-1")).status == 206


ACME_HOOK = Path(__file__).parents[2] / "deploy" / "acme-hook.sh"


async def test_the_hook_of_acme_clients_hands_a_renewed_certificate_to_the_server(
    starts: Start, tmp_path: Path
) -> None:
    issued, served = tmp_path / "issued", tmp_path / "served"
    issued.mkdir()

    def renew(reload: str, **environment: str) -> x509.Certificate:
        certificate, chain, key = long_lived_certificate(issued)
        settings = {"TLS_DIR": str(served), "TLS_OWNER": "", "RELOAD": reload} | environment
        words = [] if environment else [str(chain), str(key)]
        subprocess.run([ACME_HOOK, *words], env=os.environ | settings, check=True, timeout=60)
        return certificate

    renew("true")
    files = ["--certificate", str(served / "certificate.pem"), "--key", str(served / "key.pem")]
    server = starts("--host", "0.0.0.0", *files)
    # As certbot calls it.
    chain, key = issued / "chain.pem", issued / "key.pem"
    (issued / "fullchain.pem").symlink_to(chain)
    (issued / "privkey.pem").symlink_to(key)
    certificate = renew(f"kill -HUP {server.process.pid}", RENEWED_LINEAGE=str(issued))
    await eventually_connects(server.http_port, ssl.create_default_context(cafile=str(chain)))
    await eventually_shows(server, certificate.fingerprint(hashes.SHA256()))
    assert (served / "key.pem").stat().st_mode & 0o777 == 0o600


def test_the_hook_of_acme_clients_says_what_it_lacks(tmp_path: Path) -> None:
    for words in (["chain.pem"], [str(tmp_path / "chain.pem"), str(tmp_path / "key.pem")], []):
        refused = subprocess.run(
            [ACME_HOOK, *words], env={"PATH": os.defpath, "TLS_DIR": str(tmp_path)}, capture_output=True, text=True
        )
        assert refused.returncode != 0
        assert len(refused.stderr.splitlines()) == 1


async def test_a_hangup_replaces_a_self_made_certificate_for_new_connections(starts: Start) -> None:
    server = starts()
    (kept,) = server.certificate_hashes
    async with connect(server.quic_port) as before:
        assert (await before.open_session())[0] == 200
        server.process.send_signal(signal.SIGHUP)
        async with asyncio.timeout(20):
            while (announced := await asyncio.to_thread(announced_hash, server)) == kept:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await eventually_shows(server, base64.b64decode(announced))
        async with connect(server.quic_port) as after:
            assert (await after.open_session())[0] == 200
        assert (await before.request("/media.mp4", range="bytes=0-1")).status == 206
    server.stop()
    assert starts().certificate_hashes == [announced]


def announced_hash(server: Server) -> str:
    with urllib.request.urlopen(server.url + ".well-known/voxel.json") as response:
        return str(json.load(response)["certificateHashes"][0])


async def eventually_connects(port: int, trusting: ssl.SSLContext) -> None:
    """Returns once the server shows a certificate that `trusting` trusts."""
    async with asyncio.timeout(20):
        while True:
            with contextlib.suppress(ssl.SSLCertVerificationError):
                _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
                writer.close()
                return
            await asyncio.sleep(0.05)


async def eventually_shows(server: Server, fingerprint: bytes) -> None:
    """Returns once QUIC shows the certificate, which may be a moment after TCP or the discovery file does."""
    async with asyncio.timeout(20):
        while True:
            async with connect(server.quic_port) as client:
                shown = _shown(client)
            assert shown is not None
            if shown.fingerprint(hashes.SHA256()) == fingerprint:
                return
            await asyncio.sleep(0.05)


# --- counters


def get(url: str, method: str = "GET", **headers: str) -> tuple[int, Message, bytes]:
    """Status, headers and body, of errors, too."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method, headers=headers)) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def test_the_counters_have_an_address_of_their_own(server: Server) -> None:
    assert server.metrics is not None
    assert server.metrics.startswith("http://127.0.0.1:")
    assert server.metrics.endswith("/metrics")
    status, headers, body = get(server.metrics)
    assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    for name in (
        "voxel_requests_total",
        "voxel_stream_bytes_total",
        "voxel_datagram_bytes_total",
        "voxel_parity_bytes_total",
        "voxel_datagrams_total",
        "voxel_flows_cut_total",
        "voxel_sessions_total",
        "voxel_sessions",
        "voxel_watched_files",
        "voxel_quic_connections",
        "voxel_certificate_end_seconds",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "process_open_fds",
        "process_max_fds",
        "process_start_time_seconds",
    ):
        assert f"# TYPE {name} ".encode() in body
    assert get(server.url + "metrics")[0] == 404


def test_the_counters_answer_nothing_else_and_no_page(server: Server) -> None:
    assert server.metrics is not None
    root = server.metrics.removesuffix("metrics")
    assert get(root + "media.mp4")[0] == get(root)[0] == 404
    assert get(server.metrics, "POST")[0] == 405
    assert get(server.metrics, "HEAD")[::2] == (200, b"")
    assert get(server.metrics, Host="evil.example")[0] == 403
    _, headers, _ = get(server.metrics, Origin=root.rstrip("/"))
    assert "access-control-allow-origin" not in headers


def test_where_the_counters_are(starts: Start) -> None:
    assert starts("--metrics", "none").metrics is None
    port = free_port()
    url = starts("--metrics", f"127.0.0.1:{port}").metrics
    assert url == f"http://127.0.0.1:{port}/metrics"
    assert get(url)[0] == 200


@pytest.mark.parametrize("value", ["9000", ":9000", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", "::1:9000", ""])
def test_a_bad_address_for_the_counters_is_refused(command: list[str], value: str) -> None:
    refused = subprocess.run([*command, "--metrics", value], capture_output=True, text=True, timeout=20)
    assert refused.returncode == 2
    assert "--metrics" in refused.stderr
    assert f"'{value}'" in refused.stderr


def counter(server: Server, name: str) -> float:
    assert server.metrics is not None
    (value,) = [line.split()[1] for line in get(server.metrics)[2].decode().splitlines() if line.startswith(name + " ")]
    return float(value)


async def test_the_counters_say_when_the_certificate_in_use_ends(starts: Start) -> None:
    server = starts()
    async with connect(server.quic_port) as client:
        shown = _shown(client)
    assert shown is not None
    assert counter(server, "voxel_certificate_end_seconds") == shown.not_valid_after_utc.timestamp()


def test_the_counters_say_what_the_process_takes(starts: Start) -> None:
    server = starts()
    proc = Path("/proc") / str(server.process.pid)

    def differ_by() -> float:
        return abs(counter(server, "process_open_fds") - len(list((proc / "fd").iterdir())))

    # The two are not counted at one moment, and a server that has just begun opens more.
    assert any(differ_by() <= 2 for _ in range(100))
    assert counter(server, "process_max_fds") == float(
        (proc / "limits").read_text().split("Max open files")[1].split()[0]
    )
    assert 1_000_000 < counter(server, "process_resident_memory_bytes") < 1_000_000_000
    stat = (proc / "stat").read_text().rpartition(")")[2].split()
    seconds = sum(map(int, stat[11:13])) / os.sysconf("SC_CLK_TCK")
    assert abs(counter(server, "process_cpu_seconds_total") - seconds) < 0.5
    age = time.time() - counter(server, "process_start_time_seconds")
    assert 0 <= age < time.monotonic()


# --- health


def health_check(command: list[str], address: str) -> tuple[int, str, str]:
    """Exit code and what it prints, asked as in an image."""
    image = os.environ | {"VOXEL_METRICS": "0.0.0.0:9100"}
    words = [*command, "--check-health", address]
    ran = subprocess.run(words, env=image, capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout, ran.stderr


def test_health_is_answered_beside_the_counters_only(server: Server) -> None:
    assert server.metrics is not None
    url = server.metrics.removesuffix("metrics") + "health"
    assert get(url)[::2] == (200, b"ok\n")
    assert get(url, "HEAD")[::2] == (200, b"")
    assert get(url, "POST")[0] == 405
    assert get(url, Host="evil.example")[0] == 403
    assert get(server.url + "health")[0] == 404


async def test_half_heads_hold_up_no_health_check(server: Server) -> None:
    assert server.metrics is not None
    host, _, port = server.metrics.split("/")[2].rpartition(":")
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            half = stack.enter_context(socket.create_connection((host, int(port))))
            with contextlib.suppress(OSError):  # It may have had to make room already.
                half.sendall(b"GET /health HT")
        assert get(server.metrics.removesuffix("metrics") + "health")[::2] == (200, b"ok\n")


async def test_the_program_asks_another_server_whether_it_is_well(server: Server, command: list[str]) -> None:
    assert server.metrics is not None
    address = server.metrics.split("/")[2]
    # On a busy machine the answer may take longer than the program waits.
    await eventually(lambda: health_check(command, address) == (0, "ok\n", ""))
    assert health_check(command, f"127.0.0.1:{server.http_port}")[0] == 1
    port = free_port()
    code, output, complaint = health_check(command, f"127.0.0.1:{port}")
    assert (code, output) == (1, "")
    assert complaint.endswith(f": no answer from 127.0.0.1:{port}: Connection refused\n")


async def test_a_server_that_stops_is_not_well(starts: Start) -> None:
    server = starts()
    assert server.metrics is not None
    url = server.metrics.removesuffix("metrics") + "health"
    async with connect(server.quic_port) as client:
        await client.open_session()
        flood = client.send(request_head("/huge.bin", x_voxel_unreliable="?1;flow=1"))
        await eventually(lambda: client.datagrams)
        server.process.terminate()
        async with asyncio.timeout(60):
            while (await asyncio.to_thread(get, url))[::2] != (503, b"the server is stopping\n"):
                pass
        client.cancel(flood)


def _shown(client: VoxelClient) -> x509.Certificate | None:
    return client.quic.tls._peer_certificate


def warnings(server: Server, event: str) -> list[dict[str, object]]:
    """What its log warns of with this event."""
    lines = map(json.loads, server.log.read_text().splitlines())
    return [line for line in lines if (line["event"], line["level"]) == (event, "warning")]


def long_lived_certificate(folder: Path, days: tuple[int, int] = (-1, 365)) -> tuple[x509.Certificate, Path, Path]:
    """Valid for a year, which browsers accept by no hash; with it its PEM files. `days`: from when and until when."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "media.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    chain, private = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, chain, private
