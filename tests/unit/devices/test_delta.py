"""The Delta device: the library's mechanism as a driver."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.devices import DeltaDevice, DeltaHandle, HapticThread
from kinegen.errors import KinegenError
from tests.support.waiting import needs_thread, wait_for


def test_angles_to_place_and_back() -> None:
    handle = DeltaHandle()
    angles = np.radians([10, -5, 20])
    place = handle.place(angles)
    other = DeltaHandle()
    assert other.angles_at(place) == pytest.approx(angles, abs=1e-8)
    # all arms alike: it hangs in the middle
    x, y, z = handle.place(np.radians([15, 15, 15]))
    assert (x, y) == pytest.approx((0, 0), abs=1e-8)
    # height by the triangle of arm, rod and radii
    reach = 0.164 + 0.524 * np.cos(np.radians(15)) - 0.044
    drop = 0.524 * np.sin(np.radians(15)) + np.sqrt(1.244**2 - reach**2)
    assert z == pytest.approx(1.5 - drop, abs=1e-8)


def test_speeds_and_torques_belong_together() -> None:
    handle = DeltaHandle()
    angles, h = np.radians([10, -5, 20]), 1e-6
    before = handle.place(angles)
    J = handle.jacobian()
    for i in range(3):
        after = handle.place(angles + h * np.eye(3)[i])
        assert (after - before) / h == pytest.approx(J[:, i], abs=1e-4)
    handle.place(angles)
    # power of the torques is that of the force
    force, speeds = np.array([1.0, -2.0, 3.0]), np.array([0.1, 0.4, -0.2])
    assert handle.torques(force) @ speeds == pytest.approx(force @ (J @ speeds))


def test_out_of_reach_is_said() -> None:
    with pytest.raises(KinegenError, match="cannot reach"):
        DeltaHandle().angles_at([3, 0, 0])


@needs_thread
def test_the_driver_speaks_to_the_thread() -> None:
    handle = DeltaHandle()
    angles = np.radians([12, 8, 10])
    torques: list[np.ndarray] = []
    device = DeltaDevice(lambda: angles.tolist(), torques.append, wrist=lambda: [0, 0, 0.5])
    with HapticThread(device) as thread:
        wait_for(lambda: len(torques) > 20 and bool(thread.hand.any()))
        assert thread.hand == pytest.approx(handle.place(angles) - device.centre, abs=1e-6)
    assert device.trouble == ""
    assert not torques[-1].any()  # motors are let go
    assert device.rotation.orientation.log()[2] > 0


@needs_thread
def test_a_driver_that_fails_says_so() -> None:
    device = DeltaDevice(lambda: (float("nan"), 0.0, 0.0))
    with HapticThread(device):
        wait_for(lambda: device.trouble != "")
    assert "driver stopped" in device.trouble


def test_torques_beyond_the_motors_are_none() -> None:
    asked: list[np.ndarray] = []
    device = DeltaDevice(command=asked.append, motor_torque=5.0)
    for torques in ([1.0, -5.0, 2.0], [0.0, 5.1, 0.0], [np.nan, 0.0, 0.0], [np.inf, 0.0, 0.0]):
        device.command(np.array(torques))
    assert [one.tolist() for one in asked] == [[1.0, -5.0, 2.0]] + [[0.0] * 3] * 3
    assert device.gated == 3 and "rejected" in device.trouble


@needs_thread
def test_hardware_that_raises_lets_the_motors_go() -> None:
    torques: list[np.ndarray] = []

    def read() -> list[float]:
        raise OSError("no such bus")

    device = DeltaDevice(read, torques.append)
    with HapticThread(device) as thread:
        wait_for(lambda: device.trouble != "")
        with pytest.raises(KinegenError, match="in use"):
            device.connect(thread)
    assert "no such bus" in device.trouble and not torques[-1].any()


@pytest.mark.parametrize("option", ["period", "motor_torque"])
def test_numbers_of_a_driver_make_sense(option: str) -> None:
    for value in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(KinegenError, match=option):
            DeltaDevice(**{option: value})  # type: ignore[arg-type]
