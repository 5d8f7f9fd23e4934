"""Loop closure: how far each cut joint is from where it must land, and how that changes."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.base import TaskKind
from kinegen.kernels.reference.base.forward import forward_links, loop_transforms
from kinegen.kernels.reference.base.jacobian import body_jacobian, joint_columns, site_jacobian
from kinegen.kernels.reference.base.model import Model
from kinegen.kernels.reference.base.rotation import right_jacobian_inverse, rotation_log
from kinegen.kernels.reference.base.transform import adjoint, inverse
from kinegen.kernels.reference.loops.coupling import coupling_residual, coupling_row


def loop_residual(m: Model, q: Floats) -> Floats:
    """Phi of all loops and couplings, (loop_count, 6): p_KM_K [m], log R_KM [rad]."""
    Xs_WL = forward_links(m, q)
    phi = np.zeros((m.blocks.counts.loop, 6))
    for loop in range(m.blocks.counts.loop):
        if loop >= m.blocks.counts.cut:
            phi[loop] = coupling_residual(m.blocks, q, loop - m.blocks.counts.cut)
            continue
        X_WM, X_WK = loop_transforms(m, q, Xs_WL, loop)
        X_KM = inverse(X_WK) @ X_WM
        phi[loop] = np.concatenate([X_KM[:3, 3], rotation_log(X_KM[:3, :3])])
    return phi


def loop_rows(m: Model, q: Floats, Xs_WL: list[Floats], loop: int) -> Floats:
    """Jacobian rows of one loop, (6, nv): the exact derivative of phi, closed or not."""
    if loop >= m.blocks.counts.cut:
        return coupling_row(m.blocks, q, loop - m.blocks.counts.cut)
    cut = m.loop_joint[loop]
    X_WM, X_WK = loop_transforms(m, q, Xs_WL, loop)
    X_KM = inverse(X_WK) @ X_WM
    J_M = body_jacobian(m, q, Xs_WL, m.joint_parent[cut], X_WM)
    J_M[:, m.v_of(cut)] = joint_columns(m, q, cut, np.eye(4))
    J_K = body_jacobian(m, q, Xs_WL, m.joint_child[cut], X_WK)
    V_KM = J_M - adjoint(inverse(X_KM)) @ J_K  # M relative to K, at M in M's axes
    linear = X_KM[:3, :3] @ V_KM[:3]
    angular = right_jacobian_inverse(rotation_log(X_KM[:3, :3])) @ V_KM[3:]
    return np.concatenate([linear, angular])


def loop_jacobian(m: Model, q: Floats) -> Floats:
    """Derivative of phi, (6 · loop_count, nv)."""
    Xs_WL = forward_links(m, q)
    rows = [loop_rows(m, q, Xs_WL, loop) for loop in range(m.blocks.counts.loop)]
    return np.concatenate([np.zeros((0, m.nv)), *rows])


def augmented_jacobian(m: Model, q: Floats, tasks: Ints) -> Floats:
    """CINEGEN's augmented Jacobian: rows of (site, kind) tasks in world axes, then the loops'."""
    Xs_WL = forward_links(m, q)
    rows = []
    for site, kind in np.reshape(tasks, (-1, 2)).tolist():
        J = site_jacobian(m, q, Xs_WL, site, np.zeros(3), -1)
        parts = {TaskKind.POSE: J, TaskKind.POINT: J[:3], TaskKind.ROTATION: J[3:]}
        rows.append(parts[TaskKind(kind)])
    return np.concatenate([np.zeros((0, m.nv)), *rows, loop_jacobian(m, q)])
