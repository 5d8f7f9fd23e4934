"""Rules within one row of a RAFF text that need the values of its numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from kinegen.raff.nodes import Listing
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.couplings import check_coupling, check_ratio, variable_quantities
from kinegen.raff.rules.guides import check_guide
from kinegen.raff.rules.joints import check_joint
from kinegen.raff.rules.names import rows_of
from kinegen.raff.rules.numbers import Values
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.rules.wiring import check_wiring
from kinegen.raff.rules.world import check_agent, check_light, check_sensor

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
        "sensors": partial(check_sensor, rules),
        "agents": partial(check_agent, rules),
        "couplings": lambda row: check_coupling(reader, row, values, quantities),
        "springs": partial(check_spring, rules),
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
    check_parameters(rules, root)


def check_spring(rules: RowRules, row: Row) -> None:
    """Each end on a link or on a frame, and the two not at one place."""
    ends = []
    for key in ("from", "to"):
        end = row.values.get(key)
        if end is None:
            return
        if "link" in end.node.table and "frame" in end.node.table:
            rules.problem(
                end.node.key("frame"),
                "'link' and 'frame' both say where a spring ends; use one of them",
            )
            return
        on = end.values.get("frame") or end.values.get("link", rules.base)
        ends.append((on, [number.text for number in end.values.get("xyz", ())]))
    if ends[0] == ends[1]:
        rules.problem(row.place("to"), "both ends of this spring are at the same place")


def check_motion(rules: RowRules, row: Row) -> None:
    """As many rows as times, times increasing."""
    times, table = row.values.get("times"), row.values.get("values")
    if times is None or table is None:
        return
    if len(times) != len(table):
        rows = "1 row" if len(table) == 1 else f"{len(table)} rows"
        message = f"values has {rows} for {len(times)} times; one row per time"
        rules.problem(row.place("values"), message)
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
