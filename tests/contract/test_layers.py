"""Who may use whom: rooms downward only, few packages, kernels on C headers alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
KERNELS = sorted((ROOT / "native" / "kernel").glob("*.hpp"))
THIRD_PARTY = {"numpy", "yaml"}
STUDIO = {"starlette", "uvicorn", "websockets", "orjson", "cryptography", "segno"}
EXTRAS = {
    "timing_optimal": {"toppra"},
    "timing_smooth": {"ruckig"},
    "run_files": {"mcap"},
    "mjcf": {"mujoco"},
    "canvas": {"matplotlib"},
    "run_layout": {"zarr"},
}
"""Modules that import an optional package, and say what to install where it is missing."""
C_HEADERS = {"float.h", "math.h", "stdint.h", "string.h"}
# What would need a C++ library, memory or a system that a page does not have.
NOT_IN_KERNELS = re.compile(
    r"\bstd::|\bthrow\b|\btry\b|\bnew\b|\bmalloc\b|\bstatic\s+(?!constexpr)"
)


def test_rooms_import_downward_only() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    command = "from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_sources_import_few_packages(file: Path) -> None:
    """NumPy and PyYAML everywhere; the studio's server and optional extras alone need more."""
    allowed = THIRD_PARTY | sys.stdlib_module_names | {"kinegen", "__future__"}
    if "studio" in file.relative_to(ROOT / "src" / "kinegen").parts:
        allowed |= STUDIO
    allowed |= EXTRAS.get(file.stem, set())
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
        for name in names:
            assert name.partition(".")[0] in allowed, f"line {node.lineno}: {name}"


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.name)
def test_kernels_are_pure(file: Path) -> None:
    code = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
    assert set(re.findall(r"#include\s*<([^>]+)>", code)) <= C_HEADERS
    for header in re.findall(r'#include\s*"([^"]+)"', code):
        assert (file.parent / header).is_file(), f"{header} is not a kernel"
    found = NOT_IN_KERNELS.search(code)
    assert found is None, found
