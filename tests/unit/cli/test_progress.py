from __future__ import annotations

import sys

import pytest

from kinegen.cli import progress
from kinegen.cli.output import duration
from kinegen.cli.progress import PatientLine, ProgressLine, share


class Clock:
    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_a_terminal_has_one_line_that_is_rewritten(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = ProgressLine()
    line(4_000_000, 10_000_000)  # was there: says nothing of the speed
    clock.now = 2.0
    line(6_000_000, 10_000_000)
    line.end()
    assert capsys.readouterr().err == (
        "\r6,000,000 of 10,000,000 poses (60 %), 1 M poses/s, 4 s left\n"
    )


def test_a_log_gets_a_line_now_and_then(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    for step in range(31):
        clock.now = float(step)
        line(step, 30)
    line.end()
    shown = [text.partition(" ")[0] for text in capsys.readouterr().err.splitlines()]
    assert shown == ["11", "22", "30"]


def test_shares_and_times_in_words() -> None:
    assert share(999_999, 1_000_000) == "99.9 %" and share(1, 1) == "100 %"
    assert [duration(x) for x in (0, 119, 120, 7200, 200_000)] == [
        "0 s", "119 s", "2 min", "2 h", "2 days",
    ]  # fmt: skip


def test_a_patient_line_waits_before_it_reports(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    line = PatientLine()
    line(10, 100)
    assert capsys.readouterr().err == ""
    now[0] = 2.5
    line(50, 100)
    assert capsys.readouterr().err == "50 of up to 100 poses tried\n"
    line(120, 100)
    line.end()
    assert capsys.readouterr().err == ""
    now[0] = 20.0
    line(120, 100)
    assert capsys.readouterr().err == "120 poses tried\n"
