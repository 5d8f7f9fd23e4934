"""The ``kinegen`` command: its verbs, its exit codes, and where a process enters.

Nothing is imported before it is needed, so that Ctrl-C is caught while our modules are read, too.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as in typing, whose import takes longer than the rest of this module
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kinegen.cli.interrupts import Interrupts

__all__ = [
    "COMMANDS",
    "EXIT_DEFECT",
    "EXIT_INPUT",
    "EXIT_OK",
    "EXIT_STOPPED",
    "EXIT_USAGE",
    "UNTIL_STOPPED",
    "main",
]

EXIT_OK = 0
EXIT_INPUT = 1
"""What was asked cannot be done with the input given: a bad file, an unknown name."""
EXIT_USAGE = 2
"""The command itself was not understood."""
EXIT_DEFECT = 70
"""Kinegen has a defect; sysexits.h counts 'internal software error' so."""
EXIT_STOPPED = 130
"""Stopped by Ctrl-C, as shells count it: 128 + SIGINT."""

COMMANDS = {
    "studio": "open the studio: grab and edit mechanisms in the browser",
    "list": "list the mechanisms of the library",
    "info": "show the contents of a mechanism",
    "check": "check RAFF files and list every problem",
    "fk": "compute the poses of links and frames",
    "ik": "find joint values that move a frame to a target",
    "drag": "drag a frame with every loop kept closed",
    "assemble": "close the loops, and find every assembly mode",
    "collisions": "list the bodies that touch or are near each other",
    "singular": "report how near singular poses are, and cross them",
    "dynamics": "compute torques, mass matrix, gravity and energy",
    "workspace": "compute the workspace of an arm",
    "zone": "compute the workspace of a mechanism with loops",
    "map": "map joint values and limits over a box of positions",
    "backlash": "compute how far backlash and tolerances move the tool",
    "path": "follow a curve: joint table, speeds, reach",
    "plot": "write a report of a path with charts",
    "grasp": "plan the motion of a tool to an object",
    "design": "find parameters to follow a curve or cover a box",
    "statics": "compute motor efforts and joint forces under loads",
    "simulate": "simulate a mechanism with gravity, motors and springs",
    "run": "run a world: sensors, agents, motors, and a log",
    "bridge": "let control software of real robots drive a simulated one",
    "drive": "move a real robot: poses, motions, teaching by hand",
    "calibrate": "find offsets, backlash and friction of real servos",
    "touch": "push and pull a running mechanism with a haptic device",
    "head": "track the head of a viewer in front of a wall of screens",
    "hull": "carve a coloured body from pictures of several cameras",
    "draw": "draw a picture of a mechanism",
    "convert": "convert between RAFF and other file formats",
    "export": "export to another format: web page, URDF, FMU, DXF, …",
    "schema": "print the JSON Schema of RAFF, for editors",
    "tour": "take a short guided tour in the terminal",
}
"""Each verb with its one line; ``kinegen.cli.commands.VERB`` holds its arguments and its work."""

UNTIL_STOPPED = ("studio", "bridge", "drive", "touch", "head")
"""Verbs whose work ends well by Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Without arguments the process is the command's."""
    if arguments is not None:
        from kinegen.cli.run import run_command

        return run_command(list(arguments))
    interrupts: Interrupts | None = None
    try:
        from kinegen.cli.interrupts import Interrupts

        interrupts = Interrupts(EXIT_STOPPED)
        from kinegen.cli.run import run_command

        code = run_command(sys.argv[1:], interrupts)
    except (KeyboardInterrupt, ImportError):
        # while our own modules were read, which may turn an interrupt into an error of their own
        if interrupts is not None and not interrupts.count:
            raise
        from kinegen.cli.run import stopped

        code = stopped(sys.argv[1:])
    if interrupts is not None:
        interrupts.end()
    return code
