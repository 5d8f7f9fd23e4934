"""Keys of the haptic link: where they come from, and when one is needed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kinegen.devices import DeviceClient, HapticThread, SimulatedHand, UdpDevice, new_key, read_key
from kinegen.devices.key import VARIABLE, is_loopback, key_of
from kinegen.devices.link import UdpTransport
from kinegen.errors import KinegenError
from tests.support.waiting import needs_thread


def test_a_new_key_is_for_its_owner_alone_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "key"
    new_key(path)
    one = read_key(path)
    assert len(one) == 64 and one != b"0" * 64
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(KinegenError, match="no key can be written"):
        new_key(path)
    assert read_key(path) == one
    new_key(tmp_path / "other")
    assert read_key(tmp_path / "other") != one


def test_what_is_no_key_is_refused(tmp_path: Path) -> None:
    short, empty = tmp_path / "short", tmp_path / "empty"
    short.write_text("fifteen bytes..")
    empty.write_text("\n")
    none = tmp_path / "none"
    cases = (
        (short, "16 to"),
        (empty, "empty"),
        (tmp_path, "not a key file"),
        (none, "not a key file"),
    )
    for path, words in cases:
        with pytest.raises(KinegenError, match=words):
            read_key(path)
    with pytest.raises(KinegenError, match="--new-key"):
        key_of("short")


def test_the_environment_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert key_of(None) == b""
    monkeypatch.setenv(VARIABLE, " sixteen bytes... \n")
    assert key_of(None) == b"sixteen bytes..."
    assert key_of(b"") == b""  # none, whatever the environment says


def test_loopback_is_this_machine() -> None:
    assert is_loopback("127.0.0.1") and is_loopback("127.9.9.9") and is_loopback("localhost")
    assert not is_loopback("0.0.0.0") and not is_loopback("192.168.1.7")
    with pytest.raises(KinegenError, match="not known"):
        is_loopback("no-such-host.invalid")


def test_off_this_machine_a_key_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    needs = pytest.raises(KinegenError, match=r"needs a key.*--new-key")
    with needs:
        UdpTransport("0.0.0.0:0")
    with needs:
        UdpTransport("127.0.0.1:0", peer="192.0.2.7:5")
    with needs:
        UdpDevice("0.0.0.0:0")
    with needs:
        DeviceClient("192.0.2.7:5")
    UdpTransport("0.0.0.0:0", key=b"sixteen bytes...").close()
    DeviceClient("192.0.2.7:5", key="sixteen bytes...").close()
    UdpDevice("0.0.0.0:0", key=b"sixteen bytes...")


@needs_thread
def test_the_thread_itself_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    for options in ({"listen": "0.0.0.0:0"}, {"dynamics": "192.0.2.7:5"}):
        with pytest.raises(KinegenError, match="needs a key"):
            HapticThread(SimulatedHand(), **options)  # type: ignore[arg-type]
    thread = HapticThread(SimulatedHand())
    for arguments in (("0.0.0.0", 0, "", 0), ("127.0.0.1", 0, "192.0.2.7", 5)):
        with pytest.raises(KinegenError, match="needs a key"):
            thread.loop.link(*arguments, b"")
    with pytest.raises(KinegenError, match="at least 16"):
        thread.loop.link("127.0.0.1", 0, "", 0, b"short")
    # a mechanism elsewhere is heard at any address of this machine
    assert HapticThread(SimulatedHand(), dynamics="192.0.2.7:5", key="sixteen bytes...").port
