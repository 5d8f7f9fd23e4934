"""Systems in MuJoCo's terms."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.mujoco.mjcf import mujoco_model
from kinegen.dynamics.engines.registry import make_engine
from tests.support.mechanisms.simulated import bob, double_pendulum, every_joint

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


def test_a_link_that_loops_land_on_keeps_its_mass() -> None:
    system = kg.dynamics.System.of(kg.load("stewart"))
    twin = mujoco_model(system, 1e-3, "rk4", True)
    ours = system.model.inertia[1:, 0].sum()
    assert twin.model.body_mass[1:].sum() == pytest.approx(ours)
    assert (twin.model.body_mass[1:] > 0).all() and twin.offset == 0


def test_variables_go_there_and_back() -> None:
    system = kg.dynamics.System.of(every_joint())
    engine = make_engine(system, "mujoco", 1e-3)
    rng = np.random.default_rng(3)
    model = system.model
    q = kg.kinematics.integrate(model, None, rng.normal(size=model.nv))
    v = rng.normal(size=model.nv)
    engine.reset(q, v)
    np.testing.assert_allclose(engine.q, q, atol=1e-12)
    np.testing.assert_allclose(engine.v, v, atol=1e-12)
    twin, data = engine._twin, engine._data
    mujoco.mj_forward(twin.model, data)
    for link, name in enumerate(model.link_names):
        X = kg.pose(model, q, name)
        np.testing.assert_allclose(data.xpos[twin.bodies[link]], X.translation, atol=1e-9)
        np.testing.assert_allclose(
            data.xmat[twin.bodies[link]].reshape(3, 3), X.rotation, atol=1e-9
        )


def test_rotors_dampers_and_joint_springs_are_there() -> None:
    mechanism = bob(
        motor="{gear: 10, inertia: 0.02}",
        friction="{viscous: 0.3, coulomb: 0.2}",
        spring="{stiffness: 5, damping: 0.4, rest: 0.1}",
    )
    twin = mujoco_model(kg.dynamics.System.of(mechanism), 1e-3, "rk4", True).model
    assert twin.dof_armature[0] == pytest.approx(2)
    assert twin.dof_frictionloss[0] == pytest.approx(0.2)
    assert twin.qpos_spring[0] == pytest.approx(0.1)


def test_springs_are_tendons() -> None:
    twin = mujoco_model(kg.dynamics.System.of(double_pendulum()), 1e-3, "rk4", True).model
    assert twin.ntendon == 2 and twin.tendon_lengthspring[0].tolist() == [0.5, 0.5]


def test_measured_inertia_is_as_the_file_says() -> None:
    system = kg.dynamics.System.of(kg.load("puma560"))
    twin = mujoco_model(system, 1e-3, "rk4", True).model
    elbow = np.sort(twin.body("elbow").inertia)
    assert elbow[2] > elbow[0] + elbow[1], "MuJoCo's compiler would refuse it"
    np.testing.assert_allclose(elbow, [0.0125, 0.066, 0.086], atol=1e-12)
    # what follows from inertia follows from the true one
    data = mujoco.MjData(twin)
    mujoco.mj_forward(twin, data)
    H = np.zeros((twin.nv, twin.nv))
    mujoco.mj_fullM(twin, data, H)
    assert np.linalg.eigvalsh(H)[0] > 0
    np.testing.assert_allclose(H, kg.dynamics.mass_matrix(system.model, np.zeros(6)), atol=1e-12)
    np.testing.assert_allclose(twin.dof_M0, np.diag(H), rtol=1e-9)


def test_a_body_without_mass_is_reported() -> None:
    mechanism = kg.load("raff: 1\nname: n\njoints:\n  - {name: A, parent: base, shape: none}\n")
    with pytest.raises(kg.errors.KinegenError, match="need mass and inertia"):
        mujoco_model(kg.dynamics.System.of(mechanism), 1e-3, "rk4", True)


def test_unknown_integrators_are_reported() -> None:
    with pytest.raises(kg.errors.KinegenError, match="integrator must be one of rk4, implicitfast"):
        make_engine(kg.dynamics.System.of(bob()), "mujoco", 1e-3, integrator="rk5")


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(kg.errors.KinegenError, match=r"pip install 'kinegen\[dynamics\]'"):
        make_engine(kg.dynamics.System.of(bob()), "mujoco", 1e-3)
