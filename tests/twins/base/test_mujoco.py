"""Forward kinematics and Jacobians against MuJoCo, an independent engine."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from bench.support.scenes import MUJOCO_JOINTS as JOINTS
from bench.support.scenes import mjcf
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

TYPES = tuple(JOINTS)
# free and screw joints are checked against Pinocchio
LIBRARY = [
    n for n in kg.library_names() if {j.type for j in kg.load(n).joints.values()} <= {*JOINTS}
]


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
