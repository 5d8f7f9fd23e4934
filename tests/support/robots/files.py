"""Robot files that nobody here wrote: those of four packages, fetched into a folder of their own.

Only the packages' data files are unpacked. Nothing of them is installed or committed.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

__all__ = ["FOLDER", "PACKAGES", "NotFetchedError", "fetch", "once", "pip", "robot_files"]

FOLDER = Path(
    os.environ.get("KINEGEN_ROBOT_FILES", Path(__file__).parents[3] / "build" / "robot-files")
)
PACKAGES = {
    "example-robot-data": "6.0.0",
    "rtb-data": "2.0.0",
    "robosuite": "1.5.2",
    "pybullet": "3.2.7",
}
"""With the versions whose files were counted in docs/how-to/formats.md."""
_UNPACKED = frozenset(
    ".urdf .sdf .xacro .xml .yaml .yml .stl .obj .dae .msh .mtl .png .jpg .ply .gltf .glb".split()
)
_ONE_PLATFORM = ["--platform", "manylinux2014_x86_64", "--python-version", "3.11"]
"""pybullet has data and programs in one wheel: that of one platform serves them all."""


class NotFetchedError(Exception):
    """The packages are not there and cannot be fetched; the message says why."""


@functools.cache
def fetch(package: str) -> Path:
    """The folder of a package's data files, fetched and unpacked at the first use."""
    version = PACKAGES[package]
    home = FOLDER / f"{package}-{version}"
    with once(home) as is_needed:
        if is_needed:
            command = ["download", "--only-binary=:all:", *_ONE_PLATFORM, "--dest", str(FOLDER)]
            pip(command, f"{package}=={version}")
            name = package.replace("-", "_")
            (file,) = FOLDER.glob(f"{name}-{version}-*.whl")
            with zipfile.ZipFile(file) as wheel:
                for member in wheel.namelist():
                    if PurePosixPath(member).suffix.lower() in _UNPACKED:
                        wheel.extract(member, home)
            file.unlink()
    return home


@contextmanager
def once(home: Path) -> Iterator[bool]:
    """Whether a folder is still to be filled; other processes wait meanwhile."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / f"{home.name}.lock", "w", encoding="ascii") as lock:
        try:
            import fcntl
        except ImportError:  # Windows: two processes may do the same
            pass
        else:
            fcntl.flock(lock, fcntl.LOCK_EX)
        is_needed = not (home / "complete").exists()
        yield is_needed
        if is_needed:
            (home / "complete").touch()


def pip(command: list[str], requirement: str) -> None:
    """Run pip for one package without what it depends on; NotFetchedError with its reason."""
    verb, *options = command
    done = subprocess.run(
        [sys.executable, "-m", "pip", verb, "--quiet", "--no-deps",
         "--disable-pip-version-check", *options, requirement],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())
        raise NotFetchedError(f"{requirement} cannot be fetched: {said[-300:]}")


def robot_files(package: str, suffix: str) -> list[Path]:
    """A package's files with a suffix, sorted."""
    return sorted(path for path in fetch(package).rglob(f"*{suffix}") if path.is_file())
