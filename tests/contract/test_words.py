"""Phrases that must not come back: docs, command line, messages and page are in plain English.

Each phrase has its plain form; ``docs/reference/glossary.md`` fixes the terms. Inline code and
methods in the docs, and strings of one word in the program, are names and not checked. Comments and
docstrings are checked in all folders of source code.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PHRASES = {
    r"anew": "again",
    r"(go|goes|going|gone|went) on( with)?": "continue",
    r"freedoms": "degrees of freedom",
    r"square to": "perpendicular to",
    r"puts? away": "close, remove",
    r"t(ake|akes|aken|ook) out": "remove",
    r"told|tells?": "report, state",
    r"wish(es|ed)?": "target",
    r"play (of|in|between) ": "backlash",
    r"energy invented|lost or invented": "energy drift",
    r"noted down": "logged",
    r"how it is turned": "orientation",
    r"all ways": "all branches",
    r"more than nothing": "greater than 0",
    r"what is (not given|left out|wanted) (stays|is|follows)": "values that are not given …",
    r"does not get anywhere": "no other pose can be reached",
    r"lets? be": "leave unchanged",
    r"los(e|es|ing) (its |their )?hold": "lose control",
    r"made again": "created, computed again",
    r"of late": "recently",
    r"has the say|last words": "decides, last report",
    r"who (is|are|was|comes|speaks|counts|rests|moves|shares|begins|stands)": "that, which",
    r"(is|are) asked of": "is requested from",
    r"it is who it says": "its identity",
}
"""Patterns of whole words, and what to write instead."""
READ = PHRASES | {
    r"whoever": "anyone who",
    r"says? so": "states this",
    r"what (it|an? [\w-]+|the [\w-]+) is made of": "components, contents",
    r"never spoke": "has not sent anything",
}
"""The same for what users read: documentation, strings of the program, texts of the page."""
MESSAGES = READ | {
    r"is (an?|one of|true or|null) [^:]*(?<=[,;] )got": "must be … got",
    r"(?<=[:;] )give": "specify, use, add",
    r"both say": "both specify",
    r"(is|are) not a choice": "is not valid; use …",
}
"""The same for the strings of the program, which include errors."""
COMMENTED = ("native", "src/kinegen", "web/src", "web/tests", "bench", "tests")
"""Folders of source code; their comments and docstrings are checked too."""
BLOCKS = r"/\*.*?\*/|<!--.*?-->|(?:(?<!:)[ \t]*//[^\n]*\n)+|(?<!:)//[^\n]*"
"""Comments of TypeScript, Svelte and C++. Consecutive lines are one text, so that a phrase may run
over their ends; ``://`` is in an address."""


def test_the_documentation_is_in_plain_english() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")]
    pages += (ROOT / "src/kinegen/mechanism/library").glob("*.raff")
    texts = (
        (f"{page.relative_to(ROOT)}:{number}", re.sub(r"`[^`]*`|\.\w+", "…", line))
        for page in sorted(pages)
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    )
    assert _found(texts, READ) == []


def test_the_programs_words_are_plain_english() -> None:
    texts = (
        (f"{file.relative_to(ROOT)}:{line}", text)
        for file in sorted((ROOT / "src/kinegen").rglob("*.py"))
        for line, text in _strings(file)
    )
    assert _found(texts, MESSAGES) == []


def test_the_pages_words_are_plain_english() -> None:
    texts = (
        (str(file.relative_to(ROOT)), text)
        for file in sorted((ROOT / "web/src").rglob("*"))
        if file.suffix in (".ts", ".svelte")
        for text in _page_texts(file)
    )
    assert _found((text for text in texts if " " in text[1].strip()), READ) == []


@pytest.mark.parametrize("folder", COMMENTED)
def test_comments_are_in_plain_english(folder: str) -> None:
    texts = (
        (f"{file.relative_to(ROOT)}:{line}", re.sub(r"`[^`]*`", "…", text))
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in (".py", ".hpp", ".cpp", ".ts", ".svelte")
        for line, text in _comments(file)
    )
    assert _found(texts, PHRASES) == []


def _found(texts: Iterator[tuple[str, str]], phrases: dict[str, str]) -> list[str]:
    """Where a phrase occurs, with the plain form."""
    checks = [(re.compile(rf"\b(?:{phrase})\b", re.I), plain) for phrase, plain in phrases.items()]
    any_phrase = _any_of(phrases)
    return [
        f"{place}: {match[0]!r} ({plain}) in {text.strip()[:80]!r}"
        for place, text in texts
        if any_phrase.search(text)
        for pattern, plain in checks
        if (match := pattern.search(text))
    ]


def _any_of(phrases: dict[str, str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.I)


def _strings(file: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module that have several words, without its docstrings."""
    nodes: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    for node in nodes:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and " " in node.value.strip():
                yield node.lineno, node.value
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            nodes += ast.iter_child_nodes(node)


def _comments(file: Path) -> Iterator[tuple[int, str]]:
    """The comments of a file; of a module also its docstrings."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        for found in re.finditer(BLOCKS, text, flags=re.S):
            yield text.count("\n", 0, found.start()) + 1, re.sub(r"\s*(?://|\*)\s*", " ", found[0])
        return
    if not _any_of(PHRASES).search(" ".join(text.split())):
        return  # whatever its comments are: splitting it into tokens takes long
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.lineno, " ".join(node.value.value.split())


def _page_texts(file: Path) -> Iterator[str]:
    """The strings and texts of a page's file that have several words."""
    text = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*|<!--.*?-->", "", file.read_text("utf-8"), flags=re.S)
    yield from (found for found in re.findall(r'"([^"\n]*)"|`([^`]*)`', text) for found in found)
    if file.suffix == ".svelte":
        markup = re.sub(r"<(script|style).*?</\1>|\{[^{}]*\}", "", text, flags=re.S)
        yield from (" ".join(found.split()) for found in re.findall(r">([^<>]+)<", markup))
