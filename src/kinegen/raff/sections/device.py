"""The grammar of ``devices``: what people hold in their hands, and what it moves."""

from __future__ import annotations

from kinegen.raff.sections.kinds import (
    Either,
    Free,
    Key,
    ListOf,
    Number,
    Reference,
    Section,
    Text,
    Word,
)
from kinegen.raff.sections.parts import NAME_KEY, NOTE_KEY

__all__ = ["DEVICE", "DEVICE_KEYS", "FORCE_DEVICES", "HEADSET_DEVICES", "PAGE_DEVICES"]

PAGE_DEVICES = ("mouse", "keyboard", "sliders", "buttons", "gamepad", "spacemouse")
"""Those that the page reads."""
HEADSET_DEVICES = ("controller", "hand", "tracker")
"""Those of a headset: always absolute, with six degrees of freedom."""
FORCE_DEVICES = ("udp", "haply", "haptic")
"""Those that a hand feels forces with: always absolute."""
DEVICE_KEYS = {
    "mode": PAGE_DEVICES,
    "axes": PAGE_DEVICES,
    "rotation_scale": PAGE_DEVICES,
    "side": ("controller", "hand"),
    "button": ("controller",),
    "holds": ("gamepad", "spacemouse", "keyboard", *HEADSET_DEVICES, *FORCE_DEVICES),
    "touch": FORCE_DEVICES,
    "stiffness": FORCE_DEVICES,
}
"""Keys that only some types have."""

DEVICE = Section(
    "a device",
    {
        "name": NAME_KEY,
        "type": Key(
            Word((*PAGE_DEVICES, *HEADSET_DEVICES, *FORCE_DEVICES)),
            "the kind of device",
            required=True,
        ),
        "port": Key(
            Text(),
            "the port or address it is connected to; for tracker: the UDP port, on this computer; "
            "for haptic: the name of the device plug-in",
        ),
        "moves": Key(
            Either(scalar=Reference("movable"), listing=ListOf(Reference("movable"))),
            "the frame, link, joint or parameter it moves, or a list",
        ),
        "mode": Key(
            Word(("absolute", "incremental")),
            "whether its readings are positions or increments",
            "incremental",
        ),
        "side": Key(Word(("left", "right")), "the hand of a controller or bare hand", "either"),
        "button": Key(
            Word(("trigger", "grip")), "controller: the button that holds the part", "trigger"
        ),
        "holds": Key(
            Word(("point", "pose")),
            "whether it moves the position alone, or the orientation too",
            "pose; force devices: point",
        ),
        "touch": Key(
            Word(("pull", "push")),
            "force devices: whether the hand holds a part, or pushes whatever it touches",
            "pull",
        ),
        "stiffness": Key(
            Number("stiffness", "positive"),
            "force devices: stiffness between hand and part",
            "one that suits the part",
        ),
        "scale": Key(Number("number", "not zero"), "factor on its translations", "1"),
        "rotation_scale": Key(Number("number"), "factor on its rotations", "1"),
        "axes": Key(Free(), "what each of its axes does"),
        "note": NOTE_KEY,
    },
)
