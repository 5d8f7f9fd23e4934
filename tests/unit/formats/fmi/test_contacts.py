"""Units in which bodies touch: they fall, bounce, slide and stand as in Kinegen's simulation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.validation import validate_fmu

import kinegen as kg
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.errors import UsageError
from kinegen.kernels import backend
from tests.support.units.driven import DrivenUnit

pytestmark = pytest.mark.skipif(
    backend.name() != backend.NATIVE, reason="units are made of the compiled engine"
)

SAME = 1e-9
"""What the issue asks for; both run the same code."""

THROWN = """
raff: 1
name: thrown
world: {floor: 0}
gravity: [0, 0, -9.81]
joints: []
objects:
  - {name: table, fixed: true, shape: {box: [0.4, 0.4, 0.1]}, at: {xyz: [0, 0, 0.05]}}
  - {name: ball, shape: {sphere: 0.05}, mass: 0.3, at: {xyz: [0, 0, 0.3]}, restitution: 0.6,
     velocity: [0.8, 0, 0]}
  - {name: crate, shape: {box: [0.1, 0.1, 0.1]}, mass: 1, friction: 0.5,
     at: {xyz: [0.5, 0, 0.2], rpy: [0.3, 0.2, 0]}}
"""


def values(unit: DrivenUnit, run: Simulation) -> np.ndarray:
    """The unit's configuration in the order of the simulation's."""
    names = []
    for joint in run.model.joints:
        places = [name for name, _ in joint.type.info.q_variables]
        if joint.name in run.system.object_names:
            names += [f"objects.{joint.name}.{one}" for one in places]
        elif len(places) == 1:
            names.append(f"joints.{joint.name}.position")
        else:
            names += [f"joints.{joint.name}.position.{one}" for one in places]
    found = np.array(unit.get(*names))
    for joint in run.model.quaternion_joints:  # both signs are one rotation
        quat = slice(joint.q.start, joint.q.start + 4)
        found[quat] *= np.sign(found[quat] @ run.engine.q[quat])
    return found


@pytest.mark.parametrize("version", ["2", "3"])
def test_thrown_things_bounce_and_slide_as_in_the_simulation(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit], version: str
) -> None:
    path = made(THROWN, fmi=version)
    assert validate_fmu(str(path)) == []
    unit = open_unit(path, version)
    run = Simulation(kg.load(THROWN), objects=True, floor=0.0, record=0)
    up = []
    for _ in range(30):
        unit.step(0.02)
        run.advance(0.02)
        assert abs(values(unit, run) - run.engine.q).max() < SAME
        up.append(unit.get("objects.ball.velocity.vz")[0])
    assert min(up) < -0.5 and max(up) > 0.5  # it bounced
    push = unit.get(*(f"objects.crate.contact_force.{axis}" for axis in "xyz"))
    assert push[2] == pytest.approx(9.81, abs=0.05)  # it slides on the floor
    assert 0.1 < np.hypot(*push[:2]) < 0.5 * 9.81 + 0.05


def test_a_machine_stands_on_its_feet_as_in_the_simulation(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    unit = open_unit(made("crawler", floor="0"))
    run = Simulation(kg.load("crawler"), targets={"shoulder": 0.2}, floor=0.0, record=0)
    unit.set(motors__shoulder__target_position=0.2)
    for _ in range(10):
        unit.step(0.03)
    run.advance(0.3)
    assert abs(values(unit, run) - run.engine.q).max() < SAME
    assert run.engine.contacts is not None and len(run.engine.contacts) > 0
    names = [one for one in unit.refs if one.endswith("contact_force.z")]
    weight = 9.81 * run.model.inertia[:, 0].sum()
    assert sum(unit.get(*names)) == pytest.approx(weight, rel=0.2)


def test_states_hold_what_touches(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    """The next step begins with the impulses of the one before, in another instance as well."""
    path = made(THROWN)
    unit, other = open_unit(path), open_unit(path)
    run = Simulation(kg.load(THROWN), objects=True, floor=0.0, record=0)
    unit.step(0.4)
    state = unit.keep()
    words = unit.own.serializeFMUstate(state)
    unit.step(0.2)
    first = values(unit, run).tolist()
    unit.go_to(state)
    unit.time = 0.4
    unit.step(0.2)
    assert values(unit, run).tolist() == first
    other.go_to(other.own.deSerializeFMUstate(words))
    other.time = 0.4
    other.step(0.2)
    assert values(other, run).tolist() == first
    with pytest.raises(Exception, match="DeSerializeFMUstate failed"):
        other.own.deSerializeFMUstate(words[:-8])


def test_objects_start_where_they_are_put(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    put = {"objects__ball__start__z": 0.5, "objects__ball__mass": 0.6}
    unit = open_unit(made(THROWN), **put)
    text = THROWN.replace("[0, 0, 0.3]", "[0, 0, 0.5]").replace("mass: 0.3", "mass: 0.6")
    run = Simulation(kg.load(text), objects=True, floor=0.0, record=0)
    unit.step(0.5)
    run.advance(0.5)
    assert abs(values(unit, run) - run.engine.q).max() < SAME


def test_objects_and_floors_can_be_left_out(tmp_path: Path) -> None:
    def exported(**options: str) -> tuple[Any, set[str]]:
        found = kg.export(kg.load(THROWN), tmp_path / "a.fmu", options=options)
        return found.notes, set(DrivenUnit(tmp_path / "a.fmu").refs)

    notes, names = exported(floor="no")
    assert not any("left out" in note for note in notes) and "objects.ball.x" in names
    with pytest.raises(UsageError, match=r"floor=high: .*use a length"):
        exported(floor="high")
    with pytest.raises(UsageError, match="objects=maybe: use one of yes, no"):
        exported(objects="maybe")
