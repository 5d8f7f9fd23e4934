"""Scopes of an SDF file: the frames of a world or model, their poses, the links they move with.

Since SDF 1.7 every link, joint, frame and nested model is a frame that others are placed in by
``relative_to``; before, a link is placed in its model and a joint in its child. Poses are those of
the file's zero configuration, in the scope's own frame. Cycles are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from kinegen.errors import did_you_mean
from kinegen.formats.robots.read.robot import Robot
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    compose,
    from_quat,
    from_rpy,
    inverse,
)

__all__ = ["MODEL", "WORLD", "Scope", "Version", "flag", "number", "numbers", "word"]

WORLD = "world"
MODEL = "__model__"
Version = tuple[int, int]


class Scope:
    """A world or a model, with everything that has a name in it."""

    def __init__(
        self, robot: Robot, element: Element, version: Version, *, parent: Scope | None = None,
        name: str = "", folder: str = "",
    ) -> None:  # fmt: skip
        self.robot, self.element, self.version = robot, element, version
        self.parent, self.name = parent, name
        self.prefix = ""
        """Before the names of its links, joints and frames in the robot."""
        self.folder = folder
        """Where its relative paths begin, seen from the file that was opened."""
        self.members: dict[str, Element] = {}
        """Links, joints and frames."""
        self.aliases: dict[str, str] = {}
        """Names of members that have another one here."""
        self.models: dict[str, Scope] = {}
        self.pose_element: Element | None = None
        """Where the model is; an include may have one of its own."""
        self.placement_frame: str = ""
        self.is_static = False
        self.is_merged = False
        """Whether its links, joints and frames are its parent's as well, under their own names."""
        self._poses: dict[str, Transform | None] = {MODEL: IDENTITY}
        self._links: dict[str, str | None] = {}

    def every(self) -> Iterator[Scope]:
        """It and all models in it, in the file's order."""
        yield self
        for model in self.models.values():
            yield from model.every()

    def links(self) -> Iterator[tuple[str, Element]]:
        """Its own links."""
        for name, element in self.members.items():
            if element.tag == "link":
                yield name, element

    def merged(self, name: str) -> tuple[str, Scope] | None:
        """The merged model in which a name is found, with the model's own name here."""
        for own, model in self.models.items():
            outer = name.partition("::")[0]
            known = outer in model.members or outer in model.models or outer in model.aliases
            if model.is_merged and (known or model.merged(name) is not None):
                return own, model
        return None

    # Poses

    @property
    def X_W(self) -> Transform:
        """Pose of its frame in the world."""
        if self.parent is None:
            return IDENTITY
        return compose(self.parent.X_W, self.parent.pose_of(self.name, self.element))

    def pose_of(self, name: str, at: Element) -> Transform:
        """Pose of a frame in this scope's frame; a problem at ``at`` where there is none."""
        name = self.aliases.get(name, name)
        # what it is placed in comes first, however long the chain is
        for one in reversed(self._chain(name, self._base_of, self._poses)):
            if one not in self._poses:
                self._poses[one] = None
                self._poses[one] = self._find_pose(one, at)
        found = self._poses[name]
        if found is None:
            self.robot.problem(at, f"the pose of '{name}' depends on itself")
            return IDENTITY
        return found

    def _chain(
        self, name: str, base_of: Callable[[Element], str], known: Mapping[str, object]
    ) -> list[str]:
        """A frame, the one it depends on, and so forth, as far as nothing is known of them."""
        chain, seen = [name], {name}
        while chain[-1] not in known and chain[-1] in self.members:
            base = base_of(self.members[chain[-1]])
            base = self.aliases.get(base, base)
            if base in seen:
                break
            chain.append(base)
            seen.add(base)
        return [one for one in chain if one == name or one in self.members]

    def _base_of(self, element: Element) -> str:
        """What a link, joint or frame is placed in."""
        pose = element.find("pose")
        given = "" if pose is None else pose.get("relative_to", pose.get("frame", ""))
        if given:
            return given
        if element.tag == "joint":
            return word(element, "child") or MODEL
        return (element.get("attached_to") if element.tag == "frame" else None) or MODEL

    def _carrier_of(self, element: Element) -> str:
        """What a joint or frame moves with."""
        if element.tag == "joint":
            return word(element, "child")
        return (element.get("attached_to") if element.tag == "frame" else None) or MODEL

    def _find_pose(self, name: str, at: Element) -> Transform:
        if name in {WORLD, "__root__"} and self.parent is None:
            return IDENTITY
        outer, _, inner = name.partition("::")
        if inner and outer in self.models:
            return compose(self.pose_of(outer, at), self.models[outer].pose_of(inner, at))
        if name in self.models:
            model = self.models[name]
            X = self.placed(model.pose_element, MODEL)
            if model.placement_frame:
                X = compose(X, inverse(model.pose_of(model.placement_frame, at)))
            return X
        element = self.members.get(name)
        if element is None:
            found = self.merged(name)
            if found is not None:
                return compose(self.pose_of(found[0], at), found[1].pose_of(name, at))
            self._unknown(name, at)
            return IDENTITY
        base, pose = self._base_of(element), element.find("pose")
        X = self.raw_pose(pose)
        if base == WORLD and WORLD not in self.aliases:
            return compose(inverse(self.X_W), X)
        return X if base == MODEL else compose(self.pose_of(base, element), X)

    def placed(self, pose: Element | None, base: str) -> Transform:
        """A pose in this scope's frame: relative to what it says, otherwise to ``base``."""
        relative = "" if pose is None else pose.get("relative_to", pose.get("frame", ""))
        at = self.element if pose is None else pose
        X = self.raw_pose(pose)
        start = relative or base
        return X if start == MODEL else compose(self.pose_of(start, at), X)

    def raw_pose(self, pose: Element | None) -> Transform:
        """The six or seven numbers of a pose, wherever that is."""
        if pose is None or not (pose.text or "").strip():
            return IDENTITY
        if pose.get("rotation_format") == "quat_xyzw":
            x = numbers(self.robot, pose, 7) or (0.0,) * 6 + (1.0,)
            if not any(x[3:]):
                self.robot.problem(pose, "the quaternion of a pose must not be 0")
                return IDENTITY
            return from_quat(x[:3], (x[6], *x[3:6]))
        x = numbers(self.robot, pose, 6) or (0.0,) * 6
        turn = x[3:]
        if flag(pose.get("degrees")):
            turn = tuple(map(math.radians, turn))
        return from_rpy(x[:3], turn)

    # Links

    def link_of(self, name: str, at: Element) -> str:
        """The robot's link that a frame moves with."""
        name = self.aliases.get(name, name)
        for one in reversed(self._chain(name, self._carrier_of, self._links)):
            if one not in self._links:
                self._links[one] = None
                self._links[one] = self._find_link(one, at)
        found = self._links[name]
        if found is None:
            self.robot.problem(at, f"'{name}' is attached to itself")
            return WORLD
        return found

    def _find_link(self, name: str, at: Element) -> str:
        if name == WORLD or (name == MODEL and self.parent is None):
            return WORLD
        if name == MODEL:
            return self.canonical_link(at)
        outer, _, inner = name.partition("::")
        if inner and outer in self.models:
            return self.models[outer].link_of(inner, at)
        if name in self.models:
            return self.models[name].link_of(MODEL, at)
        element = self.members.get(name)
        if element is None:
            found = self.merged(name)
            if found is not None:
                return found[1].link_of(name, at)
            self._unknown(name, at)
            return WORLD
        if element.tag == "link":
            return self.prefix + name
        return self.link_of(self._carrier_of(element), element)

    def canonical_link(self, at: Element) -> str:
        """The link that a model's own frame moves with."""
        named = self.element.get("canonical_link")
        if named:
            return self.link_of(named, at)
        first = next(self.links(), None)
        if first is not None:
            return self.prefix + first[0]
        for model in self.models.values():
            return model.canonical_link(at)
        self.robot.problem(at, f"model '{self.name}' has no links")
        return WORLD

    def _unknown(self, name: str, at: Element) -> None:
        known = [*self.members, *self.models]
        hint = did_you_mean(name, known) or f"; there are {', '.join(known[:20]) or 'none'}"
        where = f"model '{self.name}'" if self.parent is not None else "the world"
        self.robot.problem(at, f"<{at.tag}> names '{name}', which is not in {where}{hint}")


def word(element: Element, tag: str) -> str:
    """The text of a child, without blanks around it."""
    return (element.findtext(tag) or "").strip()


def flag(text: str | None) -> bool:
    """SDF's truth values."""
    return (text or "").strip().lower() in {"1", "true"}


def numbers(robot: Robot, element: Element, count: int) -> tuple[float, ...] | None:
    """The numbers in an element's text; None, and a problem, where these are others."""
    text = element.text or ""
    try:
        values = tuple(map(float, text.split()))
    except ValueError:
        values = ()
    if len(values) != count or not all(map(math.isfinite, values)):
        wanted = "a number" if count == 1 else f"{count} numbers"
        robot.problem(element, f"<{element.tag}> must be {wanted}, not '{text.strip()[:80]}'")
        return None
    return values


def number(robot: Robot, element: Element, tag: str, default: float) -> float:
    """The number of a child; infinite ones are allowed."""
    child = element.find(tag)
    if child is None:
        return default
    try:
        value = float(child.text or "")
    except ValueError:
        value = math.nan
    if math.isnan(value):
        robot.problem(child, f"<{tag}> must be a number, not '{(child.text or '').strip()[:80]}'")
        return default
    return value
