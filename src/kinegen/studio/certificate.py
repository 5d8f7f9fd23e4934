"""The studio's own certificate: made on first use, kept in the state folder, renewed in time."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import os
import socket
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kinegen.files import write_atomically

__all__ = ["Certificate", "certificate"]

_VALID = datetime.timedelta(days=365)
_RENEW = datetime.timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate with its key, as files."""

    certificate: Path
    key: Path
    fingerprint: str
    """SHA-256, as browsers show it."""


def certificate(state: Path, host: str) -> Certificate:
    """The certificate in the state folder; made when there is none that fits the host.

    Args:
        state: The state folder.
        host: Address that is served.
    """
    folder = state / "tls"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    files = folder / "certificate.pem", folder / "key.pem"
    names = _names(host)
    known = _known(*files, names)
    if known is None:
        known = _make(*files, names)
    digits = known.fingerprint(hashes.SHA256()).hex(":").upper()
    return Certificate(*files, digits)


def _known(file: Path, key: Path, names: list[str]) -> x509.Certificate | None:
    """The certificate that is there, if it is for all these names and lasts a while."""
    try:
        found = x509.load_pem_x509_certificate(file.read_bytes())
        alternative = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return None
    covered = {str(name.value) for name in alternative}
    lasts = found.not_valid_after_utc - datetime.datetime.now(datetime.UTC) > _RENEW
    return found if key.is_file() and covered >= set(names) and lasts else None


def _make(file: Path, key_file: Path, names: list[str]) -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kinegen studio")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectAlternativeName([_general(one) for one in names]), False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    # there before the content is, so that nobody else ever can read it
    os.close(os.open(key_file, os.O_CREAT | os.O_WRONLY, 0o600))
    os.chmod(key_file, 0o600)
    write_atomically(key_file, secret)
    write_atomically(file, made.public_bytes(serialization.Encoding.PEM))
    return made


def _general(name: str) -> x509.GeneralName:
    with contextlib.suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_address(name))
    return x509.DNSName(name)


def _names(host: str) -> list[str]:
    """The names and addresses under which this machine may be called."""
    names = {"localhost", "127.0.0.1", socket.gethostname()}
    if host not in ("0.0.0.0", "::"):
        names.add(host)
    with contextlib.suppress(OSError):
        names |= {str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)}
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent
        names.add(str(probe.getsockname()[0]))
    plain = {name.partition("%")[0] for name in names if name.isascii()}
    return sorted(plain)
