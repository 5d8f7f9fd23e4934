"""The ``kinegen`` command: finds the verb, runs it, turns errors into sentences and exit codes."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, TextIO

from kinegen.cli.terminal import prepare_streams
from kinegen.errors import KinegenError, did_you_mean
from kinegen.memory import available_memory, byte_text

__all__ = ["EXIT_INPUT", "EXIT_OK", "EXIT_STOPPED", "EXIT_USAGE", "main"]

EXIT_OK = 0
EXIT_INPUT = 1
"""What was asked cannot be done with the input given: a bad file, an unknown name."""
EXIT_USAGE = 2
"""The command itself was not understood."""
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
    "backlash": "say how far play and tolerances move the tool",
    "path": "follow a curve: joint table, speeds, reach",
    "plot": "write a report of a path with charts",
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
"""Each verb with its one line; ``kinegen.cli.VERB_command`` holds its arguments and its work."""

_SIGNED = frozenset(
    "--box --centre --corners --course --floor --foci --from --gravity --hand --lift --load "
    "--normal --offset --q --quat --rpy --set --solid --surface --t --through --tilt --to --tool "
    "--u --v --vdot --view --wrist --x --x1 --x2 --xyz --y --z".split()
)
"""Options whose value may begin with a minus."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    prepare_streams()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = _run(arguments)
        # here, not at the interpreter's end, where a closed pipe would still be a traceback
        sys.stdout.flush()
        return code
    except KinegenError as error:
        # errors of files carry their places; RAFF's and those of other formats alike
        places = [_problem(problem) for problem in getattr(error, "problems", ())]
        text = str(error) if places else f"kinegen: {error}"
        return _fail(arguments, text, places or [{"message": str(error)}])
    except MemoryError as error:
        room = byte_text(available_memory())
        asked = f" ({error})" if str(error) else ""
        text = f"kinegen: there is not enough memory{asked}; {room} are available"
        return _fail(arguments, text, [{"message": text.removeprefix("kinegen: ")}])
    except BrokenPipeError:
        # the reader of a pipe went away (`kinegen list | head`): nothing is wrong
        _drop_output()
        return EXIT_OK
    except KeyboardInterrupt:
        print("kinegen: stopped", file=sys.stderr)
        return EXIT_STOPPED
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{error.strerror or error}"
        _drop_output()
        return _fail(arguments, f"kinegen: {message}", [{"message": message}])


def _run(arguments: Sequence[str]) -> int:
    verb = next((word for word in arguments if not word.startswith("-")), None)
    if verb is not None and verb not in COMMANDS:
        hint = did_you_mean(verb, COMMANDS) or ";"
        text = f"kinegen: there is no command '{verb}'{hint} commands: {', '.join(COMMANDS)}"
        print(text, file=sys.stderr)
        return EXIT_USAGE
    parser = _parser(arguments, verb)
    try:
        options = parser.parse_args(_joined(arguments))
    except SystemExit as stop:
        return int(stop.code or 0)
    if options.verb is None:
        parser.print_help()
        return EXIT_OK
    return int(options.run(options))


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as one sentence: where in our code it arose helps nobody here."""
    print(f"kinegen: {message}", file=sys.stderr)


def _joined(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--q -90deg`` as ``--q=-90deg``: argparse would take it for an option."""
    words: list[str] = []
    for word in arguments:
        if words and words[-1] in _SIGNED and word.startswith("-") and not word.startswith("--"):
            words[-1] += "=" + word
        else:
            words.append(word)
    return words


def _drop_output() -> None:
    """Stop writing to an output that is gone or full, or the interpreter tries again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose column of commands is as wide as the longest of them."""

    def add_argument(self, action: argparse.Action) -> None:
        """Note an argument; argparse forgets that commands stand further in than options."""
        super().add_argument(action)
        indented = 4 + max(map(len, COMMANDS))
        self._action_max_length = max(self._action_max_length, indented)


def _parser(arguments: Sequence[str], wanted: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kinegen",
        description="Describe any mechanism in a few lines; see it, move it, measure it.",
        epilog="example: kinegen info puma560\neach command: kinegen COMMAND --help",
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", title="commands")
    for verb, summary in COMMANDS.items():
        one = verbs.add_parser(
            verb,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if verb == wanted:
            # only the wanted command's module is imported: --help stays fast
            module = importlib.import_module(f"kinegen.cli.{verb}_command")
            one.epilog = "examples:\n" + "\n".join(f"  {line}" for line in module.EXAMPLES)
            module.add_arguments(one)
            one.add_argument("--json", action="store_true", help="answer in JSON, for programs")
            one.set_defaults(run=module.run)
    if "--version" in arguments and wanted is None:
        parser.set_defaults(verb="version", run=_version)
    return parser


def _version(_: argparse.Namespace) -> int:
    import kinegen

    print(f"kinegen {kinegen.__version__}")
    return EXIT_OK


def _problem(problem: Any) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "message": problem.message,
    }


def _fail(arguments: Sequence[str], text: str, problems: list[dict[str, Any]]) -> int:
    if "--json" in arguments:
        from kinegen.cli.output import print_json

        print_json({"ok": False, "problems": problems})
    else:
        print(text, file=sys.stderr)
    return EXIT_INPUT
