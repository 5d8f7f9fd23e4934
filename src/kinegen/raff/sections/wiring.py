"""The RAFF grammar of a motor's wiring: on which bus its servo is, and how it is mounted."""

from __future__ import annotations

from kinegen.raff.sections.kinds import Key, Number, Word

__all__ = ["BUSES", "WIRING_HINTS", "wiring_keys"]

BUSES = ("feetech", "dynamixel", "dynamixel1", "ssc32", "cia402")
"""Kinds of buses that Kinegen's own bridges speak and on which servos have ids."""
WIRING_HINTS = {
    "channel": "the number of a servo on its bus is 'id'",
    "node": "the number of a drive on its bus is 'id'",
    "homing_offset": "the value of the joint in the middle of the servo is 'offset'",
    "reverse": "a servo that is mounted the other way round has 'direction: -1'",
    "baudrate": "it is 'baud'",
}


def wiring_keys(quantity: str) -> dict[str, Key]:
    """The keys of a motor whose joint measures this quantity; '' for any."""
    return {
        "bus": Key(
            Word(BUSES, "kinegen.bridges"),
            "the bus its servo is on: " + ", ".join(BUSES) + "; or the name of a plug-in",
            "any",
        ),
        "id": Key(
            Number("number", "not negative"),
            "number of its servo on the bus",
            "from 1, in the order of the file",
        ),
        "offset": Key(Number(quantity), "value of the joint in the middle of its servo", "0"),
        "direction": Key(
            Number("number"), "-1 if the servo turns opposite to the joint, otherwise 1", "1"
        ),
        "ratio": Key(Number("number", "positive"), "servo turns per joint turn", "1"),
        "travel": Key(
            Number("length", "positive"),
            "sliding joints: travel per turn of the servo",
            "range of the joint per half turn",
        ),
        "ticks": Key(Number("number", "positive"), "steps of its encoder per turn", "the maker's"),
        "baud": Key(Number("number", "positive"), "speed of its bus [bit/s]", "the maker's"),
        "voltage": Key(Number("number", "positive"), "supply of its bus [V]", "the maker's"),
    }
