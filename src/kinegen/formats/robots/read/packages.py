"""Packages of robot files: where ``package://NAME``, ``model://NAME`` and ``$(find NAME)`` are."""

from __future__ import annotations

import glob
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

__all__ = ["package_files", "package_folders", "package_homes", "search_path"]

UPWARDS = 6
"""Folders above the file in which packages are looked for."""
ABOVE = (".", *("/".join([".."] * n) for n in range(1, UPWARDS + 1)))
"""The file's folder and those above, as paths from it."""
DROPPED = 3
"""First folders of a path in a package that may be missing on this machine."""
SEARCHED = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH")
"""Environment variables that list folders of packages."""


def package_homes(
    package: str, folder: str, elsewhere: list[str], *, is_folder: Callable[[str], bool]
) -> Iterable[str]:
    """Folders that may be a package; at last those above the file, whatever their names are.

    They are looked for as far as they are asked for: mostly the first ones are right.
    """
    named = filter(is_folder, package_folders(package, folder, elsewhere))
    return _Kept(chain(named, ABOVE))


class _Kept:
    """Items that are made once, when they are first asked for."""

    def __init__(self, items: Iterable[str]) -> None:
        self._made: list[str] = []
        self._rest = iter(items)

    def __iter__(self) -> Iterator[str]:
        yield from self._made
        for item in self._rest:
            self._made.append(item)
            yield item


def package_files(homes: Iterable[str], inner: str) -> Iterator[tuple[str, int, str]]:
    """Where a file of a package may be, the likeliest first: package, left out folders, path.

    A part of a package may be elsewhere than the whole was: then first folders of the path are
    left out.
    """
    parts = inner.split("/")
    for dropped in range(min(len(parts) - 1, DROPPED) + 1):
        for home in homes:
            yield home, dropped, posixpath.normpath(posixpath.join(home, *parts[dropped:]))


def package_folders(package: str, folder: str, elsewhere: list[str]) -> Iterator[str]:
    """Folders that may be a package, the likeliest first, as paths from ``folder``.

    Args:
        package: Its name.
        folder: Where the file is that names it.
        elsewhere: Folders in which packages are looked for besides.
    """
    ancestor = folder
    for up in ABOVE:
        inner, ancestor = ancestor, os.path.dirname(ancestor)
        if os.path.basename(inner) == package:
            yield up
        yield posixpath.join(up, package)
        if ancestor == inner:  # the top
            break
    for place in elsewhere:
        yield posixpath.join(place, package)
        yield posixpath.join(place, "share", package)
    for up in ABOVE:  # packages in a folder of packages
        pattern = os.path.join(glob.escape(os.path.join(folder, up)), "*", glob.escape(package))
        for found in sorted(glob.glob(pattern)):
            yield posixpath.join(up, os.path.basename(os.path.dirname(found)), package)


def search_path() -> list[str]:
    """The folders of packages that the environment lists."""
    values = (os.environ.get(variable, "") for variable in SEARCHED)
    return [place for value in values for place in value.split(os.pathsep) if place]
