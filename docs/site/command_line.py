"""A hook of mkdocs that lists all options of each command, as its parser states them."""

from __future__ import annotations

import argparse
import html
import importlib
import re
from typing import Any

from kinegen.cli.main import COMMANDS

PAGE = "reference/cli.md"
NOTE = '\n\n??? note "All arguments of `kinegen {verb}`"\n\n{rows}\n\n'
"""A box below a command's text that opens when it is pressed."""


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Append the table of its arguments to each command's section."""
    if page.file.src_uri != PAGE:
        return markdown
    parts = re.split(r"(?m)^(?=## )", markdown)
    for index, part in enumerate(parts):
        title = re.match(r"## kinegen (\w+)\n", part)
        if title and title[1] in COMMANDS:
            rows = "\n".join(f"    {row}" for row in table(title[1]))
            parts[index] = part.rstrip() + NOTE.format(verb=title[1], rows=rows)
    return "".join(parts)


def table(verb: str) -> list[str]:
    """The arguments of a command as rows of Markdown."""
    parser = argparse.ArgumentParser(prog="kinegen", add_help=False)
    importlib.import_module(f"kinegen.cli.commands.{verb}").add_arguments(parser)
    rows = ["| argument | meaning |", "|---|---|"]
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        values = {**vars(action), "prog": "kinegen"}
        meaning = (action.help or "") % {key: str(value) for key, value in values.items()}
        rows.append(
            f"| {_form(action)} | {html.escape(meaning, quote=False).replace('|', '&#124;')} |"
        )
    return rows


def _form(action: argparse.Action) -> str:
    """How an argument is typed."""
    value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    if action.choices is not None and action.metavar is None:
        value = "|".join(str(choice) for choice in action.choices)
    if isinstance(value, tuple):
        value = " ".join(value)
    if action.nargs in ("?", "*"):
        value = f"[{value}]"
    names = action.option_strings or [""]
    typed = ", ".join(f"{name} {value}".strip() for name in names)
    return f"<code>{html.escape(typed).replace('|', '&#124;')}</code>"
