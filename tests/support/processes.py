"""Python in a fresh process, as a user would start it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

HANG = 600
"""[s] Only a process that never ends takes this long."""


def run_python(
    *arguments: str, environment: dict[str, str | None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run this Python with arguments in an empty folder; variables set to None are removed."""
    variables = {**os.environ, **(environment or {})}
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=folder,
            env={name: value for name, value in variables.items() if value is not None},
            timeout=HANG,
            check=False,
        )


def answer(code: str, *, environment: dict[str, str | None] | None = None) -> str:
    """What a piece of code prints in a fresh process; it must not fail."""
    done = run_python("-c", code, environment=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
