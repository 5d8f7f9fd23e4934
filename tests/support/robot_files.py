"""Robot files that nobody here wrote: those of four packages, fetched into a folder of their own.

Only the packages' data files are unpacked. Nothing of them is installed or committed.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

__all__ = ["FOLDER", "PACKAGES", "NotFetchedError", "fetch", "robot_files"]

FOLDER = Path(
    os.environ.get("KINEGEN_ROBOT_FILES", Path(__file__).parents[2] / "build" / "robot-files")
)
PACKAGES = {
    "example-robot-data": "6.0.0",
    "rtb-data": "2.0.0",
    "robosuite": "1.5.2",
    "pybullet": "3.2.7",
}
"""With the versions whose files were counted in docs/formats.md."""
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
    if (home / "complete").exists():
        return home
    FOLDER.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
               "--disable-pip-version-check", "--only-binary=:all:", *_ONE_PLATFORM,
               "--dest", str(FOLDER), f"{package}=={version}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(FOLDER.glob(f"{package.replace('-', '_')}-{version}-*.whl"))
    if done.returncode or not wheels:
        said = " ".join((done.stderr or done.stdout).split())
        raise NotFetchedError(f"{package} {version} cannot be fetched: {said[-300:]}")
    with zipfile.ZipFile(wheels[0]) as wheel:
        for name in wheel.namelist():
            if PurePosixPath(name).suffix.lower() in _UNPACKED:
                wheel.extract(name, home)
    wheels[0].unlink()
    (home / "complete").touch()
    return home


def robot_files(package: str, suffix: str) -> list[Path]:
    """A package's files with a suffix, sorted."""
    return sorted(path for path in fetch(package).rglob(f"*{suffix}") if path.is_file())
