"""Forward kinematics and Jacobians against Pinocchio, an independent engine."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import kinegen as kg
from kinegen import JointType
from kinegen.mechanism.model_parts import ModelJoint
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")

TYPES = (
    JointType.REVOLUTE,
    JointType.PRISMATIC,
    JointType.SCREW,
    JointType.SPHERICAL,
    JointType.FREE,
)
TREES = [
    name
    for name in kg.library_names()
    if {joint.type for joint in kg.load(name).joints.values()} <= {*TYPES, JointType.FIXED}
    and not any(joint.closes for joint in kg.load(name).joints.values())
]


def pinocchio_twin(model: kg.Model) -> tuple[object, list[int]]:
    """The same tree in Pinocchio, and the joint index of each link."""
    twin = pin.Model()
    joint_of_link = [0] * model.link_count
    offsets = [pin.SE3.Identity()] * model.link_count
    # its algorithms want each subtree in one piece
    outboard: dict[int, list[ModelJoint]] = {}
    for joint in model.joints:
        outboard.setdefault(joint.parent, []).append(joint)
    waiting = outboard.get(0, [])[::-1]
    while waiting:
        joint = waiting.pop()
        waiting += outboard.get(joint.child, [])[::-1]
        row = model.transforms[joint.placement]
        placement = offsets[joint.parent] * pin.SE3(row[:9].reshape(3, 3), row[9:])
        if joint.type is JointType.FIXED:
            # a fixed link is its parent's joint with an offset
            joint_of_link[joint.child] = joint_of_link[joint.parent]
            offsets[joint.child] = placement
            continue
        pitch = model.number(joint.name, "pitch") if joint.type is JointType.SCREW else 0.0
        screw = functools.partial(pin.JointModelHZ, pitch / math.tau)
        kind = {
            JointType.REVOLUTE: pin.JointModelRZ,
            JointType.PRISMATIC: pin.JointModelPZ,
            JointType.SCREW: screw,
            JointType.SPHERICAL: pin.JointModelSpherical,
            JointType.FREE: pin.JointModelFreeFlyer,
        }[joint.type]()
        joint_of_link[joint.child] = twin.addJoint(
            joint_of_link[joint.parent], kind, placement, joint.name
        )
    for link, name in enumerate(model.link_names):
        twin.addFrame(
            pin.Frame(f"link {name}", joint_of_link[link], offsets[link], pin.FrameType.OP_FRAME)
        )
    return twin, [twin.getFrameId(f"link {name}") for name in model.link_names]


def pinocchio_q(model: kg.Model, twin: object, q: np.ndarray) -> np.ndarray:
    out = np.zeros(twin.nq)
    for joint in model.joints:
        if joint.type is JointType.FIXED:
            continue
        part = q[joint.q]
        if joint.type is JointType.SPHERICAL:
            part = np.roll(part, -1)  # Pinocchio writes x y z w
        elif joint.type is JointType.FREE:
            part = np.concatenate([part[4:], np.roll(part[:4], -1)])
        first = twin.idx_qs[twin.getJointId(joint.name)]
        out[first : first + len(part)] = part
    return out


def v_columns(model: kg.Model, twin: object) -> list[int]:
    """Where each of our velocities stands in Pinocchio's."""
    columns: list[int] = []
    for joint in model.joints:
        count = joint.v.stop - joint.v.start
        if count:
            first = twin.idx_vs[twin.getJointId(joint.name)]
            columns += range(first, first + count)
    return columns


def check(model: kg.Model, seed: int) -> None:
    twin, frame_ids = pinocchio_twin(model)
    data = twin.createData()
    rng = np.random.default_rng(seed)
    q, v = random_q(model, rng), rng.normal(size=model.nv)
    columns = v_columns(model, twin)
    twin_q, twin_v = pinocchio_q(model, twin, q), np.zeros(twin.nv)
    twin_v[columns] = v
    pin.forwardKinematics(twin, data, twin_q, twin_v)
    pin.computeJointJacobiansTimeVariation(twin, data, twin_q, twin_v)
    pin.updateFramePlacements(twin, data)
    poses = kg.poses(model, q)
    for frame, name in zip(frame_ids, model.link_names, strict=True):
        np.testing.assert_allclose(poses[name].matrix, data.oMf[frame].homogeneous, atol=1e-9)
        theirs = pin.getFrameJacobian(twin, data, frame, pin.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(kg.jacobian(model, q, name), theirs[:, columns], atol=1e-9)
        local = pin.getFrameJacobianTimeVariation(twin, data, frame, pin.LOCAL)
        # Pinocchio's local derivative is of the body Jacobian: rows in the frame's own axes
        ours = kg.kinematics.jacobian_dot(model, q, name, v, axes=name)
        np.testing.assert_allclose(ours, local[:, columns], atol=1e-8)
    moved = kg.kinematics.integrate(model, q, v)
    theirs = pin.integrate(twin, twin_q, twin_v)
    np.testing.assert_allclose(
        pin.difference(twin, pinocchio_q(model, twin, moved), theirs), 0, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed: int) -> None:
    check(random_mechanism(seed, loop_count=0, types=TYPES).compile(), seed)


@pytest.mark.parametrize("name", TREES)
def test_library_trees(name: str) -> None:
    model = kg.load(name).compile()
    check(model, 1)
