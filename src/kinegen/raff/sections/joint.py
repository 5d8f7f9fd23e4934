"""The RAFF grammar of a joint row: its keys depend on the variables of its type."""

from __future__ import annotations

from functools import cache

from kinegen.joint_types import JointTraits, JointType
from kinegen.raff.sections.coupling import follows_section
from kinegen.raff.sections.kinds import (
    Either,
    Flag,
    Free,
    Key,
    Kind,
    ListOf,
    Maybe,
    Number,
    Reference,
    Section,
    Word,
)
from kinegen.raff.sections.parts import (
    CALLED_KEY,
    DH_HINTS,
    LENGTH,
    LINK_HINTS,
    LINK_KEYS,
    NAME_KEY,
    NOTE_KEY,
    PLACEMENT_KEYS,
    QUATERNION,
    RPY,
    XYZ,
)
from kinegen.raff.sections.wiring import WIRING_HINTS, wiring_keys

__all__ = ["CLOSES", "DEFAULT_TYPE", "JOINT", "JOINT_TYPES", "THERMAL", "joint_section"]

JOINT_TYPES = {kind.value: kind.info for kind in JointType}
"""The traits of each type of joint, by its word."""
DEFAULT_TYPE = JointType.REVOLUTE.value
"""Of a joint that gives none."""

CLOSES = Section(
    "closes",
    {
        "onto": Key(
            Reference("place"),
            "the link or frame onto which the joint closes the loop",
            required=True,
        ),
        **PLACEMENT_KEYS,
    },
    {**DH_HINTS, "link": "the other link is 'onto'", "parent": "the other link is 'onto'"},
)


def _by(variables: tuple[str, ...], angle: str, length: str) -> str:
    """The quantity for joints of these variables: one of two, or '' when they differ."""
    kinds = set(variables)
    return angle if kinds == {"angle"} else length if kinds == {"length"} else ""


THERMAL = Section(
    "thermal",
    {
        "torque_constant": Key(
            Number("number", "positive"),
            "effort of the motor itself per ampere, before its gear [N m/A, N/A]",
            required=True,
        ),
        "resistance": Key(
            Number("number", "positive"), "of the winding at 25 °C [ohm]", required=True
        ),
        "thermal_resistance": Key(
            Number("number", "positive"),
            "from the winding to the surroundings [K/W]",
            required=True,
        ),
        "heat_capacity": Key(Number("number", "positive"), "of the winding [J/K]", required=True),
        "ambient": Key(Number("number"), "temperature of the surroundings [°C]", "25"),
        "derate": Key(
            Number("number"), "temperature above which its effort falls [°C]", "the limit"
        ),
        "limit": Key(Number("number"), "temperature at which its effort is 0 [°C]", "none"),
    },
    {"kt": "it is 'torque_constant'", "R": "it is 'resistance'"},
)


def _motor(variables: tuple[str, ...]) -> Section:
    """The motor of a joint with these variables."""
    keys = {
        "torque": Key(Number("torque", "positive"), "largest torque of a joint that turns"),
        "force": Key(Number("force", "positive"), "largest force of a joint that slides"),
        "speed": Key(Number(_by(variables, "angular speed", "speed"), "positive"), "largest speed"),
        "acceleration": Key(
            Number(_by(variables, "angular acceleration", "acceleration"), "positive"),
            "largest acceleration",
        ),
        "gear": Key(Number("number", "positive"), "motor turns per joint turn", "1"),
        "inertia": Key(
            Number("inertia", "not negative"),
            "inertia of the rotor, on the motor side of the gear",
            "0",
        ),
        "mode": Key(
            Word(("position", "velocity", "torque", "computed")),
            "the quantity that its targets set",
            "position",
        ),
        "kp": Key(
            Number(_by(variables, "angular stiffness", "stiffness"), "not negative"),
            "servo stiffness",
        ),
        "kd": Key(
            Number(_by(variables, "angular damping", "damping"), "not negative"),
            "servo damping",
        ),
        "stall": Key(
            Number(_by(variables, "torque", "force"), "positive"),
            "stall effort: the effort at rest, which falls with speed",
        ),
        "no_load": Key(
            Number(_by(variables, "angular speed", "speed"), "positive"),
            "no-load speed: the speed at which no effort is left",
        ),
    }
    keys |= _control_keys()
    keys |= wiring_keys(_by(variables, "angle", "length"))
    hints = {
        "effort": "the largest effort is 'torque' (turning) or 'force' (sliding)",
        **WIRING_HINTS,
    }
    if set(variables) == {"angle"}:
        del keys["force"], keys["travel"]
        hints["travel"] = "this joint turns: specify 'ratio', the servo's turns per joint turn"
        hints["force"] = "this joint turns: specify 'torque'"
    elif set(variables) == {"length"}:
        del keys["torque"]
        hints["torque"] = "this joint slides: specify 'force'"
    return Section("motor", keys, hints)


def _control_keys() -> dict[str, Key]:
    """How a motor goes to its targets, and what becomes of its heat."""
    keys = {
        "profile": Key(
            Word(("none", "trapezoidal", "jerk-limited")),
            "how its servo moves to a target: immediately, or within limits of speed, acceleration "
            "and jerk",
            "none",
        ),
        "jerk": Key(Number("", "positive"), "largest jerk of a jerk-limited profile"),
    }
    for kind, own, doc in (
        ("controller", "pid", "what turns its targets into efforts, instead of its servo"),
        ("actuator", "lag", "what turns the requested effort into the actual one"),
    ):
        word = Word((own,), f"kinegen.{kind}s")
        keys[kind] = Key(word, f"{doc}: {own}, or the name of a plug-in")
        keys[f"{kind}_options"] = Key(Free(), f"settings of its {kind}")
    keys["thermal"] = Key(THERMAL, "winding and cooling, for current and temperature")
    return keys


def _variable_keys(
    variables: tuple[str, ...], spherical: bool, free: bool, names: tuple[str, ...] = ()
) -> dict[str, Key]:
    """The keys whose meaning depends on the joint's variables, and on what they are called."""
    parts = tuple(Number(quantity) for quantity in variables)
    viscous = Number(_by(variables, "angular damping", "damping"), "not negative")
    one = parts[0] if len(set(parts)) == 1 else Number()
    keys = {
        "start": Key(
            _start(parts, variables, spherical, free),
            "its value at the start; also selects the branch of a loop",
            "0",
        ),
        "limits": Key(
            _limits(parts, spherical),
            "[lower, upper] of its variable; one pair per variable if there are several",
            "none",
        ),
        "motor": Key(
            _drive(variables),
            "true, or the data of the motor; a list for several variables",
            "false",
        ),
        "friction": Key(
            Either(scalar=viscous, mapping=_friction(variables)),
            "viscous friction, or a mapping",
            "0",
        ),
        "backlash": Key(Number(one.quantity, "not negative"), "total clearance of the joint", "0"),
        "spring": Key(_spring(variables, one), "a spring that acts on its variable"),
        "armature": Key(
            Number(_by(variables, "inertia", "mass"), "not negative"),
            "additional inertia of a joint without a motor",
            "0",
        ),
        "follows": Key(
            follows_section(one.quantity, names),
            "the joint that it follows, by a ratio and an offset",
        ),
    }
    if spherical or free:
        del keys["follows"]  # a rotation has no variable of its own
    return keys


def _friction(variables: tuple[str, ...]) -> Section:
    effort = _by(variables, "torque", "force")
    return Section(
        "friction",
        {
            "viscous": Key(
                Number(_by(variables, "angular damping", "damping"), "not negative"),
                "effort per speed",
                "0",
            ),
            "coulomb": Key(
                Number(effort, "not negative"), "Coulomb friction: effort while moving", "0"
            ),
            "static": Key(Number(effort, "not negative"), "breakaway effort", "coulomb"),
            "stribeck": Key(
                Number(_by(variables, "angular speed", "speed"), "positive"),
                "Stribeck speed, at which static friction has decayed",
                "0.05",
            ),
        },
    )


def _spring(variables: tuple[str, ...], one: Number) -> Section:
    return Section(
        "spring",
        {
            "stiffness": Key(
                Number(_by(variables, "angular stiffness", "stiffness"), "not negative"),
                "effort per displacement",
                required=True,
            ),
            "damping": Key(
                Number(_by(variables, "angular damping", "damping"), "not negative"),
                "effort per speed",
                "0",
            ),
            "rest": Key(one, "value at which it exerts no effort", "0"),
        },
    )


def _start(
    parts: tuple[Number, ...], variables: tuple[str, ...], spherical: bool, free: bool
) -> Kind:
    if free:
        return Section(
            "start of a free joint",
            {
                "xyz": Key(XYZ, "position", "[0, 0, 0]"),
                "rpy": Key(RPY, "roll, pitch, yaw (plain numbers)", "[0, 0, 0]"),
                "quat": Key(QUATERNION, "quaternion w, x, y, z, instead of rpy", "[1, 0, 0, 0]"),
            },
        )
    if spherical:
        return ListOf(Number(), (3, 4), hint="roll, pitch, yaw or w, x, y, z")
    if len(parts) == 1:
        return parts[0]
    one = parts[0] if len(set(parts)) == 1 else Number()
    return ListOf(one, (len(parts),), parts, hint=", ".join(variables))


def _limits(parts: tuple[Number, ...], spherical: bool) -> Kind:
    if spherical:
        return Maybe(Number("angle", "positive"))
    pairs = tuple(ListOf(part, (2,), hint="lower, upper") for part in parts)
    if len(parts) == 1:
        return Maybe(pairs[0])
    one = parts[0] if len(set(parts)) == 1 else Number()
    return Maybe(
        ListOf(
            Maybe(ListOf(one, (2,), hint="lower, upper")),
            (len(parts),),
            tuple(Maybe(pair) for pair in pairs),
            hint="a pair [lower, upper] or none for each variable",
        )
    )


def _drive(variables: tuple[str, ...]) -> Either:
    motor = _motor(variables)
    if len(variables) == 1:
        return Either(scalar=Flag(), mapping=motor)
    motors = ListOf(
        Maybe(Either(scalar=Flag(), mapping=motor)),
        (len(variables),),
        tuple(Maybe(Either(scalar=Flag(), mapping=_motor((v,)))) for v in variables),
        hint="a motor or none for each variable",
    )
    return Either(scalar=Flag(), mapping=motor, listing=motors)


def _quantities(info: JointTraits) -> tuple[str, ...]:
    return tuple(quantity for _, quantity in info.variables)


def _joint(kind: str | None) -> Section:
    """The section of a joint row, for one type or (None) for all of them."""
    if kind is None:
        variable_keys = _generic_variable_keys()
    elif not JOINT_TYPES[kind].moves:
        variable_keys = {}
    else:
        info = JOINT_TYPES[kind]
        names = tuple(name for name, _ in info.variables)
        variable_keys = _variable_keys(_quantities(info), info.is_ball, info.floats, names)
    has_pitch = kind is not None and JOINT_TYPES[kind].has_pitch
    keys = {
        "name": NAME_KEY,
        "type": Key(Word(tuple(JOINT_TYPES)), "type of the joint", DEFAULT_TYPE),
        "parent": Key(
            Reference("place"),
            "the link it sits on: base, or the name of a joint; or a frame",
            required=True,
        ),
        **PLACEMENT_KEYS,
        "pitch": Key(LENGTH, "screw joints: advance per turn", required=has_pitch),
        **variable_keys,
        "closes": Key(CLOSES, "makes it a cut joint: the place where it closes a loop"),
        **LINK_KEYS,
        "called": CALLED_KEY,
        "note": NOTE_KEY,
    }
    if kind is not None and not has_pitch:
        del keys["pitch"]
    hints = {
        **DH_HINTS,
        **LINK_HINTS,
        "child": "a joint carries the link of its own name; others name it as 'parent'",
        "link": "a joint carries the link of its own name; others name it as 'parent'",
        "damping": "specify 'friction' or 'spring: {damping: …}'",
        "onto": "it belongs inside 'closes: {onto: …}'",
        "q": "its value at the start is 'start'",
        "kind": "the joint's type is 'type'",
        "mimic": "a joint that follows another has 'follows: {joint: …, ratio: …}'",
    }
    return Section("a joint", keys, hints)


def _generic_variable_keys() -> dict[str, Key]:
    """The variable keys as one joint of any type may write them."""
    one = _variable_keys(("angle", "length"), False, False)
    numbers, free = (
        ListOf(Number(), ()),
        _variable_keys(_quantities(JointType.FREE.info), False, True),
    )
    pair = ListOf(Number(), (2,), hint="lower, upper")
    start = free["start"].kind
    assert isinstance(start, Section)
    drive = one["motor"].kind
    assert isinstance(drive, Either) and drive.listing is not None
    loose = ListOf(drive.listing.item, (), hint=drive.listing.hint)
    kinds: dict[str, Kind] = {
        "start": Either(scalar=Number(), listing=numbers, mapping=start),
        "limits": Either(
            scalar=Maybe(Number("angle")),
            listing=ListOf(Either(scalar=Maybe(Number()), listing=pair), ()),
        ),
        "motor": Either(scalar=Flag(), listing=loose, mapping=drive.mapping),
    }
    return {name: Key(kinds.get(name, key.kind), key.doc, key.default) for name, key in one.items()}


@cache
def joint_section(kind: str) -> Section:
    """The keys of a joint row of one type."""
    return _joint(kind)


JOINT = _joint(None)
