"""What may be a name in a RAFF text, and what is wrong with what may not."""

from __future__ import annotations

import re
from typing import Final

from kinegen.raff.sections.kinds import Name
from kinegen.raff.wording import NULLS, short

__all__ = ["NAME_LIMIT", "NO_NAME", "PLAIN_NAME", "name_fault"]

NAME_LIMIT: Final = 100
"""Characters of a name."""
PLAIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
# A mechanism's own name may start with a digit, as 3-rrr does, but a number is no name.
_MECHANISM_NAME = re.compile(r"(?=[0-9_-]*[A-Za-z])[A-Za-z0-9][A-Za-z0-9_-]*\Z")
NO_NAME: Final = re.compile(r"""[=,;{}"]|^\s|\s\Z|^\Z""")
"""What no name has: the command line separates names by some of these, repeat fills in { }."""
_FORM: Final = "letters, digits, _ and -"


def name_fault(text: str, kind: Name, *, plain: bool) -> str:
    """Why a text cannot be a name; empty when it can.

    Args:
        text: The text, indices filled in.
        kind: What is named.
        plain: Whether it stands without quotes.
    """
    if not text or (plain and text in NULLS):
        return "a name is missing"
    if len(text) > NAME_LIMIT:
        return f"a name must have at most {NAME_LIMIT} characters, not {len(text)}"
    if (_MECHANISM_NAME if kind.digit_first else PLAIN_NAME).match(text):
        return ""
    what, bad = f"'{short(text)}'", NO_NAME.search(text)
    if not kind.quoted:
        if "." in text:
            return f"{what}: a name must not contain dots; they join a robot to its parts"
        first = "with a letter" if kind.digit_first else "a letter first"
        return f"{what} is not a name: {_FORM}, {first}"
    if plain and bad is None:
        why = "; the dots of 'robot.part' are for references" if "." in text else ""
        return f"{what} is not a name: {_FORM}, a letter first; put any other name in quotes{why}"
    if not text.isprintable():
        return f"{what}: a name must not contain a control character"
    if bad is None:
        return ""
    found = f"'{bad.group()}'" if bad.group().strip() else "leading or trailing spaces"
    why = "; an index is filled in inside 'repeat' only" if bad.group() in ("{", "}") else ""
    return f"{what}: a name must not contain {found}{why}"
