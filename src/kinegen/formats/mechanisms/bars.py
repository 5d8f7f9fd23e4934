"""A linkage from drawn bars: straight lines in the plane that meet in pins.

Lines that form a rigid figure, such as a triangle, become one link. The bars on the ground and the
points fixed to it make up the base.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from kinegen.errors import UsageError
from kinegen.mechanism.graph import BASE, Mechanism
from kinegen.mechanism.load import load_raff
from kinegen.raff.emit import scalar_text

__all__ = ["Bar", "linkage_from_bars"]

Point = tuple[float, float]

SAME_PIN = 1e-4
"""Share of the longest bar within which ends of bars are one pin: more than a drawing is off."""
MOST_BARS = 500
"""More than anyone draws by hand; the search for rigid figures takes the cube of it."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A straight bar between two pins in the plane [m]."""

    start: Point
    end: Point
    fixed: bool = False
    """Whether it belongs to the ground."""
    name: str = ""
    """For messages, and kept as a note."""


def linkage_from_bars(
    bars: Sequence[Bar], *, ground: Sequence[Point] = (), name: str = "linkage"
) -> Mechanism:
    """The mechanism of drawn bars, with a hinge wherever ends of bars meet.

    Args:
        bars: The bars; ends closer than a ten-thousandth of the longest bar are one pin.
        ground: Further points that are fixed to the ground, each at an end of a bar [m].
        name: The mechanism's name.

    Raises:
        UsageError: A bar has no length, none is fixed, some are not connected to the ground, or
            nothing can move.
    """
    drawing = _Drawing(bars, ground)
    return load_raff(_text(_Tree(drawing), name))


class _Drawing:
    """Pins, and the rigid bodies that bars between them form; body 0 is the ground."""

    def __init__(self, bars: Sequence[Bar], ground: Sequence[Point]) -> None:
        _check(bars)
        longest = max(math.dist(bar.start, bar.end) for bar in bars)
        self.near = SAME_PIN * longest
        self.pins: list[Point] = []
        ends = [(self._pin(bar.start), self._pin(bar.end)) for bar in bars]
        for bar, (one, other) in zip(bars, ends, strict=True):
            if one == other:
                raise UsageError(f"{_called(bar, bars)} has length 0: its two ends coincide")
        fixed = {pin for bar, pair in zip(bars, ends, strict=True) if bar.fixed for pin in pair}
        fixed |= {self._fixed_pin(point) for point in ground}
        if not fixed:
            raise UsageError("nothing is fixed to the ground: mark at least one bar as fixed")
        moving = [
            (set(pair), [bar.name] if bar.name else [])
            for bar, pair in zip(bars, ends, strict=True)
            if not bar.fixed
        ]
        self.bodies = _rigid([(fixed, []), *moving])
        if len(self.bodies) == 1:
            raise UsageError("nothing can move: all bars form one rigid figure with the ground")

    def _find(self, point: Point) -> int | None:
        found = (i for i, pin in enumerate(self.pins) if math.dist(pin, point) <= self.near)
        return next(found, None)

    def _pin(self, point: Point) -> int:
        found = self._find(point)
        if found is None:
            self.pins.append(point)
            return len(self.pins) - 1
        return found

    def _fixed_pin(self, point: Point) -> int:
        found = self._find(point)
        if found is None:
            raise UsageError(
                f"the fixed point at ({point[0]:g}, {point[1]:g}) m is not at the end of a bar"
            )
        return found


_Body = tuple[set[int], list[str]]
"""Pins of a rigid body, and the names of its bars."""


def _rigid(bodies: list[_Body]) -> list[_Body]:
    """Bodies, those merged that cannot move against each other; the first one stays first.

    Two bodies with two pins in common are one, and so are three that share a pin pair by pair.
    """
    while True:
        group = _next_rigid([pins for pins, _ in bodies])
        if group is None:
            return bodies
        first, *others = sorted(group)
        for i in reversed(others):
            bodies[first][0].update(bodies[i][0])
            bodies[first][1].extend(bodies[i][1])
            del bodies[i]


def _next_rigid(bodies: list[set[int]]) -> tuple[int, ...] | None:
    """Bodies that form one rigid figure together, if there are any."""
    common: dict[tuple[int, int], int] = {}
    for i, j in combinations(range(len(bodies)), 2):
        shared = bodies[i] & bodies[j]
        if len(shared) > 1:
            return i, j
        if shared:
            common[i, j] = next(iter(shared))
    for (i, j), pin in common.items():
        for k in range(j + 1, len(bodies)):
            if (i, k) in common and (j, k) in common:
                if len({pin, common[i, k], common[j, k]}) == 3:
                    return i, j, k
    return None


@dataclass(frozen=True, slots=True)
class _Hinge:
    """A hinge at a pin, from one body to another; a cut one carries nothing."""

    pin: int
    parent: int
    child: int
    is_cut: bool


class _Tree:
    """Bodies in the order in which hinges carry them, with a frame on each."""

    def __init__(self, drawing: _Drawing) -> None:
        self.drawing = drawing
        self.pins, self.bodies = drawing.pins, drawing.bodies
        self.origin: dict[int, Point] = {0: (0.0, 0.0)}
        """Where each body's frame is."""
        self.angle: dict[int, float] = {0: 0.0}
        """The direction of its x axis: from the pin that carries it to its next one."""
        self.hinges = [*self._carrying()]
        self.hinges += self._closing()

    def _carrying(self) -> Iterator[_Hinge]:
        """Hinges from the ground outwards, one for each body."""
        reached = [0]
        for parent in reached:
            for pin in sorted(self.bodies[parent][0]):
                for child, (pins, _) in enumerate(self.bodies):
                    if child in reached or pin not in pins:
                        continue
                    reached.append(child)
                    x, y = self.pins[pin]
                    toward = self.pins[min(pins - {pin})]
                    self.origin[child] = (x, y)
                    self.angle[child] = math.atan2(toward[1] - y, toward[0] - x)
                    yield _Hinge(pin, parent, child, is_cut=False)
        lost = [one for one in range(len(self.bodies)) if one not in reached]
        if lost:
            pins, names = self.bodies[lost[0]]
            x, y = self.pins[min(pins)]
            what = f"bar '{names[0]}'" if names else f"the bar at ({x:g}, {y:g}) m"
            raise UsageError(f"{what} is not connected to the ground")

    def _closing(self) -> list[_Hinge]:
        """Hinges that close loops: where bodies meet in a pin and nothing joins them yet."""
        out = []
        for pin in range(len(self.pins)):
            group = {body: body for body, (pins, _) in enumerate(self.bodies) if pin in pins}
            for hinge in self.hinges:
                if hinge.pin == pin:
                    old, new = group[hinge.child], group[hinge.parent]
                    group = {body: new if at == old else at for body, at in group.items()}
            leaders = sorted(set(group.values()))
            for other in leaders[1:]:
                out.append(_Hinge(pin, other, leaders[0], is_cut=True))
        return out

    def polar(self, body: int, pin: int) -> tuple[float, float]:
        """Direction and distance of a pin in a body's frame."""
        (x, y), (u, v) = self.pins[pin], self.origin[body]
        distance = math.hypot(x - u, y - v)
        if distance <= self.drawing.near:
            return 0.0, 0.0
        return _wrapped(math.atan2(y - v, x - u) - self.angle[body]), distance


def _text(tree: _Tree, name: str) -> str:
    """The linkage as RAFF."""
    labels = [_label(i) for i in range(len(tree.pins))]
    lengths: dict[str, float] = {}
    links = {0: BASE}
    rows: list[str] = []
    taken: set[str] = set()
    for hinge in tree.hinges:
        joint, number = labels[hinge.pin], 2
        while joint in taken:
            joint, number = f"{labels[hinge.pin]}_{number}", number + 1
        taken.add(joint)
        if not hinge.is_cut:
            links[hinge.child] = joint
        place, direction = _place(tree, hinge.parent, hinge.pin, links, lengths)
        onto, landing = "", tree.angle[hinge.child]
        if hinge.is_cut:
            spot, landing = _place(tree, hinge.child, hinge.pin, links, lengths)
            onto = f", closes: {{onto: {links[hinge.child]}{spot}}}"
        start = math.degrees(_wrapped(landing - direction))
        motor = "" if rows else ", motor: true"
        bars = [] if hinge.is_cut else tree.bodies[hinge.child][1]
        note = f", note: {_quoted(', '.join(bars))}" if bars else ""
        rows.append(
            f"  - {{name: {joint}, parent: {links[hinge.parent]}{place}, start: {start:.9g} deg"
            f"{motor}{onto}{note}}}"
        )
    rows += _ends(tree, labels, links, lengths)
    lines = ["raff: 1", f"name: {scalar_text(name)}"]
    if lengths:
        lines += ["", "parameters:"]
        lines += [f"  {key}: {1000 * length:.9g} mm" for key, length in lengths.items()]
    return "\n".join([*lines, "", "joints:", *rows]) + "\n"


def _place(
    tree: _Tree, body: int, pin: int, links: dict[int, str], lengths: dict[str, float]
) -> tuple[str, float]:
    """A pin's placement on a body as keys of RAFF, and the direction of its x axis [rad]."""
    if body == 0:
        x, y = tree.pins[pin]
        return f", xyz: [{1000 * x:.9g} mm, {1000 * y:.9g} mm, 0]", 0.0
    gamma, distance = tree.polar(body, pin)
    if distance == 0:
        return "", tree.angle[body]
    key = f"{links[body]}_{_label(pin)}"
    lengths[key] = distance
    if abs(gamma) < SAME_PIN:
        return f", d: {key}", tree.angle[body]
    return f", gamma: {math.degrees(gamma):.9g} deg, d: {key}", tree.angle[body] + gamma


def _ends(
    tree: _Tree, labels: list[str], links: dict[int, str], lengths: dict[str, float]
) -> list[str]:
    """Frames at free ends of bars: what a linkage is drawn for."""
    hinged = {hinge.pin for hinge in tree.hinges}
    rows = []
    for body, (pins, _) in enumerate(tree.bodies):
        for pin in sorted(pins - hinged) if body else ():
            place, _ = _place(tree, body, pin, links, lengths)
            rows.append(f"  - {{name: {labels[pin]}, parent: {links[body]}{place}}}")
    return ["", "frames:", *rows] if rows else []


def _check(bars: Sequence[Bar]) -> None:
    if not bars:
        raise UsageError("there are no bars")
    if len(bars) > MOST_BARS:
        raise UsageError(f"{len(bars)} bars are too many; {MOST_BARS} are allowed")
    for bar in bars:
        if not all(map(math.isfinite, (*bar.start, *bar.end))):
            raise UsageError(f"{_called(bar, bars)} has an end that is not a number")


def _called(bar: Bar, bars: Sequence[Bar]) -> str:
    return f"bar '{bar.name}'" if bar.name else f"bar {list(bars).index(bar) + 1}"


def _label(pin: int) -> str:
    """The name of a pin: A, B, … Z, A1, B1 and so on."""
    return chr(ord("A") + pin % 26) + (str(pin // 26) if pin >= 26 else "")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _wrapped(angle: float) -> float:
    """An angle from -π to π [rad]."""
    return math.remainder(angle, math.tau)
