"""MJCF files, MuJoCo's own: read by MuJoCo itself, so that defaults and includes mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from kinegen.errors import FormatError, UsageError, unknown_name
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.read.conversion.mechanism import robot_mechanism
from kinegen.formats.robots.read.mesh_files import FileFinder, find_meshes
from kinegen.formats.robots.read.mjcf_reader.files import MjcfFiles
from kinegen.formats.robots.read.mjcf_reader.model import MjcfModel
from kinegen.formats.robots.read.robot import Robot
from kinegen.formats.robots.read.xml_source import XmlSource
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["mjcf_robot", "read_mjcf"]


def mjcf_robot(text: str, file: str, opener: Opener | None) -> Robot:
    """The robot of an MJCF text.

    Raises:
        FormatError: MuJoCo is not installed, or refuses the text.
    """
    try:
        import mujoco
    except ImportError:
        raise FormatError(
            f"{file}: MJCF files are read by MuJoCo, which is not installed; install "
            "kinegen[dynamics]"
        ) from None
    source = XmlSource(text, file)
    if source.root.tag != "mujoco":
        raise FormatProblems([source.problem(source.root, "the root of an MJCF file is <mujoco>")])
    files = MjcfFiles(opener, source)
    files.gather()
    try:
        spec = mujoco.MjSpec.from_string(text, include=files.includes, assets=files.assets)
        files.raise_if_any()  # meshes: they are read from here on
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        raise files.refusal(error) from None
    robot = Robot(spec.modelname or PurePath(file).stem, source)
    MjcfModel(robot, spec, model, files).read()
    return robot


def read_mjcf(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    """The mechanism of an MJCF text, with its meshes."""
    robot = mjcf_robot(text, file, opener)
    key = options.get("key")
    if key is not None:
        start_at(robot, key, file)
    find_meshes(robot, FileFinder(opener))
    return robot_mechanism(robot, f"MJCF file {PurePath(file).name}.")


def start_at(robot: Robot, key: str, file: str) -> None:
    """Start at another keyframe than the first."""
    names = [one.name for one in robot.poses]
    if not names:
        raise UsageError(f"{file} has no keyframes: option key={key} has nothing to choose from")
    if key not in names:
        raise unknown_name("keyframe", key, file, names)
    robot.start_at(robot.poses[names.index(key)])
