"""Crossing singular poses: what lies on each branch, and the way there with bounded steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats, singularity_monitor
from kinegen.kernels.protocols.singular import FoundBranch, MonitorStatus
from kinegen.kernels.steps import AMPLITUDE
from kinegen.kinematics.configurations import Configuration, configuration, difference
from kinegen.kinematics.limits import outside_limits
from kinegen.kinematics.mobility.scaled_motion import closed_configuration
from kinegen.kinematics.singular.ahead import NOWHERE, STEP, search, watched_by
from kinegen.kinematics.singular.branch_names import branch_name
from kinegen.kinematics.singular.headings import AnyHeading, Way, as_heading
from kinegen.kinematics.singular.singularity import Probe, Singularity, examine
from kinegen.kinematics.singular.task_rows import Tasks
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_columns
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result

__all__ = ["BranchBeyond", "Crossing", "CrossingPath", "branches_beyond", "cross"]

_KINDS = ("task", "gain")


@dataclass(frozen=True, slots=True, eq=False)
class BranchBeyond:
    """One way on from a singular pose."""

    name: str
    """In words, such as "'B' bends the other way (-)"."""
    sign: int
    """Sign of the motion of the joint that is named first."""
    q: Floats
    """A pose beyond: the phantom, (nq,)."""
    path: Floats
    """Closed poses from the present one through the singular one to the phantom, (n, nq)."""
    crosses: bool
    """Whether it leads to another branch, and not back to the present one."""
    beyond: tuple[str, ...]
    """Joints that are outside their limits somewhere on the way."""


@dataclass(frozen=True, slots=True, eq=False)
class CrossingPath(Result):
    """The way through a singular pose to a branch beyond it."""

    model: Model
    branch: BranchBeyond
    q: Floats
    """Configurations with closed loops, in small steps, (n, nq)."""

    def columns(self) -> Columns:
        """A row per configuration."""
        return q_columns(self.model, self.q)


@dataclass(frozen=True, slots=True, eq=False)
class Crossing(Result):
    """A singular pose and the ways on from it."""

    singular: Singularity
    branches: tuple[BranchBeyond, ...]
    """Those that cross first."""

    def columns(self) -> Columns:
        """A row per branch."""
        return {
            "branch": [branch.name for branch in self.branches],
            "crosses": [branch.crosses for branch in self.branches],
            "beyond limits": [" ".join(branch.beyond) for branch in self.branches],
        }

    def branch(self, which: int | str) -> BranchBeyond:
        """A branch by index, or by a part of its name."""
        if isinstance(which, int):
            if 0 <= which < len(self.branches):
                return self.branches[which]
        else:
            for branch in self.branches:
                if which in branch.name:
                    return branch
        names = "; ".join(f"{i}: {branch.name}" for i, branch in enumerate(self.branches))
        raise UsageError(f"there is no branch {which!r}; branches: {names}")


def branches_beyond(
    model: AnyModel,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    heading: AnyHeading | None = None,
    inputs: Sequence[str] | None = None,
    kind: str | None = None,
    amplitude: float = AMPLITUDE,
) -> Crossing:
    """The singular pose ahead or nearby, and the poses on each branch beyond it.

    With a heading, it is the first singular pose ahead, and the phantoms have the frame (or the
    inputs) back at the present position if possible. Without a heading, it is the nearest one, and
    the phantoms of a pair have the frame (or the inputs) at the same position.

    Args:
        model: the compiled mechanism.
        q: the present configuration, loops closed.
        tasks: frames that should move; by default the heading's own, or the file's last.
        heading: the direction of motion, as for :func:`singular_ahead`.
        inputs: joints that are driven; by default those with motors.
        kind: 'task' or 'gain', to consider only that kind.
        amplitude: how far beyond the phantoms are [rad, or sizes of the mechanism].
    """
    model = model_of(model)
    if kind is not None and kind not in _KINDS:
        raise UsageError(f"a singularity must be of kind 'task' or 'gain', got '{kind}'")
    here = closed_configuration(model, q)
    wanted = None if heading is None else as_heading(heading)
    way = Way(model, here, wanted, inputs)
    named = watched_by(model, wanted) if wanted else model.site_names[-1]
    probe = Probe(model, here, tasks or named, inputs)
    number = -1 if kind is None else _KINDS.index(kind)
    status, _, _, approach, found = probe.monitor.branches_beyond(
        here, way.ints, way.reals, number, amplitude
    )
    if status == MonitorStatus.HEADING_IS_ZERO:
        raise UsageError(NOWHERE)
    if status == MonitorStatus.NOTHING_AHEAD:
        ahead = search(probe, way, here, -1.0, limits=True, step=STEP, near=0.0)
        raise UsageError(f"there is nothing to cross: {ahead.text}")
    if status == MonitorStatus.NONE_NEARBY:
        distances = probe.monitor.measure(here)[1:3]
        nearer = kind or _KINDS[int(np.argmin(distances))]
        raise UsageError(
            f"mechanism '{model.name}' has no singular pose of kind '{nearer}' near this one"
        )
    singular = examine(probe, approach[-1])
    if status == MonitorStatus.WRONG_KIND:
        raise UsageError(f"the singular pose ahead is not of kind '{kind}': {singular.text}")
    return Crossing(singular, tuple(_branch(model, each) for each in found))


def _branch(model: Model, found: FoundBranch) -> BranchBeyond:
    path = np.array(found[-1])
    outside = {name: None for q in path for name in outside_limits(model, q)}
    return BranchBeyond(
        branch_name(model, found), found[2], path[-1], path, found[1], tuple(outside)
    )


def cross(
    model: AnyModel,
    q: Configuration,
    tasks: Tasks | None = None,
    *,
    branch: BranchBeyond | int | str = 0,
    max_step: float,
    dt: float | None = None,
    heading: AnyHeading | None = None,
    inputs: Sequence[str] | None = None,
) -> CrossingPath:
    """A motion through a singular pose to one of its branches, in small steps with closed loops.

    Args:
        model: the compiled mechanism.
        q: the present configuration, loops closed.
        tasks: frames that should move, as for :func:`branches_beyond`.
        branch: a branch of :func:`branches_beyond`, its index, or a part of its name.
        max_step: largest change of any joint between two configurations [rad or m].
        dt: time between two configurations [s]; joints then also respect the speed limits of their
            motors.
        heading: as for :func:`branches_beyond`.
        inputs: as for :func:`branches_beyond`.
    """
    model = model_of(model)
    if not (np.isfinite(max_step) and max_step > 0):
        raise UsageError(f"max_step is {max_step}, must be positive [rad or m]")
    if dt is not None and not (np.isfinite(dt) and dt > 0):
        raise UsageError(f"dt is {dt} s, must be positive")
    if not isinstance(branch, BranchBeyond):
        branch = branches_beyond(model, q, tasks, heading=heading, inputs=inputs).branch(branch)
    elif np.abs(difference(model, configuration(model, q), branch.path[0])).max(initial=0.0) > 1e-6:
        raise UsageError("this branch was found from another pose: compute the branches again")
    bounds = np.full(model.nv, max_step)
    if dt is not None:
        bounds = np.minimum(bounds, model.speed * dt)
    path = singularity_monitor(model.blocks.ints, model.blocks.reals).refine(branch.path, bounds)
    if path is None:
        raise AssemblyError(f"mechanism '{model.name}' would jump during the crossing", gap=0.0)
    return CrossingPath(model, branch, np.array(path))
