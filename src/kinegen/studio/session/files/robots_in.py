"""Robots in a folder: which of its files can be opened, recognised by their content."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from kinegen.errors import KinegenError
from kinegen.formats.load import is_raff
from kinegen.formats.registry import find_reader, format_named
from kinegen.studio.session.files.project import Project, can_open
from kinegen.studio.wire.messages.upload import RobotFile

__all__ = ["robots_in"]

MOST_LOOKED = 500
"""Files that are looked into."""
_INCLUDE = re.compile(
    r"""<(?:[a-z]+:)?include\s[^>]{0,500}?file(?:name)?\s*=\s*["']([^"']{1,500})["']"""
    r"""|^\s*(?:-\s*\{.*?)?\b(?:include|file):\s*["']?([^\s"',}]{1,500}\.raff)""",
    re.MULTILINE,
)
"""Other files that a text of any format includes."""


def robots_in(project: Project, files: Sequence[str]) -> list[RobotFile]:
    """The files of a project that can be opened, the likeliest first.

    Args:
        project: The folder.
        files: Paths in it.
    """
    found: list[tuple[RobotFile, bool]] = []
    included: set[str] = set()
    for file in [file for file in files if can_open(file)][:MOST_LOOKED]:
        try:
            text = project.read(file)
            reader = format_named("raff") if is_raff(text, file) else find_reader(file, text)
        except KinegenError:  # no text, or of a format that cannot be read: another may do
            continue
        if reader is None:
            continue
        recognised = reader.name == "raff" or (
            reader.recognises is not None and reader.recognises(text)
        )
        if reader.recognises is not None and not recognised:
            continue  # its ending alone says nothing
        found.append((RobotFile(file, reader.name, reader.title, False), recognised))
        included |= {posixpath.basename(one or other) for one, other in _INCLUDE.findall(text)}
    for robot, recognised in found:
        robot.likely = recognised and posixpath.basename(robot.file) not in included
    if not any(robot.likely for robot, _ in found):
        for robot, recognised in found:
            robot.likely = recognised or all(not one for _, one in found)
    robots = [robot for robot, _ in found]
    return sorted(robots, key=lambda one: (not one.likely, one.file.count("/"), one.file))
