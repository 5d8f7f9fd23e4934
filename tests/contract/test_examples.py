"""Every example runs by itself, without warnings, and ends in checks."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_examples_are_numbered() -> None:
    numbers = [re.match(r"(\d\d)_[a-z_]+\.py$", file.name) for file in EXAMPLES]
    assert all(numbers)
    assert len({match[1] for match in numbers if match}) == len(EXAMPLES) > 0


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda file: file.stem)
def test_example_ends_in_a_check(example: Path) -> None:
    assert isinstance(ast.parse(example.read_text(encoding="utf-8")).body[-1], ast.Assert)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda file: file.stem)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    # Temporary files of the example land in the test's own folder.
    places = {name: str(tmp_path) for name in ("TMPDIR", "TEMP", "TMP")}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=tmp_path,
        env={**os.environ, **places, "PYTHONIOENCODING": "utf-8", "KINEGEN_NO_BROWSER": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
