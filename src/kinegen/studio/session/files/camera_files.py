"""Camera files of a project folder, which the studio may read if their pictures are in it too."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from kinegen.errors import KinegenError, UsageError
from kinegen.file_names import name_fault
from kinegen.hull.camera_file import CameraFile, read_cameras
from kinegen.studio.session.files.project import Project

__all__ = ["camera_files", "check_inside", "read_camera_file", "shortened"]

SUFFIXES = (".yaml", ".yml", ".json")
LARGEST_FILE = 2**20
"""[bytes] Of a camera file."""
MOST_PIXELS = 4 * 2**20
"""Of all cameras of a file together: a page receives them with every frame."""
MOST_FILES = 100
DEEPEST = 2
"""Folders below the project folder that are looked into."""


def camera_files(project: Project) -> list[str]:
    """All YAML and JSON files of the project folder that declare cameras."""
    return sorted(_walk(project, project.folder, 0))[:MOST_FILES]


def _walk(project: Project, folder: Path, depth: int) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith((".", "node_modules", "__pycache__")) or name_fault(entry.name):
            continue
        with contextlib.suppress(OSError, UsageError):
            if entry.is_dir(follow_symlinks=False) and depth < DEEPEST:
                yield from _walk(project, Path(entry.path), depth + 1)
            elif entry.is_file() and entry.name.lower().endswith(SUFFIXES):
                file = Path(entry.path).relative_to(project.folder).as_posix()
                content = project.path(file)
                if content.stat().st_size <= LARGEST_FILE and b"cameras" in content.read_bytes():
                    yield file


def read_camera_file(project: Project, name: str) -> CameraFile:
    """A camera file whose pictures all lie in the project folder, and are not too many."""
    path = project.path(name)
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"'{name}' is not a camera file: those end in {', '.join(SUFFIXES)}")
    if path.is_file() and path.stat().st_size > LARGEST_FILE:
        raise UsageError(f"'{name}' is too large for a camera file: at most {LARGEST_FILE} bytes")
    try:
        file = read_cameras(path)
    except KinegenError as error:
        raise UsageError(shortened(str(error), str(project.folder))) from None
    pixels = sum(one.width * one.height for one in file.cameras)
    if pixels > MOST_PIXELS:
        raise UsageError(
            f"the cameras of '{name}' have {pixels:,} pixels together; the studio takes at most "
            f"{MOST_PIXELS:,}: make the pictures smaller, such as 320 × 240"
        )
    for row in file.rows:
        for place in (row.images, row.background):
            if place is not None:
                check_inside(project, place)
    return file


def check_inside(project: Project, place: Path) -> None:
    """Refuse pictures that lie elsewhere, however their path is written."""
    real = Path(os.path.realpath(place))
    if not real.is_relative_to(project.folder):
        raise UsageError(
            f"the pictures '{place.name}' are not in the project folder: the studio reads no others"
        )


def shortened(words: str, root: str) -> str:
    """Words with paths as they are below the project folder."""
    return words.replace(root + os.sep, "")
