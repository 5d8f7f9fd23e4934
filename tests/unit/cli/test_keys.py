"""Keys that are pressed while a command runs, at a pseudo terminal."""

from __future__ import annotations

import os
import sys

import pytest

from kinegen.cli.keys import pressed_keys

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")


def test_all_keys_are_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Space among other keys: nothing may hold back an emergency stop."""
    master, slave = os.openpty()
    with os.fdopen(slave, "r") as stdin, monkeypatch.context() as patch:
        patch.setattr("sys.stdin", stdin)
        with pressed_keys() as keys:
            assert keys() == ""
            os.write(master, b"ab c")
            assert keys() == "ab c"
            assert keys() == ""
    os.close(master)


def test_without_a_terminal_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with pressed_keys() as keys:
            assert keys() == ""
