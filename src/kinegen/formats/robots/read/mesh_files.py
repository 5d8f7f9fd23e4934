"""Mesh files that a robot names: ``package://``, ``model://``, ``file://`` or a relative path."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from urllib.parse import unquote

from kinegen.formats.robots.read.packages import package_files, package_homes, search_path
from kinegen.formats.robots.read.robot import Robot, RobotShape
from kinegen.raff.opener import Opener

__all__ = ["FileFinder", "find_meshes", "is_missing_mesh"]

SCHEMES = ("package://", "model://", "package:/", "model:/")
"""What stands before the name of a package and a path in it."""
WEB = ("http://", "https://", "ftp://")


def find_meshes(robot: Robot, finder: FileFinder) -> None:
    """Name every mesh by its path from the robot's file; those that are not found are left out."""
    missing: dict[str, RobotShape] = {}
    for link in robot.links.values():
        for shapes in (link.shapes, link.collisions):
            lost = []
            for shape in shapes:
                if shape.kind == "mesh":
                    found = finder.find(shape.mesh)
                    if found is None:
                        missing.setdefault(shape.mesh, shape)
                        lost.append(shape)
                    else:
                        shape.mesh = found
            for shape in lost:
                shapes.remove(shape)
            link.lacks_mesh |= bool(lost) and shapes is link.shapes
    for mesh, shape in missing.items():
        robot.leave_out(shape.at, f"mesh '{mesh}': {finder.why_not(mesh)}")


def is_missing_mesh(remark: str) -> bool:
    """Whether a remark on a file says that a mesh was not found."""
    return remark.startswith("not carried over: mesh '")


class FileFinder:
    """Finds the files that one robot's file names."""

    def __init__(self, opener: Opener | None) -> None:
        self.opener = opener
        self.known: dict[str, str | None] = {}
        self.homes: dict[str, Iterable[str]] = {}
        self.packages: dict[str, tuple[str, int]] = {}
        """Where files of a package were found: its other files are there as well."""
        self.listed: dict[str, tuple[str, frozenset[str]]] = {}
        """Folders as the robot names them: their short paths and the files in them."""

    def why_not(self, file: str) -> str:
        """The reason why a file is not found."""
        if self.opener is None or self.opener.folder is None:
            return "a text alone has no files"
        if file.startswith(WEB):
            return "files are not fetched from the network"
        return "no such file"

    def find(self, mesh: str) -> str | None:
        """A mesh's path from the file, with ``/``; None if it is nowhere."""
        if self.opener is None or self.opener.folder is None:
            return None
        if mesh not in self.known:
            folder, _, name = mesh.rpartition("/")
            place, files = self.listed.get(folder, ("", frozenset()))
            found = place + name if name in files else self._find(mesh, self.opener)
            if found and not files and self.opener.root is None:  # then links need no checks
                self.listed[folder] = _list(found, self.opener)
            self.known[mesh] = found
        return self.known[mesh]

    def _find(self, mesh: str, opener: Opener) -> str | None:
        if mesh.startswith(WEB):
            return None
        scheme = next((one for one in SCHEMES if mesh.startswith(one)), None)
        if scheme is None:
            plain = unquote(mesh.removeprefix("file://")).replace("\\", "/")
            if os.path.isabs(plain) and opener.root is not None:  # as xacro writes it
                plain = os.path.relpath(plain, opener.folder).replace(os.sep, "/")
            return _short(plain, opener) if opener.has(plain) else None
        package, _, inner = unquote(mesh.removeprefix(scheme)).partition("/")
        known = self.packages.get(package)
        if known is not None:
            folder, dropped = known
            found = posixpath.normpath(posixpath.join(folder, *inner.split("/")[dropped:]))
            if opener.has(found):
                return _short(found, opener)
        if package not in self.homes:
            elsewhere = [] if opener.root is not None else search_path()
            self.homes[package] = package_homes(
                package, opener.folder or ".", elsewhere, is_folder=opener.has_folder
            )
        for folder, dropped, found in package_files(self.homes[package], inner):
            if opener.has(found):
                self.packages[package] = folder, dropped
                return _short(found, opener)
        return None


def _list(file: str, opener: Opener) -> tuple[str, frozenset[str]]:
    """The folder of a file that was found, with its slash, and the names of the files in it."""
    place = file[: file.rfind("/") + 1]
    try:
        with os.scandir(os.path.join(opener.folder or ".", place)) as entries:
            return place, frozenset(one.name for one in entries if one.is_file())
    except OSError:  # it may be searched but not listed
        return place, frozenset()


def _short(path: str, opener: Opener) -> str:
    """A path without ways up and down again; in a project, from the project's folder."""
    assert opener.folder is not None
    if os.path.isabs(path):
        return path
    start = opener.root or opener.folder
    place = os.path.relpath(os.path.join(opener.folder, path), start)
    return place.replace(os.sep, "/")
