"""xacro files: URDF with macros, expanded by the package xacro in a process with limits."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import PurePath

from kinegen.errors import FormatError, Problem, UsageError
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.read.conversion.mechanism import robot_mechanism
from kinegen.formats.robots.read.mesh_files import FileFinder, find_meshes
from kinegen.formats.robots.read.packages import search_path
from kinegen.formats.robots.read.urdf_reader.urdf import urdf_robot
from kinegen.formats.robots.read.xml_source import ORIGIN, beside
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["expand", "read_xacro"]

_ORIGINS = re.compile(rf' {ORIGIN}="[\d:]*"')
SECONDS = 20
"""What expanding a file may take."""
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from kinegen.formats.robots.read.urdf_reader.xacro_run import main; main()"
)


def expand(
    text: str, file: str, opener: Opener | None = None, args: Mapping[str, str] | None = None
) -> str:
    """The URDF text of a xacro text, as other programs read it.

    Args:
        text: The file's content.
        file: Its name, for messages.
        opener: Says where included files may be: below its root, if it has one.
        args: Values for ``$(arg …)``.

    Raises:
        FormatError: xacro is not installed, or the file is not sound.
    """
    return _ORIGINS.sub("", _expand(text, file, opener, args or {})[0])


def _expand(
    text: str, file: str, opener: Opener | None, args: Mapping[str, str]
) -> tuple[str, list[str]]:
    """The URDF text, whose elements say where they come from, and the names of all files."""
    folder = opener.folder if opener is not None and opener.folder is not None else os.getcwd()
    alone = opener is None or opener.folder is None
    root = folder if alone else opener.root if opener is not None else None
    request = {
        "text": text, "file": file, "folder": folder, "root": root, "args": dict(args),
        "elsewhere": [] if root is not None else search_path(), "seconds": SECONDS,
    }  # fmt: skip
    command = [sys.executable, "-I", "-c", _PROGRAM, json.dumps(sys.path)]
    try:
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, check=False,
            timeout=3 * SECONDS, cwd=folder, env={"PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        slow = isinstance(error, subprocess.TimeoutExpired) or done.returncode < 0
        why = f"more than {SECONDS} s" if slow else "an error of xacro itself"
        raise FormatProblems([Problem(file, 1, 1, f"expanding the file failed: {why}")]) from None
    if "text" in answer:
        return str(answer["text"]), [_shown(one, file) for one in answer["files"]]
    message = str(answer["error"])
    if "No module named 'xacro'" in message:
        raise FormatError(
            f"{file}: xacro files are read by the package xacro, which is not installed; "
            "install kinegen[xacro]"
        )
    where = _shown(str(answer.get("file", file)), file)
    place = int(answer.get("line", 1)), int(answer.get("column", 1))
    raise FormatProblems([Problem(where, *place, message)])


def _shown(name: str, file: str) -> str:
    """A file's name for messages, beside that of the first."""
    return name if name == file else beside(file, name.replace(os.sep, "/"))


def _arguments(text: str) -> dict[str, str]:
    """``a:=1 b:=2`` as a mapping."""
    found = {}
    for part in text.split():
        name, is_given, value = part.partition(":=")
        if not is_given or not name:
            raise UsageError(f"xacro's arguments are 'name:=value', not '{part}'")
        found[name] = value
    return found


def read_xacro(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    """The mechanism of a xacro text, with its meshes."""
    urdf, files = _expand(text, file, opener, _arguments(options.get("args", "")))
    name = PurePath(file).name
    if "<link" not in urdf:
        message = "the file has no links: it defines macros, which other files include"
        raise FormatProblems([Problem(file, 1, 1, message)])
    robot = urdf_robot(urdf, f"{file} (expanded)", files)
    find_meshes(robot, FileFinder(opener))
    return robot_mechanism(robot, f"xacro file {name}.")
