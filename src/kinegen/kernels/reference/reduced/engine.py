"""The reduced engine: its mechanism, how it is run, where it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinegen.kernels.layout import DRIVE_PARTS, TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.protocols.reduced import Integrator, RunStatus
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.dynamics.bound import BoundDynamics
from kinegen.kernels.reference.reduced.chart import Chart
from kinegen.kernels.reference.reduced.loops import CutJoints

__all__ = [
    "ReducedEngine",
    "Stop",
    "bind_engine",
    "damping",
    "loop_rows",
    "loop_targets",
    "move_tree",
    "of_tree",
    "read_cuts",
]


class Stop(NamedTuple):
    """An end of travel."""

    variable: int
    """Of its variable in v."""
    place: int
    """Of its variable in q."""
    sign: int
    """1: a lower end, -1: an upper one."""
    swings: bool = False
    """Whether it ends the swing of a spherical joint, whose first variable is named."""


@dataclass(slots=True, eq=False, kw_only=True)
class ReducedEngine:
    """A mechanism with loops, how it is run, and where it is; SI units, angles in radians."""

    # The mechanism

    model: BoundModel
    dynamics: BoundDynamics
    """Masses and gravity."""
    cuts: CutJoints
    chart: Chart
    nq: int
    nv: int
    links: int
    """How many, the world among them."""
    drive: dict[str, Floats]
    """Numbers per variable, (nv,) each: friction, springs and ends of travel by their names."""
    variables: list[tuple[int, int, int]]
    """Type, first place in q and first in v of every joint."""
    tree: NDArray[np.bool_]
    """Which variables are of the tree, not of a cut joint, (nv,)."""
    parents: list[int]
    """Links that carry the joints."""
    children: list[int]
    """Links that the joints carry."""
    placed: Floats
    """Joints' frames in their parents, then landings of loops and frames, (placements, 12)."""
    springs: tuple[Ints, Floats, Ints, Floats]
    """Springs between points: link a, point in it (n, 3), link b, point in it (n, 3)."""
    numbers: Floats
    """Their stiffness [N/m], damping [N s/m] and rest length [m], (3, n)."""

    # How it is run

    integrator: Integrator = Integrator.RK4
    step: float = 0.0
    """[s]"""
    tolerance: float = 1e-9
    """Error of an adaptive step, against 1 + the speeds."""
    refine: float = np.inf
    """Opening of the loops by a step [m, rad] beyond which it is repeated in halves."""
    with_stops: bool = True
    with_friction: bool = True
    restitution: float = 0.0
    """Share of its speed that a stop gives back."""
    meets_later: bool = False
    """Whether dry friction waits until the contacts are met."""

    # Where it is

    q: Floats
    v: Floats
    time: float = 0.0
    """[s]"""
    work: float = 0.0
    """Of loads, dampers, friction, stops and contacts since the start [J]."""
    trial: float = 0.0
    """Length of the adaptive step to try next [s]."""
    held_impulse: Floats
    """Of stops and dry friction over the last step, (nv,)."""

    # What acts on it

    tau: Floats
    """Efforts of motors, (nv,)."""
    wrenches: Floats | None = None
    """On links, at their origins, world axes, (links, 6)."""

    # The present step

    stiff: float = 0.0
    """Step over which springs and dampers stiffen the mass matrix [s]; 0: they do not."""
    opening: float = 0.0
    """Of the loops by the last step, before they were closed [m, rad]."""
    room_before: dict[Stop, float] = field(default_factory=dict)
    """Room to every stop where the step began [m, rad]."""
    rest: dict[Stop, float] = field(default_factory=dict)
    """Stops that joints rest on, and the forces with which they push."""

    # What a run reports

    status: RunStatus = RunStatus.OK
    culprit: int = -1
    """Variable without mass; -1: none."""
    gap: float = 0.0
    """Widest of the loops [m]."""
    angle: float = 0.0
    """The same in angle [rad]."""
    closings: int = 0
    """Corrections of the place that closed loops."""
    evaluations: int = 0
    refined: int = 0
    """Steps that were repeated in halves."""
    stop_count: int = 0
    """Impulses of stops and friction."""


def bind_engine(
    ints: Ints, reals: Floats, link_a: Ints, point_a: Floats, link_b: Ints, point_b: Floats,
    numbers: Floats,
) -> ReducedEngine:  # fmt: skip
    """The engine of a model and springs between its points, at rest at zero."""
    blocks = Blocks(ints, reals)
    nq, nv = blocks.counts.nq, blocks.counts.nv
    cuts = CutJoints(ints, reals)
    tree = np.ones(nv, dtype=bool)
    for loop in range(cuts.count):
        tree[cuts.own(loop)] = False
    kinds, firsts, speeds, parents, children = (
        blocks.int_part(name).tolist()
        for name in ("joint_type", "joint_q", "joint_v", "joint_parent", "joint_child")
    )
    cuts.sift(np.zeros(nq))
    return ReducedEngine(
        model=BoundModel(ints, reals),
        dynamics=BoundDynamics(ints, reals),
        cuts=cuts,
        chart=Chart(ints, reals),
        nq=nq,
        nv=nv,
        links=blocks.counts.link,
        drive={name: blocks.real_part(name) for name in (*DRIVE_PARTS, "lower", "upper")},
        variables=list(zip(kinds, firsts, speeds, strict=True)),
        tree=tree,
        parents=parents,
        children=children,
        placed=blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE),
        springs=(
            np.array(link_a),
            np.array(point_a).reshape(-1, 3),
            np.array(link_b),
            np.array(point_b).reshape(-1, 3),
        ),
        numbers=np.array(numbers).reshape(3, -1),
        q=np.zeros(nq),
        v=np.zeros(nv),
        held_impulse=np.zeros(nv),
        tau=np.zeros(nv),
    )


def of_tree(e: ReducedEngine, v: Floats) -> Floats:
    """Speeds without those of cut joints."""
    return np.where(e.tree, v, 0.0)


def damping(e: ReducedEngine) -> Floats:
    """Of joints, viscous and by springs, (nv,)."""
    return e.drive["viscous"] + e.drive["spring_damping"]


def loop_rows(e: ReducedEngine, q: Floats) -> tuple[Floats, Floats, Floats, Ints]:
    """J, C, T and the rows' loops, as the protocol has them."""
    J, T, loops = [np.zeros((0, e.nv))], [np.zeros((0, 6))], []
    C = np.zeros((e.nv, e.nv))
    for loop in range(e.cuts.count):
        cut = e.cuts.at(q, loop)
        J.append(e.cuts.rows(q, loop))
        C[e.cuts.own(loop)] = cut.axes @ (cut.J_B - cut.J_P)
        T.append(cut.forces)
        loops += [loop] * len(cut.forces)
    return np.vstack(J), C, np.vstack(T), np.array(loops, dtype=np.int32)


def loop_targets(e: ReducedEngine, q: Floats, v: Floats) -> Floats:
    """-J̇ v, (rows,)."""
    parts = [e.cuts.targets(q, v, loop) for loop in range(e.cuts.count)]
    return np.concatenate([np.zeros(0), *parts])


def read_cuts(e: ReducedEngine, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
    """Whole q and v, their cut joints read off, and C."""
    whole, speed, C = q.copy(), v.copy(), loop_rows(e, q)[1]
    for loop in range(e.cuts.count):
        e.cuts.read(whole, loop)
    speed[~e.tree] = (C @ of_tree(e, v))[~e.tree]
    return whole, speed, C


def move_tree(e: ReducedEngine, q: Floats, xi: Floats, scale: float = 1.0) -> Floats:
    """The place moved by a change of the tree."""
    out = np.empty(e.nq)
    e.model.integrate(q, scale * of_tree(e, xi), out)
    return out
