"""docs/PROTOCOL.md, "Discovery" and "Session"."""

import base64
import hashlib
import json
import subprocess
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest
from aioquic.quic.connection import QuicConnection
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from .client import VoxelClient, connect
from .conftest import Start
from .servers import AIOQUIC, Server, free_port
from .test_operation import long_lived_certificate


def test_the_discovery_file_says_where_and_with_which_certificate(server: Server, command: list[str]) -> None:
    with urllib.request.urlopen(server.url + ".well-known/voxel.json") as response:
        document = json.load(response)
    assert document == {
        "endpoint": f"https://127.0.0.1:{server.quic_port}/voxel",
        "certificateHashes": server.certificate_hashes,
        "versions": ["voxel-1"],
        # Files that grow are not followed through an edge.
        "features": [] if "--origin" in command else ["follow"],
    }


async def test_the_certificate_is_the_announced_one_and_browsers_take_it_by_its_hash(
    server: Server, client: VoxelClient
) -> None:
    certificate = _certificate(client.quic)
    digest = hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).digest()
    assert server.certificate_hashes == [base64.b64encode(digest).decode()]
    key = certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert isinstance(key.curve, ec.SECP256R1)
    assert certificate.not_valid_after_utc - certificate.not_valid_before_utc == timedelta(days=13)
    extensions = certificate.extensions
    assert not extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert extensions.get_extension_for_class(x509.KeyUsage).value.digital_signature
    usage = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.SERVER_AUTH]
    names = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "localhost" in names.get_values_for_type(x509.DNSName)


def _certificate(quic: QuicConnection) -> x509.Certificate:
    certificate = quic.tls._peer_certificate
    assert certificate is not None
    return certificate


def test_a_public_endpoint_is_announced_instead(starts: Start) -> None:
    server = starts("--public-endpoint", "https://media.example:5555/voxel")
    assert server.endpoint == "https://media.example:5555/voxel"


@pytest.mark.parametrize(
    ("host", "asked", "announced"),
    [
        ("0.0.0.0", "localhost", "127.0.0.1"),
        ("0.0.0.0", "media.example", "media.example"),
        ("::", "localhost", "localhost"),
    ],
)
def test_the_address_that_is_announced_answers(starts: Start, host: str, asked: str, announced: str) -> None:
    """Chromium's WebTransport takes `localhost` for `::1` alone, while its page comes from 127.0.0.1 all the same."""
    server = starts("--host", host, "--insecure")
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.http_port}/.well-known/voxel.json", headers={"host": f"{asked}:{server.http_port}"}
    )
    with urllib.request.urlopen(request) as response:
        assert json.load(response)["endpoint"] == f"https://{announced}:{server.quic_port}/voxel"


def test_http_and_quic_may_share_the_port_number(starts: Start) -> None:
    port = free_port()
    server = starts(http_port=port, quic_port=port)
    assert server.url == f"http://127.0.0.1:{port}/"
    assert server.endpoint == f"https://127.0.0.1:{port}/voxel"


def test_further_addresses_are_announced_with_cost_and_hashes(starts: Start) -> None:
    port = free_port()
    own, other = f"https://127.0.0.1:{port}/voxel", "https://b.example:4433/voxel"
    digest = base64.b64encode(bytes(range(32))).decode()
    options = ["--path", f"{other};cost=1.5;hash={digest}", "--path", "https://c.example/voxel", "--path", own]
    server = starts(*options, quic_port=port)
    with urllib.request.urlopen(server.url + ".well-known/voxel.json") as response:
        document = json.load(response)
    assert document["endpoint"] == own
    assert document["paths"] == [
        {"endpoint": other, "certificateHashes": [digest], "cost": 1.5},
        {"endpoint": "https://c.example/voxel", "certificateHashes": [], "cost": 0},
        {"endpoint": own, "certificateHashes": server.certificate_hashes, "cost": 0},
    ]


@pytest.mark.parametrize(
    "values",
    [
        ["http://b.example/voxel"],
        ["b.example"],
        ["https://b.example/voxel;cost=cheap"],
        ["https://b.example/voxel;hash=AAAA"],
        ["https://b.example/voxel;price=1"],
        ["https://b.example/voxel", "https://b.example/voxel;cost=1"],
        [f"https://b{number}.example/voxel" for number in range(8)],
    ],
)
def test_an_address_that_clients_would_refuse_is_one_clear_line(command: list[str], values: list[str]) -> None:
    options = [option for value in values for option in ("--path", value)]
    refused = subprocess.run([*command, *options], capture_output=True, text=True, timeout=20)
    assert refused.returncode == 2
    assert refused.stdout == ""
    (line,) = refused.stderr.splitlines()
    assert ": --path" in line


async def test_the_session_agrees_on_voxel_1(client: VoxelClient) -> None:
    status, headers = await client.open_session(wt_available_protocols='"voxel-2", "voxel-1"')
    assert (status, headers["wt-protocol"]) == (200, '"voxel-1"')


async def test_a_client_without_a_protocol_list_is_taken_as_voxel_1(client: VoxelClient) -> None:
    status, headers = await client.open_session()
    assert status == 200
    assert "wt-protocol" not in headers


@pytest.mark.parametrize("offered", ['"moq-00"', '"', "voxel-1", ""])
async def test_a_client_of_another_protocol_is_refused(client: VoxelClient, offered: str) -> None:
    assert (await client.open_session(wt_available_protocols=offered))[0] == 400


async def test_the_settings_serve_old_and_new_browsers(session: VoxelClient) -> None:
    settings = session.http.received_settings
    assert settings is not None
    for setting in (0x2B603742, 0xC671706A, 0x14E9CD29, 0x33, 0x8):
        assert settings[setting] == 1


async def test_draft_15_is_announced_where_the_transport_parameter_that_it_demands_is(
    session: VoxelClient, command: list[str]
) -> None:
    settings = session.http.received_settings
    assert settings is not None
    # quiche 0.30 can neither send the parameter reset_stream_at nor read the frame RESET_STREAM_AT.
    speaks_it = command[: len(AIOQUIC)] == AIOQUIC
    assert ({0x1D, 0x17F7586D2CB571} <= session.transport_parameters) == speaks_it
    assert settings.get(0x2C7CF000) == (1 if speaks_it else None)


@pytest.mark.parametrize(("origin", "status"), [("http://127.0.0.1:5000", 200), ("https://evil.example", 403)])
async def test_pages_of_other_hosts_get_no_session(client: VoxelClient, origin: str, status: int) -> None:
    assert (await client.open_session(origin=origin))[0] == status


async def test_a_name_that_was_made_to_point_here_gets_no_session(client: VoxelClient) -> None:
    assert (await client.open_session(authority="evil.example", origin="https://evil.example"))[0] == 403


async def test_allowed_origins(starts: Start) -> None:
    async with connect(starts("--allow-origin", "https://player.example").quic_port) as client:
        for origin in ("http://127.0.0.1", "http://player.example", "https://player.example:8443", "null"):
            assert (await client.open_session(origin=origin))[0] == 403
        assert (await client.open_session(origin="https://player.example"))[0] == 200


async def test_an_allowed_origin_may_be_written_with_its_usual_port(starts: Start) -> None:
    server = starts("--allow-origin", "https://Player.example:443", "--allow-origin", "http://b.example:8080")
    for origin in ("https://player.example", "http://b.example:8080"):
        async with connect(server.quic_port) as client:
            assert (await client.open_session(origin=origin))[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["null", "", "ftp://127.0.0.1", "127.0.0.1", "http://127.0.0.1:3000/page", "http://user@127.0.0.1", "file://"],
)
async def test_what_is_no_origin_of_a_page_gets_no_session(client: VoxelClient, origin: str) -> None:
    assert (await client.open_session(origin=origin))[0] == 403


@pytest.mark.parametrize(
    ("option", "origin", "status"),
    [
        (None, "http://127.0.0.1:3000", 403),
        (None, "https://127.0.0.1:3000", 200),
        (None, "https://media.example", 403),
        ("--insecure", "http://127.0.0.1:3000", 200),
        ("--insecure", "https://127.0.0.1:3000", 200),
    ],
)
async def test_plain_pages_of_the_own_host_only_on_loopback_and_test_networks(
    starts: Start, tmp_path: Path, option: str | None, origin: str, status: int
) -> None:
    _, chain, key = long_lived_certificate(tmp_path)
    options = ["--certificate", str(chain), "--key", str(key)] if option is None else [option]
    async with connect(starts("--host", "0.0.0.0", *options).quic_port) as client:
        assert (await client.open_session(origin=origin))[0] == status
        allowed = (await client.get("/empty.bin", origin=origin))[1].get("access-control-allow-origin")
        assert allowed == (origin if status == 200 else None)


async def test_the_token_guards_the_session_and_not_the_files(starts: Start) -> None:
    async with connect(starts("--token", "s3 cret").quic_port) as client:
        assert (await client.open_session())[0] == 403
        assert (await client.open_session("/voxel?token=wrong"))[0] == 403
        assert (await client.get("/media.mp4", range="bytes=0-1"))[0] == 206
        assert (await client.open_session("/voxel?token=s3%20cret"))[0] == 200


async def test_there_is_one_endpoint_and_one_session_on_a_connection(client: VoxelClient) -> None:
    assert (await client.open_session("/elsewhere"))[0] == 404
    assert (await client.open_session())[0] == 200
    assert (await client.open_session())[0] == 429


async def test_without_webtransport_there_is_no_session_and_no_discovery(starts: Start) -> None:
    server = starts("--no-webtransport")
    assert server.endpoint is None
    async with connect(server.quic_port) as client:
        assert (await client.get("/media.mp4", range="bytes=0-1"))[0] == 206
        assert (await client.get("/.well-known/voxel.json"))[0] == 404
        assert (await client.open_session())[0] == 404


async def test_a_session_that_the_client_closes_is_closed(session: VoxelClient) -> None:
    assert session.session_id is not None
    session.http.send_data(session.session_id, b"", end_stream=True)
    session.transmit()
    await session.ended(session.session_id)


async def test_a_stream_of_no_session_is_reset(client: VoxelClient) -> None:
    stream_id = client.http.create_webtransport_stream(400)
    client._session_streams.add(stream_id)
    client.send_more(stream_id, b"GET /media.mp4 HTTP/1.1\r\nhost: x\r\n\r\n", end_stream=True)
    await client.wait_reset(stream_id)
    assert (await client.open_session())[0] == 200
