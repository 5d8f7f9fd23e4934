"""Units as other programs see them: fmpy validates, loads and steps them."""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.validation import validate_fmu

import kinegen as kg
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.errors import FormatError, NameNotFoundError, UsageError
from kinegen.kernels import backend
from tests.support.units.driven import DrivenUnit
from tests.support.units.foreign import GAIN, GOAL, TAU, foreign_unit, has_compiler

pytestmark = pytest.mark.skipif(
    backend.name() != backend.NATIVE, reason="units are made of the compiled engine"
)

VERSIONS = ("2", "3")
HALF = math.pi / 2
SAME = 1e-9
"""What the issue asks for; both run the same code, so that only rounding of times is between."""

PENDULUM = """
raff: 1
name: heavy-arm
parameters: {length: 0.4, load: {value: 2 kg, min: 0.5 kg, max: 5 kg}}
gravity: [0, 0, -9.81]
joints:
  - name: lift
    parent: base
    axis: y
    start: 20 deg
    mass: load
    centre: [length/2, 0, 0]
    inertia: [0.001, load*length^2/12, load*length^2/12, 0, 0, 0]
    motor: {torque: 60, kp: 400, kd: 30}
    friction: {viscous: 0.2}
frames:
  - {name: tip, parent: lift, xyz: [length, 0, 0]}
"""

FLOATING = """
raff: 1
name: floating
parameters: {height: 0.5}
joints:
  - {name: body, type: free, parent: base, start: {xyz: [0, 0, height]}, mass: 1,
     inertia: [0.01, 0.01, 0.01, 0, 0, 0]}
  - {name: arm, parent: body, start: height/2, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}
"""

FOUR_BAR = """
raff: 1
name: four-bar-unit
parameters: {coupler: 0.35}
gravity: [0, -9.81, 0]
joints:
  - {name: A, parent: base, start: 60 deg, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0],
     motor: {torque: 50, kp: 300, kd: 20}}
  - {name: B, parent: A, d: 0.2, start: -40 deg, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}
  - {name: D, parent: base, d: 0.4, start: 80 deg, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}
  - {name: C, parent: B, d: coupler, start: 60 deg, closes: {onto: D, d: 0.3}}
"""


def compare(
    unit: DrivenUnit, run: Simulation, targets: Callable[[float], dict[str, float]]
) -> None:
    """Step both; the unit gets its targets before every step of the engine."""
    names = {name: f"motors__{name}__target_position" for name in targets(0.0)}
    for _ in range(150):
        unit.set(**{names[name]: value for name, value in targets(unit.time).items()})
        unit.step(run.engine.step)
        run.advance(run.engine.step)
    assert run.is_running, run.reason
    assert abs(unit.positions(run.model) - run.engine.q).max() < SAME
    assert abs(unit.velocities(run.model) - run.engine.v).max() < SAME
    assert abs(run.engine.v).max() > 1e-3  # it did move


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["five-bar", "so101", PENDULUM])
def test_fmpy_has_nothing_to_say(made: Callable[..., Path], name: str, version: str) -> None:
    assert validate_fmu(str(made(name, fmi=version))) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_unit_moves_as_the_simulation_does(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit], version: str
) -> None:
    def targets(t: float) -> dict[str, float]:
        return {"A": HALF + 0.3 * math.sin(5 * t), "E": HALF - 0.5 * t}

    unit = open_unit(made("five-bar", fmi=version), version)
    run = Simulation(kg.load("five-bar"), targets=targets, record=0)
    compare(unit, run, targets)
    handle = kg.pose(run.model, run.engine.q, "handle").translation
    assert unit.get(*(f"frames.handle.{axis}" for axis in "xyz")) == pytest.approx(handle, abs=SAME)
    assert unit.get("motors.A.effort")[0] == pytest.approx(run.efforts[0], abs=SAME)
    energies = unit.get("energy.kinetic", "energy.potential")
    assert energies == pytest.approx([run.report.kinetic, run.report.potential], abs=SAME)
    assert unit.get("loops.gap")[0] < 1e-9


def test_long_steps_are_many_steps_of_the_engine(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    unit = open_unit(made("five-bar"))
    run = Simulation(kg.load("five-bar"), targets={"A": 2.0, "E": 1.0}, record=0)
    unit.set(motors__A__target_position=2.0, motors__E__target_position=1.0)
    for _ in range(10):
        unit.step(0.02)
    run.advance(0.2)
    assert abs(unit.positions(run.model) - run.engine.q).max() < SAME


def test_any_length_of_step_ends_where_it_should(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    """0.7 ms and 3.3 ms are no whole steps of 1 ms: shorter ones are made, of order 4."""
    odd, even = (open_unit(made(PENDULUM, fmi="3"), "3") for _ in range(2))
    for unit, steps in ((odd, [7e-4, 3.3e-3] * 50), (even, [1e-3] * 200)):
        unit.set(motors__lift__target_position=0.5)
        for seconds in steps:
            unit.step(seconds)
    assert odd.get("time")[0] == pytest.approx(0.2, abs=1e-12)
    # efforts are held over steps, which is of first order
    both = [unit.get("joints.lift.position")[0] for unit in (odd, even)]
    assert both[0] == pytest.approx(both[1], abs=2e-3)
    assert abs(both[0] - math.radians(20)) > 0.02


def test_masses_and_lengths_are_parameters(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    unit = open_unit(made(PENDULUM), parameters__length=0.55, parameters__load=3.0)
    model = kg.load(PENDULUM).compile()
    model.parameters["length"], model.parameters["load"] = 0.55, 3.0
    run = Simulation(model, targets={"lift": 0.5}, record=0)
    compare(unit, run, lambda _: {"lift": 0.5})
    tip = kg.pose(run.model, run.engine.q, "tip").translation
    assert unit.get("frames.tip.x")[0] == pytest.approx(tip[0], abs=SAME)


def test_masses_of_automatic_shapes_are_parameters(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    """Lengths change in the unit, and what follows from the file's shapes is set as well."""
    model = kg.load("five-bar").compile()
    model.parameters["crank"] = 0.16
    values = {"parameters__crank": 0.16}
    keys = ("mass", *(f"centre__{axis}" for axis in "xyz"),
            *(f"inertia__{axes}" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")))  # fmt: skip
    for name, row in zip(model.link_names[1:], model.inertia[1:], strict=True):
        values |= {f"links__{name}__{key}": x for key, x in zip(keys, row.tolist(), strict=True)}
    run = Simulation(model, targets={"A": 1.5, "E": 1.7}, record=0)
    assert run.servos is not None
    for name in ("A", "E"):  # gains that suit these masses
        i, motors = model.joint(name).v.start, run.servos.motors
        values |= {f"motors__{name}__kp": motors.kp[i], f"motors__{name}__kd": motors.kd[i]}
    unit = open_unit(made("five-bar"), **values)
    assert abs(unit.positions(model) - run.engine.q).max() < SAME
    compare(unit, run, lambda _: {"A": 1.5, "E": 1.7})


def test_starts_follow_the_parameters(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    values = {"parameters__height": 0.7}
    unit = open_unit(made(FLOATING), **values)
    assert unit.get("joints.body.position.z", "joints.arm.position") == pytest.approx([0.7, 0.35])
    unit = open_unit(made(FLOATING), joints__body__start__z=0.2, joints__arm__start=-0.1, **values)
    assert unit.get("joints.body.position.z", "joints.arm.position") == pytest.approx([0.2, -0.1])


def test_rotors_in_backlash_are_whole_in_the_parameters(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    """A part of such a rotor turns with its joint, with any lengths and inertias."""
    unit = open_unit(made("so101"), parameters__pan_height=0.07)
    names = [one.name for one in unit.description.modelVariables]
    row = unit.description.modelVariables[names.index("joints.shoulder_pan.motor.inertia")]
    assert float(row.start) == pytest.approx(2.352e-7, rel=1e-12)
    model = kg.load("so101").compile()
    model.parameters["pan_height"] = 0.07
    run = Simulation(model, targets={"shoulder_pan": 0.6}, record=0)
    compare(unit, run, lambda _: {"shoulder_pan": 0.6})


def test_loops_close_again_with_other_lengths_and_starts(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    unit = open_unit(
        made(FOUR_BAR), parameters__coupler=0.42, joints__A__start=math.radians(75),
        links__B__mass=1.5,
    )  # fmt: skip
    model = kg.load(FOUR_BAR).compile()
    model.parameters["coupler"] = 0.42
    model.set_number("B", "mass", 1.5)
    start = {"A": math.radians(75)}
    run = Simulation(model, start, targets={"A": 1.5}, record=0)
    assert abs(unit.positions(model) - run.engine.q).max() < SAME
    compare(unit, run, lambda _: {"A": 1.5})


def test_springs_follow_the_parameters(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    """Stiffness and rest length are formulas, one end is on a frame that moves with a length."""
    sprung = PENDULUM + (
        "springs:\n"
        "  - {name: coil, from: {xyz: [0, 0, 2*length]}, to: {frame: tip}, stiffness: 50*load,\n"
        "     damping: 2, rest: length}\n"
    )
    unit = open_unit(made(sprung), parameters__length=0.55, parameters__load=3.0)
    assert "springs.coil.damping" in unit.refs and "springs.coil.rest" not in unit.refs
    model = kg.load(sprung).compile()
    model.parameters["length"], model.parameters["load"] = 0.55, 3.0
    run = Simulation(model, targets={"lift": 0.5}, record=0)
    compare(unit, run, lambda _: {"lift": 0.5})
    assert unit.get("energy.potential")[0] == pytest.approx(run.report.potential, abs=SAME)


def test_gains_gravity_and_loads_from_outside(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    unit = open_unit(made(PENDULUM), gravity__z=-1.62)
    unit.set(motors__lift__kp=900.0, motors__lift__kd=45.0, joints__lift__external_effort=1.5,
             frames__tip__force__z=-4.0)  # fmt: skip
    changed = PENDULUM.replace("kp: 400, kd: 30", "kp: 900, kd: 45")
    mechanism = kg.load(changed)

    def push(time: float, q: np.ndarray, v: np.ndarray) -> Any:
        tip = kg.pose(run.model, q, "tip").translation
        wrench = [0, 0, -4.0, *np.cross(tip, [0, 0, -4.0])]
        from kinegen.dynamics.engines.engine import Loads

        return Loads.of(run.model, efforts=np.array([1.5]), wrenches={"lift": wrench})

    run = Simulation(
        mechanism, targets={"lift": 0.5}, control=push, gravity=(0, 0, -1.62), record=0
    )
    compare(unit, run, lambda _: {"lift": 0.5})


@pytest.mark.parametrize("version", VERSIONS)
def test_states_come_back_bit_for_bit(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit], version: str
) -> None:
    path = made("five-bar", fmi=version)
    unit = open_unit(path, version, parameters__crank=0.16)
    unit.set(motors__A__target_position=2.0)
    unit.step(0.05)
    state = unit.keep()
    words = (
        unit.own.serializeFMUstate(state) if version == "2" else unit.own.serializeFMUState(state)
    )
    model = kg.load("five-bar").compile()
    unit.step(0.05)
    first = unit.positions(model).tolist()
    unit.go_to(state)
    unit.time = 0.05
    unit.step(0.05)
    assert unit.positions(model).tolist() == first
    other = open_unit(path, version)  # another instance, with the file's own lengths
    back = other.own.deSerializeFMUstate if version == "2" else other.own.deserializeFMUState
    other.go_to(back(words))
    other.time = 0.05
    other.step(0.05)
    assert other.positions(model).tolist() == first


@pytest.mark.parametrize("version", VERSIONS)
def test_states_that_are_none_are_refused(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit], version: str
) -> None:
    unit = open_unit(made(PENDULUM, fmi=version), version)
    with pytest.raises(Exception, match="failed with status 3"):
        unit.go_to(ctypes.c_void_p())
    state = unit.keep()
    two = version == "2"
    words = bytearray((unit.own.serializeFMUstate if two else unit.own.serializeFMUState)(state))
    back = unit.own.deSerializeFMUstate if two else unit.own.deserializeFMUState
    for wrong in (b"", bytes(words[:24]), bytes(words[:-8]), b"\xff" * len(words)):
        with pytest.raises(Exception, match="failed with status 3"):
            back(wrong)
    unit.go_to(back(bytes(words)))
    unit.step(0.01)


def test_instances_do_not_know_of_each_other_and_begin_again(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    path, model = made("five-bar"), kg.load("five-bar").compile()
    one, two = open_unit(path), open_unit(path)
    one.set(motors__A__target_position=2.0)
    for _ in range(5):
        one.step(0.01)
        two.step(0.01)
    moved = one.positions(model)
    assert abs(moved - two.positions(model)).max() > 1e-3
    one.own.reset()
    one.initialize()
    one.set(motors__A__target_position=2.0)
    for _ in range(5):
        one.step(0.01)
    assert one.positions(model).tolist() == moved.tolist()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"parameters__coupler": 0.01}, "the loops do not close"),
        ({"links__B__mass": -1.0}, "'links.B.mass' must be greater than 0 kg"),
        ({"parameters__coupler": math.nan}, "'parameters.coupler' must be a finite number"),
        ({"joints__A__position": 1.0}, "'joints.A.position' is computed"),
    ],
)
def test_wrong_values_are_refused_with_a_reason(
    made: Callable[..., Path], values: dict[str, float], words: str,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    unit = DrivenUnit(made(FOUR_BAR))
    with pytest.raises(Exception, match="fmi2"):
        unit.begin(**values)
    unit.own.freeInstance()
    assert words in capfd.readouterr().out


def test_fixed_parameters_and_wrong_times_are_refused_while_it_runs(
    made: Callable[..., Path],
    open_unit: Callable[..., DrivenUnit],
    capfd: pytest.CaptureFixture[str],
) -> None:
    unit = open_unit(made(FOUR_BAR))
    unit.step(0.01)
    with pytest.raises(Exception, match="fmi2"):
        unit.set(parameters__coupler=0.3)
    assert "until initialization ends" in capfd.readouterr().out
    unit.time = 0.5
    with pytest.raises(Exception, match="fmi2"):
        unit.step(0.01)
    assert "a step was asked for at 0.5" in capfd.readouterr().out


def test_it_runs_without_kinegen(made: Callable[..., Path]) -> None:
    """In a process in which importing Kinegen fails; the binary asks for no Python library."""
    path = made("five-bar")
    code = (
        "import sys; sys.modules['kinegen'] = None\n"
        "import fmpy\n"
        f"found = fmpy.simulate_fmu({str(path)!r}, stop_time=0.05, output_interval=0.01)\n"
        "print(len(found), found['frames.handle.y'][-1])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60,
        check=True,
    )  # fmt: skip
    count, height = done.stdout.split()
    assert int(count) == 6 and 0.3 < float(height) < 0.4
    with zipfile.ZipFile(path) as archive:
        (binary,) = [name for name in archive.namelist() if name.startswith("binaries/")]
        data = archive.read(binary)
    assert b"libpython" not in data and b"PyObject" not in data


@pytest.mark.skipif(not has_compiler(), reason="the other unit is made with a C compiler")
def test_it_is_chained_with_a_unit_of_another_maker(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit], tmp_path: Path
) -> None:
    step, count, x = 0.005, 40, HALF
    mine, theirs = open_unit(made("five-bar")), DrivenUnit(foreign_unit(tmp_path / "foreign.fmu"))
    theirs.begin(position=HALF)
    run = Simulation(kg.load("five-bar"), hold=True, record=0)
    assert run.servos is not None
    for _ in range(count):
        (target,) = theirs.get("target")
        mine.set(motors__A__target_position=target)
        mine.step(step)
        theirs.set(position=mine.get("joints.A.position")[0])
        theirs.step(step)
        run.servos.set_targets({"A": GOAL - GAIN * x})
        run.advance(step)
        x += step * (run.engine.q[0] - x) / TAU
    theirs.end()
    assert abs(mine.positions(run.model) - run.engine.q).max() < SAME
    assert abs(run.engine.q[0] - HALF) > 0.1


def test_the_same_mechanism_gives_the_same_bytes(tmp_path: Path) -> None:
    paths: Sequence[Path] = [tmp_path / "a.fmu", tmp_path / "b.fmu"]
    for path in paths:
        kg.export(kg.load(PENDULUM), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_what_units_cannot_do_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "arm.fmu"
    profiled = PENDULUM.replace("kd: 30", "kd: 30, profile: trapezoidal, speed: 2, acceleration: 5")
    pid = "kd: 30, controller: pid, controller_options: {kp: 9}"
    controlled = PENDULUM.replace("kd: 30", pid)
    for text, words in (
        (PENDULUM.replace("kd: 30", "kd: 30, mode: computed"), "'lift'.*computes its torques"),
        (profiled, "follow a motion profile.*lift"),
        (controlled, "controller or actuator"),
    ):
        with pytest.raises(FormatError, match=words):
            kg.export(kg.load(text), file)
    with pytest.raises(UsageError, match="version of FMI must be 2 or 3, got '4'"):
        kg.export(kg.load(PENDULUM), file, options={"fmi": "4"})
    with pytest.raises(UsageError, match="'step' must be a time"):
        kg.export(kg.load(PENDULUM), file, options={"step": "fast"})
    with pytest.raises(NameNotFoundError, match="mode 'torqe'"):
        kg.export(kg.load(PENDULUM), file, options={"mode": "torqe"})
    assert not file.exists()


def test_notes_say_what_the_unit_leaves_out(tmp_path: Path) -> None:
    notes = kg.export(kg.load("five-bar"), tmp_path / "a.fmu").notes
    assert any("links.A.mass" in note for note in notes)
    scene = PENDULUM + "objects: [{name: crate, shape: {box: [0.1, 0.1, 0.1]}}]\n"
    notes = kg.export(kg.load(scene), tmp_path / "b.fmu", options={"objects": "no"}).notes
    assert any("left out" in note and "'crate'" in note for note in notes)


def test_motors_take_another_mode(
    made: Callable[..., Path], open_unit: Callable[..., DrivenUnit]
) -> None:
    unit = open_unit(made(PENDULUM, mode="torque"))
    assert "motors.lift.target_position" not in unit.refs
    unit.set(motors__lift__target_effort=10.0)
    unit.step(0.05)
    run = Simulation(kg.load(PENDULUM), targets={"lift": 10.0}, modes={"lift": "torque"}, record=0)
    run.advance(0.05)
    assert unit.get("joints.lift.position")[0] == pytest.approx(run.engine.q[0], abs=SAME)
