"""What acts on the tree of the reduced engine, and the energy that it has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinegen.errors import KernelError
from kinegen.kernels.layout import TRANSFORM_SIZE, Floats
from kinegen.kernels.protocols.dynamics import Measure
from kinegen.kernels.reference.dynamics.measures import stretches
from kinegen.kernels.reference.reduced.engine import ReducedEngine, damping, of_tree, read_cuts

__all__ = ["energies", "energy_of", "find_bias", "find_efforts", "spring_rows"]


class SpringRow(NamedTuple):
    """A spring that is not of a tree joint, where the links stand."""

    row: Floats
    """Its speed by those of the tree, (nv,)."""
    stiffness: float
    damping: float
    stretch: float


COINCIDENT = 1e-12
"""Points nearer than this [m] have no direction between them: no spring acts."""


def point_springs(e: ReducedEngine, q: Floats) -> list[SpringRow]:
    """Springs between points."""
    out = []
    X = np.empty((e.links, TRANSFORM_SIZE))
    e.model.forward_links(q, X)
    for a, p_a, b, p_b, k, c, rest in zip(*e.springs, *e.numbers, strict=True):
        ends, rows = [], []
        for link, point in ((a, p_a), (b, p_b)):
            J, pose = np.empty((6, e.nv)), np.empty(7)
            e.model.site_jacobian(q, int(link), point, -1, pose, J)
            ends.append(X[link, 9:] + X[link, :9].reshape(3, 3) @ point)
            rows.append(J[:3])
        length = float(np.linalg.norm(ends[1] - ends[0]))
        along = (ends[1] - ends[0]) / length if length > COINCIDENT else np.zeros(3)
        row = of_tree(e, along @ (rows[1] - rows[0]))
        out.append(SpringRow(row, float(k), float(c), length - float(rest)))
    return out


def spring_rows(e: ReducedEngine, q: Floats) -> list[SpringRow]:
    """Springs between points, then those of cut joints."""
    whole, _, C = read_cuts(e, q, np.zeros(e.nv))
    stretch = stretches(e.dynamics.masses, whole)
    cut = [
        SpringRow(C[i], e.drive["stiffness"][i], damping(e)[i], stretch[i])
        for i in np.flatnonzero(~e.tree)
    ]
    return point_springs(e, q) + cut


def push_springs(e: ReducedEngine, q: Floats, v: Floats) -> tuple[Floats, float, float]:
    """Efforts of springs between points, their energy, the power of their dampers."""
    efforts, energy, power = np.zeros(e.nv), 0.0, 0.0
    for spring in point_springs(e, q):
        apart = float(spring.row @ v)
        efforts -= spring.row * (spring.stiffness * spring.stretch + spring.damping * apart)
        energy += 0.5 * spring.stiffness * spring.stretch**2
        power -= spring.damping * apart * apart
    return efforts, energy, power


def find_bias(e: ReducedEngine, q: Floats, v: Floats) -> tuple[Floats, float]:
    """What motion, gravity and wrenches ask of the tree, and the wrenches' power."""
    speeds = of_tree(e, v)
    bias = e.dynamics.bias(q, speeds, e.wrenches)
    if bias is None:
        raise KernelError("the state contains a value that is not a number")
    power = 0.0
    if e.wrenches is not None:
        twists = np.empty((e.links, 6))
        e.model.link_twists(q, speeds, twists)
        power = float(np.sum(e.wrenches * twists))
    return bias, power


def find_efforts(e: ReducedEngine, q: Floats, v: Floats) -> tuple[Floats, float]:
    """All efforts on the tree (nv,), and the power of loads and dampers."""
    whole, speed, C = read_cuts(e, q, v)
    bias, pushed = find_bias(e, q, v)
    effort = e.tau - damping(e) * speed
    power = pushed + float(effort @ speed)
    effort = effort - e.drive["stiffness"] * stretches(e.dynamics.masses, whole)
    pull, _, damped = push_springs(e, q, of_tree(e, v))
    return of_tree(e, effort) + C.T @ effort + pull - bias, power + damped


def energies(e: ReducedEngine, q: Floats, v: Floats) -> tuple[float, float]:
    """Kinetic and potential; q with its cut joints."""
    measures = e.dynamics.measures(q, of_tree(e, v))
    if measures is None:
        return np.nan, np.nan
    stored = push_springs(e, q, v)[1]
    height = measures[Measure.POTENTIAL] + measures[Measure.SPRINGS] + stored
    return float(measures[Measure.KINETIC]), float(height)


def energy_of(e: ReducedEngine, q: Floats, v: Floats) -> float:
    """Kinetic and potential [J]."""
    return sum(energies(e, q, v))
