"""Mounts: links of a mechanism that stand in the floor or in a fixed object from the start.

A mechanism on the ground is drawn with its first links around their joints, half of them in the
floor that it stands on. As links that a joint connects, such pairs of bodies do not touch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.dynamics.simulation.starts import closed_start
from kinegen.dynamics.simulation.system import System
from kinegen.errors import AssemblyError
from kinegen.kernels import Floats, Ints
from kinegen.mechanism.model import Model

if TYPE_CHECKING:
    from kinegen.dynamics.engines.mujoco.mjcf import MujocoModel

__all__ = ["leave_mounted", "lifted", "usual_start"]

DEEP = 1e-3
"""Depth, in sizes of the mechanism, from which on a link stands in something, not only on it."""
LIFTS = 10
"""Most attempts to lift a body: out of one thing it may come into another."""


def usual_start(model: Model) -> Floats:
    """The start of the file with its loops closed, where they can be, (nq,)."""
    try:
        return closed_start(model, None, None)[0]
    except AssemblyError:
        return model.start()


def leave_mounted(model: Any, data: Any, system: System, geom_link: Ints) -> tuple[str, ...]:
    """Let no link touch what it stands in at the start, if joints hold it to the ground.

    Args:
        model: MuJoCo's, whose geoms are changed; what never moves has groups of its own.
        data: Its data with the contacts at the start.
        system: What it was made of.
        geom_link: Link of each geom.

    Returns:
        Remarks: which links that do not sit on the ground themselves pass through what.
    """
    our = system.model
    tied = _tied(our)
    seated = {j.child for j in our.joints if j.parent == 0}
    seated |= {j.parent for j in our.joints if j.child == 0}
    passing: dict[str, list[str]] = {}
    for (one, other), distance in zip(data.contact.geom.tolist(), data.contact.dist, strict=True):
        ground, body = (one, other) if geom_link[one] == 0 else (other, one)
        link = int(geom_link[body])
        if geom_link[ground] != 0 or not tied[link] or distance > -DEEP * our.size:
            continue
        model.geom_conaffinity[body] &= ~model.geom_contype[ground]
        if link not in seated:
            what = str(model.geom(ground).name)
            what = what.rpartition(":")[0] or what  # without the number of the shape
            links = passing.setdefault(what, [])
            if our.link_names[link] not in links:
                links.append(our.link_names[link])
    return tuple(
        f"{', '.join(links)}: inside the {what} at the start, so not supported by it"
        if what == "floor"
        else f"{', '.join(links)}: inside '{what}' at the start, so not stopped by it"
        for what, links in passing.items()
    )


def _tied(model: Model) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which links joints hold to the ground, loops included, (link_count,)."""
    tied = np.zeros(model.link_count, dtype=bool)
    tied[0] = True
    joints = [joint for joint in model.joints if not joint.type.info.floats]
    changed = True
    while changed:
        changed = False
        for joint in joints:
            if tied[joint.parent] != tied[joint.child]:
                tied[joint.parent] = tied[joint.child] = changed = True
    return tied


def lifted(mj: Any, twin: MujocoModel, data: Any, system: System, q: Floats) -> Floats:
    """Lift what floats out of the floor and fixed objects it starts in, each tree as a whole."""
    our, model = system.model, twin.model
    roots = _floating(our)
    if not (roots >= 0).any():
        return q
    out = q.copy()
    for _ in range(LIFTS):
        twin.place(mj, data, out)
        mj.mj_collision(model, data)
        shifts: dict[int, tuple[float, Floats]] = {}
        found = data.contact
        for pair, depth, frame in zip(found.geom.tolist(), -found.dist, found.frame, strict=True):
            one, other = twin.geom_link[pair].tolist()
            if (one == 0) == (other == 0) or roots[max(one, other)] < 0:
                continue
            root = int(roots[max(one, other)])
            if depth > max(DEEP * our.size, shifts.get(root, (0.0,))[0]):
                shifts[root] = float(depth), frame[:3] * (1 if one == 0 else -1)
        for root, (depth, normal) in shifts.items():
            joint = our.joints[root]
            R_WF = our.transforms[joint.placement][:9].reshape(3, 3)
            out[joint.q.start + 4 : joint.q.stop] += depth * (normal @ R_WF)
        if not shifts:
            break
    return out


def _floating(model: Model) -> Ints:
    """The free joint on the ground that carries each link, (link_count,); -1: held to it."""
    tied = _tied(model)
    root = np.full(model.link_count, -1, dtype=np.int32)
    for index in model.blocks.int_part("tree_order").tolist():
        joint = model.joints[index]
        if joint.type.info.floats and joint.parent == 0 and not tied[joint.child]:
            root[joint.child] = index
        else:
            root[joint.child] = root[joint.parent]
    return root
