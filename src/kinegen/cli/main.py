"""The ``kinegen`` command: finds the verb, runs it, turns errors into sentences and exit codes."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from kinegen.errors import KinegenError, RaffError

__all__ = ["EXIT_INPUT", "EXIT_OK", "EXIT_USAGE", "main"]

EXIT_OK = 0
EXIT_INPUT = 1
"""What was asked cannot be done with the input given: a bad file, an unknown name."""
EXIT_USAGE = 2
"""The command itself was not understood."""

COMMANDS = {
    "list": "list the mechanisms of the library",
    "info": "say what a mechanism is made of",
    "check": "check RAFF files and list every problem",
    "fk": "compute where links and frames are",
    "draw": "draw a picture of a mechanism",
    "convert": "turn files of other formats into RAFF",
    "schema": "print the JSON Schema of RAFF, for editors",
    "tour": "a short guided tour in the terminal",
}
"""Each verb with its one line; ``kinegen.cli.VERB_command`` holds its arguments and its work."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = _parser(arguments)
    try:
        options = parser.parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    if options.verb is None:
        parser.print_help()
        return EXIT_OK
    try:
        return int(options.run(options))
    except RaffError as error:
        return _fail(options, str(error), [_problem(p) for p in error.problems])
    except KinegenError as error:
        return _fail(options, f"kinegen: {error}", [{"message": str(error)}])
    except BrokenPipeError:
        # the reader of a pipe went away (`kinegen list | head`): nothing is wrong
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except KeyboardInterrupt:
        print("kinegen: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{error.strerror or error}"
        return _fail(options, f"kinegen: {message}", [{"message": message}])


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kinegen",
        description="Describe any mechanism in a few lines; see it, move it, measure it.",
        epilog="example: kinegen info puma560        each command: kinegen COMMAND --help",
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", title="commands")
    wanted = next((word for word in arguments if not word.startswith("-")), None)
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


def _fail(options: argparse.Namespace, text: str, problems: list[dict[str, Any]]) -> int:
    if getattr(options, "json", False):
        print(json.dumps({"ok": False, "problems": problems}, indent=2, ensure_ascii=False))
    else:
        print(text, file=sys.stderr)
    return EXIT_INPUT
