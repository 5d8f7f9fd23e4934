"""The key that both ends of a haptic link know: read, made, and when one is needed."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
from pathlib import Path

from kinegen.errors import UsageError

__all__ = ["VARIABLE", "is_loopback", "key_of", "new_key", "read_key", "require_key"]

VARIABLE = "KINEGEN_HAPTIC_KEY"
LEAST = 16
"""Bytes of the shortest key."""
MOST = 4096
HOW = (
    "make one with `kinegen touch --new-key FILE` and give it to both ends with --key-file FILE, "
    f"key=read_key(FILE) or {VARIABLE}"
)


def key_of(key: bytes | str | None) -> bytes:
    """A key as bytes; None: that of the environment, or no key (empty)."""
    given = os.environ.get(VARIABLE, "").strip() if key is None else key
    made = given.encode() if isinstance(given, str) else bytes(given)
    if made and not LEAST <= len(made) <= MOST:
        raise UsageError(f"a key must have {LEAST} to {MOST} bytes, got {len(made)}: {HOW}")
    return made


def read_key(path: str | os.PathLike[str]) -> bytes:
    """The key in a file: its bytes without white space at both ends."""
    try:
        if not Path(path).is_file():  # no device, no pipe: they may never end
            raise UsageError(f"{os.fspath(path)} is not a key file: {HOW}")
        with open(path, "rb") as file:
            made = file.read(MOST + 64).strip()
    except OSError as error:
        raise UsageError(f"the key in {os.fspath(path)} cannot be read: {error}") from error
    if not made:
        raise UsageError(f"{os.fspath(path)} is empty: {HOW}")
    return key_of(made)


def new_key(path: str | os.PathLike[str]) -> None:
    """Write a new key of 256 bits that only its owner can read; existing files are kept."""
    try:
        # never readable by others, not even for a moment
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UsageError(f"no key can be written to {os.fspath(path)}: {error}") from error
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(handle)


def is_loopback(host: str) -> bool:
    """Whether packets to or from a host stay on this machine."""
    try:
        return ipaddress.ip_address(socket.gethostbyname(host)).is_loopback
    except OSError as error:
        raise UsageError(f"host {host} is unknown: {error}") from error


def require_key(key: bytes, *hosts: str) -> None:
    """Refuse a link that leaves this machine without a key; hosts that are empty are nowhere."""
    for host in filter(None, hosts):
        if not key and not is_loopback(host):
            raise UsageError(
                f"a link that leaves this machine ({host}) needs a key shared by both ends: {HOW}"
            )
