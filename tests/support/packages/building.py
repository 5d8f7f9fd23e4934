"""Building and installing the package, as people do; each thing once for all test processes."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
HANG = 900
"""[s] Only a build that never ends takes this long."""

_NEEDED = ("scikit_build_core", "nanobind", "ziglang")
HAS_REQUIREMENTS = all(importlib.util.find_spec(name) for name in _NEEDED) and all(
    importlib.util.find_spec(tool) or shutil.which(tool) for tool in ("cmake", "ninja")
)
"""Whether this Python can build the package itself; else pip and build fetch what they need."""


def run(
    *command: str | Path, environment: dict[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command and collect what it says on both channels together."""
    return subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=_clean(environment or {}),
        cwd=folder,
        timeout=HANG,
        check=False,
    )


def _clean(changes: dict[str, str]) -> dict[str, str]:
    """The environment without what would let a process find this working tree."""
    private = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "KINEGEN_KERNELS"}
    kept = {name: value for name, value in os.environ.items() if name not in private}
    return {**kept, **changes}


def once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that one of the test processes fills while the others wait."""
    done, failed = folder.with_suffix(".done"), folder.with_suffix(".failed")
    try:
        folder.mkdir()
    except FileExistsError:
        while not done.exists():
            assert not failed.exists(), f"another test process could not make {folder.name}"
            time.sleep(0.1)
        return folder
    try:
        make(folder)
    except BaseException:
        failed.touch()
        raise
    done.touch()
    return folder


def build(kind: str, folder: Path) -> None:
    """Build a wheel or an sdist of the working tree into a folder."""
    isolation = ["--no-isolation"] if HAS_REQUIREMENTS else []
    done = run(sys.executable, "-m", "build", f"--{kind}", *isolation, "--outdir", folder, ROOT)
    assert done.returncode == 0, done.stdout


def install_wheel(wheel: Path, folder: Path) -> None:
    """A new virtual environment with the wheel and what it depends on, nothing else."""
    venv.create(folder)
    done = pip_in(folder, "install", wheel)
    assert done.returncode == 0, done.stdout


def pip_in(environment: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """This Python's pip at work in another environment, which needs none of its own."""
    return run(sys.executable, "-m", "pip", "--python", environment, *words, folder=environment)


def install_source(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """``pip install`` of the working tree into a plain folder, compiling in a place of its own."""
    isolation = ["--no-build-isolation"] if HAS_REQUIREMENTS else []
    return run(
        sys.executable, "-m", "pip", "install", *isolation, "--no-deps",
        "--config-settings", f"build-dir={folder / 'build'}", "--target", folder / "site", ROOT,
        environment=environment, folder=folder,
    )  # fmt: skip


def no_compiler(folder: Path) -> dict[str, str]:
    """An environment in which no compiler can be found."""
    empty = folder / "empty"
    empty.mkdir()
    # the scripts of this Python stay: cmake and ninja may be among them
    path = os.pathsep.join([str(empty), sysconfig.get_path("scripts")])
    return {"PATH": path, "CC": "/nonexistent", "CXX": "/nonexistent"}


def python_of(environment: Path) -> Path:
    """The Python of a virtual environment."""
    return _scripts(environment) / ("python.exe" if os.name == "nt" else "python")


def command_of(environment: Path) -> Path:
    """The ``kinegen`` command of a virtual environment."""
    return _scripts(environment) / ("kinegen.exe" if os.name == "nt" else "kinegen")


def _scripts(environment: Path) -> Path:
    return environment / ("Scripts" if os.name == "nt" else "bin")
