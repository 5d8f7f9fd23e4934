"""The text of a SYMORO ``.par`` file: assignments of numbers and lists, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kinegen.errors import did_you_mean
from kinegen.formats.problems import Notes
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.operations import FUNCTIONS
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError

__all__ = ["GEOMETRY", "Item", "ParText", "is_par_text", "read_par_text"]

COUNTS = ("nl", "nj", "nf", "type", "is_mobile")
GEOMETRY = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
"""Lists with one entry per frame."""
INERTIA = ("xx", "xy", "xz", "yy", "yz", "zz", "mx", "my", "mz", "m", "ia", "fv", "fs")
"""Lists with one entry per link that are read."""
_OTHERS = ("fx", "fy", "fz", "cx", "cy", "cz", "qp", "qdp", "gam", "w0", "wp0", "v0", "vp0")
_LISTS = (*GEOMETRY, *INERTIA, *_OTHERS, "g", "z")

_COMMENT = re.compile(r"\(\*.*?(?:\*\)|\Z)", re.DOTALL)
_ROBOT = re.compile(r"robotname\s*=\s*['\"]?([^'\"\n*]+)", re.IGNORECASE)
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Item:
    """One value as written."""

    text: str
    offset: int


@dataclass(slots=True)
class ParText:
    """What a file says, before any of it is understood."""

    robot: str | None = None
    counts: dict[str, Item] = field(default_factory=dict)
    lists: dict[str, list[Item]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    """Where each key is."""


def is_par_text(text: str) -> bool:
    """Whether a text is a SYMORO file, by the robot's name in its first comment."""
    first = _COMMENT.search(text)
    return first is not None and _ROBOT.search(first.group()) is not None


def read_par_text(text: str, notes: Notes) -> ParText:
    """Split a file into its assignments; what is wrong goes to the notes."""
    par = ParText()
    robot = _ROBOT.search(text)
    if robot:
        par.robot = robot.group(1).strip()
    # Blanks for comments keep every other character at its place.
    bare = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    at = 0
    while bare[at:].strip():
        found = _KEY.match(bare, at)
        if found is None:
            start = at + len(bare[at:]) - len(bare[at:].lstrip())
            line = bare[start:].split("\n", 1)[0].strip()
            notes.add(start, f"'{line[:40]}' is not 'name = value' or 'name = {{…}}'")
            at = _line_end(bare, start)
            continue
        key, place = found.group(1).lower(), found.start(1)
        at = found.end()
        if key in par.places:
            notes.add(place, f"'{found.group(1)}' appears twice")
        par.places[key] = place
        if bare[at : at + 1] == "{":
            end = bare.find("}", at)
            if end < 0 or re.search(r"[{=]", bare[at + 1 : end]):
                notes.add(at, f"the list of '{found.group(1)}' is not closed: '}}' is missing")
                end = _line_end(bare, at)
            if key in _LISTS:
                par.lists[key] = _items(bare, at + 1, end)
            else:
                hint = did_you_mean(found.group(1), _LISTS)
                notes.add(place, f"unknown list '{found.group(1)}'{hint}")
            at = end + 1
        else:
            end = _line_end(bare, at)
            if key in COUNTS:
                par.counts[key] = Item(bare[at:end].strip(), at)
            else:
                hint = did_you_mean(found.group(1), (*COUNTS, *_LISTS))
                notes.add(place, f"unknown name '{found.group(1)}'{hint}")
            at = end
    return par


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _items(text: str, start: int, end: int) -> list[Item]:
    """The values between commas; a comma inside parentheses does not count."""
    items: list[Item] = []
    depth, first = 0, start
    for i in range(start, end + 1):
        letter = text[i] if i < end else ","
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and (depth <= 0 or i == end):
            raw = text[first:i]
            items.append(Item(raw.strip(), first + len(raw) - len(raw.lstrip())))
            first = i + 1
    return [] if len(items) == 1 and not items[0].text else items


def formula_of(item: Item, what: str, notes: Notes) -> Formula:
    """The formula of a value; SYMORO also writes Pi, and brackets as Mathematica does."""
    text = item.text.replace("[", "(").replace("]", ")")
    text = re.sub(r"\bPI\b|\bPi\b", "pi", text)
    names = {name.lower() for name in FUNCTIONS}
    text = re.sub(
        r"\b([A-Za-z]\w*)(?=\s*\()",
        lambda found: found.group().lower() if found.group().lower() in names else found.group(),
        text,
    )
    try:
        return parse_formula(text)
    except FormulaError as error:
        notes.add(item.offset + min(error.offset, len(item.text)), f"{what}: {error.reason}")
        return Formula.constant(0.0)
