"""Runs pytest; tests that fail beside others run once more alone, and those that pass are listed.

Some tests attack a server at full load, others wait for pictures that a busy processor draws. A
test that passes only alone is flaky all the same: it is named at the end, here and in
``build/flaky.txt``, and its cause is to be found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOME_FAILED = 1
"""Pytest's exit code for it; with others there is nothing to try again."""


def main(spread: list[str], tests: list[str], root: Path = ROOT) -> int:
    """Pytest's exit code; ``spread`` is how the first run uses the processors."""
    memory = root / ".pytest_cache" / "v" / "cache" / "lastfailed"
    memory.unlink(missing_ok=True)
    pytest = [sys.executable, "-m", "pytest", "-q"]
    code = subprocess.run([*pytest, *spread, *tests], cwd=root, check=False).returncode
    if code != SOME_FAILED:
        return code
    before = _names(memory)
    code = subprocess.run([*pytest, "--last-failed", *tests], cwd=root, check=False).returncode
    flaky = sorted(before - _names(memory))
    if flaky:
        _report(flaky, root)
    return code


def _names(memory: Path) -> set[str]:
    return set(json.loads(memory.read_text(encoding="utf-8"))) if memory.exists() else set()


def _report(flaky: list[str], root: Path) -> None:
    (root / "build").mkdir(exist_ok=True)
    with (root / "build" / "flaky.txt").open("a", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in flaky)
    rule = "!" * 79
    lines = [rule, f"FLAKY: {len(flaky)} failed beside other tests and passed alone:"]
    for name in flaky:
        lines.append(f"  {name}")
        if "GITHUB_ACTIONS" in os.environ:
            lines.append(f"::warning title=Flaky test::{name} failed beside others, passed alone")
    lines += ["Find the cause of each: a test that fails at times hides what it is for.", rule]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    split = sys.argv.index("--")
    sys.exit(main(sys.argv[1:split], sys.argv[split + 1 :]))
