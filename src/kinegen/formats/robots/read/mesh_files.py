"""Mesh files that a robot names: ``package://``, ``model://``, ``file://`` or a relative path."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from kinegen.errors import Problem
from kinegen.formats.robots.read.packages import package_files, package_homes, search_path
from kinegen.formats.robots.read.robot import Robot, RobotShape, RobotSource
from kinegen.formats.robots.read.xml_source import Element
from kinegen.raff.opener import Opener

__all__ = ["LARGEST_SHOWN", "FileFinder", "find_meshes", "is_missing_mesh"]

LARGEST_SHOWN = 50 * 2**20
"""[bytes] of one mesh that the studio shows: a million triangles of a binary STL file."""

SCHEMES = ("package://", "model://", "package:/", "model:/")
"""What stands before the name of a package and a path in it."""
WEB = ("http://", "https://", "ftp://")


def find_meshes(robot: Robot, finder: FileFinder) -> None:
    """Name every mesh by its path from the robot's file; those that are not found are left out."""
    missing: dict[str, RobotShape] = {}
    places: dict[str, Element | int] = {}
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
                        places.setdefault(found, shape.at)
            for shape in lost:
                shapes.remove(shape)
            link.lacks_mesh |= bool(lost) and shapes is link.shapes
    for mesh, shape in missing.items():
        robot.leave_out(shape.at, f"mesh '{mesh}': {finder.why_not(mesh)}")
    if places:
        robot.late_remarks = LargeMeshes(robot.source, finder.start, places)


@dataclass(slots=True)
class LargeMeshes:
    """Remarks on large meshes. A file's size takes as long to find as its link takes to read."""

    source: RobotSource
    folder: str
    """Where the paths of meshes begin."""
    places: dict[str, Element | int]
    """Where the robot's file names each of them."""

    def __call__(self) -> list[Problem]:
        """Those that are too large for the studio."""
        most = f"the studio shows meshes of at most {LARGEST_SHOWN >> 20} MB"
        sizes = ((mesh, self.size(mesh)) for mesh in self.places)
        return [
            self.source.problem(self.places[mesh], f"mesh '{mesh}' has {size >> 20} MB; {most}")
            for mesh, size in sizes
            if size > LARGEST_SHOWN
        ]

    def size(self, mesh: str) -> int:
        """Bytes of a mesh; 0 if it was removed since it was found."""
        try:
            return os.stat(os.path.join(self.folder, mesh)).st_size
        except OSError:
            return 0


def is_missing_mesh(remark: str) -> bool:
    """Whether a remark on a file says that a mesh was not found."""
    return remark.startswith("not carried over: mesh '")


class FileFinder:
    """Finds the files that one robot's file names."""

    def __init__(self, opener: Opener | None, *, from_file: bool = False) -> None:
        """Nothing is known yet.

        Args:
            opener: Looks for the files.
            from_file: Whether paths count from the robot's file in any case; in a project they
                count from the project's folder otherwise, where the RAFF text will be.
        """
        self.opener, self.from_file = opener, from_file
        self.known: dict[str, str | None] = {}
        self.homes: dict[str, Iterable[str]] = {}
        self.packages: dict[str, tuple[str, int]] = {}
        """Where files of a package were found: its other files are there as well."""
        self.listed: dict[str, tuple[str, frozenset[str]]] = {}
        """Folders as the robot names them: their short paths and the files in them."""

    @property
    def start(self) -> str:
        """The folder from which the paths of files that were found count."""
        if self.opener is None:
            return ""
        return (self.opener.folder if self.from_file else self.opener.root) or (
            self.opener.folder or ""
        )

    def why_not(self, file: str) -> str:
        """The reason why a file is not found."""
        if self.opener is None or self.opener.folder is None:
            return "a text alone has no files"
        if file.startswith(WEB):
            return "files are not fetched from the network"
        if _leaves_package(file):
            return "it leads out of its package"
        scheme = next((one for one in SCHEMES if file.startswith(one)), None)
        return ("" if scheme else self.opener.fault(_plain(file, self.opener))) or "no such file"

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
        if mesh.startswith(WEB) or _leaves_package(mesh):
            return None
        scheme = next((one for one in SCHEMES if mesh.startswith(one)), None)
        if scheme is None:
            plain = _plain(mesh, opener)
            return _short(plain, opener, self.from_file) if opener.has(plain) else None
        package, _, inner = unquote(mesh.removeprefix(scheme)).partition("/")
        known = self.packages.get(package)
        if known is not None:
            folder, dropped = known
            found = posixpath.normpath(posixpath.join(folder, *inner.split("/")[dropped:]))
            if opener.has(found):
                return _short(found, opener, self.from_file)
        if package not in self.homes:
            elsewhere = [] if opener.root is not None else search_path()
            self.homes[package] = package_homes(
                package, opener.folder or ".", elsewhere, is_folder=opener.has_folder
            )
        for folder, dropped, found in package_files(self.homes[package], inner):
            if opener.has(found):
                self.packages[package] = folder, dropped
                return _short(found, opener, self.from_file)
        return None


def _list(file: str, opener: Opener) -> tuple[str, frozenset[str]]:
    """The folder of a file that was found, with its slash, and the names of the files in it."""
    place = file[: file.rfind("/") + 1]
    try:
        with os.scandir(os.path.join(opener.folder or ".", place)) as entries:
            return place, frozenset(one.name for one in entries if one.is_file())
    except OSError:  # it may be searched but not listed
        return place, frozenset()


def _plain(file: str, opener: Opener) -> str:
    """A path without the scheme of files; in a project, from the file's own folder."""
    plain = unquote(file.removeprefix("file://")).replace("\\", "/")
    if os.path.isabs(plain) and opener.root is not None:  # as xacro writes it
        plain = os.path.relpath(plain, opener.folder).replace(os.sep, "/")
    return plain


def _leaves_package(file: str) -> bool:
    """Whether a path in a package leads out of it."""
    if ".." not in file and "%" not in file:
        return False
    scheme = next((one for one in SCHEMES if file.startswith(one)), None)
    if scheme is None:
        return False
    package, _, inner = unquote(file.removeprefix(scheme)).replace("\\", "/").partition("/")
    return ".." in (package, posixpath.normpath(inner).split("/")[0])


def _short(path: str, opener: Opener, from_file: bool) -> str:
    """A path without ways up and down again."""
    assert opener.folder is not None
    if os.path.isabs(path):
        return path
    start = opener.folder if from_file else opener.root or opener.folder
    place = os.path.relpath(os.path.join(opener.folder, path), start)
    return place.replace(os.sep, "/")
