"""The kinds of values a RAFF key may have: the words the grammar is written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
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


@dataclass(frozen=True, slots=True)
class Text:
    """Any text."""


@dataclass(frozen=True, slots=True)
class Name:
    """A new name."""

    digit_first: bool = False
    """Whether it may start with a digit, as mechanisms' own names do (3-rrr)."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of something else in the file."""

    to: str
    """What it may name: 'link', 'place' (link or frame), 'joint', 'sensor', 'thing' (any)."""


@dataclass(frozen=True, slots=True)
class Word:
    """One of a few words."""

    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number or formula."""

    quantity: str = ""
    """What it measures; empty: anything."""
    sign: str = ""
    """'positive', 'not negative', or empty for any."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list."""

    item: Kind
    sizes: tuple[int, ...] = ()
    """Allowed lengths; empty: any, also none."""
    parts: tuple[Kind, ...] = ()
    """A kind for each item where they differ; wins over ``item``."""
    hint: str = ""
    """What the items are, for the message about a wrong length: 'lower, upper'."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value, or the word none."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Either:
    """Different kinds, told apart by how the value is written."""

    scalar: Kind | None = None
    listing: ListOf | None = None
    mapping: Section | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping with names chosen by the author."""

    value: Kind


@dataclass(frozen=True, slots=True)
class Free:
    """Anything: kept as it is."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a section."""

    kind: Kind
    doc: str
    """One line for people."""
    default: str = ""
    """What absence means, in words; empty where absence means nothing."""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A mapping with fixed keys."""

    title: str
    """In messages: 'a joint', 'motor'."""
    keys: Mapping[str, Key]
    hints: Mapping[str, str] = field(default_factory=dict)
    """What to say about keys of other formats that people try here."""


Kind = (
    Text
    | Name
    | Reference
    | Word
    | Flag
    | Number
    | ListOf
    | Maybe
    | Either
    | Section
    | Table
    | Free
)
