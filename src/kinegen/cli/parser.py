"""The parser of the command line: one sub-parser per verb, errors as exceptions."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any, NoReturn

from kinegen.cli.main import COMMANDS
from kinegen.errors import KinegenError, did_you_mean

__all__ = ["HelpWanted", "MisunderstoodError", "Parser", "parse", "wants_json"]

JSON = "--json"
_SIGNED = frozenset(
    "--box --centre --corners --heading --floor --foci --from --gravity --hand --lift --load "
    "--normal --offset --q --quat --rpy --set --solid --surface --t --through --tilt --to --tool "
    "--u --v --vdot --view --wrist --x --x1 --x2 --xyz --y --z".split()
)
"""Options whose value may begin with a minus."""


class MisunderstoodError(KinegenError):
    """The command line itself is wrong; ``usage`` shows how it is meant."""

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message)
        self.usage = usage


class HelpWanted(Exception):
    """The help was asked for; it is the argument."""


class Parser(argparse.ArgumentParser):
    """A parser that raises where argparse would print and exit."""

    def __init__(self, **settings: Any) -> None:
        # options are written in full: an abbreviation may mean another one after an update
        super().__init__(**settings | {"allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        """What argparse calls when it does not understand."""
        raise MisunderstoodError(message, self.format_usage())

    def print_help(self, file: object = None) -> NoReturn:
        """What argparse calls for --help."""
        raise HelpWanted(self.format_help())


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose column of commands is as wide as the longest of them."""

    def add_argument(self, action: argparse.Action) -> None:
        """Note an argument; argparse forgets that commands stand further in than options."""
        super().add_argument(action)
        indented = 4 + max(map(len, COMMANDS))
        self._action_max_length = max(self._action_max_length, indented)


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether --json stands anywhere among the options, if only as --json=1, which is refused."""
    return any(word.split("=")[0] == JSON for word in _options(arguments))


def _options(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments before ``--``, after which there are names alone."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command, with ``verb``, ``json`` and ``run``.

    Raises:
        MisunderstoodError: If it is not understood.
        HelpWanted: If help or no command is asked for.
    """
    options = _options(arguments)
    words = [word for word in options if word != JSON] + list(arguments[len(options) :])
    verb = next((word for word in words if not word.startswith("-")), None)
    if verb is not None and verb not in COMMANDS:
        hint = did_you_mean(verb, COMMANDS) or ";"
        raise MisunderstoodError(
            f"there is no command '{verb}'{hint} commands: {', '.join(COMMANDS)}"
        )
    parser = _parser(verb)
    found = parser.parse_args(_joined(words))
    if found.verb is None and not found.version:
        parser.print_help()
    found.json = JSON in options
    return found


def _joined(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--q -90deg`` as ``--q=-90deg``: argparse would take it for an option."""
    words: list[str] = []
    for word in arguments:
        if words and words[-1] in _SIGNED and word.startswith("-") and not word.startswith("--"):
            words[-1] += "=" + word
        else:
            words.append(word)
    return words


def _parser(wanted: str | None) -> Parser:
    parser = Parser(
        prog="kinegen",
        description="Describe any mechanism in a few lines; see it, move it, measure it.",
        epilog="example: kinegen info puma560\nhelp for a command: kinegen COMMAND --help",
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
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
            module = importlib.import_module(f"kinegen.cli.commands.{verb}")
            one.epilog = "examples:\n" + "\n".join(f"  {line}" for line in module.EXAMPLES)
            module.add_arguments(one)
            one.add_argument(
                JSON, action="store_true", help="print the result as JSON, for programs"
            )
            one.set_defaults(run=module.run)
    return parser
