"""Problems in files of other formats, reported as for RAFF: all at once, each with its place."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from kinegen.errors import FormatError, Problem

__all__ = ["FormatProblems", "Notes"]


class FormatProblems(FormatError):
    """A file of another format has problems; all of them are in ``problems``, in reading order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[FormatProblems], tuple[tuple[Problem, ...]]]:
        """Pickled as its problems, so that it passes between processes."""
        return type(self), (self.problems,)


class Notes:
    """Collects the problems of one text."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._starts = [0]
        self._starts += [i + 1 for i, letter in enumerate(text) if letter == "\n"]

    def add(self, offset: int, message: str) -> None:
        """A problem at a character of the text."""
        line = bisect.bisect_right(self._starts, offset) - 1
        place = (line + 1, offset - self._starts[line] + 1)
        self.problems.append(Problem(self.file, *place, message))

    def raise_if_any(self) -> None:
        """Stop here if anything was wrong."""
        if self.problems:
            raise FormatProblems(self.problems)
