"""What acts in joints and between points, each alone, by MuJoCo and by the reduced engine."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.registry import make_engine
from kinegen.joint_types import JointType

pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

DOF = {t.value: len(t.info.variables) for t in JointType if t is not JointType.FIXED}
SMOOTH = {
    "nothing": "",
    "viscous friction": "friction: {viscous: 0.3}",
    "spring": "spring: {stiffness: 20, damping: 0.5}",
    "spring that rests elsewhere": "spring: {stiffness: 20, rest: 0.2}",
    "rotors": "motor: ROTORS",
}
DRY = {
    "dry friction": "friction: {coulomb: 0.4}",
    "static friction": "friction: {coulomb: 0.2, static: 0.5, stribeck: 0.1}",
}
REFUSED = {
    ("spherical", "spring that rests elsewhere"): "does not rest at 0",
    ("free", "spring"): "a free joint with a spring",
    ("free", "spring that rests elsewhere"): "a free joint with a spring",
    ("free", "rotors"): "a free joint with a rotor",
    ("free", "dry friction"): "a free joint with a dry friction",
    ("free", "static friction"): "a free joint with a dry friction",
}


def mechanism(joint: str, given: str) -> kg.Mechanism:
    rotors = [f"{{gear: {3 + 2 * k}, inertia: 0.001}}" for k in range(DOF[joint])]
    given = given.replace("ROTORS", f"[{', '.join(rotors)}]" if len(rotors) > 1 else rotors[0])
    keys = "".join(f", {key}" for key in (given, "pitch: 0.1" if joint == "screw" else "") if key)
    return kg.load(
        f"""
raff: 1
name: part
gravity: [3, -5, -7]
joints:
  - {{name: A, type: {joint}, parent: base, d: 0.2, alpha: 30 deg, mass: 2,
     centre: [0.1, 0.05, 0.02], inertia: [0.02, 0.03, 0.04, 0.001, 0, 0]{keys}}}
  - {{name: B, parent: A, d: 0.3, alpha: 50 deg, mass: 1, centre: [0.1, 0, 0],
     inertia: [0.01, 0.02, 0.02]}}
"""
    )


def difference(system: kg.dynamics.System, step: float, other: str = "reduced") -> float:
    """How far links are from each other after 0.4 s, by the two engines [m]."""
    ends = []
    for name in (other, "mujoco"):
        engine = make_engine(system, name, step)
        start = kg.forward(system.model, engine.q)[:, 4:]
        engine.advance(None, round(0.4 / step))
        ends.append(kg.forward(system.model, engine.q)[:, 4:])
        assert np.abs(ends[-1] - start).max() > 0.01
    return float(np.abs(ends[0] - ends[1]).max())


@pytest.mark.parametrize("given", SMOOTH)
@pytest.mark.parametrize("joint", DOF)
def test_smooth(joint: str, given: str) -> None:
    system = kg.dynamics.System.of(mechanism(joint, SMOOTH[given]))
    reason = REFUSED.get((joint, given))
    if reason:
        with pytest.raises(
            kg.errors.KinegenError, match=f"joint 'A' of mechanism 'part', .*{reason}"
        ):
            make_engine(system, "mujoco", 1e-3)
        return
    assert difference(system, 1e-3) < 1e-9


@pytest.mark.parametrize("given", DRY)
@pytest.mark.parametrize("joint", DOF)
def test_dry(joint: str, given: str) -> None:
    system = kg.dynamics.System.of(mechanism(joint, DRY[given]))
    reason = REFUSED.get((joint, given))
    if reason:
        with pytest.raises(kg.errors.KinegenError, match=reason):
            make_engine(system, "mujoco", 1e-3)
        return
    coarse, fine = difference(system, 1e-3), difference(system, 2.5e-4)
    assert fine < 5e-5
    assert fine < 0.4 * coarse, "the difference does not shrink with the step"


@pytest.mark.parametrize("damping", [0.0, 4.0])
def test_springs_between_points(damping: float) -> None:
    mechanism = kg.load(
        f"""
raff: 1
name: sprung
joints:
  - {{name: A, parent: base, alpha: 90 deg, mass: 1, centre: [0.3, 0, 0],
     inertia: [0.01, 0.02, 0.02]}}
  - {{name: B, parent: A, d: 0.6, mass: 1, centre: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}}
springs:
  - {{name: s, from: {{link: B, xyz: [0.3, 0, 0.1]}}, to: {{xyz: [0.2, 0.3, 1]}}, stiffness: 40,
     damping: {damping}, rest: 0.6}}
  - {{name: t, from: {{link: A, xyz: [0.3, 0, 0]}}, to: {{link: B, xyz: [0.2, 0.1, 0]}},
     stiffness: 15}}
"""
    )
    assert difference(kg.dynamics.System.of(mechanism), 1e-3) < 1e-9


@pytest.mark.parametrize(
    ("given", "other", "tolerance"),
    [
        ("friction: {viscous: 0.05}", "reduced", 1e-6),
        ("spring: {stiffness: 0.5, damping: 0.02}", "reduced", 1e-6),
        ("friction: {coulomb: 0.02}", "reduced", 1e-5),
        # the reduced engine leaves rotors of joints that close loops out
        ("motor: {gear: 10, inertia: 1e-4}", "impulse", 1e-5),
    ],
)
def test_in_a_joint_that_closes_a_loop(given: str, other: str, tolerance: float) -> None:
    mechanism = kg.load(
        f"""
raff: 1
name: loop
gravity: [0, -9.81, 0]
joints:
  - {{name: A, parent: base, start: 70 deg, mass: 0.5, centre: [0.1, 0, 0],
     inertia: [1e-4, 2e-3, 2e-3]}}
  - {{name: B, parent: A, d: 0.2, start: -50 deg, mass: 0.8, centre: [0.2, 0, 0],
     inertia: [1e-4, 5e-3, 5e-3]}}
  - {{name: D, parent: base, d: 0.4, start: 60 deg, mass: 0.6, centre: [0.15, 0, 0],
     inertia: [1e-4, 4e-3, 4e-3]}}
  - {{name: C, parent: B, d: 0.4, start: 40 deg, closes: {{onto: D, d: 0.3}}, {given}}}
"""
    )
    assert difference(kg.dynamics.System.of(mechanism), 2.5e-4, other) < tolerance


def test_motors() -> None:
    runs = [
        kg.simulate(kg.load("arm-6"), time=0.5, targets={"elbow": 0.4}, engine=engine)
        for engine in ("reduced", "mujoco")
    ]
    elbow = [run.joint("elbow") for run in runs]
    assert abs(elbow[0][-1] - elbow[0][0]) > 0.1
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-6)
