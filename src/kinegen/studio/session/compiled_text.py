"""CompiledText: a text that reads well, its mechanism and model, and poses carried over to it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import numpy as np

from kinegen.errors import KinegenError, RaffError, UsageError
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHOWN_CLOSED
from kinegen.kinematics.solving.assembling.closing import (
    ClosedPose,
    carried_pose,
    close_pose,
    close_start,
)
from kinegen.kinematics.tolerances import relative_gap
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_document
from kinegen.mechanism.model import Model
from kinegen.raff.document import Document
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.opener import Opener
from kinegen.studio.session.files.project import LARGEST_TEXT, Project
from kinegen.studio.wire.codec import Encoded, encoded
from kinegen.studio.wire.data.model import model_data
from kinegen.studio.wire.data.scene import (
    device_data,
    light_data,
    motion_data,
    object_data,
    world_data,
)
from kinegen.studio.wire.data.wall import wall_data
from kinegen.studio.wire.messages import (
    DeviceData,
    LightData,
    ModelData,
    MotionData,
    ObjectData,
    ProblemData,
    WallData,
    WorldData,
)

__all__ = ["CLOSED", "CompiledText", "SlowClosing", "TextProblems", "draft", "edited"]

CLOSED = SHOWN_CLOSED
"""Loops of a pose count as closed below this gap [sizes, rad]."""
LARGEST_MODEL = 64 * 2**20
"""[bytes] What a page receives of a model: 40,000 joints, more than a browser can draw."""


class TextProblems(KinegenError):
    """A text that cannot be read; all that is wrong is in ``problems``."""

    def __init__(self, problems: list[ProblemData]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        place = f"line {first.line}: " if first.line else ""
        super().__init__(f"the text has problems: {place}{first.message}{more}")
        self.problems = problems


class SlowClosing(Exception):
    """A mechanism whose loops take long to close."""


@dataclass(frozen=True, slots=True, eq=False)
class CompiledText:
    """A mechanism with its model, and what pages receive of it."""

    text: str
    file: str | None
    """Its path in the project folder, None where it was never saved."""
    root: str
    """The project folder."""
    title: str
    description: str
    model: Model
    start: Floats
    """The file's start with its loops closed where they can be."""
    data: ModelData | Encoded
    motions: list[MotionData]
    objects: list[ObjectData]
    lights: list[LightData]
    devices: list[DeviceData]
    world: WorldData | None
    wall: WallData | None
    complaint: str | None
    """Why the loops cannot be closed, in words; None when they can."""
    start_remark: str
    """What closing the loops changed of the stated starts, in words; empty for nothing."""
    remarks: tuple[str, ...]
    """What its text says that is allowed and yet seldom meant."""
    opener: Opener | None
    """What has read the files that the text includes."""
    entries: frozenset[str]
    """Names of what stands around the mechanism."""
    kept: Mechanism | None
    """The mechanism, unless the compiled text is packed."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism, to be looked at."""
        assert self.kept is not None, "the compiled text is packed"
        return self.kept

    @property
    def folder(self) -> str:
        """The text's own folder within the project folder."""
        return posixpath.dirname(self.file or "")

    def packed(self) -> CompiledText:
        """The same, to be shown and moved and no more: arrays, names and JSON take little."""
        data = encoded(self.data)
        if len(data.json) > LARGEST_MODEL:
            raise TextProblems(
                [
                    ProblemData(
                        0, 0,
                        "the mechanism is too large for the studio: a page would receive "
                        f"{len(data.json) >> 20} MB, at most {LARGEST_MODEL >> 20} MB",
                    )
                ]
            )  # fmt: skip
        return replace(self, data=data, kept=None)

    def trial(self) -> Mechanism:
        """The mechanism, not compiled: to be edited, as if its text had been read again."""
        own = self.mechanism
        assert own.document is not None
        return replace(
            own,
            parameters={name: copy(parameter) for name, parameter in own.parameters.items()},
            joints=dict(own.joints),
            frames=dict(own.frames),
            document=own.document.trial(),
        )

    def names(self) -> set[str]:
        """Names that a new entry of the scene cannot have."""
        joints = (joint.name for joint in self.model.joints)
        return {*self.entries, *joints, *self.model.site_names}

    @staticmethod
    def read(
        text: str,
        project: Project,
        file: str | None = None,
        *,
        closes_quickly: Callable[[Model], bool] = lambda model: True,
    ) -> CompiledText:
        """Read and compile a text; TextProblems when it has some.

        Args:
            text: The RAFF text.
            project: The folder in which files are that it may include.
            file: Its path there, None where it was never saved.
            closes_quickly: Whether the loops of a model may be closed here.

        Raises:
            SlowClosing: When they may not.
        """
        if len(text) > LARGEST_TEXT:
            raise UsageError(f"a text may have at most {LARGEST_TEXT} characters, got {len(text)}")
        folder = posixpath.dirname(file or "")
        try:
            mechanism = draft(text, project, file)
            model = mechanism.compile()
            if not closes_quickly(model):
                raise SlowClosing
            closed = close_start(model)
            start = closed.q
            data = model_data(mechanism, model, start, folder)
            assert mechanism.document is not None
            mechanism.document = mechanism.document.trial()  # its nodes are of no use any more
            return CompiledText(
                text=text,
                file=file,
                root=str(project.folder),
                title=mechanism.title or mechanism.name,
                description=mechanism.description or "",
                model=model,
                start=start,
                data=data,
                motions=motion_data(mechanism, model),
                objects=object_data(mechanism, model, start, folder),
                lights=light_data(mechanism, model),
                devices=device_data(mechanism, model),
                world=world_data(mechanism, model),
                wall=wall_data(mechanism, dict(model.parameters)),
                complaint=closed.complaint,
                start_remark=closed.note,
                remarks=tuple(f"line {one.line}: {one.message}" for one in mechanism.remarks),
                opener=mechanism.document.opener,
                entries=frozenset(
                    entry["name"] for entries in mechanism.scene.values() for entry in entries
                ),
                kept=mechanism,
            )
        except RaffError as error:
            raise TextProblems([_problem(problem) for problem in error.problems]) from None
        except KinegenError as error:
            # a graph without sense, a formula without value, a file that may not be included
            raise TextProblems([ProblemData(0, 0, str(error))]) from None
        except RecursionError:
            raise TextProblems([ProblemData(0, 0, "the text is nested too deeply")]) from None

    def is_current(self) -> bool:
        """Whether the files that the text includes are as they were when it was read."""
        return self.opener is None or self.opener.is_current()

    def same_joints(self, other: CompiledText) -> bool:
        """Whether a pose means the same in both."""
        return [(j.name, j.type) for j in self.model.joints] == [
            (j.name, j.type) for j in other.model.joints
        ]

    def carry(self, other: CompiledText, q: Floats) -> ClosedPose:
        """A pose of another version taken over by the joints' names, loops closed again."""
        return self.close(self.carried(other, q))

    def carried(self, other: CompiledText, q: Floats) -> Floats:
        """A pose of another version taken over by the joints' names, loops as they are."""
        if self.complaint is None and self.model.mode not in (None, other.model.mode):
            return self.start.copy()  # the text has just named the mode that is to be seen
        return carried_pose(self.model, self.start, other.model, q)

    def close(self, q: Floats) -> ClosedPose:
        """The pose next to q with closed loops."""
        return close_pose(self.model, q)

    def gap(self, q: Floats) -> float:
        """How far the loops are open: the widest place [sizes] or turn [rad], 0 without loops."""
        return relative_gap(self.model, q) if self.model.constraint_count else 0.0

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


def edited(trial: Mechanism, change: Callable[[Mechanism], None]) -> str:
    """The text of a mechanism after a change; UsageError says why there is none.

    Args:
        trial: The mechanism, which is not used any more afterwards.
        change: What is to be done to it.
    """
    try:
        change(trial)
    except FormulaError as error:
        raise UsageError(str(error)) from None
    except RaffError as error:
        # places in a text that nobody will see help nobody
        reasons = dict.fromkeys(problem.message for problem in error.problems)
        raise UsageError("; ".join(reasons)) from None
    return trial.to_raff()


def _stem(file: str | None) -> str:
    return PurePosixPath(file).stem if file else ""


def _problem(problem: object) -> ProblemData:
    from kinegen.errors import Problem

    assert isinstance(problem, Problem)
    if problem.file == "text":
        return ProblemData(problem.line, problem.column, problem.message)
    # in an included file, which the editor does not show
    return ProblemData(0, 0, str(problem))
