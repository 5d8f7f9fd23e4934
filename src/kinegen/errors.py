"""Every error that Kinegen raises on purpose: one base class, one subclass per kind."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import SupportsIndex

__all__ = [
    "AssemblyError",
    "CompileError",
    "FormatError",
    "KernelError",
    "KinegenError",
    "LinkError",
    "LoadError",
    "NameNotFoundError",
    "NumberError",
    "Problem",
    "RaffError",
    "RefusedError",
    "StoppedError",
    "UsageError",
    "did_you_mean",
    "reason",
    "seed_number",
    "thread_count",
    "unknown_name",
    "whole_number",
]


class KinegenError(Exception):
    """Base of all errors that Kinegen raises on purpose."""


class UsageError(KinegenError, ValueError):
    """An argument cannot be used: its shape, size or type is wrong, or an option is unknown."""


class NameNotFoundError(KinegenError, KeyError):
    """A name is not in the collection it was looked up in."""

    def __init__(self, message: str, *, name: str = "", allowed: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.name = name
        self.allowed = tuple(allowed)

    def __str__(self) -> str:
        """The message itself: KeyError would print it quoted."""
        return str(self.args[0])


class NumberError(KinegenError, ValueError):
    """A number is not finite, is out of range, or cannot be changed there."""


class CompileError(KinegenError, ValueError):
    """A mechanism cannot be compiled into a model: its graph is invalid."""


class AssemblyError(KinegenError, ValueError):
    """The loops of a mechanism cannot be closed; ``gap`` is how far they stay open [m]."""

    def __init__(self, message: str, *, gap: float) -> None:
        super().__init__(message)
        self.gap = gap


class LinkError(KinegenError, ConnectionError):
    """A studio or a real robot cannot be reached, or the connection to it has ended."""


class RefusedError(KinegenError, ValueError):
    """A studio rejected a request; nothing has changed."""


class StoppedError(KinegenError, RuntimeError):
    """A real robot was stopped: it does nothing until it is started again."""


class LoadError(KinegenError, ValueError):
    """No motor of the mechanism holds a load or drives a motion."""


class KernelError(KinegenError, RuntimeError):
    """The compiled kernels are missing or reject their arguments."""


class FormatError(KinegenError, ValueError):
    """A file of another format cannot be read or written."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A problem in a RAFF text, with its position (lines and columns count from 1)."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        """The problem in the form that editors and terminals recognise."""
        return f"{self.file}:{self.line}:{self.column}: {self.message}"

    @property
    def brief(self) -> str:
        """The same without column and without the folders of this machine."""
        name = PurePath(self.file).name if PurePath(self.file).is_absolute() else self.file
        return f"{name}:{self.line}: {self.message}"


class RaffError(KinegenError, ValueError):
    """A RAFF text has problems; all of them are in ``problems``, in reading order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[RaffError], tuple[tuple[Problem, ...]]]:
        """Pickled as its problems, so that it passes between processes."""
        return type(self), (self.problems,)


COMPARED = 100_000
"""Characters of names that one hint is sought among: at most a third of a second."""


def reason(error: Exception) -> str:
    """The reason of an error without paths of this machine, for remote users."""
    if isinstance(error, OSError) and not isinstance(error, LinkError):
        return error.strerror or type(error).__name__
    return str(error)


def whole_number(value: SupportsIndex, what: str, least: int, most: int) -> int:
    """An integer within bounds; otherwise a UsageError that names the bounds."""
    try:
        number = operator.index(value)
        if not isinstance(value, bool) and least <= number <= most:
            return number
    except TypeError:
        pass
    shown = repr(value)
    raise UsageError(
        f"{what} must be a whole number from {least:,} to {most:,}, not "
        f"{shown if len(shown) <= 60 else shown[:60] + '…'}"
    )


def seed_number(seed: SupportsIndex) -> int:
    """A seed as the kernels take it."""
    return whole_number(seed, "a seed", 0, 2**64 - 1)


def thread_count(threads: SupportsIndex) -> int:
    """A number of threads as the kernels take it; 0 stands for all cores."""
    return whole_number(threads, "the number of threads", 0, 1024)


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` for the nearest allowed name, or an empty string."""
    import difflib  # here: importing this module stays cheap

    choices, room = {}, COMPARED
    for choice in allowed:
        room -= len(choice)
        if room < 0:
            break
        choices[choice.lower()] = choice
    # Names beyond this length are noise, and the comparison is quadratic in it.
    near = difflib.get_close_matches(str(name)[:60].lower(), choices, n=1, cutoff=0.6)
    return f"; did you mean '{choices[near[0]]}'?" if near else ""


def unknown_name(
    kind: str, name: str, where: str, allowed: Iterable[str], *, plural: str = ""
) -> NameNotFoundError:
    """The error for a name that is not in a collection, listing what is."""
    names = list(allowed)
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    hint = did_you_mean(name, names) or ";"
    return NameNotFoundError(
        f"{kind} '{name}' is not in {where}{hint} {plural or kind + 's'}: {listed or 'none'}",
        name=name,
        allowed=names,
    )
