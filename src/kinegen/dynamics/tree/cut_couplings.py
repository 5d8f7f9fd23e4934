"""Couplings of cut joints under forces: such a joint gets a link of its own, as tree joints have.

The link where the joint lands is parted in two, which a fixed joint holds together; that one is cut
instead. All variables keep their places, links and joints keep their numbers, and what moves and
what joints bear is the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from kinegen.joint_types import JointType
from kinegen.kernels import BoundReduced, Floats, Ints, ServoArrays, reduced
from kinegen.kernels.layout import INERTIA_SIZE, REAL_PARTS, Blocks
from kinegen.mechanism.model import Model

__all__ = ["bind_parted", "coupled_cuts", "innermost"]

_NUMBERED = ("formula", "code", "dependent", "based")
"""What only formulas need: their results are copied."""
_REACH = 0.1
"""Radius of a part of the ground, against the mechanism's size: it has mass, and never moves."""


def coupled_cuts(model: Model) -> list[int]:
    """Cut joints whose variables are coupled, by number."""
    coupled = {int(joint) for one in model.couplings for joint in one.joints}
    return [j for j in sorted(coupled) if model.joints[j].is_cut]


def bind_parted(model: Model, springs: tuple[Ints | Floats, ...], share: float) -> BoundReduced:
    """Kernels of a model with couplings of cut joints.

    Args:
        model: The compiled mechanism.
        springs: As the kernels take them.
        share: Of the mass of a link that its other part gets: where masses are moved it needs some.
    """
    return cast(BoundReduced, _Parted(model, springs, share))


def innermost(kernel: BoundReduced) -> BoundReduced:
    """The kernel itself, which many engines that are driven together need, with today's numbers."""
    return kernel.inner() if isinstance(kernel, _Parted) else kernel


class _Parted:
    """A model's kernels, bound to blocks in which coupled cut joints are the tree's."""

    def __init__(self, model: Model, springs: tuple[Any, ...], share: float) -> None:
        self._model, self._share = model, share
        self._cuts = coupled_cuts(model)
        self._blocks = _part(model, self._cuts, share)
        self._seen = model.reals.copy()
        self._inner = reduced(self._blocks.ints, self._blocks.reals, *springs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def inner(self) -> BoundReduced:
        self._refresh()
        return self._inner

    def start(self, q: Floats, v: Floats, time: float) -> tuple[bool, float, float]:
        self._refresh()
        return self._inner.start(q, v, time)

    def run(
        self, steps: int, tau: Floats, wrenches: Floats | None, servos: ServoArrays | None = None
    ) -> Any:
        self._refresh()
        return self._inner.run(steps, tau, self._wide(wrenches), servos)

    def rows(self, q: Floats) -> tuple[Floats, Floats, Floats, Ints]:
        self._refresh()
        return self._inner.rows(q)

    def targets(self, q: Floats, v: Floats) -> Floats:
        self._refresh()
        return self._inner.targets(q, v)

    def accelerations(self, tau: Floats, wrenches: Floats | None) -> tuple[Floats, Floats]:
        self._refresh()
        return self._inner.accelerations(tau, self._wide(wrenches))

    def reactions(
        self, q: Floats, v: Floats, vdot: Floats, forces: Floats, tau: Floats,
        wrenches: Floats | None,
    ) -> Floats:  # fmt: skip
        self._refresh()
        return self._inner.reactions(q, v, vdot, forces, tau, self._wide(wrenches))

    def _wide(self, wrenches: Floats | None) -> Floats | None:
        """Wrenches on all links, none on the parts."""
        if wrenches is None:
            return None
        return np.vstack([wrenches, np.zeros((len(self._cuts), 6))])

    def _refresh(self) -> None:
        """Take over numbers of the model that changed."""
        if not np.array_equal(self._model.reals, self._seen):
            self._seen = self._model.reals.copy()
            self._blocks.reals[:] = _part(self._model, self._cuts, self._share).reals


def _part(model: Model, cuts: list[int], share: float) -> Blocks:
    """Blocks of a model with parts of links, behind all links, at the ends of cut joints."""
    own, more = model.blocks, len(cuts)
    counts = own.counts
    real = counts.joint - counts.coupling
    new = Blocks.empty(
        replace(counts, link=counts.link + more, joint=counts.joint + more,
                  **dict.fromkeys(_NUMBERED, 0))
    )  # fmt: skip
    number = np.arange(counts.joint) + np.where(np.arange(counts.joint) < real, 0, more)
    welds = real + np.arange(more)
    links = counts.link + np.arange(more)
    for name in ("joint_type", "joint_parent", "joint_child", "joint_q", "joint_v"):
        new.int_part(name)[number] = own.int_part(name)
    loop_joint = own.int_part("loop_joint")
    new.int_part("loop_joint")[:] = number[loop_joint]
    new.int_part("link_joint")[: counts.link] = own.int_part("link_joint")
    new.int_part("tree_order")[: counts.tree] = own.int_part("tree_order")
    new.int_part("tree_order")[counts.tree :] = cuts
    kept = ("frame_link", "coupling_length", "term_start", "term_q", "term_v", "profile_start",
            "profile", "knot_start", "table_repeats")  # fmt: skip
    for name in kept:
        new.int_part(name)[:] = own.int_part(name)
    # each joint carries a part, which a fixed joint closes onto the link
    new.int_part("joint_type")[welds] = JointType.FIXED.info.code
    new.int_part("joint_parent")[welds] = links
    new.int_part("joint_child")[welds] = own.int_part("joint_child")[cuts]
    new.int_part("joint_q")[welds], new.int_part("joint_v")[welds] = counts.nq, counts.nv
    new.int_part("joint_child")[cuts] = links
    new.int_part("link_joint")[links] = cuts
    loops = [int(np.flatnonzero(loop_joint == j)[0]) for j in cuts]
    new.int_part("loop_joint")[loops] = welds
    # numbers
    for part in REAL_PARTS:
        if part.of not in ("link", "joint", "placement"):
            new.real_part(part.name)[:] = own.real_part(part.name)
    new.real_part("pitch")[number] = own.real_part("pitch")
    rows = np.concatenate([number, np.arange(counts.joint, counts.placement) + more])
    for name, width in (("placements", 6), ("transforms", 12)):
        new.real_part(name).reshape(-1, width)[rows] = own.real_part(name).reshape(-1, width)
    new.real_part("transforms").reshape(-1, 12)[welds] = np.eye(4, 3).ravel()
    inertia = new.real_part("inertia").reshape(-1, INERTIA_SIZE)
    inertia[: counts.link] = model.inertia
    for link, j, loop in zip(links, cuts, loops, strict=True):
        X = own.real_part("transforms").reshape(-1, 12)[counts.joint + loop]
        whole = int(own.int_part("joint_child")[j])
        inertia[link] = _take(inertia[whole], share, X) if whole else _rest(model, share, X)
    return new


def _take(row: Floats, share: float, X: Floats) -> Floats:
    """Take a share of a link's inertia, as seen from a frame of the link."""
    R, p = X[:9].reshape(3, 3), X[9:]
    taken = share * row[[0, 4, 5, 6, 7, 8, 9]]
    row[[0, 4, 5, 6, 7, 8, 9]] -= taken
    xx, yy, zz, xy, xz, yz = taken[1:]
    turned = R.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R
    tensor = turned[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return np.concatenate((taken[:1], R.T @ (row[1:4] - p), tensor))


def _rest(model: Model, share: float, X: Floats) -> Floats:
    """A part of the ground, centred in the origin of the world, where it has no energy."""
    mass, size = share * float(model.inertia[:, 0].max()), _REACH * model.size
    centre = -X[:9].reshape(3, 3).T @ X[9:]
    return np.array([mass, *centre, *[0.4 * mass * size * size] * 3, 0, 0, 0])
