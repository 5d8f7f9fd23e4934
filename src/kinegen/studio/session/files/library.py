"""The library as a page lists it: titles, sizes, and the family each mechanism belongs to."""

from __future__ import annotations

import functools

from kinegen.errors import KinegenError
from kinegen.mechanism.load import library_names, load_raff, world_names
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.skeleton import read_skeleton
from kinegen.studio.wire.figure import stick_figure
from kinegen.studio.wire.messages import LibraryEntry

__all__ = ["family", "library_entries"]

_FAMILIES = ("Linkages", "Parallel robots", "Arms", "Mobile robots", "Worlds")
"""In the order in which they are listed."""


@functools.cache
def _entries() -> tuple[LibraryEntry, ...]:
    found = []
    for name in (*library_names(), *world_names()):
        try:
            mechanism = load_raff(name)
            model = mechanism.compile()
        except KinegenError:
            continue  # one that this version cannot read is not offered
        found.append(
            LibraryEntry(
                name=name,
                title=mechanism.title or name,
                joints=len(model.joints),
                loops=len(model.loops),
                family="Worlds" if name in world_names() else family(model),
                figure=stick_figure(model),
                description=mechanism.description or "",
                sensors=len(mechanism.scene.get("sensors", ())),
                agents=len(mechanism.scene.get("agents", ())),
            )
        )
    return tuple(sorted(found, key=lambda entry: (_FAMILIES.index(entry.family), entry.title)))


def library_entries() -> list[LibraryEntry]:
    """Every mechanism and world of the library, by family and title."""
    return list(_entries())


def family(model: Model) -> str:
    """The heading a mechanism stands under, decided by its graph."""
    if any(joint.type.info.floats for joint in model.joints):
        return "Mobile robots"
    if not model.loops:
        return "Arms"
    in_loops = _joints_in_loops(model)
    outside = sum(joint.type.info.moves for joint in model.joints) - in_loops
    if len(model.loops) == 1 and outside >= 3:
        return "Arms"  # one with a parallelogram or the like
    motors = sum(joint.has_motor for joint in model.joints)
    planar = read_skeleton(model, {}).plane is not None
    if motors >= 3 or (motors >= 2 and not planar and len(model.loops) > 1):
        return "Parallel robots"
    return "Linkages"


def _joints_in_loops(model: Model) -> int:
    """How many joints some loop runs through."""
    inboard = {int(joint.child): i for i, joint in enumerate(model.joints) if not joint.is_cut}
    seen: set[int] = set()
    for loop in model.loops:
        cut = model.joints[loop.joint]
        ways = []
        for link in (cut.parent, cut.child):
            way, at = [], int(link)
            while at in inboard:
                way.append(inboard[at])
                at = int(model.joints[way[-1]].parent)
            ways.append(set(way))
        seen |= (ways[0] ^ ways[1]) | {int(loop.joint)}
    return len(seen)
