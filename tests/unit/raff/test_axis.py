"""Axes given as directions: where z and x of the frame point, and that they stay editable."""

import numpy as np
import pytest

import kinegen as kg
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.raff.axis import WORDS
from kinegen.studio.wire.data.number import number_data

HALF = 0.5**0.5


def turned(model: Model, joint: str) -> np.ndarray:
    """Rotation of a joint's frame on its parent."""
    return model.transforms[model.joint(joint).placement, :9].reshape(3, 3)


def one(axis: str, more: str = "") -> Mechanism:
    row = f"  - {{name: A, type: prismatic, parent: base, axis: {axis}{more}}}\n"
    return kg.load(f"raff: 1\nparameters: {{tilt: 60 deg, w: 1}}\njoints:\n{row}")


@pytest.mark.parametrize(
    ("axis", "z"),
    [
        ("x", [1, 0, 0]), ("y", [0, 1, 0]), ("z", [0, 0, 1]),
        ("-x", [-1, 0, 0]), ("-y", [0, -1, 0]), ("-z", [0, 0, -1]),
        ("tilt", [0.5, 3**0.5 / 2, 0]), ("-135 deg", [-HALF, -HALF, 0]),
        ("[0, 2, 0]", [0, 1, 0]), ("[0, 0, -3]", [0, 0, -1]), ("[w, 0, w]", [HALF, 0, HALF]),
        ("[3, 0, -4]", [0.6, 0, -0.8]),
    ],
)  # fmt: skip
def test_z_has_the_direction_and_x_is_the_old_z_made_perpendicular(
    axis: str, z: list[float]
) -> None:
    R = turned(one(axis).compile(), "A")
    assert np.allclose(R[:, 2], z, atol=1e-15)
    assert np.allclose(R.T @ R, np.eye(3), atol=1e-15) and np.linalg.det(R) > 0
    up = np.array([0, 0, 1]) - z[2] * np.array(z)
    x = up / np.linalg.norm(up) if np.linalg.norm(up) > 1e-9 else [1, 0, 0]
    assert np.allclose(R[:, 0], x, atol=1e-15)


@pytest.mark.parametrize("axis", [*WORDS, "tilt", "30 deg", "[w, 0, 1]"])
def test_what_is_written_from_the_graph_is_the_same(axis: str) -> None:
    mechanism = one(axis, ", xyz: [0.1, 0, 0]")
    assert kg.load(mechanism.snapshot().to_raff()) == mechanism


def test_a_hinge_on_a_slider_in_the_plane() -> None:
    mechanism = one("30 deg")
    mechanism.add_joint("B", "A", axis="x")
    R = kg.poses(mechanism.compile(), [0.2, 0.0])["B"].rotation
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    assert np.allclose(R, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-15)


def test_directions_are_live() -> None:
    mechanism = one("tilt")
    model = mechanism.compile()
    model.parameters["tilt"] = np.pi / 2
    assert np.allclose(turned(model, "A")[:, 2], [0, 1, 0], atol=1e-15)
    mechanism.set_number("A", "axis", "45 deg")
    assert "axis: 45 deg}" in mechanism.to_raff()
    model = mechanism.compile()
    (shown,) = [n for n in number_data(mechanism, model) if n.key == "axis"]
    assert shown.text == "45 deg" and not shown.formula
    model.kernels.set_number(shown.index, np.pi)
    assert np.allclose(turned(model, "A")[:, 2], [-1, 0, 0], atol=1e-15)
    mechanism.set_value("A", "axis", ["w", 0, 0])
    mechanism.set_number("A", "axis.1", "w")
    assert np.allclose(turned(mechanism.compile(), "A")[:, 2], [HALF, HALF, 0], atol=1e-15)


def test_objects_frames_and_loop_ends_have_axes_too() -> None:
    mechanism = kg.load(
        "raff: 1\njoints:\n  - {name: A, parent: base}\n"
        "  - {name: B, type: prismatic, parent: base, axis: x, closes: {onto: A, axis: 90 deg}}\n"
        "frames:\n  - {name: tool, parent: A, xyz: [1, 0, 0], axis: y}\n"
        "objects:\n  - {name: box, shape: {sphere: 0.1}, at: {axis: y}}\n"
    )
    model = mechanism.compile()
    landing = model.transforms[model.loops[0].placement, :9].reshape(3, 3)
    assert np.allclose(landing[:, 2], [0, 1, 0], atol=1e-15)
    assert np.allclose(kg.poses(model)["tool"].rotation[:, 2], [0, 1, 0], atol=1e-15)
    from kinegen.kinematics.scene import object_poses

    assert np.allclose(object_poses(mechanism, model)["box"].rotation[:, 2], [0, 1, 0], atol=1e-15)
    assert kg.load(mechanism.snapshot().to_raff()) == mechanism
