"""Guides: points that stay on planes, lines and circles, in every pose and every engine."""

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics import energy
from kinegen.errors import UsageError
from kinegen.mechanism.editing.starts import write_starts
from kinegen.mechanism.graph import Mechanism

BODY = "mass: 0.5, centre: [0.1, 0, 0.01], inertia: [0.001, 0.002, 0.002]"
SLOT = f"""raff: 1
name: slot
gravity: [0, -9.81, 0]
joints:
  - {{name: crank, parent: base, start: 40 deg, {BODY}}}
  - {{name: lever, parent: base, xyz: [-0.25, 0, 0], {BODY}}}
guides:
  - {{name: slot, parent: lever, axis: x, type: line, pin: true, start: 300 mm,
     point: {{link: crank, xyz: [0.1, 0, 0]}}}}
"""
PLANE = f"""raff: 1
name: plane
joints:
  - {{name: arm, parent: base, axis: y, xyz: [0, 0, 0.4], start: 20 deg, {BODY}}}
  - {{name: rod, type: spherical, parent: arm, xyz: [0.3, 0, 0], start: [0, 60 deg, 0], {BODY}}}
frames:
  - {{name: tip, parent: rod, xyz: [0.5, 0, 0]}}
guides:
  - {{name: table, parent: base, rpy: [0, 10 deg, 0], type: plane, size: 1, point: {{frame: tip}}}}
"""
CIRCLE = f"""raff: 1
name: circle
parameters: {{radius: 0.3}}
joints:
  - {{name: a, type: universal, parent: base, xyz: [0, 0, 0.5], start: [20 deg, 40 deg], {BODY}}}
  - {{name: b, type: prismatic, parent: a, axis: -z, start: 0.6, {BODY}}}
guides:
  - {{name: ring, parent: base, rpy: [10 deg, 0, 0], type: circle, radius: radius,
     point: {{link: b}}}}
"""
TEXTS = (SLOT, PLANE, CIRCLE)


def off(mechanism: Mechanism, q: np.ndarray) -> float:
    """How far the point of the only guide is from it, measured from the links' poses [m]."""
    model = mechanism.compile()
    at = kg.poses(model, q)
    if mechanism.name == "slot":
        x, y, z = at["slot"].inverse().apply(at["crank"].apply([0.1, 0, 0]))
        return float(np.hypot(x, y))
    if mechanism.name == "plane":
        return float(abs(at["table"].inverse().apply(at["tip"].translation)[2]))
    x, y, z = at["ring"].inverse().apply(at["b"].translation)
    return float(np.hypot(np.hypot(x, y) - model.parameters["radius"], z))


@pytest.mark.parametrize(
    ("text", "freedom", "moved"), [(SLOT, 1, "crank"), (PLANE, 3, "arm"), (CIRCLE, 1, "ring.s")]
)
def test_the_point_stays_on_it(text: str, freedom: int, moved: str) -> None:
    mechanism = kg.load(text)
    model = mechanism.compile()
    assert kg.mobility(model).finite == freedom
    q = kg.assemble(model).q
    for turn in (0.0, 0.3, 0.6):
        start = q.copy()
        start[model.joint(moved).q] += turn
        q = kg.assemble(model, start, locked=[moved]).q
        assert kg.kinematics.loop_gap(model, q).distance < 1e-9
        assert off(mechanism, q) < 1e-9
    assert kg.load(mechanism.snapshot().to_raff()) == mechanism


@pytest.mark.parametrize("engine", ["reduced", "impulse"])
@pytest.mark.parametrize("text", TEXTS)
def test_it_falls_without_leaving_it_or_losing_energy(text: str, engine: str) -> None:
    mechanism = kg.load(text)
    model = mechanism.compile()
    simulation = kg.Simulation(model, engine=engine)
    before = energy(model, simulation.last.q, simulation.last.v).total
    simulation.advance(0.2)
    q, v = simulation.last.q, simulation.last.v
    # the impulse engine closes loops to its own gap in each step, and loses what that takes
    assert off(mechanism, q) < (1e-9 if engine == "reduced" else 1e-6)
    assert energy(model, q, v).total == pytest.approx(before, abs=1e-4)
    assert np.abs(v).max() > 0.1


def test_a_guide_is_edited_as_a_whole() -> None:
    mechanism = kg.load(SLOT)
    model = mechanism.compile()
    write_starts(mechanism, model, kg.assemble(model, locked=["crank"]).q)
    assert kg.kinematics.loop_gap(mechanism.compile()).distance < 1e-12
    mechanism.set_number("slot", "axis", "5 deg")
    mechanism.set_value("slot", "limits", ["0.1", "0.5"])
    mechanism.add_joint("roller", "slot.s")
    mechanism.rename("slot", "groove")
    assert mechanism.joints["roller"].parent == "groove.s"
    assert "axis: 5 deg" in mechanism.to_raff() and "turn:" in mechanism.to_raff()
    assert kg.load(mechanism.to_raff()) == mechanism
    with pytest.raises(UsageError, match=r"'groove.s' is a part of the guide 'groove'"):
        mechanism.set_number("groove.s", "start", 0.2)
    mechanism.remove_joint("roller")
    mechanism.remove_joint("groove")
    assert list(mechanism.joints) == ["crank", "lever"]


def test_an_included_guide_has_the_robots_name_in_front(tmp_path: object) -> None:
    text = "raff: 1\nrobots:\n  - {name: machine, include: quick-return}\n"
    mechanism = kg.load(text)
    assert mechanism.joints["machine.slot.point"].closes is not None
    assert mechanism.joints["machine.slot.point"].closes.onto == "machine.disc"
    assert mechanism.joints["machine.fork.s"].parent == "machine.fork"
