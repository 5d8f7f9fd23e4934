"""Rules within the rows of lights, sensors and agents."""

from __future__ import annotations

from kinegen.raff.records import Row
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.sections.world import SENSOR_KEYS

__all__ = ["check_agent", "check_light", "check_sensor"]


def check_light(rules: RowRules, row: Row) -> None:
    """Its placement, and a direction that is one, of a light that has one."""
    rules.placed(row)
    direction = row.values.get("direction")
    if direction is None:
        return
    if row.values.get("type") == "point":
        rules.problem(
            row.node.key("direction"),
            "a light of type point shines all around and has no 'direction'; it is for directional",
        )
    elif all(rules.number(one) == 0 for one in direction):
        rules.problem(row.place("direction"), "[0, 0, 0] is no direction")


def check_sensor(rules: RowRules, row: Row) -> None:
    """Its placement and its range, and no keys that belong to other types."""
    rules.placed(row)
    rules.pair(row.values.get("range"), row.place("range"), "range")
    own = SENSOR_KEYS.get(row.values.get("type", ""))
    if own is None:
        return  # unknown, or a plug-in's
    others = {key for keys in SENSOR_KEYS.values() for key in keys} - {*own}
    for key in sorted((others | {"options"}) & set(row.node.table)):
        kind = row.values["type"]
        having = [kind for kind, keys in SENSOR_KEYS.items() if key in keys]
        for_whom = ", ".join(having) or "plug-ins"
        rules.problem(
            row.node.key(key), f"a sensor of type {kind} has no '{key}'; it is for {for_whom}"
        )
    for key in ("rays", "layers", "seed"):
        rules.whole(row, key, row.values.get(key))
    for number in row.values.get("pixels", ()):
        rules.whole(row, "pixels", number)


def check_agent(rules: RowRules, row: Row) -> None:
    """One program, of one kind."""
    table = row.node.table
    ways = [key for key in ("program", "command", "fmu") if key in table]
    if len(ways) > 1:
        rules.problem(
            row.node.key(ways[1]),
            "'program' (Python), 'command' (any language) and 'fmu' (a unit) say what runs; use "
            "one of them",
        )
    for key in ("inputs", "outputs"):
        if key in table and "fmu" not in table:
            rules.problem(row.node.key(key), f"only an 'fmu' has '{key}'")
    if "folder" in table and "command" not in table:
        rules.problem(row.node.key("folder"), "only a 'command' has a 'folder'")
    program = row.values.get("program", "")
    is_name = program.replace("-", "").replace("_", "").isalnum()  # that of a plug-in
    if program and not is_name and not all(program.rpartition(":")[::2]):
        rules.problem(
            row.place("program"),
            f"program '{program}' must name a function or class: file.py:name or module:name; "
            "a program in another language is 'command'",
        )
