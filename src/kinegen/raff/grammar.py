"""The grammar of RAFF: every section, key, kind, quantity and default, written once.

The reader, the JSON Schema and the tables of the documentation all come from here.
"""

from __future__ import annotations

from functools import cache

from kinegen.raff.kinds import (
    Either,
    Flag,
    Free,
    Key,
    Kind,
    ListOf,
    Maybe,
    Name,
    Number,
    Reference,
    Section,
    Table,
    Text,
    Word,
)

__all__ = [
    "AT",
    "BASE_SECTION",
    "CLOSES",
    "COLORS",
    "FILE",
    "FRAME",
    "JOINT",
    "JOINT_VARIABLES",
    "KLEINFINGER",
    "PARAMETER",
    "POSE",
    "SHAPE",
    "joint_section",
    "sections",
]

KLEINFINGER = ("gamma", "b", "alpha", "d", "theta", "r")
POSE = ("xyz", "rpy")

JOINT_VARIABLES: dict[str, tuple[str, ...]] = {
    "revolute": ("angle",),
    "prismatic": ("length",),
    "screw": ("angle",),
    "cylindrical": ("angle", "length"),
    "universal": ("angle", "angle"),
    "spherical": ("angle", "angle", "angle"),
    "planar": ("length", "length", "angle"),
    "free": ("length", "length", "length", "angle", "angle", "angle"),
    "fixed": (),
}
"""The quantity of each variable of each joint type (checked against ``JointType``)."""

COLORS = (
    "black blue brown coral crimson cyan darkblue darkgreen darkgray darkred gold gray green "
    "lightblue lightgray lime magenta maroon navy olive orange pink purple red salmon silver "
    "skyblue steelblue tan teal tomato turquoise violet white yellow"
).split()

_ANGLE, _LENGTH = Number("angle"), Number("length")
_XYZ = ListOf(_LENGTH, (3,), hint="x, y, z")
_RPY = ListOf(_ANGLE, (3,), hint="roll, pitch, yaw")
_QUAT = ListOf(Number("number"), (4,), hint="w, x, y, z")
_NOTE = Key(Text(), "a remark for people")
_NAME = Key(Name(), "its name: letters, digits, _ and -, with a letter", required=True)

_SIX = {
    "gamma": Key(_ANGLE, "turn about the parent's z", "0"),
    "b": Key(_LENGTH, "shift along the parent's z", "0"),
    "alpha": Key(_ANGLE, "turn about x", "0"),
    "d": Key(_LENGTH, "shift along x", "0"),
    "theta": Key(_ANGLE, "turn about the new z", "0"),
    "r": Key(_LENGTH, "shift along the new z", "0"),
}
_XYZ_RPY = {
    "xyz": Key(_XYZ, "position, instead of the six", "[0, 0, 0]"),
    "rpy": Key(
        _RPY, "roll about x, then pitch about y, then yaw about z (fixed axes)", "[0, 0, 0]"
    ),
}
_PLACEMENT = {**_SIX, **_XYZ_RPY}
_DH_HINTS = {
    "a": "the distance along x is 'd' here",
    "offset": "a constant turn is 'theta', a constant shift is 'r'",
    "origin": "place it by 'xyz' and 'rpy', or by gamma b alpha d theta r",
    "position": "place it by 'xyz'",
    "orientation": "turn it by 'rpy'",
    "quat": "give the turn as 'rpy'",
}

_SHAPE_SIZES = {
    "mesh": Key(Text(), "mesh file (stl, obj, ply, dae, glb), relative to this file"),
    "scale": Key(Number("number", "positive"), "factor from the mesh file's unit to metres", "1"),
    "box": Key(
        ListOf(Number("length", "positive"), (3,), hint="x, y, z"), "full edge lengths x, y, z"
    ),
    "cylinder": Key(
        ListOf(Number("length", "positive"), (2,), hint="radius, length"),
        "radius and length, along z, centred",
    ),
    "sphere": Key(Number("length", "positive"), "radius"),
    "capsule": Key(
        ListOf(Number("length", "positive"), (2,), hint="radius, length"),
        "radius and length between the caps' centres, along z, centred",
    ),
}
SHAPE = Section("a shape", {**_SHAPE_SIZES, **_XYZ_RPY})
_SHAPE = Either(scalar=Text(), mapping=SHAPE, listing=ListOf(Either(scalar=Text(), mapping=SHAPE)))
_COLOR = Key(Text(), 'a colour\'s name, or "#rrggbb" in quotes')
_MASS = {
    "mass": Key(Number("mass", "positive"), "mass of the link"),
    "centre": Key(_XYZ, "centre of mass in the link's frame"),
    "inertia": Key(
        ListOf(Number("inertia"), (3, 6), hint="xx, yy, zz or xx, yy, zz, xy, xz, yz"),
        "about the centre of mass, in the link's axes: xx yy zz, or xx yy zz xy xz yz",
    ),
    "density": Key(Number("density", "positive"), "gives mass and inertia from the shape"),
}
_LINK = {
    "shape": Key(_SHAPE, "auto, none, a mesh file, a mapping, or a list of these", "auto"),
    "color": _COLOR,
    **_MASS,
}
_LINK_HINTS = {
    "colour": "it is spelt 'color' here",
    "center": "it is spelt 'centre' here",
    "com": "the centre of mass is 'centre'",
    "visual": "the body is 'shape'",
    "collision": "the body is 'shape'",
    "geometry": "the body is 'shape'",
}

CLOSES = Section(
    "closes",
    {
        "onto": Key(
            Reference("link"),
            "the link the joint must land on, which closes the loop",
            required=True,
        ),
        **_PLACEMENT,
    },
    {**_DH_HINTS, "link": "the other link is 'onto'", "parent": "the other link is 'onto'"},
)


def _by(variables: tuple[str, ...], angle: str, length: str) -> str:
    """The quantity for joints of these variables: one of two, or '' when they differ."""
    kinds = set(variables)
    return angle if kinds == {"angle"} else length if kinds == {"length"} else ""


def _motor(variables: tuple[str, ...]) -> Section:
    """The motor of a joint with these variables."""
    keys = {
        "torque": Key(Number("torque", "positive"), "largest torque, joints that turn"),
        "force": Key(Number("force", "positive"), "largest force, joints that slide"),
        "speed": Key(Number(_by(variables, "angular speed", "speed"), "positive"), "largest speed"),
        "acceleration": Key(
            Number(_by(variables, "angular acceleration", "acceleration"), "positive"),
            "largest acceleration",
        ),
        "gear": Key(Number("number"), "motor turns per joint turn", "1"),
        "inertia": Key(Number("inertia", "not negative"), "of the rotor, on the motor's side", "0"),
        "mode": Key(Word(("position", "velocity", "torque")), "what it is told", "position"),
        "kp": Key(
            Number(_by(variables, "angular stiffness", "stiffness"), "not negative"),
            "servo stiffness",
        ),
        "kd": Key(
            Number(_by(variables, "angular damping", "damping"), "not negative"),
            "servo damping",
        ),
    }
    hints = {"effort": "the largest effort is 'torque' (turning) or 'force' (sliding)"}
    if set(variables) == {"angle"}:
        del keys["force"]
        hints["force"] = "this joint turns: give 'torque'"
    elif set(variables) == {"length"}:
        del keys["torque"]
        hints["torque"] = "this joint slides: give 'force'"
    return Section("motor", keys, hints)


def _variable_keys(variables: tuple[str, ...], spherical: bool, free: bool) -> dict[str, Key]:
    """The keys whose meaning depends on the joint's variables."""
    parts = tuple(Number(quantity) for quantity in variables)
    pairs = tuple(ListOf(part, (2,), hint="lower, upper") for part in parts)
    effort = _by(variables, "torque", "force")
    viscous = _by(variables, "angular damping", "damping")
    one = parts[0] if len(set(parts)) == 1 else Number()
    motor = _motor(variables)
    friction = Section(
        "friction",
        {
            "viscous": Key(Number(viscous, "not negative"), "effort per speed", "0"),
            "coulomb": Key(Number(effort, "not negative"), "effort while moving", "0"),
            "static": Key(Number(effort, "not negative"), "effort to break loose", "coulomb"),
            "stribeck": Key(
                Number(_by(variables, "angular speed", "speed"), "positive"),
                "speed at which static friction has faded",
            ),
        },
    )
    spring = Section(
        "spring",
        {
            "stiffness": Key(
                Number(_by(variables, "angular stiffness", "stiffness"), "not negative"),
                "effort per displacement",
                required=True,
            ),
            "damping": Key(Number(viscous, "not negative"), "effort per speed", "0"),
            "rest": Key(one, "value at which it is relaxed", "0"),
        },
    )
    start: Kind
    limits: Kind
    if free:
        start = Section(
            "start of a free joint",
            {
                "xyz": Key(_XYZ, "position", "[0, 0, 0]"),
                "rpy": Key(_RPY, "roll, pitch, yaw (plain numbers)", "[0, 0, 0]"),
                "quat": Key(_QUAT, "quaternion w, x, y, z, instead of rpy", "[1, 0, 0, 0]"),
            },
        )
    elif spherical:
        start = ListOf(Number(), (3, 4), hint="roll, pitch, yaw or w, x, y, z")
    elif len(parts) == 1:
        start = parts[0]
    else:
        start = ListOf(one, (len(parts),), parts, hint=", ".join(variables))
    if spherical:
        limits = Maybe(Number("angle", "positive"))
    elif len(parts) == 1:
        limits = Maybe(pairs[0])
    else:
        limits = Maybe(
            ListOf(
                Maybe(ListOf(one, (2,), hint="lower, upper")),
                (len(parts),),
                tuple(Maybe(pair) for pair in pairs),
                hint="a pair [lower, upper] or none for each variable",
            )
        )
    motors = ListOf(
        Maybe(Either(scalar=Flag(), mapping=motor)),
        (len(parts),),
        tuple(Maybe(Either(scalar=Flag(), mapping=_motor((v,)))) for v in variables),
        hint="a motor or none for each variable",
    )
    drive = Either(scalar=Flag(), mapping=motor, listing=motors if len(parts) > 1 else None)
    return {
        "start": Key(start, "its value at the start; also picks the branch of a loop", "0"),
        "limits": Key(limits, "[lower, upper] of its variable; a pair each for several", "none"),
        "motor": Key(drive, "true, or what the motor can do; a list for several", "false"),
        "friction": Key(
            Either(scalar=Number(viscous, "not negative"), mapping=friction),
            "viscous friction, or a mapping",
            "0",
        ),
        "backlash": Key(Number(one.quantity, "not negative"), "play of the joint", "0"),
        "spring": Key(spring, "a spring along its variable"),
    }


def _joint(kind: str | None) -> Section:
    """The section of a joint row, for one type or (None) for all of them."""
    if kind is None:
        variable_keys = _generic_variable_keys()
    elif kind == "fixed":
        variable_keys = {}
    else:
        variable_keys = _variable_keys(JOINT_VARIABLES[kind], kind == "spherical", kind == "free")
    keys = {
        "name": _NAME,
        "type": Key(Word(tuple(JOINT_VARIABLES)), "what it lets move", "revolute"),
        "parent": Key(
            Reference("link"),
            "the link it sits on: base, or the joint that carries it",
            required=True,
        ),
        **_PLACEMENT,
        "pitch": Key(_LENGTH, "screw joints: advance per turn", required=kind == "screw"),
        **variable_keys,
        "closes": Key(CLOSES, "makes it a cut joint: where it must land to close a loop"),
        **_LINK,
        "note": _NOTE,
    }
    if kind not in ("screw", None):
        del keys["pitch"]
    hints = {
        **_DH_HINTS,
        **_LINK_HINTS,
        "axis": "a joint moves about or along its own z; turn z with alpha or rpy",
        "child": "a joint carries the link of its own name; others name it as 'parent'",
        "link": "a joint carries the link of its own name; others name it as 'parent'",
        "damping": "give 'friction' or 'spring: {damping: …}'",
        "onto": "it belongs inside 'closes: {onto: …}'",
        "q": "its value at the start is 'start'",
        "kind": "the joint's type is 'type'",
    }
    return Section("a joint", keys, hints)


def _generic_variable_keys() -> dict[str, Key]:
    """The variable keys as one joint of any type may write them."""
    one = _variable_keys(("angle", "length"), False, False)
    numbers, free = ListOf(Number(), ()), _variable_keys(JOINT_VARIABLES["free"], False, True)
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
FRAME = Section(
    "a frame",
    {
        "name": _NAME,
        "parent": Key(Reference("link"), "the link it is fixed on", required=True),
        **_PLACEMENT,
        "note": _NOTE,
    },
    _DH_HINTS,
)
PARAMETER = Section(
    "a parameter",
    {
        "value": Key(Number(), "its value", required=True),
        "min": Key(Number(), "lower end of its slider"),
        "max": Key(Number(), "upper end of its slider"),
        "note": _NOTE,
    },
)
AT = Section(
    "at",
    {
        "parent": Key(Reference("place"), "the link or frame it is placed on", "base"),
        **_PLACEMENT,
    },
    _DH_HINTS,
)
_SENSOR_AT = Section("at", _PLACEMENT, _DH_HINTS)
BASE_SECTION = Section("base", {**_LINK, "note": _NOTE}, _LINK_HINTS)

ROBOT = Section(
    "a robot",
    {
        "name": _NAME,
        "include": Key(
            Text(),
            "name of a library mechanism, or path of a file beside this one",
            required=True,
        ),
        "at": Key(AT, "where its base stands", "on base"),
        "parameters": Key(Table(Number()), "other values for its parameters"),
        "note": _NOTE,
    },
)
OBJECT = Section(
    "an object",
    {
        "name": _NAME,
        "shape": Key(_SHAPE, "its body", required=True),
        "at": Key(AT, "where it is at the start", "on base"),
        "color": _COLOR,
        **_MASS,
        "friction": Key(Number("number", "not negative"), "coefficient of sliding friction"),
        "restitution": Key(Number("number", "not negative"), "0 dead, 1 elastic"),
        "fixed": Key(Flag(), "never moves", "false"),
        "velocity": Key(ListOf(Number("speed"), (3,), hint="x, y, z"), "at the start"),
        "spin": Key(
            ListOf(Number("angular speed"), (3,), hint="x, y, z"), "angular velocity at the start"
        ),
        "note": _NOTE,
    },
    _LINK_HINTS,
)
SENSOR = Section(
    "a sensor",
    {
        "name": _NAME,
        "type": Key(
            Word(("camera", "distance", "force", "joint", "contact", "pose")),
            "what it senses",
            required=True,
        ),
        "parent": Key(Reference("thing"), "the link, frame or joint it sits on", "base"),
        "at": Key(_SENSOR_AT, "where on it"),
        "rate": Key(Number("frequency", "positive"), "readings per second"),
        "range": Key(ListOf(_LENGTH, (2,), hint="nearest, farthest"), "nearest and farthest"),
        "resolution": Key(
            ListOf(Number("number", "positive"), (2,), hint="width, height"), "pixels"
        ),
        "field_of_view": Key(Number("angle", "positive"), "vertical opening angle"),
        "note": _NOTE,
    },
)
AGENT = Section(
    "an agent",
    {
        "name": _NAME,
        "program": Key(Text(), "what runs: module, file or command"),
        "rate": Key(Number("frequency", "positive"), "steps per second"),
        "sensors": Key(ListOf(Reference("sensor")), "sensors it reads"),
        "joints": Key(ListOf(Reference("joint")), "joints it drives"),
        "options": Key(Free(), "anything the program wants to know"),
        "note": _NOTE,
    },
)
DEVICE = Section(
    "a device",
    {
        "name": _NAME,
        "type": Key(
            Word(
                (
                    "mouse",
                    "keyboard",
                    "sliders",
                    "buttons",
                    "gamepad",
                    "spacemouse",
                    "tracker",
                    "haptic",
                    "udp",
                )
            ),
            "what it is",
            required=True,
        ),
        "port": Key(Text(), "where it is plugged in: a port, path or address"),
        "moves": Key(
            Either(scalar=Reference("thing"), listing=ListOf(Reference("thing"))),
            "the frame, joint or link it moves, or a list",
        ),
        "mode": Key(Word(("absolute", "incremental")), "how its reading counts", "incremental"),
        "scale": Key(Number("number"), "factor on its translations", "1"),
        "rotation_scale": Key(Number("number"), "factor on its rotations", "1"),
        "axes": Key(Free(), "which of its axes does what"),
        "note": _NOTE,
    },
)
MOTION = Section(
    "a motion",
    {
        "name": _NAME,
        "joints": Key(ListOf(Reference("joint")), "the joints that move", required=True),
        "times": Key(ListOf(Number("time")), "increasing", required=True),
        "values": Key(
            ListOf(ListOf(Number())), "one row per time, one value per joint", required=True
        ),
        "interpolation": Key(Word(("linear", "cubic")), "between the rows", "linear"),
        "note": _NOTE,
    },
)

FILE = Section(
    "the file",
    {
        "raff": Key(Word(("1",)), "version of the format", required=True),
        "name": Key(Name(digit_first=True), "short name of the mechanism", "the file's name"),
        "title": Key(Text(), "its name for people"),
        "description": Key(Text(), "what it is"),
        "source": Key(Text(), "where its numbers come from"),
        "parameters": Key(
            Table(Either(scalar=Number(), mapping=PARAMETER)),
            "named numbers for formulas; each becomes a slider",
        ),
        "gravity": Key(
            ListOf(Number("acceleration"), (3,), hint="x, y, z"),
            "acceleration of gravity",
            "[0, 0, -9.81]",
        ),
        "base": Key(BASE_SECTION, "the link that never moves"),
        "joints": Key(ListOf(JOINT), "one row per joint"),
        "frames": Key(ListOf(FRAME), "named frames on links: tools, handles"),
        "robots": Key(ListOf(ROBOT), "other RAFF files that stand in this one"),
        "objects": Key(ListOf(OBJECT), "things around the mechanism"),
        "sensors": Key(ListOf(SENSOR), "what is sensed"),
        "agents": Key(ListOf(AGENT), "programs that act"),
        "devices": Key(ListOf(DEVICE), "input devices and what they move"),
        "motions": Key(ListOf(MOTION), "recorded motions"),
    },
    {
        "links": "links need no section: each joint carries the link of its name",
        "units": "units stand with the numbers: 150 mm, 90 deg; plain numbers are SI",
        "robot": "several robots are 'robots', one robot is 'joints'",
        "version": "the version of the format is 'raff: 1'",
    },
)


def sections() -> dict[str, Section]:
    """Every section of the grammar by its path, in reading order: for documentation."""
    motor = JOINT.keys["motor"].kind
    friction = JOINT.keys["friction"].kind
    spring = JOINT.keys["spring"].kind
    start = JOINT.keys["start"].kind
    assert isinstance(motor, Either) and motor.mapping is not None
    assert isinstance(friction, Either) and friction.mapping is not None
    assert isinstance(start, Either) and start.mapping is not None
    assert isinstance(spring, Section)
    return {
        "file": FILE,
        "parameters": PARAMETER,
        "base": BASE_SECTION,
        "joints": JOINT,
        "joints.closes": CLOSES,
        "joints.start": start.mapping,
        "joints.motor": motor.mapping,
        "joints.friction": friction.mapping,
        "joints.spring": spring,
        "shape": SHAPE,
        "frames": FRAME,
        "robots": ROBOT,
        "at": AT,
        "objects": OBJECT,
        "sensors": SENSOR,
        "agents": AGENT,
        "devices": DEVICE,
        "motions": MOTION,
    }
