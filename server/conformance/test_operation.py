"""What an operator sets: congestion control, logs of connections, certificates."""

import asyncio
import contextlib
import signal
import ssl
import urllib.request
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from .client import VoxelClient, connect
from .conftest import Start


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
    server.stop()
    files = list(folder.iterdir())
    assert len(files) == 2
    assert all(b"packet" in file.read_bytes() for file in files)


async def test_a_given_certificate_is_shown_on_both_ports_and_not_announced_by_its_hash(
    starts: Start, tmp_path: Path
) -> None:
    certificate, chain, key = _long_lived_certificate(tmp_path)
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


async def test_a_replaced_certificate_is_shown_on_both_ports_after_a_hangup(starts: Start, tmp_path: Path) -> None:
    _, chain, key = _long_lived_certificate(tmp_path)
    server = starts("--host", "0.0.0.0", "--certificate", str(chain), "--key", str(key))
    async with connect(server.quic_port) as before:
        assert (await before.open_session())[0] == 200
        # A moment in which the files do not match, as when one is written after the other.
        key.write_bytes(b"half a fi")
        server.process.send_signal(signal.SIGHUP)
        certificate, _, _ = _long_lived_certificate(tmp_path)
        server.process.send_signal(signal.SIGHUP)
        trusting = ssl.create_default_context(cafile=str(chain))
        await eventually_connects(server.http_port, trusting)
        async with connect(server.quic_port) as after:
            assert _shown(after) == certificate
        assert (await before.request("/media.mp4", range="bytes=0-1")).status == 206


async def eventually_connects(port: int, trusting: ssl.SSLContext) -> None:
    """Returns once the server shows a certificate that `trusting` trusts."""
    async with asyncio.timeout(20):
        while True:
            with contextlib.suppress(ssl.SSLCertVerificationError):
                _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
                writer.close()
                return
            await asyncio.sleep(0.05)


def _shown(client: VoxelClient) -> x509.Certificate | None:
    return client.quic.tls._peer_certificate


def _long_lived_certificate(folder: Path) -> tuple[x509.Certificate, Path, Path]:
    """Valid for a year, which browsers accept by no hash; with it its PEM files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "media.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=365))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    chain, private = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, chain, private
