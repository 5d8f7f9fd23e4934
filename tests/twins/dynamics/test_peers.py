"""Dynamics against Pinocchio and MuJoCo, two independent engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from bench.support.scenes import MUJOCO_JOINTS, mjcf
from kinegen import JointType
from tests.support.mechanisms.dynamic_models import heavy_model, random_state

TOLERANCE = 1e-9
ARMS = ["puma560", "ur5e", "franka", "pa10", "arm-6", "amtec-7", "so101", "irb2400", "humanoid-30"]
PINOCCHIO_TYPES = (
    JointType.REVOLUTE,
    JointType.PRISMATIC,
    JointType.SCREW,
    JointType.SPHERICAL,
    JointType.FREE,
    JointType.FIXED,
)
MUJOCO_TYPES = tuple(MUJOCO_JOINTS)


def close(ours: Any, theirs: Any) -> None:
    size = max(1.0, float(np.abs(theirs).max()))
    np.testing.assert_allclose(ours, theirs, atol=TOLERANCE * size, rtol=0)


def spatial_inertia(row: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = row[4:]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def check_pinocchio(model: kg.Model, seed: int) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    from tests.twins.base.test_pinocchio import pinocchio_q, pinocchio_twin, v_columns

    twin: Any
    twin, frames = pinocchio_twin(model)
    for link in range(1, model.link_count):
        row, frame = model.inertia[link], twin.frames[frames[link]]
        if frame.parentJoint == 0:
            row[:] = 0  # what stands on the ground does not count there
        body = pin.Inertia(float(row[0]), row[1:4].copy(), spatial_inertia(row))
        twin.appendBodyToJoint(frame.parentJoint, body, frame.placement)
    twin.gravity.linear = model.gravity.copy()
    columns = v_columns(model, twin)
    armature = np.zeros(twin.nv)
    armature[columns] = model.blocks.real_part("rotor") * model.blocks.real_part("gear") ** 2
    twin.armature = armature
    data = twin.createData()

    def theirs(x: np.ndarray) -> np.ndarray:
        out = np.zeros(twin.nv)
        out[columns] = x
        return out

    q, v, x, push = random_state(model, seed)
    q_, v_, x_ = pinocchio_q(model, twin, q), theirs(v), theirs(x)
    # wrenches per joint, about its origin in its own axes
    pin.framesForwardKinematics(twin, data, q_)
    forces = pin.StdVec_Force()
    for joint in range(twin.njoints):
        force = pin.Force.Zero()
        for link in range(1, model.link_count):
            if twin.frames[frames[link]].parentJoint == joint:
                at = data.oMf[frames[link]]
                world = pin.SE3(np.eye(3), at.translation)
                given = pin.Force(push[link, :3].copy(), push[link, 3:].copy())
                force += data.oMi[joint].actInv(world.act(given))
        forces.append(force)
    close(kg.dynamics.inverse_dynamics(model, q, v, x), pin.rnea(twin, data, q_, v_, x_)[columns])
    pushed = pin.rnea(twin, data, q_, v_, x_, forces)[columns]
    close(kg.dynamics.inverse_dynamics(model, q, v, x, wrenches=push), pushed)
    close(kg.dynamics.bias(model, q, v), pin.nonLinearEffects(twin, data, q_, v_)[columns])
    close(
        kg.dynamics.gravity_forces(model, q), pin.computeGeneralizedGravity(twin, data, q_)[columns]
    )
    H = pin.crba(twin, data, q_)
    H = np.triu(H) + np.triu(H, 1).T
    close(kg.dynamics.mass_matrix(model, q), H[np.ix_(columns, columns)])
    close(
        kg.dynamics.forward_dynamics(model, q, v, x, wrenches=push),
        pin.aba(twin, data, q_, v_, x_, forces)[columns],
    )
    close(kg.dynamics.centre_of_mass(model, q), pin.centerOfMass(twin, data, q_, v_))
    centroidal = pin.computeCentroidalMomentum(twin, data, q_, v_)
    momentum = kg.dynamics.momentum(model, q, v)
    close(momentum.linear, centroidal.linear)
    close(momentum.angular, centroidal.angular)
    energy = kg.dynamics.energy(model, q, v)
    close(energy.kinetic, pin.computeKineticEnergy(twin, data, q_, v_))
    close(energy.gravity, pin.computePotentialEnergy(twin, data, q_))


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_against_pinocchio(seed: int) -> None:
    check_pinocchio(heavy_model(seed, loop_count=0, types=PINOCCHIO_TYPES), seed)


@pytest.mark.parametrize("name", ARMS)
def test_library_against_pinocchio(name: str) -> None:
    check_pinocchio(kg.load(name).compile(), 1)


def check_mujoco(model: kg.Model, seed: int) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    for joint in model.joints:
        if joint.type is JointType.SPHERICAL:  # a ball has one rotor for all there
            for name in ("rotor", "gear"):
                model.blocks.real_part(name)[joint.v] = model.blocks.real_part(name)[joint.v][0]
    twin = mujoco.MjModel.from_xml_string(mjcf(model, masses=True))
    data = mujoco.MjData(twin)
    q, v, x, push = random_state(model, seed)
    tree = [joint for joint in model.joints if not joint.is_cut]
    ours = [k for joint in tree for k in range(joint.v.start, joint.v.stop)]
    columns: list[int] = []
    # our velocities to theirs: a free joint's linear part is in world axes there
    turn, drift = np.eye(model.nv), np.zeros(model.nv)
    for joint in tree:
        part, at = q[joint.q], 0
        for k, (kind, _) in enumerate(MUJOCO_JOINTS.get(joint.type, [("free", "")])):
            theirs = twin.joint(f"{joint.name}:{k}")
            size, dof = {"ball": (4, 3), "free": (7, 6)}.get(kind, (1, 1))
            values = part[at : at + size]
            if kind == "free":
                values = np.concatenate([part[4:], part[:4]])
                R = kg.SO3(part[:4]).matrix
                first = joint.v.start
                turn[first : first + 3, first : first + 3] = R
                drift[first : first + 3] = R @ np.cross(v[first + 3 : first + 6], v[first:][:3])
            data.qpos[theirs.qposadr[0] : theirs.qposadr[0] + size] = values
            columns += range(theirs.dofadr[0], theirs.dofadr[0] + dof)
            at += size
    data.qvel[columns] = (turn @ v)[ours]
    data.qacc[columns] = (turn @ x + drift)[ours]
    back = turn.T[np.ix_(ours, ours)]
    for link in range(1, model.link_count):
        # they push at the centre of mass
        body = twin.body(model.link_names[link]).id
        mujoco.mj_kinematics(twin, data)
        mujoco.mj_comPos(twin, data)
        arm = data.xipos[body] - data.xpos[body]
        data.xfrc_applied[body, :3] = push[link, :3]
        data.xfrc_applied[body, 3:] = push[link, 3:] - np.cross(arm, push[link, :3])
    mujoco.mj_inverse(twin, data)
    # MuJoCo leaves applied forces out of its inverse
    close(kg.dynamics.inverse_dynamics(model, q, v, x)[ours], back @ data.qfrc_inverse[columns])
    H = np.zeros((twin.nv, twin.nv))
    mujoco.mj_fullM(twin, data, H)
    close(
        kg.dynamics.mass_matrix(model, q)[np.ix_(ours, ours)],
        back @ H[np.ix_(columns, columns)] @ back.T,
    )
    tau = np.zeros(model.nv)
    tau[ours] = x[ours]
    data.qfrc_applied[columns] = (turn @ tau)[ours]
    mujoco.mj_forward(twin, data)
    vdot = kg.dynamics.forward_dynamics(model, q, v, tau, wrenches=push)
    close((turn @ vdot + drift)[ours], data.qacc[columns])


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_against_mujoco(seed: int) -> None:
    check_mujoco(heavy_model(seed, loop_count=0, types=MUJOCO_TYPES), seed)


# the PUMA's measured inertia is one that MuJoCo refuses
@pytest.mark.parametrize("name", [name for name in ARMS if name != "puma560"] + ["stewart"])
def test_library_against_mujoco(name: str) -> None:
    check_mujoco(kg.load(name).compile(), 2)
