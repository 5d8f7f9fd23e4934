"""What commands that read and write other formats take: options of the formats, and their list."""

from __future__ import annotations

import argparse

from kinegen.errors import UsageError
from kinegen.formats.registry import formats

__all__ = ["add_format_options", "format_list", "format_options"]


def add_format_options(parser: argparse.ArgumentParser, what: str) -> None:
    """``--option NAME=VALUE``."""
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[],
        help=f"{what}; may be repeated",
    )  # fmt: skip


def format_options(options: argparse.Namespace) -> dict[str, str]:
    """The options given, by name."""
    given = {}
    for word in options.option:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--option takes NAME=VALUE, got '{word}'")
        given[name.strip()] = value.strip()
    return given


def format_list(*, written: bool = False) -> str:
    """All formats with their options, a line each; ``written``: those that can be written only."""
    lines = []
    for known in formats().values():
        if written and known.write is None:
            continue
        ways = " and ".join(
            way for way, can in (("read", known.read), ("written", known.write)) if can
        )
        said = "" if written else f"; {ways}"
        lines.append(f"  {known.name:8} {known.title} ({', '.join(known.suffixes)}{said})")
        lines += [f"           --option {key}=…: {text}" for key, text in known.options.items()]
    return "\n".join(lines)
