"""Equations of motion by hand, and input that is refused by name."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, NumberError, UsageError

PENDULUM = """
raff: 1
name: pendulum
parameters: {length: 0.5}
joints:
  - {name: J, parent: base, alpha: 90 deg, mass: 2, centre: [length, 0, 0],
     inertia: [0, 0.03, 0.03], motor: {gear: 10, inertia: 0.001},
     friction: {viscous: 0.2, coulomb: 0.4}}
frames:
  - {name: tip, parent: J, d: 2*length}
"""
MASS, LENGTH, INERTIA, ROTOR = 2.0, 0.5, 0.03, 0.1
TURNED = INERTIA + MASS * LENGTH**2 + ROTOR


@pytest.fixture(name="pendulum")
def _pendulum() -> kg.Model:
    return kg.load(PENDULUM).compile()


def test_a_pendulum_by_hand(pendulum: kg.Model) -> None:
    """Turned about -y of the world: gravity pulls with m g l cos q."""
    q, v, vdot = 0.3, 1.7, -2.0
    weight = MASS * 9.81 * LENGTH * np.cos(q)
    assert kg.dynamics.mass_matrix(pendulum, [q])[0, 0] == pytest.approx(TURNED)
    assert kg.dynamics.gravity_forces(pendulum, [q])[0] == pytest.approx(weight)
    assert kg.dynamics.bias(pendulum, [q], [v])[0] == pytest.approx(weight)
    tau = kg.dynamics.inverse_dynamics(pendulum, [q], [v], [vdot])
    assert tau[0] == pytest.approx(TURNED * vdot + weight)
    assert kg.dynamics.forward_dynamics(pendulum, [q], [v], tau)[0] == pytest.approx(vdot)
    assert kg.dynamics.mass_solve(pendulum, [q], [3.0])[0] == pytest.approx(3 / TURNED)
    assert kg.dynamics.mass_solve(pendulum, [q], [[3.0], [6.0]]).shape == (2, 1)
    assert kg.dynamics.passive_forces(pendulum, [q], [v])[0] == pytest.approx(-0.2 * v - 0.4)
    assert kg.dynamics.passive_forces(pendulum, [q], [0.0])[0] == 0


def test_states_by_name_and_wrenches_by_name(pendulum: kg.Model) -> None:
    lifted = kg.dynamics.inverse_dynamics(
        pendulum,
        {"J": 0.0},
        {"J": 0},
        {},
        wrenches={"tip": kg.Wrench([0, 0, 5], [0, 0, 0])},
    )
    # 5 N upwards at 1 m take 5 N m off
    assert lifted[0] == pytest.approx(MASS * 9.81 * LENGTH - 5)
    rows = np.zeros((2, 6))
    rows[1] = 0, 0, 5, 0, -5, 0  # the same about the link's origin
    assert kg.dynamics.gravity_forces(pendulum, [0.0], wrenches=rows)[0] == pytest.approx(lifted[0])


def test_parameters_take_effect_at_once(pendulum: kg.Model) -> None:
    before = kg.dynamics.gravity_forces(pendulum, [0.0])[0]
    pendulum.parameters["length"] = 1.0
    assert kg.dynamics.gravity_forces(pendulum, [0.0])[0] == pytest.approx(2 * before)
    pendulum.set_number("base", "gravity.z", 0.0)
    assert kg.dynamics.gravity_forces(pendulum, [0.0])[0] == 0


def test_gravity_of_the_file() -> None:
    model = kg.load(PENDULUM.replace("joints:", "gravity: [0, 0, -1.62]\njoints:", 1)).compile()
    assert kg.dynamics.gravity_forces(model, [0.0])[0] == pytest.approx(MASS * 1.62 * LENGTH)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"q": [np.nan]}, r"q\[0\] \(joint 'J'\) is nan"),
        ({"v": [np.inf]}, r"v\[0\] \(joint 'J'\) is inf"),
        ({"vdot": [np.nan]}, r"vdot\[0\] \(joint 'J'\) is nan"),
        ({"v": [1, 2]}, "v of mechanism 'pendulum' has 1 numbers"),
        ({"vdot": ["fast"]}, "vdot takes numbers"),
        ({"wrenches": np.zeros((1, 6))}, r"shape \(2, 6\), got \(1, 6\)"),
        ({"wrenches": {"tip": [1, 2, 3]}}, "the wrench on 'tip' takes six numbers"),
        ({"wrenches": {"tip": [np.nan] * 6}}, "the wrench on 'tip' holds nan"),
        ({"wrenches": np.full((2, 6), np.nan)}, "wrenches of link 'base' holds nan"),
    ],
)
def test_bad_input_is_named(pendulum: kg.Model, change: dict[str, object], said: str) -> None:
    given: dict[str, object] = {"q": [0.0], "v": [0.0], "vdot": [0.0], "wrenches": None} | change
    with pytest.raises(UsageError, match=said):
        kg.dynamics.inverse_dynamics(pendulum, **given)  # type: ignore[arg-type]


def test_efforts_that_are_not_finite_are_named(pendulum: kg.Model) -> None:
    with pytest.raises(UsageError, match=r"tau\[0\] \(joint 'J'\) is nan"):
        kg.dynamics.forward_dynamics(pendulum, [0.0], [0.0], [np.nan])
    with pytest.raises(UsageError, match=r"rhs\[0\] \(joint 'J'\) is nan"):
        kg.dynamics.mass_solve(pendulum, [0.0], [np.nan])
    for rows in ([[np.nan]], [[1.0, 2.0]], 1.0, None):
        with pytest.raises(UsageError, match="rhs of mechanism 'pendulum' has 1 finite numbers"):
            kg.dynamics.mass_solve(pendulum, [0.0], rows)  # type: ignore[arg-type]
    with pytest.raises(NameNotFoundError, match="tipp"):
        kg.dynamics.gravity_forces(pendulum, [0.0], wrenches={"tipp": [0] * 6})


def test_a_joint_without_mass_is_named(pendulum: kg.Model) -> None:
    pendulum.set_number("J", "motor.inertia", 0.0)
    pendulum.set_number("J", "mass", 0.0)
    for key in ("inertia.yy", "inertia.zz"):
        pendulum.set_number("J", key, 0.0)
    with pytest.raises(NumberError, match="joint 'J' of mechanism 'pendulum' has no mass to move"):
        kg.dynamics.forward_dynamics(pendulum, [0.0], [0.0], [0.0])
    with pytest.raises(NumberError, match="joint 'J'"):
        kg.dynamics.mass_solve(pendulum, [0.0], [1.0])
