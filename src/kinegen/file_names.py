"""Names of files that every system can hold and every person can read."""

from __future__ import annotations

import re
import unicodedata

from kinegen.errors import UsageError

__all__ = ["check_name", "legible", "name_fault", "path_fault", "portable"]

_LONGEST = 255
"""Bytes in UTF-8: what the common file systems hold."""
_FORBIDDEN = '<>:"|?*/\\'
"""What Windows has other uses for, and the separators themselves."""
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)]
)
"""Names that are devices on Windows, whatever the ending."""
_UNSEEN_KINDS = frozenset(["Cc", "Cf", "Cs", "Co", "Zl", "Zp"])
"""Control, format (zero width, direction), surrogate, private, line and paragraph separators."""
# What is not drawn either: Unicode's Default_Ignorable_Code_Point, noncharacters, Braille's blank.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f"
    "\uffa0\ufff0-\ufff8\ufffe\uffff\U000e0000-\U000e0fff]"
)
_DRIVE = re.compile(r"[A-Za-z]:(?=/)")


def name_fault(name: str) -> str:
    """Why a name cannot be that of a file on every system; empty when it can."""
    if any(unicodedata.category(c) in _UNSEEN_KINDS for c in name) or _UNSEEN.search(name):
        return "a file name must not contain control characters or invisible characters"
    if any(c in _FORBIDDEN for c in name):
        return 'a file name must not contain any of < > : " | ? * / \\'
    if not name.strip(".") or name != name.strip() or name.endswith("."):
        return "a file name must not begin or end with a blank, or end with a dot"
    # compatibility forms: Windows takes COM¹ for COM1
    stem = unicodedata.normalize("NFKC", name).split(".")[0].strip().lower()
    if stem in _DEVICES:
        return f"'{legible(name)}' is the name of a device on Windows"
    if len(name.encode("utf-8")) > _LONGEST:
        return f"a file name must have at most {_LONGEST} bytes"
    return ""


def path_fault(path: str) -> str:
    """Why a path cannot be used on every system; empty when it can.

    A drive, a leading slash and ``..`` are no faults: whether they may stand there is for those
    to say who open the file.
    """
    plain = path.replace("\\", "/")
    if plain.startswith(("//./", "//?/")):
        return "it is the name of a device on Windows"
    drive = _DRIVE.match(plain)
    parts = plain[drive.end() if drive else 0 :].split("/")
    faults = (name_fault(part) for part in parts if part not in ("", ".", ".."))
    return next(
        (fault for fault in faults if fault), "" if plain else "a file name must not be empty"
    )


def check_name(name: str) -> None:
    """UsageError for a name that a file cannot have on every system."""
    fault = name_fault(name)
    if fault:
        raise UsageError(f"a file cannot be called '{legible(name)}': {fault}")


def portable(name: str) -> str:
    """A name that is put together from others, changed where no file can have it."""
    return f"kinegen-{name}" if name_fault(name) else name


def legible(name: str, *, most: int = 80) -> str:
    """A name for a message: cut, and what cannot be seen replaced."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in name[:most])
    return shown if len(name) <= most else shown + "…"
