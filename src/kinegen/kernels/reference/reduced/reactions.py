"""Forces in the joints of the reduced engine, by what every link needs for its motion."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Floats
from kinegen.kernels.reference.base.forward import forward_links
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.dynamics.measures import stretches
from kinegen.kernels.reference.dynamics.spatial import body_of
from kinegen.kernels.reference.reduced.engine import ReducedEngine, damping, read_cuts

__all__ = ["reactions_of"]


def reactions_of(
    e: ReducedEngine, q: Floats, v: Floats, vdot: Floats, forces: Floats, tau: Floats,
    wrenches: Floats | None,
) -> Floats:  # fmt: skip
    """Wrenches of parents on children, about the joints' frames F, world axes."""
    whole, speed, _ = read_cuts(e, q, v)
    effort = tau - damping(e) * speed
    effort = effort - e.drive["stiffness"] * stretches(e.dynamics.masses, whole)
    X = np.empty((e.links, TRANSFORM_SIZE))
    e.model.forward_links(q, X)
    out = np.zeros((len(e.parents), 6))
    # what every link needs, as force and moment about the world's origin
    needs = link_needs(e, q, np.where(e.tree, v, 0), vdot)
    if wrenches is not None:
        for link in range(1, e.links):
            needs[link] -= _about(wrenches[link], X[link, 9:])
    take_springs(e, q, speed, X, needs)
    row = 0
    for loop in range(e.cuts.count):
        cut, joint = e.cuts.at(q, loop), e.cuts.joint(loop)
        count = len(cut.forces)
        wrench = forces[row : row + count] @ cut.forces + effort[e.cuts.own(loop)] @ cut.axes
        row += count
        wrench = _about(wrench, cut.p_K)
        needs[e.cuts.child[loop]] -= wrench
        needs[e.cuts.parent[loop]] += wrench
        out[joint] = wrench
    for joint in reversed(e.dynamics.masses.model.tree_order):
        out[joint] = needs[e.children[joint]]
        needs[e.parents[joint]] += out[joint]
    for joint, parent in enumerate(e.parents):
        R, p = X[parent, :9].reshape(3, 3), X[parent, 9:]
        out[joint] = _about(out[joint], -(p + R @ e.placed[joint, 9:]))
    return out


def link_needs(e: ReducedEngine, q: Floats, v: Floats, vdot: Floats) -> Floats:
    """What the motion of every link asks for, (links, 6), about the world's origin."""
    out = np.zeros((e.links, 6))
    twists = np.empty((e.links, 6))
    e.model.link_twists(q, v, twists)
    masses = e.dynamics.masses
    Xs_WL = forward_links(masses.model, q)
    for link in masses.links:
        mass, J, place, tensor, centre = body_of(masses, q, Xs_WL, link)
        J_dot = np.empty((6, e.nv))
        e.model.site_jacobian_dot(q, v, link, centre, -1, J_dot)
        rate, w = J @ vdot + J_dot @ v, twists[link, 3:]
        force = mass * (rate[:3] - masses.gravity_W)
        moment = tensor @ rate[3:] + cross(w, tensor @ w)
        out[link] = _about(np.concatenate([force, moment]), place)
    return out


def take_springs(e: ReducedEngine, q: Floats, v: Floats, X: Floats, needs: Floats) -> None:
    """Take what springs between points give from the links' needs."""
    twists = np.empty((e.links, 6))
    e.model.link_twists(q, np.where(e.tree, v, 0), twists)
    for a, p_a, b, p_b, k, c, rest in zip(*e.springs, *e.numbers, strict=True):
        places, speeds = [], []
        for link, point in ((a, p_a), (b, p_b)):
            arm = X[link, :9].reshape(3, 3) @ point
            places.append(X[link, 9:] + arm)
            speeds.append(twists[link, :3] + cross(twists[link, 3:], arm))
        length = float(np.linalg.norm(places[1] - places[0]))
        along = (places[1] - places[0]) / max(length, 1e-12)
        pull = k * (length - rest) + c * float(along @ (speeds[1] - speeds[0]))
        force = np.concatenate([pull * along, np.zeros(3)])
        needs[a] -= _about(force, places[0])
        needs[b] += _about(force, places[1])


def _about(wrench: Floats, p: Floats) -> Floats:
    """A wrench given about p, about the origin instead."""
    return np.concatenate([wrench[:3], wrench[3:] + cross(p, wrench[:3])])
