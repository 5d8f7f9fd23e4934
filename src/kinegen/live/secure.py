"""TLS to a studio, whose certificate is its own: it is known by its fingerprint."""

from __future__ import annotations

import hashlib
import socket
import ssl

from kinegen.errors import LinkError
from kinegen.live.address import Address

__all__ = ["wrapped"]


def wrapped(plain: socket.socket, address: Address, fingerprint: str | None) -> ssl.SSLSocket:
    """The socket under TLS, before anything is said; LinkError for another certificate.

    Args:
        plain: A connection.
        address: Where it leads.
        fingerprint: SHA-256 of the certificate, as the studio prints it.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # nobody vouches for it: the fingerprint does
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        secured = context.wrap_socket(plain, server_hostname=address.host)
    except OSError as error:
        plain.close()
        raise LinkError(f"{address.place} does not use TLS ({error})") from None
    shown = hashlib.sha256(secured.getpeercert(binary_form=True) or b"").hexdigest()
    if fingerprint is None or _digits(fingerprint) != shown:
        secured.close()
        pairs = ":".join(shown[i : i + 2] for i in range(0, len(shown), 2)).upper()
        advice = (
            "; compare it with the one that the studio printed; if they are equal, pass it as "
            "fingerprint='…'"
            if fingerprint is None
            else ", not the one of the link or of fingerprint='…': another computer may be "
            "answering; use the link that the studio printed"
        )
        raise LinkError(f"the certificate of {address.place} has the fingerprint {pairs}{advice}")
    return secured


def _digits(fingerprint: str) -> str:
    return "".join(c for c in fingerprint.lower() if c in "0123456789abcdef")
