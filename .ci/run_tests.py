"""Runs groups of tests beside each other; those that fail run again alone, twice at the most.

    python .ci/run_tests.py ARGUMENTS OF PYTEST [-- ARGUMENTS OF PYTEST]...

Groups are processes of their own: a browser's event loop lives as long as its process. Each waits
now and then, for a picture or a server, and the others use the processors meanwhile. The first
shows its progress; what the others print follows at their end.

Some tests attack a server at full load, others wait for pictures that a busy processor draws. A
test that passes only alone is flaky all the same: it is named at the end, here and in
``build/flaky.txt``, and its cause is to be found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOME_FAILED = 1
"""Pytest's exit code for it; with others there is nothing to try again."""
ALONE = ["-n", "0", "--last-failed"]
COLLECT = ["-n", "0", "--collect-only", "--quiet", "--quiet"]
"""In a fresh clone, modules are compiled at their first import, which for tests takes 16 of the 22
seconds that collecting takes. Done once beforehand, no test process repeats it."""
TRIES = 2
"""Runs alone of what failed: other programs may load the machine during the first of them."""


def main(groups: list[list[str]], root: Path = ROOT) -> int:
    """The worst of pytest's exit codes."""
    caches = [Path(".pytest_cache") / str(i) for i in range(len(groups))]
    memories = [root / cache / "v" / "cache" / "lastfailed" for cache in caches]
    commands = [
        [sys.executable, "-m", "pytest", "-q", "-o", f"cache_dir={cache}", *group]
        for cache, group in zip(caches, groups, strict=True)
    ]
    for memory in memories:
        memory.unlink(missing_ok=True)
    codes = _run_beside(commands, root)
    flaky: list[str] = []
    for i, (command, memory) in enumerate(zip(commands, memories, strict=True)):
        before = _names(memory)
        for _ in range(TRIES):
            if codes[i] == SOME_FAILED:
                codes[i] = subprocess.run([*command, *ALONE], cwd=root, check=False).returncode
        flaky += sorted(before - _names(memory))
    if flaky:
        _report(flaky, root)
    return max(codes)


def _run_beside(commands: list[list[str]], root: Path) -> list[int]:
    """Run commands at the same time; their exit codes."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder) / f"{i}.txt" for i in range(1, len(commands))]
        started = []
        for command, output in zip(commands[1:], outputs, strict=True):
            with output.open("wb") as file:
                started.append(
                    subprocess.Popen(command, cwd=root, stdout=file, stderr=subprocess.STDOUT)
                )
        try:
            if len(commands) > 1:
                collect = [*commands[0], *COLLECT]
                subprocess.run(collect, cwd=root, stdout=subprocess.DEVNULL, check=False)
            codes = [subprocess.run(commands[0], cwd=root, check=False).returncode]
            for process, output in zip(started, outputs, strict=True):
                codes.append(process.wait())
                sys.stdout.write(output.read_text(encoding="utf-8", errors="replace"))
                sys.stdout.flush()
        finally:
            for process in started:
                process.terminate()
                process.wait()
    return codes


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


def _groups(words: list[str]) -> list[list[str]]:
    groups: list[list[str]] = [[]]
    for word in words:
        if word == "--":
            groups.append([])
        else:
            groups[-1].append(word)
    return groups


if __name__ == "__main__":
    sys.exit(main(_groups(sys.argv[1:])))
