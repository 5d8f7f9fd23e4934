"""Forward kinematics and Jacobians against MuJoCo, an independent engine."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen import JointType
from tests.support.random_mechanisms import random_mechanism, random_q

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

JOINTS = {
    JointType.REVOLUTE: [("hinge", "0 0 1")],
    JointType.PRISMATIC: [("slide", "0 0 1")],
    JointType.CYLINDRICAL: [("hinge", "0 0 1"), ("slide", "0 0 1")],
    JointType.UNIVERSAL: [("hinge", "0 0 1"), ("hinge", "1 0 0")],
    JointType.SPHERICAL: [("ball", "0 0 1")],
    JointType.PLANAR: [("slide", "1 0 0"), ("slide", "0 1 0"), ("hinge", "0 0 1")],
    JointType.FIXED: [],
}
TYPES = tuple(JOINTS)
# free and screw joints are checked against Pinocchio
LIBRARY = [
    n for n in kg.library_names() if {j.type for j in kg.load(n).joints.values()} <= {*JOINTS}
]


def mjcf(model: kg.Model) -> str:
    """The same tree as MuJoCo's XML: a body per link at the joint's frame F."""
    outboard: dict[int, list[int]] = {}
    for index, joint in enumerate(model.joints):
        if not joint.is_cut:
            outboard.setdefault(joint.parent, []).append(index)

    def body(index: int) -> str:
        joint = model.joints[index]
        row = model.transforms[joint.placement]
        X = kg.SE3(kg.SO3.from_matrix(row[:9].reshape(3, 3)), row[9:])
        moves = "".join(
            f'<joint name="{joint.name}:{k}" type="{kind}" axis="{axis}"/>'
            for k, (kind, axis) in enumerate(JOINTS[joint.type])
        )
        inside = "".join(body(child) for child in outboard.get(joint.child, []))
        place = f'pos="{_text(X.translation)}" quat="{_text(X.quat)}"'
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        return f'<body name="{joint.name}" {place}>{mass}{moves}{inside}</body>'

    bodies = "".join(body(index) for index in outboard.get(0, []))
    return (
        '<mujoco><compiler angle="radian" autolimits="false"/>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(n)) for n in numbers)


def check(model: kg.Model, seed: int) -> None:
    twin = mujoco.MjModel.from_xml_string(mjcf(model))
    data = mujoco.MjData(twin)
    q = random_q(model, np.random.default_rng(seed))
    columns: list[int] = []
    tree = [joint for joint in model.joints if not joint.is_cut]
    ours = [k for joint in tree for k in range(joint.v.start, joint.v.stop)]
    for joint in tree:
        part, at = q[joint.q], 0
        for k, (kind, _) in enumerate(JOINTS[joint.type]):
            theirs = twin.joint(f"{joint.name}:{k}")
            size = 4 if kind == "ball" else 1
            data.qpos[theirs.qposadr[0] : theirs.qposadr[0] + size] = part[at : at + size]
            columns += range(theirs.dofadr[0], theirs.dofadr[0] + (3 if kind == "ball" else 1))
            at += size
    mujoco.mj_kinematics(twin, data)
    mujoco.mj_comPos(twin, data)
    poses = kg.poses(model, q)
    for name in model.link_names[1:]:
        body = twin.body(name).id
        theirs = kg.SE3(kg.SO3(data.xquat[body]), data.xpos[body])
        assert poses[name].is_close(theirs, tolerance=1e-9)
        linear, angular = np.zeros((3, twin.nv)), np.zeros((3, twin.nv))
        mujoco.mj_jac(twin, data, linear, angular, data.xpos[body], body)
        J = np.vstack([linear, angular])[:, columns]
        np.testing.assert_allclose(kg.jacobian(model, q, name)[:, ours], J, atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed: int) -> None:
    check(random_mechanism(seed, loop_count=0, types=TYPES).compile(), seed)


@pytest.mark.parametrize("name", LIBRARY)
def test_library_trees_with_their_loops_cut(name: str) -> None:
    check(kg.load(name).compile(), 2)
