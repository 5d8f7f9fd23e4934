from __future__ import annotations

import numpy as np
import pytest

from kinegen.errors import UsageError
from tests.support.worlds import world

G = 9.81
HELD = """raff: 1
joints:
  - {name: A, parent: base, xyz: [0, 0, 1], axis: y, mass: 2, centre: [0.2, 0, 0],
     inertia: [0.01, 0.01, 0.01], motor: {torque: 500, kp: 50000, kd: 500}}
  - {name: wrist, type: fixed, parent: A, xyz: [0.5, 0, 0], mass: 1.5, centre: [0.1, 0, 0],
     inertia: [0.001, 0.001, 0.001]}
frames: [{name: tip, parent: wrist, xyz: [0.3, 0, 0]}]
sensors:
  - {name: ft, type: force, parent: wrist}
  - {name: at_tip, type: force, parent: tip}
  - {name: shoulder, type: force, parent: A}
"""


def weighed(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    with world(HELD) as one:
        one.run(1.0)
        R, _ = one.sensors[name].mount.place()  # type: ignore[attr-defined]
        force, torque = (one.signals[f"{name}.{key}"].value for key in ("force", "torque"))
        return R @ force, R @ torque, R


def test_it_weighs_a_held_load() -> None:
    force, torque, R = weighed("ft")
    # the servo gives way a little while it settles: a thousandth of the weight
    assert force == pytest.approx([0, 0, -1.5 * G], abs=0.015)
    lever = R @ np.array([0.1, 0, 0])
    assert torque == pytest.approx(np.cross(lever, [0, 0, -1.5 * G]), abs=0.015)


def test_a_frame_measures_the_same_force_about_another_point() -> None:
    force, torque, R = weighed("at_tip")
    assert force == pytest.approx([0, 0, -1.5 * G], abs=0.015)
    lever = R @ np.array([0.1 - 0.3, 0, 0])
    assert torque == pytest.approx(np.cross(lever, [0, 0, -1.5 * G]), abs=0.015)


def test_a_shoulder_carries_everything_behind_it() -> None:
    force, _, _ = weighed("shoulder")
    assert force == pytest.approx([0, 0, -3.5 * G], abs=0.035)


def test_engines_that_do_not_know_the_force_are_named() -> None:
    with pytest.raises(UsageError, match="sensor 'ft': the engine 'mujoco' does not compute"):
        world(HELD, engine="mujoco")
    with pytest.raises(UsageError, match="use the engine 'reduced'"):
        world(HELD, engine="impulse")


def test_the_ground_has_no_force_sensor() -> None:
    with pytest.raises(UsageError, match="'base' is the ground or an object"):
        world(HELD, "  - {name: wrong, type: force, parent: base}\n")
