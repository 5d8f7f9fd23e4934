"""Zips that FreeCAD and Blender install: a plug-in, what it shares with the other, and Kinegen.

Kinegen and PyYAML are inside, built for the Python that runs this script; both programs bring NumPy
themselves. With another Python the NumPy kernels run instead of the compiled ones, more slowly.

    python plugins/make_zips.py dist
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLUGINS = {
    "kinegen-freecad": (ROOT / "plugins" / "freecad" / "Kinegen", "Kinegen"),
    "kinegen-blender": (ROOT / "plugins" / "blender" / "kinegen_blender", "kinegen_blender"),
}
LEFT_OUT = ("kinegen/studio/client/", "kinegen/kernels/kinegen.wasm", "bin/")
"""What only the studio needs: its page and the kernels of the page."""


def main(target: Path) -> None:
    """Make both zips."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        packages = list(_packages(Path(folder)))
        for name, (source, inside) in PLUGINS.items():
            path = target / f"{name}.zip"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for file, place in _files(source, packages):
                    archive.write(file, f"{inside}/{place}")
            print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")


def _packages(folder: Path) -> Iterator[tuple[Path, str]]:
    """Kinegen as this Python has it, and PyYAML, with their places below ``packages``."""
    source = ROOT / "src"
    for file in _below(source / "kinegen"):
        yield file, file.relative_to(source).as_posix()
    kernels = importlib.import_module("kinegen.kernels._native").__file__
    assert kernels is not None
    yield Path(kernels), f"kinegen/kernels/{Path(kernels).name}"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--target", str(folder), "PyYAML"], check=True)
    for file in _below(folder):
        yield file, file.relative_to(folder).as_posix()


def _files(source: Path, packages: list[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    """Files of a plug-in, and where they go in its zip."""
    for file in _below(source):
        yield file, file.relative_to(source).as_posix()
    for file in _below(ROOT / "plugins" / "common"):
        yield file, f"packages/{file.name}"
    yield ROOT / "web" / "public" / "icon.svg", "resources/kinegen.svg"
    yield ROOT / "LICENSE", "LICENSE"
    for file, place in packages:
        if not place.startswith(LEFT_OUT):
            yield file, f"packages/{place}"


def _below(folder: Path) -> list[Path]:
    found = (one for one in folder.rglob("*") if one.is_file())
    return sorted(one for one in found if "__pycache__" not in one.parts)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
