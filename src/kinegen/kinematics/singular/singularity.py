"""Singular poses: which of the two kinds, how near, and what it means in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinegen.kernels import Floats, singularity_monitor
from kinegen.kernels.tolerances import RANK, SINGULAR
from kinegen.kinematics.closure import FrameTask, augmented_jacobian
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.mobility.scaled_motion import ScaledMotion, closed_configuration
from kinegen.kinematics.singular.task_rows import Tasks, pack_aims, unpack_aims
from kinegen.kinematics.singular.words import singularity_text
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Result

__all__ = [
    "AugmentedSvd",
    "Probe",
    "SingularKind",
    "Singularity",
    "augmented_svd",
    "examine",
    "singular_values",
    "singularities",
]

SingularKind = Literal["none", "task", "gain", "both"]


@dataclass(frozen=True, slots=True, eq=False)
class Singularity(Result):
    """How close a mechanism is to its singular poses at q. Values are dimensionless."""

    kind: SingularKind
    """'none', 'task' (a frame cannot move in some direction), 'gain' (the loops let a joint move
    though the inputs hold) or 'both'."""
    text: str
    """In words."""
    task_values: Floats
    """Singular values of the frames' rows over the free motion: as many as are usual nearby."""
    passive_values: Floats
    """Singular values of the loop rows over the joints without inputs: as many as are usual."""
    task_distance: float
    """The smallest of ``task_values``: 0 at a singularity; infinite if nothing can move."""
    gain_distance: float
    """The smallest of ``passive_values``; infinite without loops or inputs."""
    lost: Floats
    """Directions in which the frames cannot move, or move least: unit columns over ``rows``."""
    standing: Floats
    """Joint motions v that leave the frames where they are, (nv, count), largest share 1."""
    gained: Floats
    """Joint motions v that the inputs do not hold, (nv, count), largest share 1."""
    branch_point: bool
    """Whether the loops themselves lose rank: several branches meet here."""
    rows: tuple[str, ...]
    """Meaning of the rows of ``lost``: 'handle x' [sizes], 'handle turn z' [rad]."""
    inputs: tuple[str, ...]
    """The joints that count as driven."""
    q: Floats
    """The pose, (nq,)."""

    @property
    def task_condition(self) -> float:
        """Ratio of the smallest to the largest of ``task_values``: 1 is best, 0 is singular."""
        return _condition(self.task_values)

    @property
    def gain_condition(self) -> float:
        """Ratio of the smallest to the largest of ``passive_values``."""
        return _condition(self.passive_values)


class Probe:
    """A monitor that watches frames of a model, with what its words need."""

    def __init__(
        self,
        model: Model,
        q: Floats,
        tasks: Tasks | None,
        inputs: Sequence[str] | None = None,
    ) -> None:
        """Begin to watch.

        Args:
            model: the compiled mechanism.
            q: a closed pose; those nearby show which ranks are usual.
            tasks: frames that should move; None: only the loops are looked at.
            inputs: joints that are driven; by default those with motors.
        """
        self.model = model
        self.inputs = tuple(inputs_of(model) if inputs is None else inputs)
        driven = np.zeros(model.counts.joint, dtype=np.int32)
        for name in self.inputs:
            driven[model.joints.index(model.joint(name))] = 1
        ints, reals = np.zeros((0, 2), dtype=np.int32), np.zeros((0, 6))
        if tasks is not None:
            ints, reals = pack_aims(model, tasks)
        self.monitor = singularity_monitor(model.blocks.ints, model.blocks.reals)
        self.monitor.watch(q, ints, reals, driven)
        self.watched = unpack_aims(model, ints, reals)


def singularities(
    model: AnyModel,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    inputs: Sequence[str] | None = None,
    tolerance: float = SINGULAR,
) -> Singularity:
    """How close a pose is to singular poses of both kinds.

    Ranks are compared with those at closed poses nearby, so motions that a mechanism never has,
    such as leaving its plane, do not count.

    Args:
        model: the compiled mechanism.
        q: configuration with closed loops.
        tasks: frames that should move: names, tasks or handles; default: the file's last frame.
        inputs: joints that are driven; by default those with motors.
        tolerance: a pose is singular when a distance is smaller than this.
    """
    model = model_of(model)
    here = closed_configuration(model, q)
    probe = Probe(model, here, model.site_names[-1] if tasks is None else tasks, inputs)
    return examine(probe, here, tolerance)


def examine(probe: Probe, q: Floats, tolerance: float = SINGULAR) -> Singularity:
    """The singularity report of a pose with a probe that is at hand."""
    _, branch_point, task, gain, values, passive, *motions = probe.monitor.examine(q)
    lost, standing, gained = (each.T for each in motions)
    scale = ScaledMotion(probe.model).scale[:, None]
    kinds: dict[tuple[bool, bool], SingularKind] = {
        (False, False): "none", (True, False): "task", (False, True): "gain", (True, True): "both",
    }  # fmt: skip
    found = Singularity(
        kind=kinds[task < tolerance, gain < tolerance],
        text="",
        task_values=values,
        passive_values=passive,
        task_distance=task,
        gain_distance=gain,
        lost=lost,
        standing=_largest_one(scale * standing),
        gained=_largest_one(scale * gained),
        branch_point=branch_point,
        rows=probe.watched.labels,
        inputs=probe.inputs,
        q=q,
    )
    object.__setattr__(found, "text", singularity_text(probe.model, found, probe.watched))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class AugmentedSvd(Result):
    """CINEGEN's augmented Jacobian A = U · diag(s) · Vᵀ, scaled by the mechanism's size."""

    U: Floats
    """Column i: what the tasks and loops do, in the pattern that ``s[i]`` amplifies, over
    ``rows``."""
    s: Floats
    """Singular values, largest first; dimensionless."""
    V: Floats
    """Column i: the joint motion (unit length, over ``variables``) that causes it. Columns beyond
    the rank move neither the tasks nor open a loop."""
    rows: tuple[str, ...]
    """'handle x' [sizes], 'handle turn z' [rad], 'loop C x', …"""
    variables: tuple[str, ...]
    """The joint variable of each entry of v: 'A theta' [rad], 'leg1 r' [sizes]."""
    rank: int


def augmented_svd(model: AnyModel, q: Configuration, tasks: Sequence[FrameTask]) -> AugmentedSvd:
    """The full singular value decomposition of the augmented Jacobian."""
    model = model_of(model)
    motion = ScaledMotion(model)
    asked = list(tasks)
    count = sum(task.kind.row_count for task in asked)
    labels = unpack_aims(model, *pack_aims(model, asked)).labels if asked else ()
    owners = [f"loop {model.joints[loop.joint].name}" for loop in model.loops]
    owners += [f"coupling {coupling.name}" for coupling in model.couplings]
    parts = ("x", "y", "z", "turn x", "turn y", "turn z")
    rows = labels + tuple(f"{owner} {part}" for owner in owners for part in parts)
    weights = np.array([1.0 if " turn " in label else 1 / motion.size for label in rows])
    A = augmented_jacobian(model, q, asked) * motion.scale
    A *= weights[:, None]
    assert len(A) == count + 6 * model.constraint_count
    U, s, Vt = np.linalg.svd(A)
    columns = tuple(f"{j.name} {name}" for j in model.joints for name, _ in j.type.info.variables)
    rank = int((s > RANK * max(1.0, *s[:1])).sum())
    return AugmentedSvd(U, s, Vt.T, rows, columns, rank)


def _condition(values: Floats) -> float:
    return float(values[-1] / values[0]) if len(values) and values[0] > 0 else 1.0


def _largest_one(motions: Floats) -> Floats:
    return np.asarray(motions / np.maximum(np.abs(motions).max(axis=0, initial=0.0), 1e-300))


def singular_values(J: Floats) -> Floats:
    """Singular values of a matrix, the largest first; none for a matrix without entries."""
    return np.asarray(np.linalg.svd(J, compute_uv=False)) if J.size else np.zeros(0)
