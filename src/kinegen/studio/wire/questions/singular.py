"""Questions about singular poses: Jacobians, and the branches beyond."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kinegen.studio.wire.message import Question, Result
from kinegen.studio.wire.questions.solving import HandleData

__all__ = [
    "BranchBeyondData",
    "BranchesBeyondRequest",
    "BranchesBeyondResult",
    "MatricesRequest",
    "MatricesResult",
    "SingularKind",
    "SingularityData",
]

SingularKind = Literal["none", "task", "gain", "both"]


@dataclass(slots=True)
class BranchBeyondData:
    """A branch beyond a singular pose, and the way there."""

    name: str
    sign: int
    q: list[float]
    """A pose beyond: the phantom."""
    path: list[list[float]]
    """Poses from here to there."""
    crosses: bool
    """Whether the way leads through the singular pose, and not back."""
    beyond: list[str]
    """Joints that leave their limits on the way."""


@dataclass(slots=True)
class BranchesBeyondResult(Result):
    """The singular pose ahead or nearby, and the branches beyond."""

    kind: SingularKind
    text: str
    """In words."""
    q: list[float]
    """The singular pose."""
    branch_point: bool
    """Whether the loops themselves lose rank there."""
    branches: list[BranchBeyondData]


@dataclass(slots=True)
class BranchesBeyondRequest(Question):
    """The singular pose ahead or nearby, and the way to a phantom on each branch beyond."""

    KIND: ClassVar[str] = "branches_beyond"
    RESULT: ClassVar[type[Result]] = BranchesBeyondResult
    frame: str | None = None
    """None for the heading's own, or the file's last."""
    handle: HandleData | None = None
    """Where it is heading."""
    singularity: Literal["task", "gain"] | None = None
    """The kind of singular pose that is meant; None for any."""
    inputs: list[str] | None = None
    """Joints that are driven; None for those with motors."""


@dataclass(slots=True)
class SingularityData:
    """How a mechanism stands to its singular poses."""

    kind: SingularKind
    text: str
    """In words."""
    task_distance: float | None
    """0 at a singular pose; None where nothing can move."""
    gain_distance: float | None
    """None without loops or inputs."""
    task_values: list[float]
    passive_values: list[float]


@dataclass(slots=True)
class MatricesResult(Result):
    """Homogeneous matrices of all links and frames; Jacobian and singular values of one."""

    matrices: dict[str, list[list[float]]]
    """4 by 4, by the name of the link or frame."""
    frame: str
    jacobian: list[list[float]]
    singular_values: list[float]
    loop_jacobian: list[list[float]]
    loop_singular_values: list[float]
    singularity: SingularityData


@dataclass(slots=True)
class MatricesRequest(Question):
    """Matrices and Jacobians in a pose."""

    KIND: ClassVar[str] = "matrices"
    RESULT: ClassVar[type[Result]] = MatricesResult
    frame: str | None = None
    """None for the file's last."""
