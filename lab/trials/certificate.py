"""Makes the certificate of the trials' server: certificate.py FOLDER HOST… writes certificate.pem and key.pem.

Prints the Base64 SHA-256 of its public key, by which Chromium accepts it (--ignore-certificate-errors-spki-list).
"""

import base64
import hashlib
import sys
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from voxel_serve.certificate import make_certificate


def main() -> None:
    folder, hosts = Path(sys.argv[1]), sys.argv[2:]
    certificate = make_certificate(hosts, datetime.now(UTC))
    (folder / "certificate.pem").write_bytes(certificate.chain[0].public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        certificate.private_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    public_key = (
        certificate.chain[0]
        .public_key()
        .public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    print(base64.b64encode(hashlib.sha256(public_key).digest()).decode())


if __name__ == "__main__":
    main()
