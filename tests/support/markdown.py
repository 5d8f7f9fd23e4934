"""Markdown pages taken apart: fenced blocks, links, headings."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Block", "Command", "blocks", "commands", "headings", "links"]

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>.*)$")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<(?:img|a)\s[^>]*(?:src|href)=\"([^\"]+)\"")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what follows that on the fence, its text and first line."""

    language: str
    info: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A line typed in a console block and the output shown below it (empty: none shown)."""

    line: str
    output: list[str]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), 1))
    for _, line in lines:
        opening = _FENCE.match(line)
        if not opening:
            continue
        body: list[str] = []
        first = 0
        for number, inner in lines:
            if inner.strip() == opening["fence"]:
                break
            first = first or number
            body.append(inner)
        else:
            raise AssertionError(f"{page}: a fenced block is not closed")
        language, _, info = opening["info"].strip().partition(" ")
        text = textwrap.dedent("\n".join(body)) + "\n"
        found.append(Block(language, info.strip(), text, first))
    return found


def commands(block: Block) -> list[Command]:
    """The commands of a console block: lines that begin with ``$``, each with its output."""
    found: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        elif found:
            found[-1].output.append(line)
    for command in found:
        while command.output and not command.output[-1]:
            command.output.pop()
    return found


def _prose(page: Path) -> list[str]:
    """A page's lines outside fenced blocks."""
    kept, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            kept.append(line)
    return kept


def links(page: Path) -> list[str]:
    """Where a page's links and pictures point, outside code."""
    text = re.sub(r"`[^`]*`", "`code`", "\n".join(_prose(page)))
    return [target or source for target, source in _LINK.findall(text)]


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = [line.lstrip("#").strip() for line in _prose(page) if re.match(r"#{1,6} ", line)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
