"""Parts of the RAFF grammar that several sections share: names, placements, shapes, masses."""

from __future__ import annotations

from typing import Final

from kinegen.raff.sections.kinds import Axis, Either, Key, ListOf, Name, Number, Section, Text

__all__ = [
    "ANGLE",
    "CALLED_KEY",
    "COLORS",
    "COLOR_KEY",
    "DH_HINTS",
    "HEIGHT_FILES",
    "KLEINFINGER",
    "LENGTH",
    "LINK_HINTS",
    "LINK_KEYS",
    "NAME_KEY",
    "NOTE_KEY",
    "PLACEMENT_KEYS",
    "POSE",
    "PREFIX_KEY",
    "QUATERNION",
    "RPY",
    "SHAPE",
    "SHAPE_KIND",
    "SURFACE",
    "SURFACE_KEYS",
    "XYZ",
    "mass_keys",
]

HEIGHT_FILES: Final = (".png", ".csv", ".npy")
"""Files that tables of heights may be in."""

KLEINFINGER = ("gamma", "b", "alpha", "d", "theta", "r")
POSE = ("xyz", "rpy")

COLORS = (
    "black blue brown coral crimson cyan darkblue darkgreen darkgray darkred gold gray green "
    "lightblue lightgray lime magenta maroon navy olive orange pink purple red salmon silver "
    "skyblue steelblue tan teal tomato turquoise violet white yellow"
).split()

ANGLE, LENGTH = Number("angle"), Number("length")
XYZ = ListOf(LENGTH, (3,), hint="x, y, z")
RPY = ListOf(ANGLE, (3,), hint="roll, pitch, yaw")
QUATERNION = ListOf(Number("number"), (4,), hint="w, x, y, z")
NOTE_KEY = Key(Text(), "a comment")
NAME_KEY = Key(
    Name(quoted=True),
    "its name: letters, digits, _ and -, a letter first; any other in quotes",
    required=True,
)
CALLED_KEY = Key(Text(), "its name in files of other formats, if it differs")
PREFIX_KEY = Key(Name(), "its name: letters, digits, _ and -, a letter first", required=True)

_SIX = {
    "gamma": Key(ANGLE, "rotation about the parent's z", "0"),
    "b": Key(LENGTH, "translation along the parent's z", "0"),
    "alpha": Key(ANGLE, "rotation about x", "0"),
    "d": Key(LENGTH, "translation along x", "0"),
    "theta": Key(ANGLE, "rotation about the new z", "0"),
    "r": Key(LENGTH, "translation along the new z", "0"),
}
_XYZ_RPY = {
    "xyz": Key(XYZ, "position, instead of the six numbers", "[0, 0, 0]"),
    "rpy": Key(RPY, "roll about x, then pitch about y, then yaw about z (fixed axes)", "[0, 0, 0]"),
}
_AXIS = {
    "axis": Key(
        Axis(),
        "direction of its z axis, with 'xyz': x, -y, …, an angle in the xy plane, or [x, y, z]",
    ),
}
PLACEMENT_KEYS = {**_SIX, **_XYZ_RPY, **_AXIS}
DH_HINTS = {
    "a": "the distance along x is 'd' here",
    "offset": "a constant turn is 'theta', a constant shift is 'r'",
    "origin": "place it by 'xyz' and 'rpy', or by gamma b alpha d theta r",
    "position": "place it by 'xyz'",
    "orientation": "turn it by 'rpy'",
    "quat": "specify the rotation as 'rpy'",
}

_SHAPE_SIZES = {
    "mesh": Key(Text(), "mesh file (stl, obj, ply, dae, glb), relative to this file"),
    "scale": Key(
        Either(
            scalar=Number("number", "positive"),
            listing=ListOf(Number("number"), (3,), hint="x, y, z"),
        ),
        "factor from the mesh file's unit to metres; [x, y, z] stretches or mirrors it",
        "1",
    ),
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
    "heights": Key(
        Either(scalar=Text(), listing=ListOf(ListOf(Number("length")))),
        "a height field of a fixed object: rows of heights along x, the smallest y first; "
        "or a file (png, csv, npy) relative to this one",
    ),
    "size": Key(
        ListOf(Number("length", "positive"), (2,), hint="x, y"),
        "height field: its full size along x and y",
    ),
    "height": Key(
        Number("length", "positive"),
        "height field: height that 1 in its table, or white in its picture, represents",
        "1 m; pictures need it",
    ),
    "depth": Key(
        Number("length", "positive"),
        "height field: how far its body extends below 0 or its lowest height",
        "a tenth of its shorter side",
    ),
}
SHAPE = Section("a shape", {**_SHAPE_SIZES, **_XYZ_RPY})
SHAPE_KIND = Either(
    scalar=Text(), mapping=SHAPE, listing=ListOf(Either(scalar=Text(), mapping=SHAPE))
)
COLOR_KEY = Key(Text(), 'a colour\'s name, or "#rrggbb" in quotes')


def mass_keys(body: str, *, massless: bool) -> dict[str, Key]:
    """The mass properties of a body, which is a link or an object."""
    return {
        "mass": Key(
            Number("mass", "not negative" if massless else "positive"), f"mass of the {body}"
        ),
        "centre": Key(XYZ, f"centre of mass in the {body}'s frame"),
        "inertia": Key(
            ListOf(Number("inertia"), (3, 6), hint="xx, yy, zz or xx, yy, zz, xy, xz, yz"),
            f"about the centre of mass, in the {body}'s axes: xx yy zz, or xx yy zz xy xz yz",
        ),
        "density": Key(
            Number("density", "positive"),
            "density, from which mass and inertia of the shape are computed",
        ),
    }


SURFACE_KEYS = {
    "friction": Key(Number("number", "not negative"), "coefficient of sliding friction", "0.6"),
    "restitution": Key(
        Number("number", "share"), "coefficient of restitution: 0 inelastic, 1 elastic", "0"
    ),
    "torsional_friction": Key(
        Number("length", "not negative"),
        "moment against turning on the spot, per normal force",
        "0",
    ),
    "rolling_friction": Key(
        Number("length", "not negative"), "moment against rolling, per normal force", "0"
    ),
}
SURFACE = Section(
    "a surface",
    SURFACE_KEYS,
    {
        "mu": "the coefficient of friction is 'friction'",
        "bounce": "it is 'restitution' here",
        "rolling": "it is 'rolling_friction' here",
        "torsion": "it is 'torsional_friction' here",
    },
)
LINK_KEYS = {
    "shape": Key(SHAPE_KIND, "auto, none, a mesh file, a mapping, or a list of these", "auto"),
    "collision": Key(
        SHAPE_KIND, "its body for contacts, written like 'shape'", "the shape that is drawn"
    ),
    "color": COLOR_KEY,
    **mass_keys("link", massless=True),
    "surface": Key(
        SURFACE, "friction and restitution of its contacts; under base: those of the floor"
    ),
}
LINK_HINTS = {
    "colour": "it is spelt 'color' here",
    "center": "it is spelt 'centre' here",
    "com": "the centre of mass is 'centre'",
    "visual": "the body is 'shape'",
    "geometry": "the body is 'shape'",
}
