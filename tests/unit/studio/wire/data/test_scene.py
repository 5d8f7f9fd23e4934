"""Objects, devices and motions as the page takes them."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.wire.data.scene import device_data, motion_data, object_data

TEXT = """\
raff: 1
name: scene
parameters: {h: 200 mm}
joints:
  - {name: A, parent: base, r: h, start: 90 deg}
frames:
  - {name: hand, parent: A, d: 0.5}
objects:
  - {name: cup, shape: {cylinder: [h/4, h]}, at: {parent: hand, r: h}, color: teal}
  - {name: wall, shape: {box: [1, 0.1, 1]}, at: {xyz: [0, 1, 0], rpy: [0, 0, 90 deg]}, fixed: true}
  - {name: kl, shape: {sphere: 0.1}, at: {gamma: 90 deg, b: 1, alpha: 90 deg, d: 2, theta: 0, r: 3}}
devices:
  - {name: pad, type: gamepad, moves: hand, scale: 2, axes: {left: [x, y], gain: 0.5}}
  - {name: mouse, type: mouse, moves: [hand, A], mode: absolute}
motions:
  - {name: wave, joints: [A], times: [0, 1 s], values: [[0], [90 deg]], interpolation: cubic}
"""


@pytest.fixture(scope="module")
def mechanism() -> kg.Mechanism:
    return kg.load(TEXT)


def test_objects_stand_where_their_parents_are(mechanism: kg.Mechanism) -> None:
    model = mechanism.compile()
    cup, wall, kleinfinger = object_data(mechanism, model)
    assert np.allclose(cup.pose[4:], [0, 0.5, 0.4]) and cup.color == "teal" and not cup.fixed
    assert cup.shape == {"cylinder": [0.05, 0.2]}
    assert np.allclose(wall.pose, [np.sqrt(0.5), 0, 0, np.sqrt(0.5), 0, 1, 0]) and wall.fixed
    # Rz(90°) Tz(1) Rx(90°) Tx(2) Tz(3): the last shift is along the turned z
    assert np.allclose(kleinfinger.pose[4:], [3, 2, 1])


def test_devices(mechanism: kg.Mechanism) -> None:
    pad, mouse = device_data(mechanism, mechanism.compile())
    assert (pad.type, pad.moves, pad.mode, pad.scale) == ("gamepad", ["hand"], "incremental", 2.0)
    assert pad.rotation_scale == 1.0 and pad.axes == {"left": ["x", "y"], "gain": 0.5}
    assert (mouse.moves, mouse.mode, mouse.axes) == (["hand", "A"], "absolute", {})


def test_motions(mechanism: kg.Mechanism) -> None:
    (wave,) = motion_data(mechanism, mechanism.compile())
    assert wave.times == [0.0, 1.0] and wave.values == [[0.0], [pytest.approx(np.pi / 2)]]
    assert wave.interpolation == "cubic" and wave.note is None


def test_a_device_may_move_parameters_but_nothing_unknown() -> None:
    from kinegen.mechanism.load import load_document
    from kinegen.raff.document import Document

    text = kg.load("five-bar").to_raff() + "devices:\n  - {name: knob, type: sliders, moves: %s}\n"
    mechanism = load_document(Document(text % "[crank, handle, A]"))
    assert device_data(mechanism, mechanism.compile())[0].moves == ["crank", "handle", "A"]
    with pytest.raises(kg.errors.RaffError, match="links, frames, joints, parameters: A, B"):
        load_document(Document(text % "nothing"))
