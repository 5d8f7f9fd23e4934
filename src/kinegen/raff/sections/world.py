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
)

__all__ = ["AGENT", "LIGHT", "ON_JOINTS", "SENSOR", "SENSOR_KEYS", "SENSOR_TYPES", "WORLD"]

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
}
"""Kinegen's own types of sensors, each with the keys that only some have."""
SENSOR_TYPES = tuple(SENSOR_KEYS)
ON_JOINTS = ("encoder", "current", "temperature")
"""Types whose parent is a joint."""
_OUTPUTS = ("position", "velocity", "acceleration", "rate", "orientation", "force", "torque")
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
            "distance, lidar, camera: nearest and farthest distance",
            "[0, 10 m]",
        ),
        "rays": Key(Number("number", "positive"), "lidar: rays of one layer", "360"),
        "layers": Key(Number("number", "positive"), "lidar: layers of rays", "1"),
        "field_of_view": Key(
            Number("angle", "positive"),
            "lidar: opening angle of a layer; camera: vertical opening angle",
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
            "a program in any language instead: its command, word by word; it uses JSON lines",
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
