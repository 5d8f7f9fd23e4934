"""Jobs of a read process: what can be asked of it, what each brings, and how it answers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from kinegen.formats.load import Converted, as_raff
from kinegen.kernels import Floats
from kinegen.kinematics.solving.assembling.closing import ClosedPose
from kinegen.mechanism.graph import Mechanism
from kinegen.studio.session.compiled_text import CompiledText, edited
from kinegen.studio.session.files.project import Project, opener_of
from kinegen.studio.wire.messages import ProblemData

__all__ = [
    "Answer",
    "Change",
    "ClosePose",
    "ConvertText",
    "Done",
    "EditText",
    "Failed",
    "Kept",
    "ReadText",
    "TextJob",
    "Wrong",
]

R = TypeVar("R")
Change = Callable[[Mechanism], None]
MOST_KEPT = 4
"""Mechanisms that are kept, for the poses that are to be closed next."""


class Kept:
    """The mechanisms that a read process keeps, the latest last."""

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[str, str, str | None], CompiledText] = OrderedDict()

    def read(self, text: str, folder: str, file: str | None) -> CompiledText:
        """What a text compiles to, which is kept."""
        key = (text, folder, file)
        compiled = self._texts.pop(key, None)
        if compiled is None or not compiled.is_current():
            compiled = CompiledText.read(text, Project.again(folder), file)
        self._texts[key] = compiled
        while len(self._texts) > MOST_KEPT:
            self._texts.popitem(last=False)
        return compiled

    def clear(self) -> None:
        """Keep none."""
        self._texts.clear()


@dataclass(frozen=True)
class TextJob(Generic[R]):
    """Something that is done with a text."""

    text: str
    folder: str
    """Of the project."""
    file: str | None
    """The text's path there, None where it was never saved."""

    def run(self, kept: Kept) -> R:
        """Do it, in the process."""
        raise NotImplementedError


class ReadText(TextJob[CompiledText]):
    """Compile a text; packed."""

    def run(self, kept: Kept) -> CompiledText:  # noqa: D102
        return kept.read(self.text, self.folder, self.file).packed()


class ConvertText(TextJob[Converted]):
    """Turn a text of any format into RAFF."""

    def run(self, kept: Kept) -> Converted:  # noqa: D102
        file = self.file or ""
        return as_raff(self.text, file, opener_of(Project.again(self.folder), file))


@dataclass(frozen=True)
class EditText(TextJob[tuple[str, CompiledText]]):
    """Change the mechanism of a text: the new text, and what it compiles to."""

    change: Change

    def run(self, kept: Kept) -> tuple[str, CompiledText]:  # noqa: D102
        fresh = edited(kept.read(self.text, self.folder, self.file).trial(), self.change)
        return fresh, kept.read(fresh, self.folder, self.file).packed()


@dataclass(frozen=True)
class ClosePose(TextJob[ClosedPose]):
    """Close the loops of a pose."""

    q: Floats

    def run(self, kept: Kept) -> ClosedPose:  # noqa: D102
        return kept.read(self.text, self.folder, self.file).close(self.q)


@dataclass(frozen=True)
class Done(Generic[R]):
    """A job was done."""

    result: R


@dataclass(frozen=True)
class Wrong:
    """The text has problems."""

    problems: list[ProblemData]


@dataclass(frozen=True)
class Failed:
    """A job could not be done, in words."""

    words: str


Answer = Done[R] | Wrong | Failed
