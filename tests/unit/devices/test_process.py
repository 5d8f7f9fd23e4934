"""The haptic process: begins, reports, and says why it cannot."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from kinegen.devices import HapticProcess
from kinegen.devices.device import Trouble
from kinegen.devices.link import UdpTransport
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import HapticSettings
from tests.support.waiting import needs_thread, wait_for

pytestmark = needs_thread


def test_it_speaks_to_the_mechanism_and_reports() -> None:
    transport = UdpTransport()
    settings = HapticSettings(step=2e-3)
    with HapticProcess(
        "udp", {"listen": "127.0.0.1:0"}, dynamics=f"127.0.0.1:{transport.port}", settings=settings
    ) as process:
        assert process.device_port > 0
        wait_for(lambda: transport.receive() is not None)
    report = process.stop()  # twice is once
    assert report.sent > 0 and report.trouble != "everything works"
    transport.close()


@pytest.mark.parametrize(
    ("device", "options", "dynamics", "words"),
    [
        ("phantom", {}, "127.0.0.1:1", "phantom"),
        ("hand", {}, "nowhere", "nowhere"),
        ("hand", {"mass": -1.0}, "127.0.0.1:1", "a hand needs a positive mass"),
        ("hand", {}, "192.0.2.7:5", "needs a key"),
    ],
)
def test_what_it_cannot_do_is_reported_at_once(
    device: str, options: dict[str, float], dynamics: str, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        HapticProcess(device, options, dynamics=dynamics)


def test_a_process_that_dies_is_reported() -> None:
    process = HapticProcess(dynamics="127.0.0.1:1")
    assert process.trouble() is Trouble.FINE  # asked, not answered yet
    process._process.kill()
    wait_for(lambda: process.trouble() is Trouble.BROKEN)
    with pytest.raises(KinegenError, match="the haptic process ended unexpectedly"):
        process.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be stopped there")
def test_a_process_that_does_not_answer_keeps_nobody_waiting() -> None:
    with HapticProcess("udp", {"listen": "127.0.0.1:0"}, dynamics="127.0.0.1:1") as process:
        wait_for(lambda: process.trouble() is Trouble.NO_DEVICE)
        os.kill(process._process.pid or 0, signal.SIGSTOP)
        try:
            assert {process.trouble() for _ in range(10)} == {Trouble.NO_DEVICE}
        finally:
            os.kill(process._process.pid or 0, signal.SIGCONT)
    assert process.stop().trouble == Trouble.NO_DEVICE.words


def test_settings_are_checked_before_it_starts() -> None:
    with pytest.raises(UsageError, match="force_most"):
        HapticProcess(dynamics="127.0.0.1:1", settings=HapticSettings(force_most=float("nan")))
