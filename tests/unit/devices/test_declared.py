"""Force devices as a file declares them."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

import kinegen as kg
from kinegen.devices.declared import declared_devices, device_named
from kinegen.devices.link import UdpTransport
from kinegen.dynamics.touch.touch import Pull, Push
from kinegen.errors import UsageError

TEXT = """raff: 1
parameters: {reach: 0.3}
joints:
  - {name: A, parent: base, motor: true, mass: 1, shape: {box: [0.3, 0.1, 0.1]}}
frames:
  - {name: tip, parent: A, d: reach}
devices:
"""


def test_everything_that_is_declared_is_used() -> None:
    row = (
        "  - {name: pen, type: haply, port: 'host:7', moves: tip, holds: pose, scale: reach * 10, "
    )
    mechanism = kg.load(TEXT + row + "stiffness: 300 N/m}\n  - {name: m, type: mouse}\n")
    (pen,) = declared_devices(mechanism)
    assert (pen.device, dict(pen.options)) == ("haply", {"service": "host:7"})
    sim = kg.Simulation(mechanism, record=0)
    touch = pen.touch(sim)
    assert isinstance(touch, Pull) and touch.has_pose and touch.grip.name == "tip"
    assert touch.stiffness[0, 0] == 300 and pen.scale == pytest.approx(3)


def test_a_device_that_pushes_and_one_of_a_plug_in() -> None:
    rows = "  - {name: finger, type: udp, port: '127.0.0.1:5006', touch: push}\n"
    rows += "  - {name: big, type: haptic, port: delta, moves: A}\n"
    mechanism = kg.load(TEXT + rows)
    finger, big = declared_devices(mechanism)
    assert dict(finger.options) == {"listen": "127.0.0.1:5006"} and big.device == "delta"
    assert isinstance(finger.touch(kg.Simulation(mechanism, record=0)), Push)
    with pytest.raises(UsageError, match="choose one of: finger, big"):
        device_named(mechanism)
    assert device_named(mechanism, "big") == big and device_named(mechanism, "x") is None
    assert device_named(kg.load("arm-6")) is None


def test_a_parameter_cannot_be_held() -> None:
    mechanism = kg.load(TEXT + "  - {name: pen, type: udp, moves: reach}\n")
    (pen,) = declared_devices(mechanism)
    with pytest.raises(UsageError, match="moves 'reach', which has no pose"):
        pen.touch(kg.Simulation(mechanism, record=0))
    with pytest.raises(UsageError, match=r"moves 'tpi', .* did you mean 'tip'\? .*: A, tip$"):
        replace(pen, moves="tpi").touch(kg.Simulation(mechanism, record=0))


def test_what_nobody_could_feel_is_refused() -> None:
    mechanism = kg.load(TEXT + "  - {name: pen, type: udp, moves: tip, stiffness: 1e6 N/m}\n")
    (pen,) = declared_devices(mechanism)
    simulation = kg.Simulation(mechanism, record=0)
    with contextlib.closing(UdpTransport()) as port:
        pen.link(simulation, pen.touch(simulation), port)
        with pytest.raises(UsageError, match=r"would be 1.2e\+07 N/m .* at most 1e\+07 N/m"):
            replace(pen, scale=3.0).link(simulation, pen.touch(simulation), port)
