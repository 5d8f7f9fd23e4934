"""Islands of a world: everything on one engine, or robots on engines of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError, unknown_name
from kinegen.kinematics.scene import object_poses
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.raff.formulas.formula import Formula
from kinegen.world.bodies.island import Island
from kinegen.world.bodies.reach import refuse_touching
from kinegen.world.settings import Settings
from kinegen.world.signalling.signals import Signals

__all__ = ["make_islands"]

MAIN = ""
"""Owner of all that has no engine of its own."""


def make_islands(
    mechanism: Mechanism,
    model: Model | None,
    settings: Settings,
    signals: Signals,
    q: Mapping[str, Any] | None,
) -> list[Island]:
    """The islands of a world; the first has all that has no engine of its own.

    Args:
        mechanism: The whole world.
        model: The same with its numbers as they are now, where a caller gave one.
        settings: Engines, step and floor.
        signals: Where the signals of joints are added.
        q: Where joints start, by name.

    Raises:
        UsageError: Parts on different engines are joined, or could touch.
    """
    if not settings.engines:
        system = System.of(
            model or mechanism, objects=True, floor=settings.floor, gravity=settings.gravity
        )
        return [Island(system, signals, settings, q=q)]
    if model is not None:
        raise UsageError("robots with engines of their own need a mechanism, not a model")
    owners = _owners(mechanism, settings.engines)
    _check_joined(mechanism, owners)
    islands = []
    for owner, engine in {MAIN: settings.engine, **settings.engines}.items():
        part = _part(mechanism, owners, owner)
        system = System.of(part, objects=True, floor=settings.floor, gravity=settings.gravity)
        known = {*part.joints, *system.object_names}
        start = {name: value for name, value in (q or {}).items() if name in known}
        islands.append(Island(system, signals, replace(settings, engine=engine), q=start))
    known = {*mechanism.joints, *islands[0].simulation.system.object_names}
    for name in q or {}:
        if name not in known:
            raise unknown_name("joint", name, f"world '{mechanism.name}'", mechanism.joints)
    refuse_touching(islands)
    return islands


def _owners(mechanism: Mechanism, engines: Mapping[str, str]) -> dict[str, str]:
    """Which island each joint (and its link) belongs to, by the link that has an engine."""
    for link in engines:
        if link not in mechanism.joints:
            raise unknown_name("link", link, f"world '{mechanism.name}'", mechanism.joints)
    found: dict[str, str] = {mechanism.base_name: MAIN}

    def owner(name: str) -> str:
        if name not in found:
            joint = mechanism.joints[name]
            parent = mechanism.link_of(joint.parent)
            above = owner(parent)
            if name in engines and parent != mechanism.base_name:
                raise UsageError(
                    f"'{name}' has an engine of its own, but is mounted on '{parent}', which "
                    "another "
                    "engine moves: place it on the ground, or use one engine for both"
                )
            found[name] = name if name in engines else above
        return found[name]

    for name in mechanism.joints:
        owner(name)
    return found


def _check_joined(mechanism: Mechanism, owners: Mapping[str, str]) -> None:
    """Refuse loops, couplings and springs between parts on different engines."""

    def check(what: str, places: Iterable[str]) -> None:
        links = [mechanism.link_of(_known(place, owners)) for place in places]
        parts = {owners[link] for link in links if link != mechanism.base_name and link in owners}
        if len(parts) > 1:
            names = sorted(part or mechanism.name for part in parts)
            raise UsageError(
                f"{what} joins '{names[0]}' and '{names[1]}', which are on different engines: use "
                "one engine for both"
            )

    for joint in mechanism.joints.values():
        if joint.closes is not None:
            check(f"joint '{joint.name}'", [joint.name, joint.closes.onto])
        if joint.follows is not None:
            check(f"joint '{joint.name}'", [joint.name, joint.follows.joint])
    for coupling in mechanism.couplings.values():
        check(f"coupling '{coupling.name}'", coupling.members)
    for row in mechanism.scene.get("springs", ()):
        on = [end for end in (_on(row, "from"), _on(row, "to")) if end]
        check(f"spring '{row['name']}'", on)
        thing = row["from"].get("object") or row["to"].get("object")
        owned = [one for one in on if owners.get(mechanism.link_of(one), MAIN) != MAIN]
        if thing and owned:
            raise UsageError(
                f"spring '{row['name']}' joins '{owned[0]}' and the object '{thing}', which are on "
                "different engines: use one engine for both"
            )


def _known(place: str, owners: Mapping[str, str]) -> str:
    """The joint of a variable that is written ``joint.variable``."""
    return place if place in owners or "." not in place else place.rpartition(".")[0]


def _part(mechanism: Mechanism, owners: Mapping[str, str], owner: str) -> Mechanism:
    """What one engine moves, as a mechanism; objects that never move belong to all."""
    whole = mechanism.snapshot()
    joints = {name: one for name, one in whole.joints.items() if owners[name] == owner}
    links = {*joints, mechanism.base_name}
    frames = {name: one for name, one in whole.frames.items() if mechanism.link_of(name) in links}
    couplings = {
        name: one
        for name, one in whole.couplings.items()
        if all(_known(member, owners) in links for member in one.members)
    }
    springs = [
        row
        for row in whole.scene.get("springs", ())
        if all(
            mechanism.link_of(_on(row, side) or mechanism.base_name) in links
            for side in ("from", "to")
        )
        and (owner == MAIN or _is_on(mechanism, row, joints))
    ]
    scene = {"springs": springs, "objects": _objects(mechanism, owner)}
    known = {*links, *(row["name"] for row in scene["objects"])}
    collisions = dict(whole.collisions)
    if "except" in collisions:
        collisions["except"] = [pair for pair in collisions["except"] if set(pair) <= known]
    return replace(
        whole, joints=joints, frames=frames, couplings=couplings, scene=scene, world={},
        collisions=collisions,
    )  # fmt: skip


def _is_on(mechanism: Mechanism, row: Mapping[str, Any], joints: Mapping[str, Any]) -> bool:
    """Whether a spring has an end on one of some links."""
    ends = [_on(row, side) for side in ("from", "to")]
    return any(end and mechanism.link_of(end) in joints for end in ends)


def _on(row: Mapping[str, Any], side: str) -> str:
    """The link or frame on which an end of a spring is; '' for the ground, and for objects."""
    end: Mapping[str, str] = row[side]
    return end.get("frame") or end.get("link", "")


def _objects(mechanism: Mechanism, owner: str) -> list[dict[str, Any]]:
    """The objects of a part, placed on the ground; the first island has those that move."""
    rows = []
    places = object_poses(mechanism, mechanism.compile())
    for row in mechanism.scene.get("objects", ()):
        if owner == MAIN or row.get("fixed", False):
            X = places[row["name"]]
            xyz = [Formula.constant(float(x)) for x in X.translation]
            rpy = [Formula.constant(float(x)) for x in X.so3.rpy]
            rows.append({**row, "at": {"xyz": xyz, "rpy": rpy}})
    return rows
