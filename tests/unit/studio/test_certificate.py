"""The studio's own certificate."""

from __future__ import annotations

import datetime
import hashlib
import ssl
import stat
import sys
from pathlib import Path

import pytest

from kinegen.studio import certificate as module
from kinegen.studio.certificate import certificate


def test_it_is_made_once_and_kept(tmp_path: Path) -> None:
    first = certificate(tmp_path, "127.0.0.1")
    again = certificate(tmp_path, "127.0.0.1")
    assert first == again
    data = ssl.PEM_cert_to_DER_cert(first.certificate.read_text())
    assert hashlib.sha256(data).hexdigest() == first.fingerprint.replace(":", "").lower()
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
        first.certificate, first.key
    )


@pytest.mark.skipif(sys.platform == "win32", reason="rights are of another kind there")
def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    made = certificate(tmp_path, "127.0.0.1")
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600


def test_another_address_needs_another_one(tmp_path: Path) -> None:
    first = certificate(tmp_path, "127.0.0.1")
    other = certificate(tmp_path, "203.0.113.9")
    assert other.fingerprint != first.fingerprint
    # which is good for the first address too
    assert certificate(tmp_path, "127.0.0.1").fingerprint == other.fingerprint


def test_it_is_renewed_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_VALID", datetime.timedelta(days=10))
    first = certificate(tmp_path, "127.0.0.1")
    monkeypatch.undo()
    assert certificate(tmp_path, "127.0.0.1").fingerprint != first.fingerprint


def test_a_broken_file_is_replaced(tmp_path: Path) -> None:
    first = certificate(tmp_path, "127.0.0.1")
    first.certificate.write_text("rubbish")
    assert certificate(tmp_path, "127.0.0.1").fingerprint != first.fingerprint
