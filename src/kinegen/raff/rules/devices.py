"""Rules within the rows of devices: keys that a type does not have, and what a type needs."""

from __future__ import annotations

from kinegen.raff.records import Row
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.sections.device import DEVICE_KEYS, FORCE_DEVICES, HEADSET_DEVICES

__all__ = ["check_device"]


def check_device(rules: RowRules, row: Row) -> None:
    """No keys that belong to other types; one part for a device that holds it."""
    kind = row.values.get("type")
    if kind is None:
        return
    for key, kinds in DEVICE_KEYS.items():
        if key in row.node.table and kind not in kinds:
            rules.problem(
                row.node.key(key),
                f"a device of type {kind} has no '{key}'; it is for {', '.join(kinds)}",
            )
    if kind not in (*FORCE_DEVICES, *HEADSET_DEVICES):
        return
    moves = row.values.get("moves")
    if isinstance(moves, list) and len(moves) != 1:
        rules.problem(
            row.place("moves"),
            f"a device of type {kind} moves one frame or link, not {len(moves)}; declare a device "
            "for each",
        )
    if moves is None and kind in HEADSET_DEVICES:
        rules.problem(
            row.node, f"a device of type {kind} needs 'moves': the frame or link that it holds"
        )
    scale = row.values.get("scale")
    if scale is not None and (value := rules.number(scale)) is not None and value < 0:
        rules.problem(row.place("scale"), f"the scale of a {kind} must be positive")
    if kind == "haptic" and "port" not in row.values:
        rules.problem(
            row.node,
            "a device of type haptic needs 'port': the name of a plug-in of the group "
            "kinegen.devices; other types are udp and haply",
        )
    if kind == "udp" and "port" in row.values:
        port = str(row.values["port"])
        host, _, number = port.rpartition(":")
        if not (host and number.isascii() and number.isdecimal() and int(number[:6]) < 2**16):
            rules.problem(
                row.place("port"),
                "the port of a udp device is an address to listen on, such as 127.0.0.1:5006, not "
                f"'{port[:60]}'",
            )
