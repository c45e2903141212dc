import base64
import hashlib
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from aioquic.quic.configuration import QuicConfiguration
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from voxel_serve.certificate import (
    REUSE_LEFT,
    VALIDITY,
    Certificate,
    CertificateKeeper,
    cached_certificate,
    load_certificate,
    make_certificate,
)
from voxel_serve.errors import ConfigurationError
from voxel_serve.metrics import Metrics

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HOSTS = ["localhost", "127.0.0.1", "::1"]


def write_pem(folder: Path, certificate: Certificate) -> tuple[Path, Path]:
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    certificate_file.write_bytes(certificate.chain[0].public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        certificate.private_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate_file, key_file


def test_a_self_made_certificate_meets_the_rules_for_hashes() -> None:
    made = make_certificate(HOSTS, NOW)
    leaf = made.chain[0]
    assert leaf.not_valid_after_utc - leaf.not_valid_before_utc == VALIDITY == timedelta(days=13)
    assert leaf.not_valid_before_utc < NOW
    assert isinstance(made.private_key, ec.EllipticCurvePrivateKey)
    assert isinstance(made.private_key.curve, ec.SECP256R1)
    extensions = leaf.extensions
    assert not extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert extensions.get_extension_for_class(x509.KeyUsage).value.digital_signature
    assert ExtendedKeyUsageOID.SERVER_AUTH in extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    names = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]


def test_the_hash_is_that_of_the_der_form() -> None:
    made = make_certificate(HOSTS, NOW)
    der = made.chain[0].public_bytes(serialization.Encoding.DER)
    assert made.hashes == [base64.b64encode(hashlib.sha256(der).digest()).decode()]


def test_a_certificate_is_kept_and_used_again_while_it_lasts(tmp_path: Path) -> None:
    first = cached_certificate(tmp_path / "cache", HOSTS, NOW)
    later = NOW + VALIDITY - REUSE_LEFT - timedelta(hours=2)
    assert cached_certificate(tmp_path / "cache", reversed(HOSTS), later).hashes == first.hashes
    too_late = NOW + VALIDITY - REUSE_LEFT
    renewed = cached_certificate(tmp_path / "cache", HOSTS, too_late)
    assert renewed.hashes != first.hashes
    assert cached_certificate(tmp_path / "cache", HOSTS, too_late).hashes == renewed.hashes


def test_other_hosts_get_another_certificate(tmp_path: Path) -> None:
    first = cached_certificate(tmp_path, HOSTS, NOW)
    assert cached_certificate(tmp_path, [*HOSTS, "media.example"], NOW).hashes != first.hashes


def test_only_the_owner_may_read_the_kept_key(tmp_path: Path) -> None:
    cached_certificate(tmp_path, HOSTS, NOW)
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o077 == 0


def test_a_damaged_or_unwritable_cache_costs_only_the_reuse(tmp_path: Path) -> None:
    cached_certificate(tmp_path, HOSTS, NOW)
    (file,) = tmp_path.iterdir()
    file.write_text("damaged")
    assert cached_certificate(tmp_path, HOSTS, NOW).hashes == cached_certificate(tmp_path, HOSTS, NOW).hashes
    no_folder = tmp_path / "file"
    no_folder.touch()
    assert cached_certificate(no_folder, HOSTS, NOW).hashes


def test_a_running_server_makes_the_next_certificate_before_the_last_day_is_over(tmp_path: Path) -> None:
    configuration = QuicConfiguration(is_client=False)
    obtain = partial(cached_certificate, tmp_path, HOSTS)
    keeper = CertificateKeeper(obtain, lambda certificate: certificate.install(configuration), Metrics(), given=False)
    first, first_hashes = configuration.certificate, keeper.hashes()
    keeper.renew_if_due(first.not_valid_after_utc - timedelta(days=2))
    assert keeper.hashes() == first_hashes
    keeper.renew_if_due(first.not_valid_after_utc - timedelta(hours=23))
    assert configuration.certificate is not first
    assert keeper.hashes() == Certificate((configuration.certificate,), configuration.private_key).hashes
    assert keeper.hashes() != first_hashes


def test_a_running_server_replaces_its_certificate_where_the_clock_was_ahead(tmp_path: Path) -> None:
    installed: list[Certificate] = []
    obtain = partial(cached_certificate, tmp_path, HOSTS)
    ahead = datetime.now(UTC) + timedelta(days=30)
    keeper = CertificateKeeper(lambda *_: obtain(ahead), installed.append, Metrics(), given=False)
    keeper._obtain = obtain
    keeper.renew_if_due(datetime.now(UTC))
    assert keeper.hashes() == installed[-1].hashes != installed[0].hashes


def test_a_running_server_makes_another_certificate_when_it_is_asked_to(tmp_path: Path) -> None:
    installed: list[Certificate] = []
    keeper = CertificateKeeper(partial(cached_certificate, tmp_path, HOSTS), installed.append, Metrics(), given=False)
    keeper.renew(NOW)
    assert keeper.hashes() == installed[1].hashes != installed[0].hashes
    assert cached_certificate(tmp_path, HOSTS, NOW).hashes == keeper.hashes()


def test_a_failed_renewal_keeps_the_certificate_and_is_tried_again(tmp_path: Path) -> None:
    installed: list[Certificate] = []
    failures = [ConfigurationError("no"), OSError("no space")]

    def obtain(now: datetime, _: bool) -> Certificate:
        if installed and failures:
            raise failures.pop()
        return make_certificate(HOSTS, now)

    keeper = CertificateKeeper(obtain, installed.append, Metrics(), given=False)
    late = installed[0].not_after - timedelta(hours=1)
    for _ in range(2):
        keeper.renew_if_due(late)
        assert keeper.hashes() == installed[0].hashes
    keeper.renew_if_due(late)
    assert keeper.hashes() == installed[1].hashes != installed[0].hashes


def test_a_given_certificate_follows_its_files(tmp_path: Path) -> None:
    first, second = (make_certificate(HOSTS, NOW) for _ in range(2))
    files = write_pem(tmp_path, first)
    installed: list[Certificate] = []
    keeper = CertificateKeeper(lambda *_: load_certificate(*files), installed.append, Metrics(), given=True)
    keeper.renew_if_due(NOW)
    assert len(installed) == 1
    files[1].write_bytes(b"half a fi")
    keeper.renew_if_due(NOW)
    assert keeper.hashes() == first.hashes
    write_pem(tmp_path, second)
    keeper.renew_if_due(NOW)
    assert keeper.hashes() == second.hashes
    assert len(installed) == 2


def test_a_kept_certificate_that_is_not_valid_yet_is_not_used(tmp_path: Path) -> None:
    later = cached_certificate(tmp_path, HOSTS, NOW + timedelta(days=5))
    assert cached_certificate(tmp_path, HOSTS, NOW).hashes != later.hashes


def test_a_given_certificate_is_loaded(tmp_path: Path) -> None:
    made = make_certificate(HOSTS, NOW)
    assert load_certificate(*write_pem(tmp_path, made)).hashes == made.hashes


def test_a_long_lived_or_rsa_certificate_is_not_announced_by_hash() -> None:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "media.example")])
    rsa_key = rsa.generate_private_key(65537, 2048)
    ec_key = ec.generate_private_key(ec.SECP256R1())
    for key, days in ((rsa_key, 10), (ec_key, 90)):
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(1)
            .not_valid_before(NOW)
            .not_valid_after(NOW + timedelta(days=days))
            .sign(key, hashes.SHA256())
        )
        assert Certificate((certificate,), key).hashes == []


def test_unreadable_certificates_are_a_configuration_error(tmp_path: Path) -> None:
    certificate, key = write_pem(tmp_path, make_certificate(HOSTS, NOW))
    (tmp_path / "other").mkdir()
    _, other_key = write_pem(tmp_path / "other", make_certificate(HOSTS, NOW))
    garbage = tmp_path / "garbage.pem"
    garbage.write_bytes(b"\x00garbage")
    for pair in ((tmp_path / "absent", key), (garbage, key), (certificate, garbage), (certificate, other_key)):
        with pytest.raises(ConfigurationError, match="certificate or key cannot be read"):
            load_certificate(*pair)
