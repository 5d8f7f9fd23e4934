"""Mesh files that a robot names: ``package://``, ``model://``, ``file://`` or a relative path."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import unquote

from kinegen.formats.robots.robot import Robot, RobotShape
from kinegen.raff.opener import Opener

__all__ = ["find_meshes"]

SCHEMES = ("package://", "model://")
"""What stands before the name of a package and a path in it."""
UPWARDS = 6
"""Folders above the file in which packages are looked for."""
SEARCHED = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH")
"""Environment variables that list folders of packages."""


def find_meshes(robot: Robot, opener: Opener | None) -> None:
    """Name every mesh by its path from the robot's file; those that are not found are left out."""
    known: dict[str, str | None] = {}
    for link in robot.links.values():
        kept = []
        for shape in link.shapes:
            if shape.kind == "mesh":
                if shape.mesh not in known:
                    known[shape.mesh] = _find(shape.mesh, opener)
                found = known[shape.mesh]
                if found is None:
                    _leave_out(robot, shape, opener)
                    continue
                shape.mesh = found
            kept.append(shape)
        link.shapes = kept


def _leave_out(robot: Robot, shape: RobotShape, opener: Opener | None) -> None:
    assert shape.at is not None
    why = "a text alone has no files" if opener is None or opener.folder is None else "no such file"
    robot.leave_out(shape.at, f"mesh '{shape.mesh}': {why}")


def _find(mesh: str, opener: Opener | None) -> str | None:
    """A mesh's path from the file, with ``/``; None if it is nowhere."""
    if opener is None or opener.folder is None:
        return None
    found = next((one for one in _candidates(mesh, opener) if opener.has(one)), None)
    if found is None or os.path.isabs(found):
        return found
    place = os.path.relpath(os.path.join(opener.folder, found), opener.folder)
    return place.replace(os.sep, "/")


def _candidates(mesh: str, opener: Opener) -> Iterator[str]:
    """Paths at which a mesh may be, the likeliest first."""
    folder = PurePath(opener.folder or ".")
    scheme = next((one for one in SCHEMES if mesh.startswith(one)), None)
    if scheme is None:
        yield unquote(mesh.removeprefix("file://")).replace("\\", "/")
        return
    package, _, inner = unquote(mesh.removeprefix(scheme)).partition("/")
    above = ["." if n == 0 else "/".join([".."] * n) for n in range(UPWARDS + 1)]
    for up, ancestor in zip(above, (folder, *folder.parents), strict=False):
        if ancestor.name == package:
            yield posixpath.join(up, inner)
        yield posixpath.join(up, package, inner)
    for up in above:  # a package whose folder has another name
        yield posixpath.join(up, inner)
    if opener.root is None:
        for variable in SEARCHED:
            for place in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                for path in (place, posixpath.join(place, "share")):
                    yield posixpath.join(path, package, inner)
