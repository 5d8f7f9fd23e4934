"""The repository is clean: nothing of one machine in it, nothing too large, nothing generated."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LARGEST = 500_000
"""Bytes. Everybody who clones downloads every version of every file."""
BINARY = {".png", ".webp", ".jpg", ".ico", ".woff2", ".glb", ".stl"}
LONGEST_MODULE = 600
"""Lines of a Python file in src; the house stops to think at 400."""

# A package index or registry that only some machines can reach. Written in two parts so that this
# file does not find itself.
REGISTRIES = re.compile(
    r"index[-_]" + r"url\b|pypi\.org" + r"/simple|files\.python" + r"hosted|registry\."
    r"npm" + r"js|_auth" + r"Token|artif" + r"actory",
    re.IGNORECASE,
)
MACHINE_PATHS = re.compile(r"(?<![\w.~$}])/(?:ho" + r"me|ro" + r"ot|wo" + r"rk|Us" + r"ers)/[\w.]")

LONGEST_FUNCTION = 60
"""Lines of a function's body, which fits a screen then; signature and docstring do not count."""

if shutil.which("git") is None or not (ROOT / ".git").exists():
    pytest.skip("not a git checkout: there is no list of files", allow_module_level=True)


def git(*arguments: str) -> list[str]:
    done = subprocess.run(
        ["git", *arguments, "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in done.stdout.split("\0") if name]


FILES = sorted(n for n in git("ls-files", "-co", "--exclude-standard") if (ROOT / n).is_file())
TEXTS = [name for name in FILES if Path(name).suffix not in BINARY]


def read(name: str) -> str:
    return (ROOT / name).read_bytes().decode("utf-8")


def faults(text: str) -> list[str]:
    """What a text file must not contain, each with its line."""
    found = []
    if "\0" in text:
        found.append("a null byte")
    if "\r" in text:
        found.append("lines end with \\n alone")
    if text and not text.endswith("\n"):
        found.append("the last line has no end")
    for pattern in (REGISTRIES, MACHINE_PATHS):
        found += [
            f"line {text[: match.start()].count(chr(10)) + 1}: {match[0]!r}"
            for match in pattern.finditer(text)
        ]
    return found


def test_text_files() -> None:
    assert {name: bad for name in TEXTS if (bad := faults(read(name)))} == {}


def test_faults_are_found() -> None:
    path = "/ho" + "me/somebody"
    assert faults(f"one\ntwo {path}") == ["the last line has no end", f"line 2: {path[:7]!r}"]
    assert faults("fine\n") == []


def test_no_file_is_large() -> None:
    sizes = {name: (ROOT / name).stat().st_size for name in FILES}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}


def test_nothing_generated_or_private_is_kept() -> None:
    assert git("ls-files", "-ci", "--exclude-standard") == []
    banned = {"uv.lock", ".env", ".DS_Store", "Thumbs.db", "perf.data"}
    assert [name for name in FILES if Path(name).name in banned] == []
    compiled = (".so", ".pyd", ".dll", ".dylib", ".wasm", ".pyc", ".o", ".whl", ".gz", ".zip")
    assert [name for name in FILES if name.endswith(compiled)] == []


def test_npm_locks_name_no_registry() -> None:
    for name in (n for n in FILES if Path(n).name == "package-lock.json"):
        packages = json.loads(read(name)).get("packages", {})
        assert [key for key, package in packages.items() if "resolved" in package] == []


def test_modules_are_of_readable_size() -> None:
    lengths = {n: read(n).count("\n") for n in FILES if re.fullmatch(r"src/.*\.py", n)}
    too_long = {n: k for n, k in lengths.items() if k > LONGEST_MODULE}
    assert too_long == {}


def test_functions_fit_a_screen() -> None:
    too_long = {}
    for name in (n for n in FILES if re.fullmatch(r"src/.*\.py", n)):
        if read(name).count("\n") < LONGEST_FUNCTION:
            continue
        for node in ast.walk(ast.parse(read(name))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node, clean=False) else node.body
                lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
                if lines > LONGEST_FUNCTION:
                    too_long[f"{name}: {node.name}"] = lines
    assert too_long == {}, "cut these where they do another thing"
