"""Jacobians of any site and their time derivatives; rows linear first, then angular.

Velocities here are body twists pushed through adjoints; the compiled kernels work with axes and
points in the world instead, so that the two can find each other's mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.forward import site_transform
from kinegen.kernels.reference.base.model import Model
from kinegen.kernels.reference.base.rotation import cross_matrix
from kinegen.kernels.reference.base.transform import (
    adjoint,
    inverse,
    joint_steps,
    transform,
    twist_bracket,
)


def to_base(m: Model, link: int) -> Iterator[int]:
    """The joints between a link and the base, from the link on."""
    joint = m.link_joint[link]
    while joint >= 0:
        yield joint
        joint = m.link_joint[m.joint_parent[joint]]


def joint_columns(m: Model, q: Floats, joint: int, X_MS: Floats) -> Floats:
    """A joint's columns of the body Jacobian at S, given S in the joint's moving frame."""
    steps = joint_steps(m.joint_type[joint], q[m.q_of(joint)], float(m.pitch[joint]))
    X_step_S, parts = X_MS, []
    for step in reversed(steps):
        parts.append(adjoint(inverse(X_step_S)) @ step.subspace)
        X_step_S = step.transform @ X_step_S
    return np.hstack(parts[::-1]) if parts else np.zeros((6, 0))


def body_jacobian(m: Model, q: Floats, Xs_WL: list[Floats], link: int, X_WS: Floats) -> Floats:
    """Body Jacobian at S (fixed on a link): twists at S in S's axes, (6, nv)."""
    J = np.zeros((6, m.nv))
    for joint in to_base(m, link):
        X_MS = inverse(Xs_WL[m.joint_child[joint]]) @ X_WS
        J[:, m.v_of(joint)] = joint_columns(m, q, joint, X_MS)
    return J


def link_twists(m: Model, q: Floats, v: Floats, Xs_WL: list[Floats]) -> Floats:
    """Twists V_WL_W of all links at their origins, (link_count, 6)."""
    twists = np.empty((len(Xs_WL), 6))
    for link, X_WL in enumerate(Xs_WL):
        V = body_jacobian(m, q, Xs_WL, link, X_WL) @ v
        twists[link] = np.concatenate([X_WL[:3, :3] @ V[:3], X_WL[:3, :3] @ V[3:]])
    return twists


def site_jacobian(
    m: Model, q: Floats, Xs_WL: list[Floats], site: int, point: Floats, axes: int
) -> Floats:
    """Jacobian (6, nv) of a point given in the site's frame, in the axes of a site or the world."""
    X_WT = site_transform(m, Xs_WL, site) @ transform(p=point)
    R_ET = _axes(m, Xs_WL, axes).T @ X_WT[:3, :3]
    return np.asarray(
        np.kron(np.eye(2), R_ET) @ body_jacobian(m, q, Xs_WL, m.site_link(site), X_WT)
    )


def site_jacobian_dot(
    m: Model, q: Floats, v: Floats, Xs_WL: list[Floats], site: int, point: Floats, axes: int
) -> Floats:
    """Time derivative (6, nv) of the same Jacobian when the joints move with v."""
    # d/dt Ad(X_SM) = Ad(X_SM) ad(V_M - Ad(X_MS) V_S), applied step by step along the chain.
    X_WT = site_transform(m, Xs_WL, site) @ transform(p=point)
    link = m.site_link(site)
    J = body_jacobian(m, q, Xs_WL, link, X_WT)
    dJ = np.zeros_like(J)
    V_beyond = np.zeros(6)  # twist of T relative to the step's frame, at T in T's axes
    for joint in to_base(m, link):
        last = m.v_of(joint).stop
        steps = joint_steps(m.joint_type[joint], q[m.q_of(joint)], float(m.pitch[joint]))
        for step in reversed(steps):
            where = slice(last - step.subspace.shape[1], last)
            dJ[:, where] = -twist_bracket(V_beyond) @ J[:, where]
            V_beyond = V_beyond + J[:, where] @ v[where]
            last = where.start
    # from T's own axes to the axes asked for, which turn as well
    R_E = _axes(m, Xs_WL, axes)
    w_T = X_WT[:3, :3] @ (J @ v)[3:]
    w_E = np.zeros(3)
    if axes >= 0:
        X_WE = site_transform(m, Xs_WL, axes)
        w_E = X_WE[:3, :3] @ (body_jacobian(m, q, Xs_WL, m.site_link(axes), X_WE) @ v)[3:]
    R_ET = R_E.T @ X_WT[:3, :3]
    R_ET_dot = R_E.T @ cross_matrix(w_T - w_E) @ X_WT[:3, :3]
    return np.asarray(np.kron(np.eye(2), R_ET) @ dJ + np.kron(np.eye(2), R_ET_dot) @ J)


def _axes(m: Model, Xs_WL: list[Floats], axes: int) -> Floats:
    """R_WE of the axes that a result is expressed in: the world's, or those of a site."""
    return np.eye(3) if axes < 0 else site_transform(m, Xs_WL, axes)[:3, :3]
