"""The process of a live simulation: it ends with the studio, and is warm before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kinegen.studio.live import worker as live_worker
from kinegen.studio.live.reporter import Live
from kinegen.studio.live.simulation import LiveSimulation
from kinegen.studio.wire.codec import encode
from kinegen.studio.wire.messages import PlaySimulation


def test_a_studio_that_is_gone_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "kinegen.studio.live.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    order = PlaySimulation(1)  # answered, though nobody reads
    process.stdin.write(encode(order).encode() + b"\n")
    process.stdin.flush()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()


def test_a_spare_has_simulated_something_before_it_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Imports and caches were most of a first start: 40 of 46 ms of processor time."""
    refused: list[str] = []
    seen: list[Live] = []
    report = live_worker.LiveLoop.report

    def watched(loop: live_worker.LiveLoop) -> None:
        assert loop.live is not None
        seen.append(loop.live)
        report(loop)

    monkeypatch.setattr(live_worker.LiveLoop, "_refuse", lambda *words: refused.append(words[-1]))
    monkeypatch.setattr(live_worker.LiveLoop, "report", watched)
    live_worker._rehearse()
    assert not refused and isinstance(seen[-1], LiveSimulation)
    assert seen[-1].simulation.time > 0
