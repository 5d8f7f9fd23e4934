from __future__ import annotations

import math

import numpy as np
import pytest

from tests.support.worlds import FALLING, world

pytestmark = pytest.mark.slow

G = 9.81


def test_in_free_fall_it_reads_nothing() -> None:
    with world(FALLING) as one:
        one.run(0.2)
        assert one.signals["imu.acceleration"].value == pytest.approx(np.zeros(3), abs=1e-9)
        assert one.signals["imu.rate"].value == pytest.approx(np.zeros(3), abs=1e-12)


def test_at_rest_it_reads_one_g_upwards_in_its_own_axes() -> None:
    text = "raff: 1\njoints: [{name: A, type: fixed, parent: base}]\nsensors:\n"
    text += "  - {name: imu, type: imu, parent: A, at: {rpy: [90 deg, 0, 0]}}\n"
    with world(text) as one:
        one.run(0.01)
        # rolled by 90 degrees, its y axis points up
        assert one.signals["imu.acceleration"].value == pytest.approx([0, G, 0], abs=1e-9)


@pytest.mark.parametrize("engine", ["reduced", "mujoco"])
def test_on_a_pendulum_it_reads_the_closed_form(engine: str) -> None:
    """A point mass on a rod: along the rod w² L + g cos θ, across it nothing."""
    length = 0.5
    text = f"""raff: 1
joints:
  - {{name: A, parent: base, xyz: [0, 0, 0], axis: y, start: 40 deg, mass: 1,
     centre: [{length}, 0, 0], inertia: [1e-9, 1e-9, 1e-9]}}
sensors: [{{name: imu, type: imu, parent: A, at: {{xyz: [{length}, 0, 0]}}}}]
"""
    with world(text, engine=engine, step=1e-4) as one:
        for _ in range(4):
            one.run(0.1)
            mount = one.sensors["imu"].mount  # type: ignore[attr-defined]
            R, p = mount.place()
            w = float(one.signals["A.velocity"].value)
            outwards = R.T @ (p / length)
            along = w * w * length - G * float(p[2]) / length
            felt = one.signals["imu.acceleration"].value
            # the mean over a step, read a step ago: the jerk, at most 3 g sqrt(4 g/L), times 1.5 h
            assert felt @ outwards == pytest.approx(-along, abs=0.04)
            across = felt - (felt @ outwards) * outwards
            assert np.linalg.norm(across) < 0.01
            rate = float(np.linalg.norm(one.signals["imu.rate"].value))
            assert math.isclose(rate, abs(w), abs_tol=0.005)
