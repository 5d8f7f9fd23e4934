"""The RAFF grammar of a whole file, made of those of its rows.

The reader, the JSON Schema and the tables of the documentation all come from here.
"""

from __future__ import annotations

from kinegen.raff.sections.coupling import COUPLING
from kinegen.raff.sections.device import DEVICE
from kinegen.raff.sections.guide import GUIDE, GUIDE_CURVE, GUIDE_POINT
from kinegen.raff.sections.joint import CLOSES, JOINT, THERMAL
from kinegen.raff.sections.kinds import (
    Either,
    Flag,
    Key,
    ListOf,
    Name,
    Number,
    Reference,
    Section,
    Table,
    Text,
    Word,
)
from kinegen.raff.sections.parts import (
    CALLED_KEY,
    COLOR_KEY,
    DH_HINTS,
    LINK_HINTS,
    LINK_KEYS,
    NAME_KEY,
    NOTE_KEY,
    PLACEMENT_KEYS,
    PREFIX_KEY,
    SHAPE,
    SHAPE_KIND,
    SURFACE,
    SURFACE_KEYS,
    XYZ,
    mass_keys,
)
from kinegen.raff.sections.wall import SCREEN, WALL
from kinegen.raff.sections.world import (
    AGENT,
    LIGHT,
    PERSON,
    PERSON_POINT,
    PULL,
    SENSOR,
    WORLD,
)

__all__ = [
    "AGENT",
    "AT",
    "BASE_SECTION",
    "COLLISIONS",
    "DEVICE",
    "FILE",
    "FRAME",
    "LIGHT",
    "MOTION",
    "OBJECT",
    "PARAMETER",
    "PERSON",
    "PULL",
    "ROBOT",
    "SENSOR",
    "SPRING",
    "SPRING_END",
    "WORLD",
    "sections",
]

FRAME = Section(
    "a frame",
    {
        "name": NAME_KEY,
        "parent": Key(Reference("place"), "the link or frame it is fixed to", required=True),
        **PLACEMENT_KEYS,
        "link": Key(
            Flag(), "whether it is the link's own frame and name in files of other formats", "false"
        ),
        "joint": Key(Text(), "name of the fixed joint that holds it in files of other formats"),
        "called": CALLED_KEY,
        "note": NOTE_KEY,
    },
    DH_HINTS,
)
PARAMETER = Section(
    "a parameter",
    {
        "value": Key(Number(), "its value", required=True),
        "min": Key(Number(), "lower end of its slider"),
        "max": Key(Number(), "upper end of its slider"),
        "note": NOTE_KEY,
    },
)
AT = Section(
    "at",
    {
        "parent": Key(Reference("place"), "the link or frame on which it is placed", "base"),
        **PLACEMENT_KEYS,
    },
    DH_HINTS,
)
BASE_SECTION = Section(
    "base",
    {"name": Key(NAME_KEY.kind, "what other rows call the ground", "base"), **LINK_KEYS},
    LINK_HINTS,
)

ROBOT = Section(
    "a robot",
    {
        "name": PREFIX_KEY,
        "include": Key(
            Text(),
            "name of a library mechanism, or path of a file relative to this one",
            required=True,
        ),
        "at": Key(AT, "placement of its base", "on base"),
        "parameters": Key(Table(Number(), dotted=True), "values that override its parameters"),
        "engine": Key(Text(), "engine that moves it in a world", "the world's"),
        "note": NOTE_KEY,
    },
)
OBJECT = Section(
    "an object",
    {
        "name": NAME_KEY,
        "shape": Key(SHAPE_KIND, "its shape", required=True),
        "at": Key(AT, "its placement at the start", "on base"),
        "color": COLOR_KEY,
        **mass_keys("object", massless=False),
        **SURFACE_KEYS,
        "fixed": Key(Flag(), "whether it never moves", "false"),
        "velocity": Key(ListOf(Number("speed"), (3,), hint="x, y, z"), "velocity at the start"),
        "spin": Key(
            ListOf(Number("angular speed"), (3,), hint="x, y, z"), "angular velocity at the start"
        ),
        "note": NOTE_KEY,
    },
    LINK_HINTS,
)
COLLISIONS = Section(
    "collisions",
    {
        "self": Key(
            Flag(),
            "whether links of one robot touch each other",
            "yes, if the file gives their shapes",
        ),
        "except": Key(
            ListOf(ListOf(Reference("thing"), (2,), hint="two links or objects")),
            "pairs of links or objects that pass through each other",
        ),
    },
)
SPRING_END = Section(
    "an end of a spring",
    {
        "link": Key(Reference("link"), "the link it is attached to", "base"),
        "frame": Key(Reference("frame"), "the frame it is attached to, instead of a link"),
        "object": Key(
            Reference("object"),
            "the free object it is attached to, instead of a link; without objects, the spring "
            "does not act",
        ),
        "xyz": Key(XYZ, "the point on the link, frame or object", "[0, 0, 0]"),
    },
    {
        "parent": "the link is 'link', a frame is 'frame', an object is 'object'",
        "at": "the point is 'xyz'",
        "joint": "the link that a joint carries is 'link'",
    },
)
SPRING = Section(
    "a spring",
    {
        "name": NAME_KEY,
        "from": Key(SPRING_END, "one end", required=True),
        "to": Key(SPRING_END, "the other end", required=True),
        "stiffness": Key(
            Number("stiffness", "not negative"), "force per elongation", required=True
        ),
        "damping": Key(Number("damping", "not negative"), "force per speed of elongation", "0"),
        "rest": Key(Number("length", "not negative"), "length at which it exerts no force", "0"),
        "note": NOTE_KEY,
    },
    {
        "k": "the stiffness is 'stiffness'",
        "c": "the damping is 'damping'",
        "length": "its rest length is 'rest'",
        "parent": "a spring has two ends: 'from' and 'to'",
    },
)
MOTION = Section(
    "a motion",
    {
        "name": NAME_KEY,
        "joints": Key(ListOf(Reference("joint")), "the joints that move", required=True),
        "times": Key(ListOf(Number("time")), "times of the rows, increasing", required=True),
        "values": Key(
            ListOf(ListOf(Number())), "one row per time, one value per joint", required=True
        ),
        "interpolation": Key(Word(("linear", "cubic")), "interpolation between the rows", "linear"),
        "note": NOTE_KEY,
    },
)

FILE = Section(
    "the file",
    {
        "raff": Key(Word(("1",)), "version of the format", required=True),
        "name": Key(Name(digit_first=True), "short name of the mechanism", "the file's name"),
        "title": Key(Text(), "full name, for display"),
        "description": Key(Text(), "what the mechanism is"),
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
        "mode": Key(
            Text(),
            'assembly mode of the start, with the motors held: its signs ("+-") or its number',
            "the mode nearest to the joints' starts",
        ),
        "world": Key(WORLD, "clock, engines and floor of 'kinegen run'"),
        "base": Key(BASE_SECTION, "the link that is fixed to the ground"),
        "joints": Key(ListOf(JOINT), "one row per joint"),
        "frames": Key(ListOf(FRAME), "named frames on links: tools, handles"),
        "couplings": Key(
            ListOf(COUPLING), "relations between joints: gears, belts, racks, screws, cams"
        ),
        "guides": Key(ListOf(GUIDE), "points that stay on planes, lines, circles and curves"),
        "robots": Key(ListOf(ROBOT), "other RAFF files that this one includes"),
        "springs": Key(ListOf(SPRING), "springs and dampers between two points"),
        "objects": Key(ListOf(OBJECT), "objects around the mechanism"),
        "collisions": Key(COLLISIONS, "which bodies touch each other"),
        "lights": Key(
            ListOf(LIGHT),
            "lights of the scene, in the studio's view and in the pictures of cameras",
            "a bright room",
        ),
        "people": Key(
            ListOf(PERSON),
            "people in the world: sensors detect them, nothing collides with them",
        ),
        "sensors": Key(ListOf(SENSOR), "the sensors of a world"),
        "agents": Key(ListOf(AGENT), "programs that read sensors and drive motors in a world"),
        "pulls": Key(ListOf(PULL), "hands that pull along a route in a world"),
        "devices": Key(ListOf(DEVICE), "input devices and what they move"),
        "motions": Key(ListOf(MOTION), "recorded motions"),
        "wall": Key(WALL, "screens of a room that show the mechanism together"),
    },
    {
        "links": "links have no section: each joint carries the link of its name",
        "units": "units are written with the numbers: 150 mm, 90 deg; plain numbers are SI",
        "robot": "several robots are 'robots', one robot is 'joints'",
        "gears": "gears are rows of 'couplings'",
        "cams": "cams are rows of 'couplings'",
        "belts": "belts are rows of 'couplings'",
        "screens": "screens belong to 'wall'",
        "version": "the version of the format is 'raff: 1'",
    },
)


def sections() -> dict[str, Section]:
    """Every section of the grammar by its path, in reading order: for documentation."""
    motor = JOINT.keys["motor"].kind
    friction = JOINT.keys["friction"].kind
    spring = JOINT.keys["spring"].kind
    start = JOINT.keys["start"].kind
    follows = JOINT.keys["follows"].kind
    assert isinstance(motor, Either) and motor.mapping is not None
    assert isinstance(friction, Either) and friction.mapping is not None
    assert isinstance(start, Either) and start.mapping is not None
    assert isinstance(spring, Section) and isinstance(follows, Section)
    return {
        "file": FILE,
        "parameters": PARAMETER,
        "world": WORLD,
        "base": BASE_SECTION,
        "joints": JOINT,
        "joints.closes": CLOSES,
        "joints.start": start.mapping,
        "joints.motor": motor.mapping,
        "joints.motor.thermal": THERMAL,
        "joints.friction": friction.mapping,
        "joints.spring": spring,
        "joints.follows": follows,
        "shape": SHAPE,
        "surface": SURFACE,
        "frames": FRAME,
        "couplings": COUPLING,
        "guides": GUIDE,
        "guides.point": GUIDE_POINT,
        "guides.curve": GUIDE_CURVE,
        "robots": ROBOT,
        "at": AT,
        "springs": SPRING,
        "springs.from": SPRING_END,
        "objects": OBJECT,
        "collisions": COLLISIONS,
        "lights": LIGHT,
        "people": PERSON,
        "people.route": PERSON_POINT,
        "sensors": SENSOR,
        "pulls": PULL,
        "agents": AGENT,
        "devices": DEVICE,
        "motions": MOTION,
        "wall": WALL,
        "wall.screens": SCREEN,
    }
