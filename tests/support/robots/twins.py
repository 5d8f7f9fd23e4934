"""A robot as Kinegen reads it beside the same robot in Pinocchio or MuJoCo, in random poses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import kinegen as kg
from kinegen import JointType

__all__ = [
    "compare_with_mujoco",
    "compare_with_pinocchio",
    "least_force",
    "renamed",
    "rounding_joints",
    "unequal",
]

_RENAMED = re.compile(r"the name of (?P<kind>\w+) '(?P<name>.*)', which is '(?P<given>.*)' here")
POSES = 3
"""Random configurations for each file."""
TOLERANCE = 1e-9
"""Poses in metres, for robots of a few metres; matrices and forces relative to their largest."""


def renamed(mechanism: kg.Mechanism, kind: str) -> dict[str, str]:
    """Names of links or joints that RAFF cannot hold, and those that they have here instead."""
    found = (_RENAMED.search(one.message) for one in mechanism.remarks)
    return {one["name"]: one["given"] for one in found if one is not None and one["kind"] == kind}


def compare_with_pinocchio(mechanism: kg.Mechanism, twin: Any, seed: int = 0) -> list[str]:
    """What differs between a robot and Pinocchio's of the same URDF text; empty if nothing does."""
    import pinocchio as pin

    model, links = mechanism.compile(), renamed(mechanism, "link")
    joints = {given: name for name, given in renamed(mechanism, "joint").items()}
    rng, data, found = np.random.default_rng(seed), twin.createData(), []
    names = {name for name in twin.names if name != "universe"}
    moving = {
        joints.get(joint.name, joint.name) for joint in model.joints if joint.v.stop > joint.v.start
    }
    if moving != names:
        return [f"joints {sorted(moving ^ names)[:6]}"]
    sites = set(model.site_names)
    for _ in range(POSES):
        q, twin_q, columns = _random_pose(model, twin, rng, joints)
        pin.framesForwardKinematics(twin, data, twin_q)
        poses = kg.poses(model, q)
        for i, frame in enumerate(twin.frames):
            if frame.type != pin.FrameType.BODY:
                continue
            name = links.get(frame.name, frame.name)
            if name not in sites:
                found.append(f"no link '{frame.name}'")
                continue
            found += unequal(
                f"pose of '{name}'", poses[name].matrix, data.oMf[i].homogeneous, size=1.0
            )
        ours = kg.dynamics.mass_matrix(model, q)
        theirs = pin.crba(twin, data, twin_q)
        theirs = np.triu(theirs) + np.triu(theirs, 1).T
        found += unequal("mass matrix", ours, theirs[np.ix_(columns, columns)])
        twin.gravity.linear = model.gravity.copy()
        forces = pin.computeGeneralizedGravity(twin, data, twin_q)[columns]
        found += unequal(
            "gravity forces", kg.dynamics.gravity_forces(model, q), forces, least=least_force(model)
        )
        if found:
            break
    return found


def rounding_joints(mechanism: kg.Mechanism) -> set[str]:
    """Joints that no file has, which take up the rounding of plane loops."""
    texts = [
        one.message for one in mechanism.remarks if "planar except for rounding" in one.message
    ]
    return {name for text in texts for name in re.findall(r"'([^']*_(?:slide|tilt))'", text)}


def least_force(model: kg.Model) -> float:
    """Forces below this are rounding of larger ones that cancel: a thousandth of the weight."""
    return 1e-3 * float(model.inertia[:, 0].sum() * np.linalg.norm(model.gravity))


def _random_pose(
    model: kg.Model, twin: Any, rng: Any, joints: dict[str, str]
) -> tuple[Any, Any, list[int]]:
    """A pose in both, and where each of our velocities stands in Pinocchio's."""
    q, twin_q, columns = model.start(), np.zeros(twin.nq), []
    for joint in model.joints:
        count = joint.v.stop - joint.v.start
        if not count:
            continue
        i = twin.getJointId(joints.get(joint.name, joint.name))
        first, size = twin.idx_qs[i], twin.nqs[i]
        columns += range(twin.idx_vs[i], twin.idx_vs[i] + count)
        quat, x = rng.normal(size=4), rng.normal(size=3)
        quat /= np.linalg.norm(quat)
        if joint.type is JointType.FREE:
            q[joint.q], twin_q[first : first + 7] = [*quat, *x], [*x, *quat[1:], quat[0]]
        elif joint.type is JointType.SPHERICAL:
            q[joint.q], twin_q[first : first + 4] = quat, [*quat[1:], quat[0]]
        elif joint.type is JointType.PLANAR:
            q[joint.q], twin_q[first : first + 4] = x, [*x[:2], np.cos(x[2]), np.sin(x[2])]
        elif size == 2:  # an angle without bounds
            q[joint.q], twin_q[first : first + 2] = x[0], [np.cos(x[0]), np.sin(x[0])]
        else:
            q[joint.q] = twin_q[first] = x[0]
    return q, twin_q, columns


def compare_with_mujoco(mechanism: kg.Mechanism, twin: Any, seed: int = 0) -> list[str]:
    """What differs between a robot and MuJoCo's of the same MJCF text; empty if nothing does."""
    import mujoco

    model = mechanism.compile()
    links, joints = renamed(mechanism, "link"), renamed(mechanism, "joint")
    rng, data, found = np.random.default_rng(seed), mujoco.MjData(twin), []
    sites, added = set(model.site_names), rounding_joints(mechanism)
    rounding = sum(one.v.stop - one.v.start for one in model.joints if one.name in added)
    for _ in range(POSES):
        q, rows = model.start(), []
        turns = np.eye(twin.nv)
        for k in range(twin.njnt):
            name = twin.joint(k).name or _unnamed(twin, k)
            joint, at = model.joint(joints.get(name, name)), twin.jnt_qposadr[k]
            dof = int(twin.jnt_dofadr[k])
            quat, x = rng.normal(size=4), rng.normal(size=3)
            quat /= np.linalg.norm(quat)
            rows += range(joint.v.start, joint.v.stop)
            if twin.jnt_type[k] == 0:
                q[joint.q], data.qpos[at : at + 7] = [*quat, *x], [*x, *quat]
                # our velocity is in the body's axes, MuJoCo's linear one in the world's
                turns[dof : dof + 3, dof : dof + 3] = kg.SO3(quat).matrix
            elif twin.jnt_type[k] == 1:
                q[joint.q], data.qpos[at : at + 4] = quat, quat
            else:
                q[joint.q] = data.qpos[at] = x[0]
        if len(rows) + rounding != model.nv:
            return [f"{model.nv} velocities instead of {len(rows)}"]
        mujoco.mj_kinematics(twin, data)
        mujoco.mj_comPos(twin, data)
        mujoco.mj_crb(twin, data)
        poses = kg.poses(model, q)
        for i in range(1, twin.nbody):
            name = twin.body(i).name or f"body{i}"
            if links.get(name, name) not in sites:
                found.append(f"no body '{name}'")
                continue
            X = poses[links.get(name, name)]
            found += unequal(f"position of '{name}'", X.translation, data.xpos[i], size=1.0)
            turn = data.xmat[i].reshape(3, 3)
            found += unequal(f"turn of '{name}'", X.so3.matrix, turn, size=1.0)
        full = np.zeros((twin.nv, twin.nv))
        mujoco.mj_fullM(twin, data, full)
        ours = kg.dynamics.mass_matrix(model, q)[np.ix_(rows, rows)]
        found += unequal("mass matrix", ours, turns.T @ full @ turns)
        mujoco.mj_comVel(twin, data)
        data.qvel[:] = 0
        result = np.zeros(twin.nv)
        mujoco.mj_rne(twin, data, 0, result)
        ours = kg.dynamics.gravity_forces(model, q)[rows]
        found += unequal("gravity forces", ours, turns.T @ result, least=least_force(model))
        if found:
            break
    return found


def _unnamed(twin: Any, k: int) -> str:
    """The name that the reader gives to a joint without one."""
    body = int(twin.jnt_bodyid[k])
    return f"{twin.body(body).name or f'body{body}'}_joint{k - int(twin.body_jntadr[body])}"


def unequal(
    what: str, ours: Any, theirs: Any, *, size: float | None = None, least: float = 0.0
) -> list[str]:
    if not np.size(theirs):
        return []
    size = max(float(np.abs(theirs).max()), least) if size is None else size
    off = float(np.abs(ours - theirs).max())
    return [f"{what} differs by {off:.3g} of {size:.3g}"] if not off <= TOLERANCE * size else []
