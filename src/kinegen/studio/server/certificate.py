"""The studio's own certificate: made on first use, kept in the state folder, renewed in time."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kinegen.errors import UsageError
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
    repaired: str = ""
    """Why the one that was there could not be used and was replaced; '' in the usual case."""


def certificate(state: Path, host: str) -> Certificate:
    """The certificate in the state folder; made when there is none that fits the host.

    Args:
        state: The state folder.
        host: Address that is served.
    """
    folder = state / "tls"
    files = folder / "certificate.pem", folder / "key.pem"
    names = _names(host)
    known, trouble = None, ""
    if any(os.path.lexists(file) for file in files):
        known, trouble = _known(*files, names)
    if known is None:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for file in files:
                _make_way(file)
            known = _make(*files, names)
        except OSError as error:
            raise UsageError(
                f"the studio's certificate cannot be kept in '{folder}' ({error.strerror}); set "
                "KINEGEN_STATE to a folder that can be written to"
            ) from None
    digits = known.fingerprint(hashes.SHA256()).hex(":").upper()
    return Certificate(*files, digits, trouble)


def _known(file: Path, key_file: Path, names: list[str]) -> tuple[x509.Certificate | None, str]:
    """The certificate that is there, if it can be used; else what is broken, '' if nothing is."""
    for place in (file, key_file):
        if place.exists() and not place.is_file():
            return None, f"'{place.name}' was not a file"
    try:
        found = x509.load_pem_x509_certificate(file.read_bytes())
        alternative = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except OSError as error:
        return None, f"the certificate could not be read ({error.strerror})"
    except Exception:  # the reader has many words for it
        return None, "the certificate was damaged"
    try:
        key = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
        is_pair = key.public_key() == found.public_key()
    except OSError as error:
        return None, f"the key of the certificate could not be read ({error.strerror})"
    except Exception:
        return None, "the key of the certificate was damaged"
    if not is_pair:
        return None, "key and certificate did not match"
    if os.name != "nt" and key_file.stat().st_mode & 0o077:
        return None, "others could read the key of the certificate"
    # one that is about to end, or for other names, is replaced without a word
    covered = {str(name.value) for name in alternative}
    lasts = found.not_valid_after_utc - datetime.datetime.now(datetime.UTC) > _RENEW
    return (found if covered >= set(names) and lasts else None), ""


def _make_way(file: Path) -> None:
    """Move aside what is no plain file, such as a folder or a link that leads nowhere."""
    if os.path.lexists(file) and (file.is_symlink() or not file.is_file()):
        aside = file.with_name(f"{file.name}.{secrets.token_hex(4)}.broken")
        os.rename(file, aside)


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
    write_atomically(key_file, secret, mode=0o600)
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
