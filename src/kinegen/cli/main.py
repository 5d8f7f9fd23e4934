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
    "info": "say what a mechanism is made of",
    "check": "check RAFF files and list every problem",
    "fk": "compute where links and frames are",
    "ik": "find joint values that put a frame where it is wanted",
    "drag": "pull a frame somewhere with every loop closed",
    "assemble": "close the loops, and find every way to do so",
    "singular": "say how near singular poses are, and cross them",
    "dynamics": "compute torques, mass matrix, gravity and energy",
    "workspace": "show where the links of an arm get to",
    "zone": "show where a mechanism with loops gets to",
    "map": "show the joint values behind places, and limits",
    "backlash": "say how far backlash and tolerances move the tool",
    "path": "follow a curve: joint table, speeds, reach",
    "plot": "write a report of a path with charts",
    "grasp": "plan the way of a tool to an object",
    "design": "search parameters to follow a curve or cover a box",
    "statics": "what motors give and joints bear under loads",
    "simulate": "let a mechanism move under gravity, motors and springs",
    "touch": "push and pull a running mechanism by a haptic device",
    "draw": "draw a picture of a mechanism",
    "convert": "turn files of other formats into RAFF",
    "export": "write a web page, a 3D model or a joint table",
    "schema": "print the JSON Schema of RAFF, for editors",
    "tour": "a short guided tour in the terminal",
}
"""Each verb with its one line; ``kinegen.cli.commands.VERB`` holds its arguments and its work."""

UNTIL_STOPPED = ("studio", "touch")
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
