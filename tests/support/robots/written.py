"""Robot files that Kinegen writes, read by the programs that they are for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.joint_types import JointType
from kinegen.mechanism.model_parts import ModelJoint
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q

__all__ = [
    "mechanisms",
    "mujoco_state",
    "pinocchio_state",
    "random_pose",
    "tree_variables",
    "written",
]

RANDOM = range(6)


def mechanisms(loop_count: int = 2) -> Iterator[kg.Mechanism]:
    """The whole library, then random mechanisms of every joint type."""
    for name in kg.library_names():
        yield kg.load(name)
    for seed in RANDOM:
        yield random_mechanism(seed, loop_count=loop_count)


def tree_variables(model: kg.Model) -> np.ndarray:
    """Which v belong to the tree, (n,) indices."""
    return np.concatenate(
        [np.arange(j.v.start, j.v.stop) for j in model.joints if not j.is_cut] or [np.zeros(0, int)]
    ).astype(int)


def ball_angles(quat: np.ndarray) -> np.ndarray:
    """Angles a, b, c of Rx(a) Ry(b) Rz(c)."""
    R = kg.SO3(quat).matrix
    b = math.asin(np.clip(R[0, 2], -1, 1))
    return np.array([math.atan2(-R[1, 2], R[2, 2]), b, math.atan2(-R[0, 1], R[0, 0])])


def ball_rates(angles: np.ndarray) -> np.ndarray:
    """Rates of these angles per angular velocity in the body's axes, (3, 3)."""
    _, b, c = angles
    Rz, Ry = kg.SO3.exp([0, 0, c]).matrix, kg.SO3.exp([0, b, 0]).matrix
    columns = [Rz.T @ Ry.T @ [1, 0, 0], Rz.T @ [0, 1, 0], [0, 0, 1]]
    return np.linalg.inv(np.array(columns).T)


def random_pose(model: kg.Model, seed: int) -> np.ndarray:
    """Any configuration, loops open; balls away from where three hinges lock."""
    rng = np.random.default_rng(seed)
    q = random_q(model, rng)
    for joint in model.joints:
        if joint.type is JointType.SPHERICAL:
            turn = kg.SO3.exp(rng.uniform(-0.6, 0.6, 3))
            q[joint.q] = turn.quat
    return q


def single_joints(joint: ModelJoint, q: np.ndarray, lead: float) -> Iterator[tuple[str, float]]:
    """Names and values of the hinges and slides that a joint is written as in a URDF file."""
    info, part = joint.type.info, q[joint.q]
    if joint.type is JointType.SPHERICAL:
        for letter, angle in zip("xyz", ball_angles(part), strict=True):
            yield f"{joint.name}_{letter}", angle
    elif joint.type is JointType.SCREW:
        yield joint.name, part[0]
        yield f"{joint.name}_advance", lead * part[0]
    elif info.nv == 1:
        yield joint.name, part[0]
    else:
        words = {"theta": "turn", "r": "slide"}
        for (name, _), value in zip(info.variables, part, strict=True):
            yield f"{joint.name}_{words.get(name, name)}", value


def lead_of(model: kg.Model, joint: ModelJoint) -> float:
    """Advance of a screw per radian [m]."""
    index = model.joint_index(joint.name)
    return float(model.blocks.real_part("pitch")[index]) / math.tau


def pinocchio_state(model: kg.Model, q: np.ndarray, twin: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same configuration in Pinocchio, and its velocities per ours, (nv', nv)."""
    pose, T = np.zeros(twin.nq), np.zeros((twin.nv, model.nv))
    for joint in model.joints:
        if joint.is_cut or joint.type is JointType.FIXED:
            continue
        if joint.type is JointType.FREE:
            there = twin.joints[twin.getJointId(joint.name)]
            part = q[joint.q]
            pose[there.idx_q : there.idx_q + 7] = [*part[4:], *np.roll(part[:4], -1)]
            T[there.idx_v : there.idx_v + 6, joint.v] = np.eye(6)
            continue
        lead = lead_of(model, joint)
        rows = []
        for name, value in single_joints(joint, q, lead):
            there = twin.joints[twin.getJointId(name)]
            if there.nq == 2:  # continuous: cosine and sine
                pose[there.idx_q : there.idx_q + 2] = math.cos(value), math.sin(value)
            else:
                pose[there.idx_q] = value
            rows.append(there.idx_v)
        if joint.type is JointType.SPHERICAL:
            T[rows, joint.v] = ball_rates(ball_angles(q[joint.q]))
        elif joint.type is JointType.SCREW:
            T[rows, joint.v.start] = 1.0, lead
        else:
            T[rows, range(joint.v.start, joint.v.stop)] = 1.0
    return pose, T


def mujoco_state(
    model: kg.Model, q: np.ndarray, start: np.ndarray, twin: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The same configuration in MuJoCo, and its velocities per ours, (nv', nv).

    Args:
        model: Ours.
        q: The configuration.
        start: The one that the file was written in, from which balls count.
        twin: MuJoCo's.
    """
    qpos, T = twin.qpos0.copy(), np.zeros((twin.nv, model.nv))
    for joint in model.joints:
        part, at, info = q[joint.q], joint.v.start, joint.type.info
        if (joint.is_cut and joint.type in EQUATIONS) or not info.moves:
            continue
        if info.floats and "free" in _kind(twin, joint.name):
            there, X = twin.joint(joint.name), kg.pose(model, q, joint.name)
            qpos[there.qposadr[0] : there.qposadr[0] + 7] = [*X.translation, *X.quat]
            T[there.dofadr[0] : there.dofadr[0] + 3, at : at + 3] = X.so3.matrix
            T[there.dofadr[0] + 3 : there.dofadr[0] + 6, at + 3 : at + 6] = np.eye(3)
            continue
        if info.has_quaternion:
            R0, R = kg.SO3(start[joint.q][:4]), kg.SO3(part[:4])
            there = twin.joint(f"{joint.name}_turn" if info.floats else joint.name)
            qpos[there.qposadr[0] : there.qposadr[0] + 4] = (R0.inverse() @ R).quat
            T[there.dofadr[0] : there.dofadr[0] + 3, joint.v.stop - 3 : joint.v.stop] = np.eye(3)
            for k, name in enumerate(("vx", "vy", "vz") if info.floats else ()):
                there = twin.joint(f"{joint.name}_{name}")
                qpos[there.qposadr[0]] = part[4 + k]
                T[there.dofadr[0], at : at + 3] = R.matrix[k]  # slides first, then the ball
            continue
        lead = lead_of(model, joint)
        for k, (name, value) in enumerate(single_joints(joint, q, lead)):
            there = twin.joint(name)
            qpos[there.qposadr[0]] = value
            if joint.type is JointType.SCREW:
                T[there.dofadr[0], at] = (1.0, lead)[k]
            else:
                T[there.dofadr[0], at + k] = 1.0
    return qpos, T


def _kind(twin: Any, joint: str) -> str:
    try:
        return "free" if twin.joint(joint).type[0] == 0 else "other"
    except KeyError:
        return ""


EQUATIONS = (JointType.REVOLUTE, JointType.SPHERICAL, JointType.FIXED, JointType.FREE)
"""Cut joints that are equations in an MJCF file, and nothing else."""


def written(mechanism: kg.Mechanism, folder: Path, suffix: str) -> Path:
    """The file of a mechanism."""
    path = folder / f"{mechanism.name}{suffix}"
    kg.export(mechanism, path)
    return path
