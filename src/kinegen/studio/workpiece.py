"""Workpiece: a text that reads well, its mechanism and model, and poses carried over to it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from kinegen.errors import AssemblyError, KinegenError, RaffError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.assembly import assemble, close, inputs_of
from kinegen.kinematics.closure import loop_gap
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_document
from kinegen.mechanism.model import Model
from kinegen.raff.document import Document
from kinegen.studio.model_data import model_data
from kinegen.studio.project import LARGEST_TEXT, Project
from kinegen.studio.wire import ModelData, ProblemData

__all__ = ["CLOSED", "TextProblems", "Workpiece", "draft"]

CLOSED = 1e-6
"""Loops of a pose count as closed below this gap [m, rad]."""
_ATTEMPTS = 40
"""Starts from which loops are tried to be closed: fractions of a second even in vain."""


class TextProblems(KinegenError):
    """A text that cannot be read; all that is wrong is in ``problems``."""

    def __init__(self, problems: list[ProblemData]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        place = f"line {first.line}: " if first.line else ""
        super().__init__(f"the text has problems: {place}{first.message}{more}")
        self.problems = problems


@dataclass(frozen=True, slots=True, eq=False)
class Workpiece:
    """A mechanism with its model."""

    text: str
    folder: str
    """The text's own folder within the project folder."""
    mechanism: Mechanism
    model: Model
    start: Floats
    """The file's start with its loops closed where they can be."""
    data: ModelData
    complaint: str | None
    """Why the loops cannot be closed, in words; None when they can."""

    @staticmethod
    def read(text: str, project: Project, file: str | None = None) -> Workpiece:
        """Read and compile a text; TextProblems when it has some.

        Args:
            text: The RAFF text.
            project: The folder in which files are that it may include.
            file: Its path there, None where it was never saved.
        """
        if len(text) > LARGEST_TEXT:
            raise UsageError(f"a text has at most {LARGEST_TEXT} characters, got {len(text)}")
        folder = posixpath.dirname(file or "")
        try:
            mechanism = draft(text, project, file)
            model = mechanism.compile()
            start, complaint = closed_start(model)
            data = model_data(mechanism, model, start, folder)
        except RaffError as error:
            raise TextProblems([_problem(problem) for problem in error.problems]) from None
        except KinegenError as error:
            # a graph without sense, a formula without value, a file that may not be included
            raise TextProblems([ProblemData(0, 0, str(error))]) from None
        except RecursionError:
            raise TextProblems([ProblemData(0, 0, "the text is nested too deeply")]) from None
        return Workpiece(text, folder, mechanism, model, start, data, complaint)

    def is_current(self) -> bool:
        """Whether the files that the text includes are as they were when it was read."""
        document = self.mechanism.document
        return document is None or document.opener is None or document.opener.is_current()

    def same_joints(self, other: Workpiece) -> bool:
        """Whether a pose means the same in both."""
        return [(j.name, j.type) for j in self.model.joints] == [
            (j.name, j.type) for j in other.model.joints
        ]

    def carry(self, other: Workpiece, q: Floats) -> tuple[Floats, str | None]:
        """A pose of another version taken over by the joints' names, loops closed again.

        Returns:
            The pose, and why it is open if it is.
        """
        known = {joint.name: joint for joint in other.model.joints}
        own = self.start.copy()
        for joint in self.model.joints:
            before = known.get(joint.name)
            if before is not None and before.type is joint.type:
                own[joint.q] = q[before.q]
        return self.close(own)

    def close(self, q: Floats) -> tuple[Floats, str | None]:
        """The pose next to q with closed loops, and why it is open if it is.

        Motors stay where they are as long as the loops can be closed so.
        """
        model = self.model
        if self.gap(q) <= 1e-9:
            return q, None
        motors = inputs_of(model)
        complaint = None
        for locked in (motors, ()) if motors else ((),):
            near, _ = close(model, q, locked=locked, limits=True)
            if self.gap(near) <= 1e-9:
                return near, None
            try:
                return assemble(model, q, locked=locked, attempts=_ATTEMPTS).q, None
            except AssemblyError as error:
                complaint = _why(error)
        return q, complaint

    def gap(self, q: Floats) -> float:
        """How far the loops are open: the widest place [m] or turn [rad], 0 without loops."""
        return max(loop_gap(self.model, q)) if self.model.loops else 0.0

    def checked(self, q: list[float] | Floats) -> Floats:
        """A pose that fits the model, quaternions of length 1."""
        from kinegen.kinematics.configurations import configuration

        pose = configuration(self.model, np.asarray(q, dtype=float)).copy()
        for joint in self.model.quaternion_joints:
            quat = pose[joint.q.start : joint.q.start + 4]
            quat /= np.linalg.norm(quat)
        return pose


def draft(text: str, project: Project, file: str | None = None) -> Mechanism:
    """The mechanism of a text, not compiled: to be edited."""
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in _stem(file)).strip("-")
    document = Document(text, "text", opener=project.opener(file))
    return load_document(document, name=name if name[:1].isalpha() else "mechanism")


def closed_start(model: Model) -> tuple[Floats, str | None]:
    """The file's start with closed loops; as it is, and why, where they cannot be closed."""
    start = model.start()
    try:
        return assemble(model, start, attempts=_ATTEMPTS).q, None
    except AssemblyError as error:
        return start, _why(error)


def _why(error: AssemblyError) -> str:
    """Without the gap of the best attempt: people see that of the pose that is shown."""
    return str(error).partition(": its loops stay open by")[0]


def _stem(file: str | None) -> str:
    return PurePosixPath(file).stem if file else ""


def _problem(problem: object) -> ProblemData:
    from kinegen.errors import Problem

    assert isinstance(problem, Problem)
    if problem.file == "text":
        return ProblemData(problem.line, problem.column, problem.message)
    # in an included file, which the editor does not show
    return ProblemData(0, 0, str(problem))
