"""Rules within the rows of lights, people, sensors and agents."""

from __future__ import annotations

from kinegen.raff.formulas.formula import Formula
from kinegen.raff.records import Row
from kinegen.raff.rules.naming import NAME_LIMIT
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.sections.world import LONGEST_NAME, SENSOR_KEYS, TALLEST

__all__ = ["check_agent", "check_light", "check_person", "check_sensor"]


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
        rules.problem(row.place("direction"), "[0, 0, 0] is not a direction")


def check_person(rules: RowRules, row: Row) -> None:
    """A name and a height that are a person's, and times that increase."""
    name, height = row.values.get("name", ""), row.values.get("height")
    if LONGEST_NAME < len(name) <= NAME_LIMIT:
        rules.problem(
            row.place("name"),
            f"the name of a person must have at most {LONGEST_NAME} characters, not {len(name)}",
        )
    if height is not None and (value := rules.number(height)) is not None and value > TALLEST:
        rules.problem(
            row.place("height"), f"a person can be at most {TALLEST:g} m tall, not {value:.6g} m"
        )
    before: Formula | None = None
    for point in row.values.get("route", ()):
        time = point.values.get("time")
        if time is None:
            continue
        last = None if before is None else rules.number(before)
        now = rules.number(time)
        if before is not None and last is not None and now is not None and now <= last:
            rules.problem(
                point.place("time"),
                f"the times of a route must increase: {time.text} comes after {before.text}",
            )
        before = time


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
            "'program' (Python), 'command' (any language) and 'fmu' (an FMU) specify the program; "
            "use only one",
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
