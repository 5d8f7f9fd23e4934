"""Velocities and accelerations under the loops: how all joints move for given inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.reference.base.bound import BoundModel
from kinegen.kernels.reference.base.joint_types import FREE, NV, UNIVERSAL
from kinegen.kernels.reference.base.rotation import cross, quat_to_matrix
from kinegen.kernels.reference.linalg.spectrum import free_motion as spectrum
from kinegen.kernels.reference.loops.coupling import coupling_bias
from kinegen.kernels.reference.loops.groups import loop_groups
from kinegen.kernels.reference.loops.system import variable_scales
from kinegen.kernels.tolerances import RANK


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is given: some of all v, and motions of some frames."""

    driven: Ints
    values: Floats
    frames: Ints
    """Site and number of rows each."""
    frame_values: Floats
    """Six numbers each."""


def find_motion(
    model: BoundModel,
    blocks: Blocks,
    q: Floats,
    v: Floats | None,
    asked: Inputs,
    size: float,
    out: Floats,
    missed: Floats,
    free_motion: Floats,
) -> tuple[float, float, int]:
    """The least motion with closed loops that comes nearest to what is asked."""
    if not np.isfinite(q).all():
        raise UsageError("a configuration must be finite")
    scale = variable_scales(blocks, size)
    least, free, torn = _loops(model, blocks, q, v, size, scale)
    rows, wanted = _inputs(model, q, v, asked, size, scale)
    lack = wanted - rows @ least
    U, values, Vt = np.linalg.svd(rows @ free)
    rank = int((values > RANK).sum())
    y = Vt[:rank].T @ (U[:, :rank].T @ lack / values[:rank])
    x = least + free @ y
    out[...] = scale * x
    missed[...] = wanted - rows @ x
    left = np.linalg.qr(scale[:, None] * (free @ Vt[rank:].T))[0].T
    free_motion.reshape(model.nv, model.nv)[: len(left)] = left
    residual = float(np.hypot(np.linalg.norm(missed), torn))
    return residual, float(values[rank - 1]) if rank else np.inf, len(left)


def _inputs(
    model: BoundModel, q: Floats, v: Floats | None, asked: Inputs, size: float, scale: Floats
) -> tuple[Floats, Floats]:
    """Inputs as equations: rows · x = wanted, scaled."""
    joints = np.flatnonzero(asked.driven)
    rows, wanted = [np.eye(model.nv)[joints]], [asked.values[joints] / scale[joints]]
    unit = np.repeat([1 / size, 1.0], 3)
    given = np.reshape(asked.frame_values, (-1, 6))
    for (site, count), value in zip(np.reshape(asked.frames, (-1, 2)).tolist(), given, strict=True):
        J, J_dot = np.empty((6, model.nv)), np.zeros((6, model.nv))
        model.site_jacobian(q, site, np.zeros(3), -1, np.empty(7), J)
        rows.append((unit[:, None] * J * scale)[:count])
        if v is None:
            wanted.append((unit * value)[:count])
        else:
            model.site_jacobian_dot(q, v, site, np.zeros(3), -1, J_dot)
            wanted.append((unit * (value - J_dot @ v))[:count])
    return np.vstack(rows), np.concatenate(wanted)


def _loops(
    model: BoundModel, blocks: Blocks, q: Floats, v: Floats | None, size: float, scale: Floats
) -> tuple[Floats, Floats, float]:
    """The least motion that the loops ask for, their free motions by columns, what is missing."""
    counts = blocks.counts
    unit = np.tile(np.repeat([1 / size, 1.0], 3), counts.loop)
    opening = np.zeros(6 * counts.loop)
    if v is not None:
        opening = -loop_bias(model, blocks, q, v) * unit
    J = np.empty((6 * counts.loop, model.nv))
    model.loop_jacobian(q, J)
    J *= unit[:, None] * scale
    kind, first = blocks.int_part("joint_type"), blocks.int_part("joint_v")

    def variables(joints: list[int]) -> list[int]:
        return [int(first[j]) + k for j in joints for k in range(NV[kind[j]])]

    groups = loop_groups(blocks)
    inside = {joint for _, joints in groups for joint in joints}
    eye = np.eye(model.nv)
    free = [eye[:, variables([j for j in range(counts.joint) if j not in inside])]]
    least = np.zeros(model.nv)
    for loops, joints in groups:
        columns = variables(joints)
        rows = [6 * n + i for n in loops for i in range(6)]
        A = J[np.ix_(rows, columns)]
        values, V, rank, _ = spectrum(A, RANK)
        along = A @ V[:rank].T
        least[columns] = V[:rank].T @ (along.T @ opening[rows] / values[:rank] ** 2)
        free.append(eye[:, columns] @ V[rank:].T)
    torn = float(np.linalg.norm(J @ least - opening))
    return least, np.hstack(free), torn


def loop_bias(model: BoundModel, blocks: Blocks, q: Floats, v: Floats) -> Floats:
    """The part of the loops' acceleration that v alone causes: d(J_phi)/dt · v, (6 · loop_count).

    J_phi · vdot must equal its negative. Exact where loops are closed and v keeps them so: then
    both ends of a cut joint have the same twist, and the rows' own axes make no difference.
    """
    counts = blocks.counts
    ends, J = np.empty((counts.loop, 2, 7)), np.empty((6 * counts.loop, counts.nv))
    links = np.empty((counts.link, TRANSFORM_SIZE))
    model.loop_poses(q, ends)
    model.loop_jacobian(q, J)
    model.forward_links(q, links)
    kinds, first = blocks.int_part("joint_type"), blocks.int_part("joint_v")
    parents, children = blocks.int_part("joint_parent"), blocks.int_part("joint_child")
    transforms = blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
    bias = np.empty((counts.loop, 6))

    def alone(link: int, point: Floats) -> tuple[Floats, Floats]:
        """Acceleration of a link's point by v alone, and the link's turning."""
        J_link, J_dot = np.empty((6, counts.nv)), np.empty((6, counts.nv))
        model.site_jacobian(q, link, point, -1, np.empty(7), J_link)
        model.site_jacobian_dot(q, v, link, point, -1, J_dot)
        return J_dot @ v, (J_link @ v)[3:]

    for loop, cut in enumerate(blocks.int_part("loop_joint").tolist()):
        if loop >= counts.cut:
            bias[loop] = coupling_bias(blocks, q, v, loop - counts.cut)
            continue
        kind, rows = int(kinds[cut]), J[6 * loop : 6 * loop + 6]
        R_WK = quat_to_matrix(ends[loop, 1, :4])
        # the cut joint's own motion, variable by variable, in world axes
        own = [rows[:, k] * v[k] for k in range(first[cut], first[cut] + NV[kind])]
        linear, angular = [R_WK @ part[:3] for part in own], [R_WK @ part[3:] for part in own]
        v_rel, w_rel = np.zeros(3) + sum(linear), np.zeros(3) + sum(angular)
        # M: its parent's acceleration at that point, Coriolis, and the joint's own curvature
        X_WP = links[parents[cut]]
        p_P = X_WP[:9].reshape(3, 3).T @ (ends[loop, 0, 4:] - X_WP[9:])
        a, w_P = alone(int(parents[cut]), np.ascontiguousarray(p_P))
        a[:3] += 2 * cross(w_P, v_rel)
        a[3:] += cross(w_P, w_rel)
        if kind == UNIVERSAL:
            a[3:] += cross(angular[0], angular[1])
        elif kind == FREE:
            a[:3] += cross(w_rel, v_rel)
        # K: fixed on the link it lands on
        a -= alone(int(children[cut]), np.ascontiguousarray(transforms[counts.joint + loop, 9:]))[0]
        bias[loop] = np.concatenate([R_WK.T @ a[:3], R_WK.T @ a[3:]])
    return bias.ravel()


def site_motions(
    model: BoundModel, blocks: Blocks, q: Floats, v: Floats, vdot: Floats
) -> tuple[Floats, Floats]:
    """Twists and accelerations of all sites, (site_count, 6) each, world axes."""
    counts = blocks.counts
    J, J_dot = np.empty((6, counts.nv)), np.empty((6, counts.nv))
    twists = np.empty((counts.link + counts.frame, 6))
    accelerations = np.empty_like(twists)
    for site in range(len(twists)):
        model.site_jacobian(q, site, np.zeros(3), -1, np.empty(7), J)
        model.site_jacobian_dot(q, v, site, np.zeros(3), -1, J_dot)
        twists[site] = J @ v
        accelerations[site] = J @ vdot + J_dot @ v
    return twists, accelerations
