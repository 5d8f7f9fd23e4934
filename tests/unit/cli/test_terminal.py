"""Terminals: what cannot be shown becomes plain, never an exception."""

from __future__ import annotations

import io
import sys

import pytest

from kinegen.cli import terminal


def stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "── 45.00° … ∞ µm → é"),
        ("ascii", "-- 45.00 deg ... inf um -> \\xe9"),
        ("latin-1", "-- 45.00° ... inf µm -> é"),
    ],
)
def test_characters_become_what_the_terminal_has(
    monkeypatch: pytest.MonkeyPatch, encoding: str, shown: str
) -> None:
    text = "── 45.00° … ∞ µm → é"
    out = stream(encoding)
    monkeypatch.setattr(sys, "stdout", out)
    terminal.prepare_streams()
    assert terminal.as_shown(text) == shown
    assert terminal.has_unicode(out) == (encoding == "utf-8")
    print(text, end="", flush=True)
    assert out.buffer.getvalue().decode(encoding) == shown  # type: ignore[attr-defined]


def test_half_characters_of_file_names_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    out = stream("utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    terminal.prepare_streams()
    print("arm\udcff.raff", end="", flush=True)
    assert out.buffer.getvalue() == b"arm\\udcff.raff"  # type: ignore[attr-defined]


def test_a_stream_that_knows_what_to_do_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="ignore")
    monkeypatch.setattr(sys, "stdout", out)
    terminal.prepare_streams()
    assert out.errors == "ignore"


@pytest.mark.parametrize("out", [None, io.StringIO()])
def test_other_streams_and_none_at_all_do_no_harm(
    monkeypatch: pytest.MonkeyPatch, out: io.StringIO | None
) -> None:
    monkeypatch.setattr(sys, "stdout", out)
    terminal.prepare_streams()
    assert terminal.as_shown("45°") == "45°"
    assert terminal.has_unicode(sys.stdout)


def test_only_encoding_degrades() -> None:
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", "kinegen")
