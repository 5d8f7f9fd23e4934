"""Elements of a robot file that are not carried over: counted, and reported once per kind."""

from __future__ import annotations

from collections import Counter

from kinegen.formats.robots.read.robot import Robot
from kinegen.formats.robots.read.xml_source import Element

__all__ = ["Unread", "not_read"]


class Unread:
    """Elements that a reader passed over."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], Element] = {}

    def note(self, element: Element, inside: str) -> None:
        """Count an element, by its tag and that of the element that it stands in."""
        self._first.setdefault((element.tag, inside), element)
        self._counts[element.tag, inside] += 1

    def report(self, robot: Robot) -> None:
        """List them among what is left out, each kind where it stands first."""
        for (tag, inside), count in self._counts.items():
            robot.leave_out(self._first[tag, inside], not_read(tag, inside, count))


def not_read(tag: str, inside: str, count: int) -> str:
    """Elements of one kind that are not read."""
    times = f" ({count} times, first here)" if count > 1 else ""
    return f"<{tag}> in <{inside}>{times}"
