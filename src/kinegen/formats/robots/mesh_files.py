"""Mesh files that a robot names: ``package://``, ``model://``, ``file://`` or a relative path."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import unquote

from kinegen.formats.robots.robot import Robot, RobotShape
from kinegen.raff.opener import Opener

__all__ = ["find_meshes", "is_missing_mesh"]

SCHEMES = ("package://", "model://")
"""What stands before the name of a package and a path in it."""
UPWARDS = 6
"""Folders above the file in which packages are looked for."""
DROPPED = 3
"""First folders of a path in a package that may be missing on this machine."""
SEARCHED = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH")
"""Environment variables that list folders of packages."""


def find_meshes(robot: Robot, opener: Opener | None) -> None:
    """Name every mesh by its path from the robot's file; those that are not found are left out."""
    finder = _Finder(opener)
    for link in robot.links.values():
        kept = []
        for shape in link.shapes:
            if shape.kind == "mesh":
                found = finder.find(shape.mesh)
                if found is None:
                    link.lacks_mesh = True
                    _leave_out(robot, shape, opener)
                    continue
                shape.mesh = found
            kept.append(shape)
        link.shapes = kept


def is_missing_mesh(remark: str) -> bool:
    """Whether a remark on a file says that a mesh was not found."""
    return remark.startswith("not carried over: mesh '")


def _leave_out(robot: Robot, shape: RobotShape, opener: Opener | None) -> None:
    why = "a text alone has no files" if opener is None or opener.folder is None else "no such file"
    robot.leave_out(shape.at, f"mesh '{shape.mesh}': {why}")


class _Finder:
    """Finds the meshes of one file."""

    def __init__(self, opener: Opener | None) -> None:
        self.opener = opener
        self.known: dict[str, str | None] = {}
        self.packages: dict[str, tuple[str, int]] = {}
        """Where meshes of a package were found: its other meshes are there as well."""

    def find(self, mesh: str) -> str | None:
        """A mesh's path from the file, with ``/``; None if it is nowhere."""
        if self.opener is None or self.opener.folder is None:
            return None
        if mesh not in self.known:
            self.known[mesh] = self._find(mesh, self.opener)
        return self.known[mesh]

    def _find(self, mesh: str, opener: Opener) -> str | None:
        scheme = next((one for one in SCHEMES if mesh.startswith(one)), None)
        if scheme is None:
            plain = unquote(mesh.removeprefix("file://")).replace("\\", "/")
            return _short(plain, opener) if opener.has(plain) else None
        package, _, inner = unquote(mesh.removeprefix(scheme)).partition("/")
        known = self.packages.get(package)
        if known is not None and opener.has(found := _within(*known, inner)):
            return _short(found, opener)
        # a part of a package, or one whose folder has another name: without the first folders
        for dropped in range(min(inner.count("/"), DROPPED) + 1):
            for folder in _folders(package, opener):
                found = _within(folder, dropped, inner)
                if opener.has(found):
                    self.packages[package] = folder, dropped
                    return _short(found, opener)
        return None


def _within(folder: str, dropped: int, inner: str) -> str:
    """A path below a folder, without its first parts."""
    return posixpath.normpath(posixpath.join(folder, *inner.split("/")[dropped:]))


def _short(path: str, opener: Opener) -> str:
    """A path without ways up and down again; in a project, from the project's folder."""
    assert opener.folder is not None
    if os.path.isabs(path):
        return path
    start = opener.root or opener.folder
    place = os.path.relpath(os.path.join(opener.folder, path), start)
    return place.replace(os.sep, "/")


def _folders(package: str, opener: Opener) -> Iterator[str]:
    """Folders that may be a package, the likeliest first."""
    folder = PurePath(opener.folder or ".")
    above = ["." if n == 0 else "/".join([".."] * n) for n in range(UPWARDS + 1)]
    for up, ancestor in zip(above, (folder, *folder.parents), strict=False):
        if ancestor.name == package:
            yield up
        yield posixpath.join(up, package)
    yield from above  # a package whose folder has another name
    if opener.root is None:
        for variable in SEARCHED:
            for place in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                yield posixpath.join(place, package)
                yield posixpath.join(place, "share", package)
