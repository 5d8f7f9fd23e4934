"""Rules within one row of a RAFF text that need the values of its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from kinegen.errors import NumberError
from kinegen.raff.coupling_rows import check_coupling, check_ratio, variable_quantities
from kinegen.raff.curve_rows import check_curve, is_by_angle
from kinegen.raff.formula import Formula
from kinegen.raff.names import rows_of
from kinegen.raff.nodes import Listing, Node, Scalar
from kinegen.raff.numbers import FULL_TURN, Values, remark_on
from kinegen.raff.quantities import check_quantity, measure
from kinegen.raff.reader import Reader
from kinegen.raff.records import NumberUse, Row
from kinegen.raff.sections.joint import DEFAULT_TYPE, JOINT_TYPES
from kinegen.raff.sections.kinds import Number
from kinegen.raff.sections.parts import ANGLE, KLEINFINGER, POSE
from kinegen.raff.sections.world import SENSOR_KEYS
from kinegen.raff.tokens import FormulaError
from kinegen.raff.units import Unit
from kinegen.raff.wiring_rows import check_wiring

__all__ = ["check_frame", "check_joint", "check_rows"]

_RATIO: Final = Number("number")
_BALL: Final = next(word for word, info in JOINT_TYPES.items() if info.is_ball)
_SLACK: Final = 1e-9  # rad or m: a start written in rounded decimals may touch its limit
_QUATERNION_SLACK: Final = 1e-2  # how far from length 1 a rounded quaternion may be


def check_rows(reader: Reader, root: Row, values: Values, base: str) -> None:
    """Check every row of every section; ``base`` is the name of the ground."""
    checker = _RowChecker(reader, values, base)
    quantities = variable_quantities(root)
    checks: dict[str, Callable[[Row], None]] = {
        "joints": checker.joint,
        "frames": checker.placement,
        "guides": checker.guide,
        "robots": checker.placed,
        "objects": checker.placed,
        "sensors": checker.sensor,
        "agents": checker.agent,
        "couplings": lambda row: check_coupling(reader, row, values, quantities),
        "springs": checker.spring,
        "motions": checker.motion,
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
        checker.whole(world, "seed", world.values.get("seed"))
    checker.parameters(root)


def check_joint(reader: Reader, row: Row, values: Values) -> None:
    """Check one joint row."""
    _RowChecker(reader, values).joint(row)


def check_frame(reader: Reader, row: Row, values: Values) -> None:
    """Check one frame row."""
    _RowChecker(reader, values).placement(row)


class _RowChecker:
    """The rules, with what they need at hand."""

    def __init__(self, reader: Reader, values: Values, base: str = "") -> None:
        self.reader = reader
        self.problem = reader.problem
        self.known, self.values = values, values.values
        self.measures = values.measures
        self.base = base

    def number(self, formula: Formula) -> float | None:
        """A formula's value, or None when it has none (reported elsewhere)."""
        if formula.value is not None:
            return formula.value
        try:
            return formula.evaluate(self.values)
        except NumberError:
            return None

    def placement(self, row: Row) -> None:
        """The six Kleinfinger numbers or xyz and rpy, not both."""
        table = row.node.table
        six = [key for key in KLEINFINGER if key in table]
        pose = [key for key in POSE if key in table]
        if six and pose:
            self.problem(
                row.node.key(pose[0]),
                f"'{pose[0]}' and '{six[0]}' both place a frame; use one of them",
            )
        elif "axis" in table:
            self.axis(row, six)

    def axis(self, row: Row, six: list[str]) -> None:
        """The direction goes with xyz alone, and is one."""
        if six:
            self.problem(
                row.node.key("axis"),
                f"'axis' and '{six[0]}' both place a frame; with 'axis', give the position as "
                "'xyz: [x, y, z]'",
            )
        elif "rpy" in row.node.table:
            self.problem(
                row.node.key("axis"), "'axis' and 'rpy' both turn a frame; use one of them"
            )
        axis = row.values.get("axis")
        if isinstance(axis, list) and all(self.number(one) == 0 for one in axis):
            self.problem(row.place("axis"), "the axis [0, 0, 0] has no direction")

    def placed(self, row: Row) -> None:
        """What has its placement under ``at``."""
        if "at" in row.values:
            self.placement(row.values["at"])

    def guide(self, row: Row) -> None:
        """Its placement, what its point may do on it, and where that is."""
        self.placement(row)
        values = row.values
        form, start, point = values.get("type", ""), values.get("start"), values.get("point")
        if form == "circle" and "radius" not in row.node.table:
            self.problem(row.node, "a circle needs 'radius'")
        elif "radius" in values and form != "circle":
            self.problem(row.node.key("radius"), "only a circle has 'radius'")
        check_curve(self.reader, row, self.known)
        by_angle = form == "circle" or (form == "curve" and is_by_angle(values.get("curve")))
        along = "angle" if by_angle else "length"
        if form and start is not None and isinstance(start, list) != (form == "plane"):
            wanted = "[x, y]" if form == "plane" else "one number"
            self.problem(row.place("start"), f"start of a point on a {form} is {wanted}")
        elif form and isinstance(start, Formula):
            self.quantity(start, row.place("start"), along)
        self.turn_at_point(row)
        if "limits" in values and form == "plane":
            self.problem(row.node.key("limits"), "a plane has no limits")
        elif "limits" in values:
            self.pair(values["limits"], row.place("limits"), "limits")
            for end in values["limits"] if form else ():
                self.quantity(end, row.place("limits"), along)
        if "size" in values and form != "plane":
            self.problem(row.node.key("size"), "only a plane has 'size'")
        if point is not None and "axis" in point.node.table:
            self.axis(point, [])
            if not values.get("pin"):
                self.problem(point.node.key("axis"), "only a pin has an axis: add 'pin: true'")
        if point is not None and {"link", "frame"} <= set(point.node.table):
            self.problem(
                point.node.key("frame"),
                "'link' and 'frame' both say where the point is; use one of them",
            )

    def turn_at_point(self, row: Row) -> None:
        """How the link of a guide's point is turned at the start."""
        turn, node = row.values.get("turn"), row.place("turn")
        if turn is None:
            return
        if isinstance(turn, list) and row.values.get("pin"):
            self.problem(node, "turn about a pin is one angle")
        elif not isinstance(turn, list) and not row.values.get("pin"):
            self.problem(node, "turn about a point is [roll, pitch, yaw] or [w, x, y, z]")
        elif isinstance(turn, list):
            self.start(Row(row.node, {"start": turn}), _BALL, node)

    def quantity(self, formula: Formula, node: Node, quantity: str) -> None:
        """Whether a number of any kind is one of this quantity."""
        try:
            wrong = check_quantity(formula, measure(formula, self.measures), quantity)
        except FormulaError:
            return  # reported elsewhere
        if wrong:
            self.problem(node, f"this is {wrong}")

    def sensor(self, row: Row) -> None:
        """Its placement and its range, and no keys that belong to other types."""
        self.placed(row)
        self.pair(row.values.get("range"), row.place("range"), "range")
        own = SENSOR_KEYS.get(row.values.get("type", ""))
        if own is None:
            return  # unknown, or a plug-in's
        others = {key for keys in SENSOR_KEYS.values() for key in keys} - {*own}
        for key in sorted((others | {"options"}) & set(row.node.table)):
            kind = row.values["type"]
            having = [kind for kind, keys in SENSOR_KEYS.items() if key in keys]
            for_whom = ", ".join(having) or "plug-ins"
            self.problem(
                row.node.key(key), f"a sensor of type {kind} has no '{key}'; it is for {for_whom}"
            )
        for key in ("rays", "layers", "seed"):
            self.whole(row, key, row.values.get(key))
        for number in row.values.get("pixels", ()):
            self.whole(row, "pixels", number)

    def whole(self, row: Row, key: str, formula: Formula | None) -> None:
        """A count is a whole number."""
        value = None if formula is None else self.number(formula)
        if value is not None and value != int(value):
            self.problem(row.place(key), f"{key} must be a whole number, not {value:g}")

    def agent(self, row: Row) -> None:
        """One program, of one kind."""
        table = row.node.table
        if "program" in table and "command" in table:
            self.problem(
                row.node.key("command"),
                "'program' (Python) and 'command' (any language) both say what runs; use one",
            )
        if "folder" in table and "command" not in table:
            self.problem(row.node.key("folder"), "only a 'command' has a 'folder'")
        program = row.values.get("program", "")
        is_name = program.replace("-", "").replace("_", "").isalnum()  # that of a plug-in
        if program and not is_name and not all(program.rpartition(":")[::2]):
            self.problem(
                row.place("program"),
                f"program '{program}' must name a function or class: file.py:name or module:name; "
                "a program in another language is 'command'",
            )

    def pair(self, pair: Any, node: Node, label: str) -> tuple[float, float] | None:
        """Lower and upper ends, in that order."""
        if pair is None:
            return None
        lower, upper = self.number(pair[0]), self.number(pair[1])
        if lower is None or upper is None:
            return None
        if lower > upper:
            texts = f"[{pair[1].text}, {pair[0].text}]"
            self.problem(node, f"{label} are reversed: lower first, {texts}")
            return None
        return lower, upper

    def joint(self, row: Row) -> None:
        """Everything about one joint."""
        self.placement(row)
        values = row.values
        closes = values.get("closes")
        if closes is not None:
            self.placement(closes)
            for key in ("mass", "centre", "inertia", "density"):
                if key in values:
                    self.problem(
                        row.node.key(key),
                        f"a cut joint (with 'closes') carries no link, so it has no '{key}'",
                    )
        if "type" in row.node.table and "type" not in values:
            return  # without a type nothing is known of its variables
        kind = values.get("type", DEFAULT_TYPE)
        if "limits" in values:
            self.limits(row, kind)
        if "start" in values and JOINT_TYPES[kind].has_quaternion:
            self.start(row, kind)
        self.friction(values.get("friction"))
        motor = values.get("motor")
        for one in motor if isinstance(motor, list) else [motor]:
            self.motor(one)

    def friction(self, row: Any) -> None:
        """What breaks a joint loose is no less than what it takes to keep it moving."""
        if not isinstance(row, Row) or not {"static", "coulomb"} <= set(row.values):
            return
        static, moving = (self.number(row.values[key]) for key in ("static", "coulomb"))
        if static is not None and moving is not None and static < moving:
            self.problem(
                row.place("static"),
                f"static {row.values['static'].text} is less than coulomb "
                f"{row.values['coulomb'].text}: friction at rest must not be smaller",
            )

    def motor(self, row: Any) -> None:
        """What some of its keys need besides."""
        if not isinstance(row, Row):
            return
        self.profile(row)
        thermal = row.values.get("thermal")
        if thermal is not None and "limit" in thermal.node.table:
            if not {"stall", "torque", "force"} & set(row.node.table):
                message = "a limit needs the motor's 'torque', which it lowers"
                self.problem(thermal.node.key("limit"), message)
        if "no_load" not in row.node.table:
            return
        if not {"stall", "torque", "force"} & set(row.node.table):
            self.problem(
                row.place("no_load"), "no_load needs 'stall': the effort of the motor at rest"
            )

    def profile(self, row: Row) -> None:
        """A profile needs what it keeps within, and a jerk one that keeps it."""
        kind = row.values.get("profile", "none")
        needed = {"none": [], "trapezoidal": ["speed", "acceleration"]}.get(
            kind, ["speed", "acceleration", "jerk"]
        )
        missing = [key for key in needed if key not in row.node.table]
        if missing:
            self.problem(
                row.place("profile"),
                f"a {kind} profile needs {' and '.join(repr(key) for key in missing)}",
            )
        if "jerk" in row.node.table and kind != "jerk-limited":
            self.problem(row.node.key("jerk"), "'jerk' is for 'profile: jerk-limited'")

    def limits(self, row: Row, kind: str) -> None:
        """Limits in order, and the start within them."""
        limits, node = row.values["limits"], row.place("limits")
        if limits is None:
            return
        if JOINT_TYPES[kind].swings:
            self.swing(row, limits)
            return
        start: Any = row.values.get("start")
        if JOINT_TYPES[kind].nv == 1:
            self.within(limits, node, start, row.place("start") if start is not None else node)
            return
        items = node.items if isinstance(node, Listing) else []
        place = row.place("start") if isinstance(start, list) else None
        places = place.items if isinstance(place, Listing) else []
        for k, (pair, item) in enumerate(zip(limits, items, strict=False)):
            known = start is not None and k < len(places)
            self.within(pair, item, start[k] if known else None, places[k] if known else item)

    def within(self, limits: Any, node: Node, start: Formula | None, place: Node) -> None:
        """The limits of one variable in order, and its start within them."""
        ends = self.pair(limits, node, "limits")
        value = self.number(start) if start is not None else None
        if start is None or value is None or not ends:
            return
        if not ends[0] - _SLACK <= value <= ends[1] + _SLACK:
            self.problem(
                place,
                f"start {start.text} is outside the limits [{limits[0].text}, {limits[1].text}]",
            )

    def swing(self, row: Row, limit: Formula) -> None:
        """The start of a spherical joint tilts its z axis no further than the limit."""
        start: list[Formula] = row.values.get("start") or []
        most = self.number(limit)
        numbers = [self.number(formula) for formula in start]
        known = [number for number in numbers if number is not None]
        if most is None or not known or len(known) != len(numbers):
            return
        if len(known) == 3:
            roll, pitch = known[:2]
            # the z axis after fixed turns about x, then y: yaw does not tilt it
            across = math.hypot(math.sin(roll), math.cos(roll) * math.sin(pitch))
            angle = math.atan2(across, math.cos(roll) * math.cos(pitch))
        else:
            w, x, y, z = known
            angle = 2 * math.atan2(math.hypot(x, y), math.hypot(w, z))
        if angle > most + _SLACK:
            typed = f"[{', '.join(formula.text for formula in start)}]"
            self.problem(
                row.place("start"),
                f"start {typed} is outside the limits: it swings joint "
                f"'{row.values.get('name', '')}' by {_in_unit_of(limit, angle)}, more than "
                f"{limit.text}",
            )

    def start(self, row: Row, kind: str, place: Node | None = None) -> None:
        """Rotations of spherical and free joints: constant angles, or a quaternion."""
        start, node = row.values["start"], place or row.place("start")
        if JOINT_TYPES[kind].is_ball:
            parts = {"rpy" if len(start) == 3 else "quat": start}
            if not self.turns(start, node, ANGLE if "rpy" in parts else _RATIO):
                return
        else:
            parts = start.values
            if "rpy" in parts and "quat" in parts:
                self.problem(node, "'rpy' and 'quat' both give a rotation; use one of them")
                return
        if any(formula.value is None for formula in parts.get("rpy", ())):
            self.problem(
                node,
                "roll, pitch and yaw of a start must be numbers without parameters; "
                "they become a quaternion when the file is read",
            )
        if "quat" in parts:
            numbers = [self.number(formula) for formula in parts["quat"]]
            known = [number for number in numbers if number is not None]
            length = sum(number * number for number in known) ** 0.5
            if len(known) == 4 and abs(length - 1) > _QUATERNION_SLACK:
                self.problem(
                    node,
                    f"the quaternion [w, x, y, z] has length {length:.4g}; it must be 1",
                )

    def turns(self, numbers: Any, node: Node, kind: Number) -> bool:
        """Whether the numbers of a spherical start measure what their count makes them."""
        right = True
        items = node.items if isinstance(node, Listing) else []
        for formula, item in zip(numbers, items, strict=False):
            if not isinstance(item, Scalar):
                continue
            plain = formula.value if formula.typed is None else None
            if kind is ANGLE and plain is not None and abs(plain) > FULL_TURN:
                remark_on(self.reader, NumberUse(formula, kind, item, "start"), plain)
            try:
                wrong = check_quantity(formula, measure(formula, self.measures), kind.quantity)
            except FormulaError:
                continue  # reported elsewhere
            if wrong:
                self.problem(item, f"start is {wrong}")
                right = False
        return right

    def spring(self, row: Row) -> None:
        """Each end on a link or on a frame, and the two not at one place."""
        ends = []
        for key in ("from", "to"):
            end = row.values.get(key)
            if end is None:
                return
            if "link" in end.node.table and "frame" in end.node.table:
                self.problem(
                    end.node.key("frame"),
                    "'link' and 'frame' both say where a spring ends; use one of them",
                )
                return
            on = end.values.get("frame") or end.values.get("link", self.base)
            ends.append((on, [number.text for number in end.values.get("xyz", ())]))
        if ends[0] == ends[1]:
            self.problem(row.place("to"), "both ends of this spring are at the same place")

    def motion(self, row: Row) -> None:
        """As many rows as times, times increasing."""
        times, table = row.values.get("times"), row.values.get("values")
        if times is None or table is None:
            return
        if len(times) != len(table):
            rows = "1 row" if len(table) == 1 else f"{len(table)} rows"
            message = f"values has {rows} for {len(times)} times; one row per time"
            self.problem(row.place("values"), message)
        node = row.place("times")
        numbers = [self.number(time) for time in times]
        for index, (before, after) in enumerate(pairwise(numbers)):
            if before is not None and after is not None and after <= before:
                place = node.items[index + 1] if isinstance(node, Listing) else node
                first, second = times[index].text, times[index + 1].text
                self.problem(place, f"times must increase: {second} does not come after {first}")
                break

    def parameters(self, root: Row) -> None:
        """Sliders: min below max, the value between."""
        table = root.values.get("parameters")
        for name, row in table.values.items() if table is not None else ():
            if not isinstance(row, Row) or "value" not in row.values:
                continue
            value = self.number(row.values["value"])
            lower = self.number(row.values["min"]) if "min" in row.values else None
            upper = self.number(row.values["max"]) if "max" in row.values else None
            if lower is not None and upper is not None and lower > upper:
                self.problem(row.place("min"), f"min of '{name}' is above its max")
            elif value is not None and (
                (lower is not None and value < lower) or (upper is not None and value > upper)
            ):
                # as they are written, with their units
                ends = [
                    row.values[end].text if end in row.values else "…" for end in ("min", "max")
                ]
                self.problem(
                    row.place("value"),
                    f"'{name}' = {row.values['value'].text} is outside its min and max "
                    f"({ends[0]} to {ends[1]})",
                )


def _in_unit_of(formula: Formula, value: float) -> str:
    """An angle in the unit that another one was typed in."""
    for _, payload, _ in formula.typed or ():
        if isinstance(payload, Unit):
            return f"{value * payload.denominator / payload.numerator:.4g} {payload.text}"
    return f"{value:.4g}"
