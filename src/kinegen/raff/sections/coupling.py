"""The RAFF grammar of couplings: relations between joint variables."""

from __future__ import annotations

from kinegen.raff.sections.kinds import (
    Either,
    Flag,
    Key,
    ListOf,
    Number,
    Reference,
    Section,
    Table,
    Word,
)
from kinegen.raff.sections.parts import NAME_KEY, NOTE_KEY

__all__ = ["CAM_VARIABLE", "COUPLING", "COUPLING_KEYS", "follows_section"]

ALL_VARIABLES = ("theta", "r", "x", "y", "z")
"""Names of variables of joints that have several."""
CAM_VARIABLE = "x"
"""What the formula of a cam's profile calls the cam's variable."""

COUPLING_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "gears": (("teeth",), ("module", "internal", "carrier", "offset")),
    "belt": ((), ("radii", "teeth", "crossed", "carrier", "offset")),
    "chain": (("teeth",), ("crossed", "carrier", "offset")),
    "rack": (("pinion", "radius"), ("offset",)),
    "screw": (("nut", "lead"), ("offset",)),
    "relation": ((), ("offset",)),
    "cam": (("follower", "profile"), ("offset",)),
}
"""Each kind of coupling by its own key: the keys that it needs, and those that it may have."""

_PAIR = ListOf(Reference("link"), (2,), hint="two links")
_VARIABLE = Reference("variable")

COUPLING = Section(
    "a coupling",
    {
        "name": NAME_KEY,
        "gears": Key(_PAIR, "two links that mesh; a joint's name is that of its link"),
        "belt": Key(_PAIR, "two links that a belt joins"),
        "chain": Key(_PAIR, "two links that a chain joins"),
        "teeth": Key(
            ListOf(Number("number", "positive"), (2,), hint="of the first, of the second"),
            "numbers of teeth of gears, or of the wheels of a chain or toothed belt",
        ),
        "module": Key(
            Number("length", "positive"),
            "gears: pitch diameter per tooth; the distance between the axes must agree with it",
        ),
        "internal": Key(Flag(), "gears: whether one is a ring with internal teeth", "false"),
        "radii": Key(
            ListOf(Number("length", "positive"), (2,), hint="of the first, of the second"),
            "radii of a belt's pulleys",
        ),
        "crossed": Key(Flag(), "belt: whether its pulleys turn in opposite directions", "false"),
        "carrier": Key(
            Reference("link"),
            "gears, belts: the link that carries both axes",
            "a parent of either that carries both",
        ),
        "rack": Key(_VARIABLE, "the joint that slides"),
        "pinion": Key(_VARIABLE, "rack: the joint that turns"),
        "radius": Key(
            Number("length", "not zero"),
            "pinion: its radius; negative if the rack moves the other way",
        ),
        "screw": Key(_VARIABLE, "the joint that turns a lead screw"),
        "nut": Key(_VARIABLE, "screw: the joint that slides"),
        "lead": Key(
            Number("length", "not zero"), "screw: advance per turn; negative if left-handed"
        ),
        "relation": Key(
            Table(Number("", "not zero"), dotted=True, to="variable"),
            "joints with their factors: the sum of factor times variable is the offset",
        ),
        "cam": Key(_VARIABLE, "the joint of the cam"),
        "follower": Key(_VARIABLE, "cam: the joint that it moves"),
        "profile": Key(
            Either(
                scalar=Number("", variable=CAM_VARIABLE),
                listing=ListOf(ListOf(Number(), (2,), hint="cam, follower")),
            ),
            "cam: the follower as a formula of x, the cam's variable, or as a table of "
            "[cam, follower]",
        ),
        "offset": Key(
            Number(),
            "constant added to the follower of a cam, the rack or nut, or the first gear",
            "0 for relations and cams; otherwise its value at the start",
        ),
        "note": NOTE_KEY,
    },
    {
        "type": "the kind is the key itself: " + ", ".join(COUPLING_KEYS),
        "ratio": "specify 'teeth' or 'radii', or a 'relation'",
        "pitch": "the advance per turn is 'lead'",
        "table": "the table is the 'profile'",
        "joints": "name the joints by " + ", ".join(COUPLING_KEYS),
    },
)


def follows_section(quantity: str, variables: tuple[str, ...]) -> Section:
    """What a joint follows; its own variable is one of these."""
    keys = {
        "joint": Key(
            _VARIABLE, "the joint that it follows; joint.variable of several", required=True
        ),
        "ratio": Key(Number("", "not zero"), "its change per change of that joint", "1"),
        "offset": Key(Number(quantity), "its value where that joint is at 0", "0"),
    }
    if len(variables) != 1:
        keys["variable"] = Key(
            Word(variables or ALL_VARIABLES),
            "which of its own variables follows",
            required=bool(variables),
        )
    return Section(
        "follows",
        keys,
        {
            "multiplier": "it is 'ratio' here",
            "factor": "it is 'ratio' here",
            "parent": "the joint that it follows is 'joint'",
            "name": "the joint that it follows is 'joint'",
        },
    )
