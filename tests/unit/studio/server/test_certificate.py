"""The studio's own certificate."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import ssl
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.server import certificate as module
from kinegen.studio.server.certificate import Certificate, certificate
from kinegen.studio.server.serve import Settings, announcement
from tests.support.studio import run, studio


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


def _other(tmp_path: Path) -> Certificate:
    return certificate(tmp_path / "other", "127.0.0.1")


def _directory(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "inside").write_text("")


def _loop(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)


BROKEN: list[tuple[str, Callable[[Certificate, Path], object]]] = [
    ("damaged", lambda made, _: made.certificate.write_text("rubbish")),
    ("damaged", lambda made, _: made.certificate.write_bytes(made.certificate.read_bytes()[:-200])),
    ("damaged", lambda made, _: made.key.write_text("rubbish")),
    ("damaged", lambda made, _: made.key.write_bytes(b"")),
    ("did not match", lambda made, tmp: made.key.write_bytes(_other(tmp).key.read_bytes())),
    ("did not match", lambda made, tmp: made.certificate.write_bytes(
        _other(tmp).certificate.read_bytes())),
    ("could not be read", lambda made, _: made.key.unlink()),
    ("could not be read", lambda made, _: made.certificate.unlink()),
    ("was not a file", lambda made, _: _directory(made.key)),
    ("was not a file", lambda made, _: _directory(made.certificate)),
    ("could not be read", lambda made, _: _loop(made.key)),
]  # fmt: skip


@pytest.mark.parametrize(("words", "break_it"), BROKEN)
@pytest.mark.skipif(sys.platform == "win32", reason="links and rights are of another kind there")
def test_what_is_broken_is_repaired_with_a_word(
    tmp_path: Path, words: str, break_it: Callable[[Certificate, Path], object]
) -> None:
    first = certificate(tmp_path, "127.0.0.1")
    assert first.repaired == ""
    break_it(first, tmp_path)
    again = certificate(tmp_path, "127.0.0.1")
    assert again.fingerprint != first.fingerprint and words in again.repaired
    # they did not match, and stay
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
        again.certificate, again.key
    )
    assert stat.S_IMODE(again.key.stat().st_mode) == 0o600
    assert certificate(tmp_path, "127.0.0.1") == dataclasses.replace(again, repaired="")


@pytest.mark.skipif(sys.platform == "win32", reason="rights are of another kind there")
def test_a_key_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    first = certificate(tmp_path, "127.0.0.1")
    first.key.chmod(0o644)
    again = certificate(tmp_path, "127.0.0.1")
    assert "others could read" in again.repaired and again.fingerprint != first.fingerprint


def test_a_state_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("")
    with pytest.raises(UsageError, match="KINEGEN_STATE"):
        certificate(tmp_path, "127.0.0.1")


def test_a_repair_is_announced(tmp_path: Path) -> None:
    async def work() -> None:
        certificate(tmp_path / "state", "127.0.0.1").key.write_text("rubbish")
        async with studio(tmp_path, tls=True) as running:
            text = "\n".join(announcement(running, Settings(folder=tmp_path)))
            assert "a new certificate was created: the key of the certificate was damaged" in text

    run(work())
