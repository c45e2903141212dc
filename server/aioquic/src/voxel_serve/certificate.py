"""The server's certificate: a configured one, or a self-signed one that browsers accept by its hash.

`serverCertificateHashes` (W3C WebTransport, "custom certificate requirements") requires an ECDSA P-256 key and a
validity of at most 14 days; Chromium also requires the usual extensions.
"""

import base64
import hashlib
import ipaddress
import logging
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aioquic.quic.configuration import QuicConfiguration
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from .errors import ConfigurationError
from .log import log
from .metrics import Metrics

LONGEST_HASHABLE_VALIDITY = timedelta(days=14)
VALIDITY = timedelta(days=13)
"""One day less than the longest that browsers accept by hash."""

CLOCK_SKEW = timedelta(hours=1)
"""How far clients' clocks may be behind."""

REUSE_LEFT = timedelta(days=3)
"""A stored certificate with less validity left is not reused: a server that runs over a weekend keeps its hash."""

RENEWAL_LEFT = timedelta(days=1)
"""A running server makes the next certificate when this much validity is left."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate chain, leaf first, and the leaf's private key."""

    chain: tuple[x509.Certificate, ...]
    private_key: CertificateIssuerPrivateKeyTypes

    @property
    def not_before(self) -> datetime:
        return self.chain[0].not_valid_before_utc

    @property
    def not_after(self) -> datetime:
        return self.chain[0].not_valid_after_utc

    def fault(self, now: datetime) -> str | None:
        """Why it is not valid at that time; None: it is."""
        if now < self.not_before:
            return "it is not valid yet"
        return "it has expired" if now >= self.not_after else None

    @property
    def hashes(self) -> list[str]:
        """Base64 SHA-256 of the DER form; empty if browsers do not accept the certificate by hash."""
        leaf = self.chain[0]
        key = leaf.public_key()
        validity = leaf.not_valid_after_utc - leaf.not_valid_before_utc
        if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
            return []
        if validity > LONGEST_HASHABLE_VALIDITY:
            return []
        return [base64.b64encode(hashlib.sha256(leaf.public_bytes(serialization.Encoding.DER)).digest()).decode()]

    def install(self, configuration: QuicConfiguration) -> None:
        """New connections of `configuration` use this certificate; open ones keep theirs."""
        configuration.certificate = self.chain[0]
        configuration.certificate_chain = list(self.chain[1:])
        configuration.private_key = self.private_key


class CertificateKeeper:
    """Installs a certificate, and the next one before it ends."""

    def __init__(
        self,
        obtain: Callable[[datetime, bool], Certificate],
        install: Callable[[Certificate], None],
        metrics: Metrics,
        *,
        given: bool,
    ) -> None:
        """`obtain` returns the certificate to use from a given time on, and never a kept one if the flag is set.

        Both may raise `ConfigurationError`, and so does this. `metrics` say when it ends. `given`: the certificate
        comes from files that others replace.
        """
        self._obtain = obtain
        self._install = install
        self._metrics = metrics
        self._given = given
        self._fault: str | None = None
        now = datetime.now(UTC)
        self._use(obtain(now, False))
        self._warn(now)

    def hashes(self) -> list[str]:
        """The hashes of the certificate in use; see `Certificate.hashes`."""
        return self._certificate.hashes

    def renew_if_due(self, now: datetime) -> None:
        """Renews the certificate if it is about to expire, or if its files hold another. Call it often.

        A failure is logged: the old certificate stays, and the next call tries again.
        """
        certificate = self._certificate
        if self._given or certificate.not_after - now <= RENEWAL_LEFT or certificate.fault(now) is not None:
            self.renew(now, anew=False)
        self._warn(now)

    def renew(self, now: datetime, *, anew: bool = True) -> None:
        """Renews it at once: reads the files again, or makes another certificate."""
        try:
            renewed = self._obtain(now, anew)
            if renewed.chain == self._certificate.chain:
                return
            self._use(renewed)
            log("certificate renewed", not_after=renewed.not_after, hashes=renewed.hashes)
        except (ConfigurationError, OSError) as error:
            log("certificate not renewed", logging.WARNING, error=str(error))

    def _warn(self, now: datetime) -> None:
        """Once, until it is another fault or none."""
        fault, before = self._certificate.fault(now), self._fault
        self._fault = fault
        if fault not in (None, before):
            dates = {"not_before": self._certificate.not_before, "not_after": self._certificate.not_after}
            log("certificate not valid", logging.WARNING, reason=fault, **dates)

    def _use(self, certificate: Certificate) -> None:
        self._install(certificate)
        self._certificate = certificate
        self._metrics.set("voxel_certificate_end_seconds", int(certificate.not_after.timestamp()))


def load_certificate(certificate: Path, key: Path) -> Certificate:
    """A PEM chain and its PEM key. Raises `ConfigurationError`."""
    try:
        return _parse(certificate.read_bytes(), key.read_bytes())
    except (OSError, ValueError, TypeError) as error:
        raise ConfigurationError(f"the certificate or key cannot be read: {certificate}, {key}: {error}") from error


def cached_certificate(cache: Path, hosts: Iterable[str], now: datetime, anew: bool = False) -> Certificate:
    """The certificate stored in `cache` for these hosts if it is valid for long enough, otherwise a new one.

    `anew`: a new one, which replaces the stored one. A cache that cannot be read or written only prevents the reuse.
    """
    names = sorted(set(hosts))
    file = cache / f"{hashlib.sha256(' '.join(names).encode()).hexdigest()[:16]}.pem"
    try:
        pem = file.read_bytes()
        kept = _parse(pem, pem)
        if not anew and kept.not_before <= now and kept.not_after - now > REUSE_LEFT:
            return kept
    except (OSError, ValueError, TypeError):
        pass  # None is stored, or it is damaged: a new one replaces it.
    made = make_certificate(names, now)
    _keep(file, made)
    return made


def make_certificate(hosts: Iterable[str], now: datetime) -> Certificate:
    """A self-signed certificate for these host names and addresses, valid for `VALIDITY`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "voxel-serve")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now - CLOCK_SKEW + VALIDITY)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_signing_only(), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_general_name(host) for host in hosts]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Certificate((certificate,), key)


def _signing_only() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _parse(certificate_pem: bytes, key_pem: bytes) -> Certificate:
    chain = x509.load_pem_x509_certificates(certificate_pem)
    key = serialization.load_pem_private_key(key_pem, password=None)
    public = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    if chain[0].public_key().public_bytes(*public) != key.public_key().public_bytes(*public):
        raise ValueError("the key does not belong to the certificate")
    return Certificate(tuple(chain), key)  # type: ignore[arg-type]  # a certificate's key can sign


def _keep(file: Path, certificate: Certificate) -> None:
    """Written under another name first: servers that start at the same time never read half a file."""
    pem = certificate.private_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + certificate.chain[0].public_bytes(serialization.Encoding.PEM)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=file.parent)  # readable by its owner only
        with os.fdopen(descriptor, "wb") as output:
            output.write(pem)
        Path(temporary).replace(file)
    except OSError:
        pass  # It cannot be stored: the next start makes another.
