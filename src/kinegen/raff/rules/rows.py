"""Rules within one row of a RAFF text that need the values of its numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from kinegen.raff.nodes import Listing
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.couplings import check_coupling, check_ratio, variable_quantities
from kinegen.raff.rules.devices import check_device
from kinegen.raff.rules.guides import check_guide
from kinegen.raff.rules.joints import check_joint
from kinegen.raff.rules.names import rows_of
from kinegen.raff.rules.numbers import Values
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.rules.wall import check_wall
from kinegen.raff.rules.wiring import check_wiring
from kinegen.raff.rules.world import check_agent, check_light, check_person, check_sensor

__all__ = ["check_rows"]


def check_rows(reader: Reader, root: Row, values: Values, base: str) -> None:
    """Check every row of every section; ``base`` is the name of the ground."""
    rules = RowRules(reader, values, base)
    quantities = variable_quantities(root)
    checks: dict[str, Callable[[Row], None]] = {
        "joints": partial(check_joint, rules),
        "frames": rules.placement,
        "guides": partial(check_guide, rules),
        "robots": rules.placed,
        "objects": rules.placed,
        "lights": partial(check_light, rules),
        "people": partial(check_person, rules),
        "sensors": partial(check_sensor, rules),
        "agents": partial(check_agent, rules),
        "devices": partial(check_device, rules),
        "couplings": lambda row: check_coupling(reader, row, values, quantities),
        "springs": partial(check_spring, rules),
        "pulls": partial(check_pull, rules),
        "motions": partial(check_motion, rules),
    }
    for section, check in checks.items():
        for row in rows_of(root, section):
            reader.indices = row.indices
            check(row)
            if "follows" in row.values:
                check_ratio(reader, row, values, quantities)
    check_wiring(reader, root, values)
    reader.indices = {}
    world = root.values.get("world")
    if world is not None:
        rules.whole(world, "seed", world.values.get("seed"))
    wall = root.values.get("wall")
    if wall is not None:
        check_wall(rules, wall)
    check_parameters(rules, root)


def check_spring(rules: RowRules, row: Row) -> None:
    """Each end on a link, a frame or an object, and the two not at one place."""
    ends = []
    for key in ("from", "to"):
        end = row.values.get(key)
        if end is None:
            return
        given = [one for one in ("link", "frame", "object") if one in end.node.table]
        if len(given) > 1:
            rules.problem(
                end.node.key(given[1]),
                f"'{given[0]}' and '{given[1]}' both specify where a spring ends; use only one",
            )
            return
        if given and given[0] not in end.values:
            return  # not a name, which is reported already
        on = end.values[given[0]] if given else rules.base
        ends.append((on, [number.text for number in end.values.get("xyz", ())]))
    if ends[0] == ends[1]:
        rules.problem(row.place("to"), "both ends of this spring are at the same place")


def check_motion(rules: RowRules, row: Row) -> None:
    """As many rows as times, times increasing."""
    check_times(rules, row, "values", "row")


def check_pull(rules: RowRules, row: Row) -> None:
    """As many places as times, times increasing; released after it has taken hold."""
    check_times(rules, row, "route", "place")
    times = [rules.number(time) for time in row.values.get("times", ())]
    release = rules.number(row.values["release"]) if "release" in row.values else None
    if times and times[0] is not None and release is not None and release <= times[0]:
        message = f"the release must come after the first of its times, {times[0]:g} s"
        rules.problem(row.place("release"), message)
    for one, other in (("stiffness", "damping"), ("damping", "stiffness")):
        if one in row.node.table and other not in row.node.table:
            rules.problem(row.place(one), f"'{one}' needs '{other}' too; or leave both out")


def check_times(rules: RowRules, row: Row, key: str, what: str) -> None:
    """As many rows of numbers as times, times increasing."""
    times, table = row.values.get("times"), row.values.get(key)
    if times is None or table is None:
        return
    if len(times) != len(table):
        rows = f"1 {what}" if len(table) == 1 else f"{len(table)} {what}s"
        message = f"{key} has {rows} for {len(times)} times; one {what} per time"
        rules.problem(row.place(key), message)
    node = row.place("times")
    numbers = [rules.number(time) for time in times]
    for index, (before, after) in enumerate(pairwise(numbers)):
        if before is not None and after is not None and after <= before:
            place = node.items[index + 1] if isinstance(node, Listing) else node
            first, second = times[index].text, times[index + 1].text
            rules.problem(place, f"times must increase: {second} does not come after {first}")
            break


def check_parameters(rules: RowRules, root: Row) -> None:
    """Sliders: min below max, the value between."""
    table = root.values.get("parameters")
    for name, row in table.values.items() if table is not None else ():
        if not isinstance(row, Row) or "value" not in row.values:
            continue
        value = rules.number(row.values["value"])
        lower = rules.number(row.values["min"]) if "min" in row.values else None
        upper = rules.number(row.values["max"]) if "max" in row.values else None
        if lower is not None and upper is not None and lower > upper:
            rules.problem(row.place("min"), f"min of '{name}' is above its max")
        elif value is not None and (
            (lower is not None and value < lower) or (upper is not None and value > upper)
        ):
            # as they are written, with their units
            ends = [row.values[end].text if end in row.values else "…" for end in ("min", "max")]
            rules.problem(
                row.place("value"),
                f"'{name}' = {row.values['value'].text} is outside its min and max "
                f"({ends[0]} to {ends[1]})",
            )
