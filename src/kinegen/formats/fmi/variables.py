"""Variables of a unit: every input, output and parameter with its unit and what it stands for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.motors.servos import Servos
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.tree.loops import loop_equations
from kinegen.formats.fmi.bodies import body_name, contact_forces, masses, numbers_of_file
from kinegen.formats.fmi.units import by_kind, parameter_units, placement_unit
from kinegen.formats.fmi.variable import FmuVariable, VariableKind, quoted
from kinegen.kernels import Floats, ServoRow
from kinegen.mechanism.graph import PLACEMENT_KEYS, PlacementKind
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = ["fmu_variables", "held_variables"]

INDEPENDENT = 1e-3
"""Least share of a joint in the motions that are still free for which its start can be given."""
_FORCES = (*((f"force.{axis}", "N") for axis in "xyz"), *((f"torque.{a}", "N.m") for a in "xyz"))
_POSE = (*((axis, "m") for axis in "xyz"), *((part, "1") for part in ("qw", "qx", "qy", "qz")))
_DRIVE_KEYS = {
    "motor.gear": "ratio", "motor.inertia": "inertia", "friction.viscous": "damping",
    "friction.coulomb": "effort", "friction.static": "effort", "friction.stribeck": "velocity",
    "spring.stiffness": "stiffness", "spring.damping": "damping", "spring.rest": "position",
}  # fmt: skip
"""Numbers of a joint by the keys of :meth:`Model.number_slot`, each with its quantity."""


def fmu_variables(run: Simulation, held: Sequence[int]) -> list[FmuVariable]:
    """All variables of a unit in the order of its model description.

    Args:
        run: A simulation at its start.
        held: Places in v for which starts can be given.
    """
    model = run.model
    found = [FmuVariable("time", VariableKind.TIME, "s", "time")]
    if run.servos is not None:
        found += _targets(run, run.servos)
    found += _loads(run)
    found += _outputs(run)
    found += contact_forces(run)
    found += _parameters(model)
    found += _numbers(model, numbers_of_file(run))
    found += masses(run)
    if run.servos is not None:
        found += _gains(model, run.servos)
    found += _springs(run)
    found += _starts(run, held)
    return [replace(one, start=float(one.start)) for one in found]


def held_variables(run: Simulation) -> list[int]:
    """Places in v that determine the pose: those of motors first, then others that are free."""
    model, driven = run.model, np.zeros(run.model.nv, dtype=bool)
    if run.servos is not None:
        driven = run.servos.motors.driven
    plain = [
        i
        for joint in model.joints
        if not joint.is_cut and not joint.type.info.has_quaternion
        for i in range(joint.v.start, joint.v.stop)
    ]
    if not model.constraint_count:
        return plain
    free = np.array(loop_equations(model, run.engine.q).free_motion, dtype=np.float64)
    chosen = []
    for i in sorted(plain, key=lambda one: not driven[one]):
        column = free[:, i]
        size = float(np.linalg.norm(column))
        if size < INDEPENDENT:
            continue
        chosen.append(i)
        free = free - np.outer(column / size, column / size @ free)
    return sorted(chosen)


def variable_names(joint: ModelJoint) -> list[str]:
    """Suffixes of the variables of a joint, with a dot; empty where there is only one."""
    names = [name for name, _ in joint.type.info.variables]
    return [f".{name}" if len(names) > 1 else "" for name in names]


def _targets(run: Simulation, servos: Servos) -> Iterator[FmuVariable]:
    model, kinds, modes = run.model, VariableKind, servos.motors.modes
    for joint, k, i, suffix in _variables(model):
        if not servos.motors.driven[i]:
            continue
        owner, kind = f"motors.{quoted(joint.name)}", joint.type.info.variables[k][1]
        has_quaternion = joint.type.info.has_quaternion
        if modes[i] is Mode.POSITION and not has_quaternion:
            at = joint.q.start + k
            yield FmuVariable(
                f"{owner}.target_position{suffix}", kinds.TARGET_POSITION,
                by_kind("position", kind),
                f"target position of motor '{joint.name}'; not set: its start",
                run.engine.q[at], at,
            )  # fmt: skip
        if modes[i] is Mode.POSITION and has_quaternion and k == 0:
            for n, (name, quantity) in enumerate(joint.type.info.q_variables):
                at = joint.q.start + n
                yield FmuVariable(
                    f"{owner}.target_position.{name}", kinds.TARGET_POSITION,
                    "1" if quantity == "number" else by_kind("position", quantity),
                    f"target position of the motors of '{joint.name}'; not set: their start",
                    run.engine.q[at], at,
                )  # fmt: skip
        if modes[i] is not Mode.TORQUE:
            yield FmuVariable(
                f"{owner}.target_velocity{suffix}", kinds.TARGET_VELOCITY,
                by_kind("velocity", kind), f"target velocity of motor '{joint.name}'", 0.0, i,
            )  # fmt: skip
        more = "" if modes[i] is Mode.TORQUE else ", added to the effort of its servo"
        yield FmuVariable(
            f"{owner}.target_effort{suffix}", kinds.TARGET_EFFORT, by_kind("effort", kind),
            f"target effort of motor '{joint.name}'{more}", 0.0, i,
        )  # fmt: skip


def _loads(run: Simulation) -> Iterator[FmuVariable]:
    model = run.model
    for joint, k, i, suffix in _variables(model):
        if joint.is_cut:
            continue
        yield FmuVariable(
            f"{body_name(run, 'joints', joint.name)}.external_effort{suffix}",
            VariableKind.EXTERNAL_EFFORT,
            by_kind("effort", joint.type.info.variables[k][1]),
            f"external effort on joint '{joint.name}'{_axes(joint)}", 0.0, i,
        )  # fmt: skip
    for name, place in _sites(run):
        for n, (part, unit) in enumerate(_FORCES):
            yield FmuVariable(
                f"{place}.{part}", VariableKind.FORCE, unit,
                f"{part.split('.')[0]} from outside on '{name}' at its origin, world axes", 0.0,
                int(model.site(name)), n,
            )  # fmt: skip


def _outputs(run: Simulation) -> Iterator[FmuVariable]:
    model, kinds = run.model, VariableKind
    for joint in model.joints:
        if joint.name in run.system.object_names:
            continue  # it has a place of its own
        owner, said = f"joints.{quoted(joint.name)}", f"of joint '{joint.name}'"
        places = joint.type.info.q_variables
        for n, (name, quantity) in enumerate(places):
            unit = "1" if quantity == "number" else by_kind("position", quantity)
            suffix = f".{name}" if len(places) > 1 else ""
            at = joint.q.start + n
            yield FmuVariable(
                f"{owner}.position{suffix}", kinds.POSITION, unit, f"position {said}", 0.0, at
            )
    for joint, k, i, suffix in _variables(model):
        owner, kind = body_name(run, "joints", joint.name), joint.type.info.variables[k][1]
        yield FmuVariable(
            f"{owner}.velocity{suffix}", kinds.VELOCITY, by_kind("velocity", kind),
            f"velocity of joint '{joint.name}'{_axes(joint)}", 0.0, i,
        )  # fmt: skip
        if run.servos is None or not run.servos.motors.driven[i]:
            continue
        motor = f"motors.{quoted(joint.name)}"
        yield FmuVariable(
            f"{motor}.effort{suffix}", kinds.EFFORT, by_kind("effort", kind),
            f"effort of motor '{joint.name}' over the last step", 0.0, i,
        )  # fmt: skip
        if run.servos.heat.has[i]:
            yield FmuVariable(
                f"{motor}.temperature{suffix}", kinds.TEMPERATURE, "degC",
                f"temperature of the winding of motor '{joint.name}'", 0.0, i,
            )  # fmt: skip
    for name, place in _sites(run):
        for n, (part, unit) in enumerate(_POSE):
            what = "position" if n < 3 else "orientation as a quaternion"
            yield FmuVariable(
                f"{place}.{part}", kinds.POSE, unit, f"{what} of '{name}' in the world", 0.0,
                int(model.site(name)), n,
            )  # fmt: skip
    yield FmuVariable("energy.kinetic", kinds.KINETIC, "J", "kinetic energy")
    yield FmuVariable(
        "energy.potential", kinds.POTENTIAL, "J", "energy of gravity and of all springs"
    )
    if model.constraint_count:
        yield FmuVariable("loops.gap", kinds.GAP, "m", "largest loop gap")


def _parameters(model: Model) -> Iterator[FmuVariable]:
    units, mechanism = parameter_units(model), model.compiled_from
    values = dict(model.parameters)
    for name, slot in model.parameters.slots.items():
        if slot.formula is not None:
            continue
        given = mechanism.parameters[name]
        value = model.parameters[name]
        low, high = (
            None if end is None else float(end.evaluate(values))
            for end in (given.minimum, given.maximum)
        )
        yield FmuVariable(
            f"parameters.{quoted(name)}", VariableKind.PARAMETER, units[name],
            given.note or f"parameter '{name}' of the file", value, slot.index,
            minimum=None if low is None or low > value else low,
            maximum=None if high is None or high < value else high,
        )  # fmt: skip


def _numbers(model: Model, reals: Floats) -> Iterator[FmuVariable]:
    """Lengths, friction, springs, motor limits and gravity that are plain numbers in the file."""
    kinds = model.blocks.int_part("placement_kind")
    placed = [(one.name, "geometry.joints", "", one.placement) for one in model.joints]
    placed += [
        (model.joints[loop.joint].name, "geometry.joints", "closes.", loop.placement)
        for loop in model.loops
    ]
    placed += [(one.name, "geometry.frames", "", one.placement) for one in model.frames]
    for owner, group, prefix, placement in placed:
        for key in PLACEMENT_KEYS[PlacementKind(int(kinds[placement]))]:
            if placement_unit(key) == "m":
                yield from _number(
                    model, reals, owner, prefix + key, group, "m", f"length '{key}' of"
                )
    for joint, k, _, suffix in _variables(model):
        kind = joint.type.info.variables[k][1]
        for key, quantity in _DRIVE_KEYS.items():
            if key == "motor.gear" and model.number(joint.name, "motor.inertia" + suffix) == 0:
                continue  # it counts for the rotor alone
            unit = by_kind(quantity, kind)
            yield from _number(
                model, reals, joint.name, key + suffix, "joints", unit, f"'{key}' of"
            )
        for key, quantity in (("effort", "effort"), ("speed", "velocity")):
            unit = by_kind(quantity, kind)
            yield from _number(
                model, reals, joint.name, key + suffix, "motors", unit, f"largest {key} of motor",
                f"max_{key}{suffix}",
            )  # fmt: skip
    for axis in "xyz":
        yield from _number(
            model, reals, model.link_names[0], f"gravity.{axis}", "", "m/s2",
            "acceleration of gravity along", name=f"gravity.{axis}",
        )  # fmt: skip


def _number(
    model: Model,
    reals: Floats,
    owner: str,
    key: str,
    group: str,
    unit: str,
    said: str,
    name: str = "",
) -> Iterator[FmuVariable]:
    slot = model.number_slot(owner, key)
    value = float(reals[slot.index])
    if slot.formula is not None or not math.isfinite(value) or (value == 0 and group):
        return
    whole = f"{group}.{quoted(owner)}.{name or key}" if group else name
    what = f"{said} '{owner}'" if group else f"{said} {key[-1]}"
    yield FmuVariable(whole, VariableKind.NUMBER, unit, what, value, slot.index)


def _gains(model: Model, servos: Servos) -> Iterator[FmuVariable]:
    motors, nv = servos.motors, model.nv
    for joint, k, i, suffix in _variables(model):
        if not motors.driven[i] or motors.modes[i] is Mode.TORQUE:
            continue
        owner, kind = f"motors.{quoted(joint.name)}", joint.type.info.variables[k][1]
        for key, row, gains, quantity in (
            ("kp", ServoRow.KP, motors.kp, "stiffness"),
            ("kd", ServoRow.KD, motors.kd, "damping"),
        ):
            if key == "kp" and motors.modes[i] is Mode.VELOCITY:
                continue
            yield FmuVariable(
                f"{owner}.{key}{suffix}", VariableKind.GAIN, by_kind(quantity, kind),
                f"gain of the servo of motor '{joint.name}'", gains[i], int(row) * nv + i,
                minimum=0.0,
            )  # fmt: skip


def _springs(run: Simulation) -> Iterator[FmuVariable]:
    springs, given = run.system.springs, run.model.compiled_from.scene.get("springs", [])
    rows = (("stiffness", springs.stiffness, "N/m"), ("damping", springs.damping, "N.s/m"),
            ("rest", springs.rest, "m"))  # fmt: skip
    for i, name in enumerate(springs.names):
        for n, (key, numbers, unit) in enumerate(rows):
            if key in given[i] and given[i][key].names:
                continue  # it follows the parameters
            yield FmuVariable(
                f"springs.{quoted(name)}.{key}", VariableKind.SPRING, unit,
                f"{key} of spring '{name}'", numbers[i], n * len(springs) + i,
            )  # fmt: skip


def _starts(run: Simulation, held: Sequence[int]) -> Iterator[FmuVariable]:
    follow = "; the other joints follow" if run.model.constraint_count else ""
    for joint in run.model.joints:
        info = joint.type.info
        # what floats, and balls that no loop holds, start anywhere
        loose = info.has_quaternion and not joint.is_cut and (info.floats or not follow)
        for k, (name, kind) in enumerate(info.q_variables):
            i = joint.v.start + (0 if info.has_quaternion else k)
            if not (loose or (i in held and not info.has_quaternion)):
                continue
            at = joint.q.start + k
            suffix = f".{name}" if len(info.q_variables) > 1 else ""
            yield FmuVariable(
                f"{body_name(run, 'joints', joint.name)}.start{suffix}", VariableKind.START,
                "1" if kind == "number" else by_kind("position", kind),
                f"where joint '{joint.name}' starts{follow}", run.engine.q[at], at, i,
            )  # fmt: skip


def _variables(model: Model) -> Iterator[tuple[ModelJoint, int, int, str]]:
    """Joint, number of the variable in it, place in v, suffix of its name."""
    for joint in model.joints:
        for k, suffix in enumerate(variable_names(joint)):
            yield joint, k, joint.v.start + k, suffix


def _sites(run: Simulation) -> Iterator[tuple[str, str]]:
    """Frames of the file, or links where it names none, and objects: name, that of variables."""
    for frame in run.model.frames:
        yield frame.name, f"frames.{quoted(frame.name)}"
    for name in run.model.link_names[1:]:
        if name in run.system.object_names or not run.model.frames:
            yield name, body_name(run, "links", name)


def _axes(joint: ModelJoint) -> str:
    return ", in its own axes" if joint.type.info.floats else ""
