"""The kinds of values a RAFF key may have: the words the grammar is written in.

Named tuples, because they are made at import: frozen dataclasses would cost seven times as much.
Their type distinguishes them, never compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = [
    "Axis",
    "Either",
    "Flag",
    "Free",
    "Key",
    "Kind",
    "ListOf",
    "Maybe",
    "Name",
    "Number",
    "Reference",
    "Section",
    "Table",
    "Text",
    "Word",
]


class Text(NamedTuple):
    """Any text."""


class Name(NamedTuple):
    """A new name."""

    digit_first: bool = False
    """Whether it may start with a digit, as mechanisms' own names do (3-rrr)."""
    quoted: bool = False
    """Whether it may have almost any characters when it is written in quotes."""


class Reference(NamedTuple):
    """The name of something else in the file."""

    to: str
    """What it may name: 'link', 'frame', 'place' (link or frame), 'joint', 'variable' (of a joint),
    'sensor', 'thing' (any), 'movable' (any, or a parameter)."""


class Word(NamedTuple):
    """One of a few words."""

    choices: tuple[str, ...]
    group: str = ""
    """Entry-point group whose names are allowed too: those of plug-ins."""


class Flag(NamedTuple):
    """true or false."""


class Number(NamedTuple):
    """A number or formula."""

    quantity: str = ""
    """What it measures; empty: anything."""
    sign: str = ""
    """'positive', 'not negative', 'not zero', 'share' (from 0 to 1), or empty for any."""
    variable: str = ""
    """A name of its own that a formula here may use: it stands for a joint's variable."""


class Axis(NamedTuple):
    """A direction: x, y, z or their opposites; an angle in the plane; three components."""


class ListOf(NamedTuple):
    """A list."""

    item: Kind
    sizes: tuple[int, ...] = ()
    """Allowed lengths; empty: any, also none."""
    parts: tuple[Kind, ...] = ()
    """A kind for each item where they differ; wins over ``item``."""
    hint: str = ""
    """What the items are, for the message about a wrong length: 'lower, upper'."""


class Maybe(NamedTuple):
    """A value, or the word none."""

    kind: Kind


class Either(NamedTuple):
    """Different kinds, distinguished by how the value is written."""

    scalar: Kind | None = None
    listing: ListOf | None = None
    mapping: Section | None = None


class Table(NamedTuple):
    """A mapping with names chosen by the author."""

    value: Kind
    dotted: bool = False
    """Whether they may reach into included robots: ``gripper.width``."""
    to: str = ""
    """What the names refer to, as in a Reference; empty where they are new."""


class Free(NamedTuple):
    """Anything: kept as it is."""


class Key(NamedTuple):
    """One key of a section."""

    kind: Kind
    doc: str
    """One line for people."""
    default: str = ""
    """What absence means, in words; empty where absence means nothing."""
    required: bool = False


class Section(NamedTuple):
    """A mapping with fixed keys."""

    title: str
    """In messages: 'a joint', 'motor'."""
    keys: Mapping[str, Key]
    hints: Mapping[str, str] = MappingProxyType({})
    """What to say about keys of other formats that people try here."""


Kind = (
    Text
    | Name
    | Reference
    | Word
    | Flag
    | Number
    | Axis
    | ListOf
    | Maybe
    | Either
    | Section
    | Table
    | Free
)
