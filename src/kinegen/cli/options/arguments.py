"""What several commands take: a mechanism, joint values."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterable, Sequence

import numpy as np

from kinegen.cli.output import count
from kinegen.dynamics.motors.motor import Mode
from kinegen.errors import AssemblyError, KinegenError, RaffError, UsageError
from kinegen.formats.load import load
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import configuration
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_document
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.quantities import check_quantity, measure
from kinegen.raff.units import match_unit
from kinegen.spatial.rotation import SO3

__all__ = [
    "LARGEST",
    "OutOfRangeError",
    "add_mechanism",
    "add_parameters",
    "add_q",
    "load_mechanism",
    "numbers_of",
    "parse_closed",
    "parse_modes",
    "parse_q",
    "parse_speeds",
    "parse_start",
    "parse_v",
    "q_labels",
    "real",
    "words_of",
]

LARGEST = 1e12
"""Of numbers typed in, in SI units: their squares and cubes are still numbers."""


class OutOfRangeError(KinegenError):
    """A number that nothing can be computed with; no ValueError, which argparse would catch."""


def add_mechanism(parser: argparse.ArgumentParser) -> None:
    """The positional NAME: a library name or a file."""
    parser.add_argument("mechanism", metavar="NAME", help="a library name, or a file")


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """``--set NAME=VALUE`` for parameters."""
    parser.add_argument(
        "--set",
        metavar="PARAMETER=VALUE",
        action="append",
        default=[],
        help="change a parameter, e.g. --set crank='120 mm'; may be repeated",
    )


def add_q(parser: argparse.ArgumentParser) -> None:
    """``--q`` for joint values."""
    parser.add_argument(
        "--q",
        metavar="VALUES",
        help='joint values: all of them in the file\'s order ("0 90deg 0 …"), or some by name '
        '("shoulder=30 deg, elbow=-1.2"; several numbers as "hip=(1 0 0 0)"); plain numbers are '
        "rad and m; default: the file's start",
    )


def load_mechanism(options: argparse.Namespace) -> Mechanism:
    """The mechanism asked for, parameters set."""
    mechanism = load(options.mechanism)
    assignments: list[str] = getattr(options, "set", [])
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not (name and equals and value):
            raise UsageError(f"--set takes PARAMETER=VALUE, got '{assignment}'")
        try:
            mechanism.set_parameter(name, value)
        except FormulaError as error:
            raise UsageError(f"--set {assignment}: {error}") from error
    if assignments and mechanism.document is not None:
        try:
            load_document(mechanism.document)  # whether units and signs still fit their places
        except RaffError as error:
            reasons = "; ".join(dict.fromkeys(problem.message for problem in error.problems))
            raise UsageError(f"--set {' '.join(assignments)}: {reasons}") from error
    return mechanism


def parse_q(model: Model, text: str | None) -> Floats:
    """A configuration from what was typed."""
    if text is None:
        return configuration(model)
    if "=" in text:
        return _by_name(model, text)
    quantities = [quantity for joint in model.joints for quantity in _quantities(joint)]
    words = words_of(text, len(quantities))
    if len(words) != len(quantities):
        order = f"; in order: {', '.join(q_labels(model.joints))}" if quantities else ""
        raise UsageError(
            f"--q of mechanism '{model.name}' takes {count(len(quantities), 'number')}, got "
            f"{len(words)}{order}"
        )
    return configuration(
        model, np.array([_value(w, q) for w, q in zip(words, quantities, strict=True)])
    )


def parse_start(model: Model, text: str | None) -> Floats | dict[str, list[float]] | None:
    """A configuration that loops may be closed from: all values, or those of the joints named.

    None, the file's own start, where nothing was typed.
    """
    if text is None:
        return None
    if "=" not in text:
        return parse_q(model, text)
    q = _by_name(model, text)
    names = [part.partition("=")[0].strip() for part in _split(text, ",;")]
    return {name: q[model.joint(name).q].tolist() for name in names}


def parse_closed(model: Model, text: str | None) -> Floats:
    """A configuration with closed loops: joints that are named keep their values, others follow.

    A whole configuration is taken as it is, and so is a start whose loops cannot be closed, unless
    the file names an assembly mode, which then does not exist.
    """
    from kinegen.dynamics.simulation.starts import closed_pose

    start = parse_start(model, text)
    if isinstance(start, dict) or (start is None and model.mode is not None):
        return closed_pose(model, start)
    if start is None:
        with contextlib.suppress(AssemblyError):
            return closed_pose(model, None)
    return configuration(model, start)


def _by_name(model: Model, text: str) -> Floats:
    q = configuration(model)
    for part in _split(text, ",;"):
        name, equals, values = (side.strip() for side in part.partition("="))
        if not equals:
            raise UsageError(
                f"--q: '{part}' is not NAME=VALUE; put several numbers of one joint in ( )"
            )
        if "=" in values:
            raise UsageError(f"--q: put commas between the joints, got '{part}'")
        joint = model.joint(name)
        quantities = _quantities(joint)
        words = words_of(values, len(quantities))
        if len(words) != len(quantities):
            what = f": {', '.join(q_labels([joint]))}" if len(quantities) > 1 else ""
            raise UsageError(
                f"--q: joint '{joint.name}' ({joint.type.value}) takes "
                f"{count(len(quantities), 'number')}{what}; got {len(words)}"
            )
        q[joint.q] = [
            _value(word, quantity) for word, quantity in zip(words, quantities, strict=True)
        ]
    return configuration(model, q)


_NEWTON_METRES = re.compile(r"(?<![A-Za-z])([km]?N)[ ·*]m(?![A-Za-z])")
"""Torques as tables show them, 'N m', where formulas write 'Nm'."""
_RATES = {
    "v": {"angle": "angular speed", "length": "speed"},
    "vdot": {"angle": "angular acceleration", "length": "acceleration"},
}


def parse_v(model: Model, text: str | None, what: str) -> Floats:
    """Velocities ('v') or accelerations ('vdot') from what was typed; 0 where nothing was."""
    out = np.zeros(model.nv)
    if text is None:
        return out
    option = f"--{what}"

    def read(joints: Sequence[ModelJoint], values: str) -> list[float]:
        wanted = [_RATES[what][kind] for j in joints for _, kind in j.type.info.variables]
        words = words_of(values, len(wanted))
        if len(words) != len(wanted):
            whose = f"joint '{joints[0].name}'" if len(joints) == 1 else f"'{model.name}'"
            order = f"; in order: {', '.join(_v_labels(joints))}" if len(wanted) > 1 else ""
            raise UsageError(
                f"{option} of {whose} takes {count(len(wanted), 'number')}, got {len(words)}{order}"
            )
        return [_value(w, quantity, option) for w, quantity in zip(words, wanted, strict=True)]

    if "=" not in text:
        out[:] = read(model.joints, text)
        return out
    for part in _split(text, ",;"):
        name, equals, values = (side.strip() for side in part.partition("="))
        if not equals or "=" in values:
            raise UsageError(f"{option}: '{part}' is not NAME=VALUE; put commas between joints")
        joint = model.joint(name)
        out[joint.v] = read([joint], values)
    return out


def parse_speeds(
    model: Model, text: str | None, what: str = "v"
) -> Floats | dict[str, list[float]] | None:
    """Velocities ('v') or accelerations ('vdot'): all, or those of the joints named, or None."""
    if text is None:
        return None
    v = parse_v(model, text, what)
    if "=" not in text:
        return v
    names = [part.partition("=")[0].strip() for part in _split(text, ",;")]
    return {name: v[model.joint(name).v].tolist() for name in names}


def parse_targets(
    model: Model, text: str | None, quantities: Sequence[str]
) -> dict[str, list[float]]:
    """Targets of motors by joint name, in the quantity that each v of theirs takes."""
    targets: dict[str, list[float]] = {}
    for part in _split(text, ",;") if text else []:
        name, equals, values = (side.strip() for side in part.partition("="))
        if not equals or "=" in values:
            raise UsageError(f"--target: '{part}' is not NAME=VALUE; put commas between joints")
        joint = model.joint(name)
        wanted = list(quantities[joint.v])
        words = words_of(values, len(wanted))
        turns = joint.type.info.is_ball and set(wanted) == {"angle"}
        if turns and len(words) == 4:
            wanted = [""] * 4
        if len(words) != len(wanted):
            kinds = ": roll pitch yaw, or the quaternion w x y z" if turns else ""
            raise UsageError(
                f"--target of joint '{name}' takes {count(len(wanted), 'number')}{kinds}; got "
                f"{len(words)}"
            )
        if turns and len(words) == 3:
            roll, pitch, yaw = (_value(word, "angle", "--target") for word in words)
            targets[name] = SO3.from_rpy(roll, pitch, yaw).quat.tolist()
            continue
        targets[name] = [_value(w, q, "--target") for w, q in zip(words, wanted, strict=True)]
    return targets


def words_of(text: str, wanted: int | None = None) -> list[str]:
    """Numbers apart by commas or blanks; a unit after a blank stays with its number.

    Where one is wanted, blanks may stand within it, as in a file: '4 1/2 in'.
    """
    text = _NEWTON_METRES.sub(r"\1m", text.strip())
    if wanted == 1:
        with contextlib.suppress(FormulaError):
            parse_formula(text)
            return [text]
    if text[:1] + text[-1:] in ("()", "[]") and len(_split(text, " \t,;")) == 1:
        text = text[1:-1]
    words = _split(text, ",;")
    if len(words) != 1:
        return words
    words = []
    for word in _split(text, " \t"):
        unit = match_unit(word, 0)
        if words and unit is not None and unit.text == word and words[-1][-1] in "0123456789.)":
            words[-1] += " " + word
        else:
            words.append(word)
    return words


def _split(text: str, separators: str) -> list[str]:
    """The parts of a text between separators, none empty; what is in brackets stays together."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character in separators and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _quantities(joint: ModelJoint) -> list[str]:
    """What each number of a joint's part of q measures."""
    return ["" if kind == "number" else kind for _, kind in joint.type.info.q_variables]


def q_labels(joints: Iterable[ModelJoint]) -> list[str]:
    """A name for each number of q."""
    labels = []
    for joint in joints:
        names = [name for name, _ in joint.type.info.q_variables]
        labels += [joint.name] if len(names) == 1 else [f"{joint.name}.{name}" for name in names]
    return labels


def _v_labels(joints: Iterable[ModelJoint]) -> list[str]:
    """A name for each number of v."""
    labels = []
    for joint in joints:
        names = [name for name, _ in joint.type.info.variables]
        labels += [joint.name] if len(names) == 1 else [f"{joint.name}.{name}" for name in names]
    return labels


def numbers_of(option: str, text: str, quantities: Sequence[str]) -> list[float]:
    """As many numbers as there are quantities, from an option's text."""
    words = words_of(text, len(quantities))
    if len(words) != len(quantities):
        raise UsageError(f"{option} takes {count(len(quantities), 'number')}, got '{text}'")
    return [_value(w, q, option) for w, q in zip(words, quantities, strict=True)]


def _value(word: str, quantity: str, option: str = "--q") -> float:
    try:
        formula = parse_formula(word)
        wrong = check_quantity(formula, measure(formula, {}), quantity)
    except FormulaError as error:
        raise UsageError(f"{option}: {error}") from error
    if formula.names:
        raise UsageError(f"{option}: '{word}' is not a number")
    if wrong:
        raise UsageError(f"{option}: '{word}': this is {wrong}")
    return _within(formula.evaluate({}), f"{option}: '{word}'")


def real(text: str) -> float:
    """A plain number, as argparse's ``type``; words that are none are argparse's to report."""
    return _within(float(text), f"'{text}'")


def _within(value: float, what: str) -> float:
    if not abs(value) <= LARGEST:
        raise OutOfRangeError(f"{what} is too large: the largest number is {LARGEST:g}")
    return value


def parse_modes(text: str | None) -> dict[str, Mode | str]:
    """Modes of motors by joint, from ``elbow=torque, wrist=computed``."""
    modes: dict[str, Mode | str] = {}
    for part in (text or "").replace(";", ",").split(","):
        name, equals, word = (side.strip() for side in part.partition("="))
        if equals:
            modes[name] = word
        elif name:
            raise UsageError(f"--mode: '{part.strip()}' is not NAME=MODE")
    return modes
