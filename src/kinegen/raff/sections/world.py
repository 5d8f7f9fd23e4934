"""The RAFF grammar of a world: its clock and engines, lights, sensors and agents."""

from __future__ import annotations

from kinegen.raff.sections.kinds import (
    Either,
    Free,
    Key,
    ListOf,
    Number,
    Reference,
    Section,
    Table,
    Text,
    Word,
)
from kinegen.raff.sections.parts import (
    COLOR_KEY,
    DH_HINTS,
    LENGTH,
    NAME_KEY,
    NOTE_KEY,
    PLACEMENT_KEYS,
    XYZ,
)

__all__ = [
    "AGENT",
    "LIGHT",
    "LONGEST_NAME",
    "ON_JOINTS",
    "PERSON",
    "PERSON_POINT",
    "PULL",
    "SENSOR",
    "SENSOR_KEYS",
    "SENSOR_TYPES",
    "TALLEST",
    "WORLD",
]

SENSOR_KEYS: dict[str, tuple[str, ...]] = {
    "encoder": (),
    "current": (),
    "temperature": (),
    "distance": ("at", "range"),
    "lidar": ("at", "range", "rays", "layers", "field_of_view", "vertical_field_of_view"),
    "camera": ("at", "range", "pixels", "field_of_view", "images", "renderer"),
    "force": ("at",),
    "touch": (),
    "bumper": ("threshold",),
    "contact": (),
    "imu": ("at",),
    "pose": ("at",),
    "person": ("at", "range", "field_of_view"),
}
"""Kinegen's own types of sensors, each with the keys that only some have."""
SENSOR_TYPES = tuple(SENSOR_KEYS)
ON_JOINTS = ("encoder", "current", "temperature")
"""Types whose parent is a joint."""
_OUTPUTS = (
    "distance", "position", "velocity", "acceleration", "rate", "orientation", "force", "torque",
)  # fmt: skip
_AT = Section("at", PLACEMENT_KEYS, DH_HINTS)


def _per_output(doc: str) -> Key:
    """A number for all outputs of a sensor, or one for each."""
    number = Number("", "not negative")
    each = {name: Key(number, f"that of its {name}") for name in _OUTPUTS}
    return Key(Either(scalar=number, mapping=Section("one number per output", each)), doc, "0")


LIGHT = Section(
    "a light",
    {
        "name": NAME_KEY,
        "type": Key(
            Word(("directional", "point")),
            "directional: parallel light from afar, such as the sun's; point: a lamp that shines "
            "all around",
            required=True,
        ),
        "parent": Key(Reference("carrier"), "the link, frame or object that carries it", "base"),
        "at": Key(_AT, "its placement there; of a directional light only the rotation counts"),
        "direction": Key(
            ListOf(Number("number"), (3,), hint="x, y, z"),
            "directional: the way its light travels, in its own axes",
            "[0, 0, -1]",
        ),
        "color": Key(COLOR_KEY.kind, COLOR_KEY.doc, "white"),
        "intensity": Key(
            Number("number", "not negative"),
            "1 makes a white surface that faces the light fully white, for a point light from a "
            "distance of 1 m (it falls with the square of the distance); 0 is off",
            "1",
        ),
        "note": NOTE_KEY,
    },
    {"colour": "it is spelt 'color' here", "brightness": "it is 'intensity' here",
     "dir": "it is 'direction' here", "xyz": "its placement is 'at: {xyz: […]}'",
     "pos": "its placement is 'at: {xyz: […]}'", "link": "what carries it is its 'parent'"},
)  # fmt: skip
_GESTURE = Word(("none", "point", "stop", "grasp"))
_STANDS = Key(ListOf(LENGTH, (3,), hint="x, y, z"), "where the feet are", "[0, 0, 0]")
_FACING = "direction of the eyes: the angle from x about z"
_SIDE = Key(Word(("right", "left")), "the hand that shows the gesture", "right")
PERSON_POINT = Section(
    "a point of a route",
    {
        "time": Key(Number("time", "not negative"), "when the person is there", required=True),
        "xyz": Key(_STANDS.kind, _STANDS.doc, "where they were before"),
        "facing": Key(Number("angle"), f"{_FACING}; from then on", "where they walk, or as before"),
        "gesture": Key(
            _GESTURE, "what a hand shows from then on: none, point, stop, grasp", "as before"
        ),
        "hand": Key(_SIDE.kind, _SIDE.doc, "as before"),
        "note": NOTE_KEY,
    },
    {"t": "it is 'time'", "at": "where a person stands is 'xyz', the direction is 'facing'",
     "position": "where a person stands is 'xyz'", "rpy": "the direction is 'facing'",
     "side": "it is 'hand'"},
)  # fmt: skip
TALLEST, LONGEST_NAME = 3.0, 60
"""Of a person [m, letters]."""
PERSON = Section(
    "a person",
    {
        "name": NAME_KEY,
        "height": Key(Number("length", "positive"), "height of the body", "1.75 m"),
        "color": Key(COLOR_KEY.kind, COLOR_KEY.doc, "chosen by Kinegen"),
        "xyz": _STANDS,
        "facing": Key(Number("angle"), _FACING, "0"),
        "gesture": Key(_GESTURE, "what a hand shows at first", "none"),
        "hand": _SIDE,
        "route": Key(
            ListOf(PERSON_POINT),
            "where the person walks and what they show, in the order of times",
            "stands still",
        ),
        "note": NOTE_KEY,
    },
    {"colour": "it is spelt 'color' here", "size": "it is 'height'", "side": "it is 'hand'",
     "at": "where a person stands is 'xyz', the direction is 'facing'",
     "position": "where a person stands is 'xyz'", "rpy": "the direction is 'facing'",
     "path": "it is 'route'", "scale": "a smaller person has a smaller 'height'"},
)  # fmt: skip
SENSOR = Section(
    "a sensor",
    {
        "name": NAME_KEY,
        "type": Key(
            Word(SENSOR_TYPES, "kinegen.sensors"),
            "what it is: " + ", ".join(SENSOR_TYPES) + "; or the name of a plug-in",
            required=True,
        ),
        "parent": Key(
            Reference("thing"), "the link, frame, joint or object it is mounted on", "base"
        ),
        "at": Key(_AT, "its placement there; it looks along its x axis, z is up"),
        "rate": Key(Number("frequency", "positive"), "measurements per second", "every step"),
        "noise": _per_output("standard deviation of its noise, in the unit of what it measures"),
        "resolution": _per_output("smallest difference that it reports, in the same unit"),
        "delay": Key(
            Number("time", "not negative"), "time from the measurement until others read it", "0"
        ),
        "dropout": Key(Number("number", "share"), "share of measurements that are lost", "0"),
        "seed": Key(Number("number", "not negative"), "seed of its noise", "from the world's seed"),
        "range": Key(
            ListOf(LENGTH, (2,), hint="nearest, farthest"),
            "distance, lidar, camera, person: nearest and farthest distance",
            "[0, 10 m]",
        ),
        "rays": Key(Number("number", "positive"), "lidar: rays of one layer", "360"),
        "layers": Key(Number("number", "positive"), "lidar: layers of rays", "1"),
        "field_of_view": Key(
            Number("angle", "positive"),
            "lidar: opening angle of a layer; camera: vertical opening angle; person: of a cone "
            "about the x axis",
            "360 deg; camera 45 deg",
        ),
        "vertical_field_of_view": Key(
            Number("angle", "positive"), "lidar: angle from the lowest to the highest layer",
            "30 deg",
        ),
        "pixels": Key(
            ListOf(Number("number", "positive"), (2,), hint="width, height"),
            "camera: width and height of its picture",
            "[320, 240]",
        ),
        "images": Key(
            ListOf(Word(("color", "depth", "segmentation"))), "camera: what it takes", "[color]"
        ),
        "renderer": Key(
            Word(("mujoco",), "kinegen.renderers"),
            "camera: what draws its pictures: mujoco, or the name of a plug-in",
            "mujoco",
        ),
        "threshold": Key(
            Number("force", "positive"), "bumper: force above which it counts as pressed", "0.1 N"
        ),
        "options": Key(Free(), "settings for a plug-in"),
        "note": NOTE_KEY,
    },
    {"fov": "the opening angle is 'field_of_view'", "frequency": "it is 'rate'",
     "width": "the size of a picture is 'pixels: [width, height]'",
     "joint": "the joint it measures is its 'parent'", "link": "it is mounted on its 'parent'",
     "xyz": "its placement is 'at: {xyz: […]}'", "rpy": "its placement is 'at: {rpy: […]}'"},
)  # fmt: skip
AGENT = Section(
    "an agent",
    {
        "name": NAME_KEY,
        "program": Key(
            Text(),
            "a Python function or class: module:name, file.py:name relative to this file, or a "
            "plug-in's name",
        ),
        "command": Key(
            Either(scalar=Text(), listing=ListOf(Text())),
            "a program in any language instead: its command as a list of words; the program "
            "exchanges JSON lines",
        ),
        "fmu": Key(
            Text(),
            "an FMU (FMI 2 or 3) instead: its file, relative to this one; needs kinegen[fmi]",
        ),
        "inputs": Key(
            Free(),
            "fmu: signals for its inputs, {input: JOINT.position}",
            "those with the same name",
        ),
        "outputs": Key(
            Free(),
            "fmu: motors that its outputs drive, {output: JOINT}",
            "those with the same name",
        ),
        "folder": Key(Text(), "where the command runs, relative to this file", "this file's"),
        "rate": Key(Number("frequency", "positive"), "decisions per second", "50 Hz"),
        "sensors": Key(ListOf(Reference("sensor")), "sensors it reads", "all of its file"),
        "joints": Key(ListOf(Reference("joint")), "joints it drives", "all motors of its file"),
        "hold": Key(
            Number("time", "not negative"),
            "how long its last command is held when it fails; then its motors brake",
            "0.5 s",
        ),
        "timeout": Key(
            Number("time", "positive"), "real time that an answer may take", "2 s"
        ),
        "options": Key(Free(), "settings for the program"),
        "note": NOTE_KEY,
    },
    {"frequency": "it is 'rate'", "motors": "the joints it drives are 'joints'",
     "script": "a Python function is 'program: file.py:name'",
     "python": "a Python function is 'program: file.py:name'"},
)  # fmt: skip
PULL = Section(
    "a pull",
    {
        "name": NAME_KEY,
        "part": Key(Reference("carrier"), "the link, frame or free object it holds", required=True),
        "xyz": Key(XYZ, "the point that it holds there", "[0, 0, 0]"),
        "times": Key(
            ListOf(Number("time")),
            "times of its route, increasing; the hand grips at the first",
            required=True,
        ),
        "route": Key(
            ListOf(XYZ),
            "where the hand is at these times, in the world; it moves gently in between",
            required=True,
        ),
        "release": Key(Number("time"), "time of release", "never"),
        "stiffness": Key(
            Number("stiffness", "positive"), "of its spring", "as suits the part that it holds"
        ),
        "damping": Key(
            Number("damping", "not negative"), "of its spring, with 'stiffness'", "no overshoot"
        ),
        "force": Key(Number("force", "positive"), "greatest force that it exerts", "500 N"),
        "note": NOTE_KEY,
    },
    {"link": "what it holds is 'part'", "object": "what it holds is 'part'",
     "parent": "what it holds is 'part'", "target": "the places of the hand are its 'route'",
     "values": "the places are 'route'", "until": "the time of release is 'release'"},
)  # fmt: skip
WORLD = Section(
    "world",
    {
        "engine": Key(Text(), "engine that moves everything", "reduced"),
        "step": Key(Number("time", "positive"), "length of a step", "1 ms"),
        "seed": Key(Number("number", "not negative"), "seed of all noise", "0"),
        "time": Key(Number("time", "positive"), "how long 'kinegen run' runs it", "5 s"),
        "floor": Key(LENGTH, "height of a floor perpendicular to gravity", "no floor"),
        "engines": Key(
            Table(Text(), dotted=True, to="link"),
            "links that move on an engine of their own, with all that they carry",
        ),
        "modes": Key(
            Table(Word(("position", "velocity", "torque", "computed")), dotted=True, to="link"),
            "what the targets of motors set, by joint or robot, instead of the motor's own mode",
        ),
        "note": NOTE_KEY,
    },
    {"gravity": "gravity is a section of its own", "duration": "it is 'time' here",
     "dt": "the length of a step is 'step'", "timestep": "the length of a step is 'step'"},
)  # fmt: skip
