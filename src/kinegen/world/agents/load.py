"""Loading of agents: a function, class or program from what a file or a caller names."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import shlex
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kinegen.errors import UsageError, unknown_name
from kinegen.plug_ins import PlugIns
from kinegen.world.agents.fmu_runner import FmuRunner
from kinegen.world.agents.program_runner import ProgramRunner
from kinegen.world.agents.python_runner import PythonRunner
from kinegen.world.agents.runner import Runner

__all__ = ["AGENTS", "BUILT_IN", "GROUP", "make_runner"]

GROUP = "kinegen.agents"
"""Entry-point group: every entry names a function, or a class, that decides."""
BUILT_IN = {
    "ball-plate": "kinegen.world.library.ball_plate:BallBalancer",
    "careful-robot": "kinegen.world.library.careful_robot:CarefulRobot",
    "carriers": "kinegen.world.library.two_arms:Carriers",
    "crawler": "kinegen.world.library.crawling_robot:crawl",
    "explorer": "kinegen.world.library.explorer:Explorer",
    "carry-together": "kinegen.world.library.carry_together:Follower",
    "line-follower": "kinegen.world.library.line_follower:follow",
    "segway": "kinegen.world.library.segway:Balancer",
    "sorter": "kinegen.world.library.pick_and_place:Sorter",
    "walker": "kinegen.world.library.walking_legs:walk",
}
"""Agents of the library's worlds, as in pyproject.toml."""
AGENTS = PlugIns[Any]("agent", GROUP, BUILT_IN, callable, "callable")
"""Agents that files can use by a name alone."""


def make_runner(row: Mapping[str, Any], given: Any, folder: str | None) -> Runner:
    """What runs an agent.

    Args:
        row: The agent's row of the file.
        given: A function, class or object from the caller, instead of the file's; or None.
        folder: Where the file is.
    """
    name, options = row["name"], row.get("options") or {}
    if not isinstance(options, Mapping):
        raise UsageError(f"options of agent '{name}' must be a mapping, got {options!r:.60}")
    if given is None and "fmu" in row:
        return FmuRunner(row, Path(folder or "."))
    if given is None and "command" in row:
        command = row["command"]
        words = shlex.split(command) if isinstance(command, str) else [str(w) for w in command]
        where = Path(folder or ".") / str(row.get("folder", "."))
        return ProgramRunner(name, words, where, dict(options))
    if given is None and "program" not in row:
        raise UsageError(
            f"agent '{name}' has no 'program', 'command' or 'fmu': specify one in the file, "
            f"or pass agents={{'{name}': function}}"
        )
    found = _named(name, str(row["program"]), folder) if given is None else given
    if isinstance(given, str):
        found = _named(name, given, folder)
    return PythonRunner(_made(name, found, dict(options)))


def _made(name: str, found: Any, options: dict[str, Any]) -> Any:
    """A class is called with the options; a function gets them where it takes any."""
    if inspect.isclass(found):
        try:
            made = found(**options)
        except Exception as error:
            raise UsageError(
                f"agent '{name}' could not be created: {type(error).__name__}: {error}"
            ) from error
    elif options and inspect.isroutine(found):
        made = functools.partial(found, **options)
    elif options:
        raise UsageError(f"agent '{name}' is an object already: it takes no options")
    else:
        made = found
    if not callable(getattr(made, "step", made)):
        raise UsageError(
            f"agent '{name}' must be a function of time and readings, or an object with a "
            f"method step(time, seen), got {found!r:.60}"
        )
    return made


def _named(agent: str, program: str, folder: str | None) -> Any:
    """What ``file.py:name`` or ``module:name`` stands for."""
    place, _, name = program.rpartition(":")
    if not place:
        return AGENTS.named(program)
    try:
        if place.endswith(".py"):
            module = _from_file(Path(folder or ".") / place)
        else:
            module = importlib.import_module(place)
    except Exception as error:
        raise UsageError(
            f"agent '{agent}': '{place}' cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not hasattr(module, name):
        known = [key for key, one in vars(module).items() if callable(one) and key[0] != "_"]
        raise unknown_name("function", name, f"'{place}' (agent '{agent}')", known)
    return getattr(module, name)


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file '{path}'")
    number = zlib.crc32(str(path.resolve()).encode())  # two folders may have a file of one name
    spec = importlib.util.spec_from_file_location(f"kinegen_agent_{path.stem}_{number:x}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # classes of it can be copied and pickled
    spec.loader.exec_module(module)
    return module
