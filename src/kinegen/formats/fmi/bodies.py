"""Links and objects of a unit: their masses as parameters, forces of contacts as outputs."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.motors.backlash import GEAR_SHARE
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.formats.fmi.variable import FmuVariable, VariableKind, quoted
from kinegen.kernels import Floats
from kinegen.kernels.layout import INERTIA_SIZE

__all__ = ["body_name", "collisions_of", "contact_forces", "masses", "numbers_of_file"]

_ROWS = (
    *((f"centre.{axis}", "m", f"centre of mass along {axis}") for axis in "xyz"),
    *(
        (f"inertia.{axes}", "kg.m2", f"inertia {axes} about the centre of mass")
        for axes in ("xx", "yy", "zz", "xy", "xz", "yz")
    ),
)
"""Of a link, behind its mass: key, unit, meaning; in the link's axes."""


def body_name(run: Simulation, group: str, name: str) -> str:
    """The first part of the names of a body's variables: free objects are a group of their own."""
    return f"{'objects' if name in run.system.object_names else group}.{quoted(name)}"


def collisions_of(run: Simulation) -> Collisions | None:
    """What touches, if anything does."""
    found = getattr(run.engine, "collisions", None)
    return found if isinstance(found, Collisions) and len(found.geom_link) else None


def numbers_of_file(run: Simulation) -> Floats:
    """The model's live numbers as the file has them: rotors that servos divided are whole again."""
    model, out = run.model, run.model.reals.copy()
    if run.servos is not None and run.servos.backlash is not None:
        at = model.blocks.offset("rotor") + run.servos.backlash.index
        out[at] /= GEAR_SHARE
    return out


def masses(run: Simulation) -> Iterator[FmuVariable]:
    """Masses, centres and inertias that are not formulas, those that follow from shapes too."""
    model, rows = run.model, run.model.inertia
    for link, name in enumerate(model.link_names[1:], 1):
        if float(rows[link, 0]) <= 0:
            continue
        owner = body_name(run, "links", name)
        if model.number_slot(name, "mass").formula is None:
            given = model.compiled_from.joints[name].link.inertia is not None
            more = "" if given else "; its inertia is proportional to it"
            yield FmuVariable(
                f"{owner}.mass", VariableKind.MASS, "kg", f"mass of link '{name}'{more}",
                rows[link, 0], link, int(not given),
            )  # fmt: skip
        for k, (key, unit, meaning) in enumerate(_ROWS, 1):
            if model.number_slot(name, key).formula is None:
                yield FmuVariable(
                    f"{owner}.{key}", VariableKind.INERTIA, unit,
                    f"{meaning} of link '{name}'", rows[link, k], INERTIA_SIZE * link + k,
                )  # fmt: skip


def contact_forces(run: Simulation) -> Iterator[FmuVariable]:
    """What contacts do to every link and object that can touch."""
    found = collisions_of(run)
    touching = set() if found is None else set(found.geom_link.tolist())
    for link, name in enumerate(run.model.link_names[1:], 1):
        for k, axis in enumerate("xyz" if link in touching else ""):
            yield FmuVariable(
                f"{body_name(run, 'links', name)}.contact_force.{axis}", VariableKind.CONTACT, "N",
                f"force of all contacts on '{name}' over the last step, world axes", 0.0, link, k,
            )  # fmt: skip
