"""History: the steps of a session, to be taken back and done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from kinegen.kernels import Floats

__all__ = ["History", "Step"]

MERGE = 1.0
"""[s] Keystrokes closer together than this are one step."""
MOST_STEPS = 2000
MOST_BYTES = 64 * 2**20
"""Memory that the texts and poses of all steps may take; the oldest steps go first."""
_LONGEST_LABEL = 200
"""Letters: every page gets the labels with every change."""
MOST_KEPT = 200
"""Steps around the present that the journal keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A state of a session, and in words how it came about."""

    label: str
    """Such as 'change crank', 'drag', 'add joint D'."""
    text: str
    """As in the editor, problems and all."""
    good_text: str
    """The last text without problems: the one that the pose belongs to."""
    q: Floats
    file: str | None
    base: str = ""
    """What the text was opened as, where no file holds it: a difference is unsaved work."""
    document: int = 0
    """Counts what was opened: steps of the same one belong to the same file."""

    @property
    def size(self) -> int:
        """Memory it takes, roughly [bytes]; texts that steps share count for each."""
        shared = self.text is self.good_text
        return len(self.text) + (0 if shared else len(self.good_text)) + 8 * len(self.q)


class History:
    """States one after the other, and which of them is the present."""

    def __init__(self, *steps: Step, at: int = 0, clock: Callable[[], float] = monotonic) -> None:
        self._steps = list(steps)
        self._at = at
        self._clock = clock
        self._merge: tuple[str, float] | None = None
        """What the last step may be merged with, and when it was made."""

    @property
    def present(self) -> Step:
        """The state as it is now."""
        return self._steps[self._at]

    @property
    def undo_label(self) -> str | None:
        """What undo would take back; None where there is nothing."""
        return self._steps[self._at].label if self._at > 0 else None

    @property
    def redo_label(self) -> str | None:
        """What redo would do again."""
        return self._steps[self._at + 1].label if self._at + 1 < len(self._steps) else None

    def add(self, step: Step, *, merge: str | None = None) -> None:
        """Continue with a new state; undone steps are forgotten.

        Args:
            step: The new state.
            merge: Steps of the same such name that follow each other closely become one.
        """
        if len(step.label) > _LONGEST_LABEL:
            step = replace(step, label=step.label[:_LONGEST_LABEL] + "…")
        merges = merge is not None and self.origin(merge) is not None
        now = self._clock()
        del self._steps[self._at + 1 :]
        if merges:
            self._steps[self._at] = step
        else:
            self._steps.append(step)
            self._at += 1
        self._merge = (merge, now) if merge else None
        self._forget()

    def origin(self, merge: str) -> Step | None:
        """The state before those that a further one would be merged with, if there is one."""
        last, is_last = self._merge, self._at == len(self._steps) - 1
        if last is None or not is_last or last[0] != merge or self._clock() - last[1] >= MERGE:
            return None
        return self._steps[self._at - 1] if self._at > 0 else None

    def amend(self, step: Step) -> None:
        """Put the present state right, without a step of its own."""
        self._steps[self._at] = step

    def saved(self, file: str) -> None:
        """The present was saved: all steps of what it came from belong to that file now."""
        document = self.present.document
        self._steps = [
            replace(step, file=file) if step.document == document else step for step in self._steps
        ]

    def kept(self) -> tuple[tuple[Step, ...], int]:
        """The steps that outlive the studio, and which of them is the present."""
        end = min(len(self._steps), self._at + 1 + MOST_KEPT // 4)
        first = max(0, end - MOST_KEPT)
        return tuple(self._steps[first:end]), self._at - first

    def undo(self) -> Step | None:
        """Go back one state; None at the beginning."""
        if self._at == 0:
            return None
        self._at -= 1
        self._merge = None
        return self.present

    def redo(self) -> Step | None:
        """Go forward again; None at the end."""
        if self._at + 1 >= len(self._steps):
            return None
        self._at += 1
        self._merge = None
        return self.present

    def _forget(self) -> None:
        """Drop the oldest states beyond the bounds; the present and the one before stay."""
        total = sum(step.size for step in self._steps)
        while self._at > 1 and (len(self._steps) > MOST_STEPS or total > MOST_BYTES):
            total -= self._steps.pop(0).size
            self._at -= 1
