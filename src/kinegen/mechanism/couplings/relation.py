"""Relation: a coupling as one equation between variables of joints."""

from __future__ import annotations

from dataclasses import dataclass, field

from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formulas.formula import Formula

__all__ = ["Fault", "Relation", "Relations", "Variable", "variable_of"]


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a joint."""

    joint: str
    index: int
    """Among the joint's variables."""
    name: str
    """As a file names it: ``joint``, or ``joint.variable`` where there are several."""
    is_length: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """One equation between variables."""

    name: str
    kind: str
    """gears, belt, chain, rack, screw, relation, cam or follows."""
    terms: tuple[tuple[Variable, Formula], ...]
    """Variables with their ratios; the last of a cam is the cam's own, with ratio 0."""
    offset: Formula
    is_length: bool
    """Whether the equation is one of lengths; else of angles."""
    profile: Formula | tuple[tuple[Formula, Formula], ...] | None = None
    repeats: bool = False
    """Whether the table of a cam comes round again."""
    members: tuple[str, ...] = ()
    """What a person says that it joins."""
    guide: str = ""
    """The guide whose curve it is."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a coupling."""

    owner: str
    """The coupling, or the joint that follows."""
    key: str
    """Of its row."""
    message: str


@dataclass(slots=True)
class Relations:
    """All equations of a mechanism's couplings."""

    found: list[Relation] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    starts: dict[tuple[str, int], Formula] = field(default_factory=dict)
    """Starts that follow from couplings, by joint and variable: those a file does not give."""


def variable_of(mechanism: Mechanism, name: str) -> Variable | None:
    """The variable of a name, ``joint`` or ``joint.variable``; None where there is none."""
    joint = mechanism.joints.get(name)
    whole, _, part = name.rpartition(".")
    if joint is None:
        joint = mechanism.joints.get(whole)
    else:
        part = ""
    if joint is None or joint.type.info.has_quaternion:
        return None
    variables = joint.type.info.variables
    names = [own for own, _ in variables]
    if not part and len(variables) != 1:
        return None
    if part and part not in names:
        return None
    index = names.index(part) if part else 0
    shown = joint.name if len(variables) == 1 else f"{joint.name}.{names[index]}"
    return Variable(joint.name, index, shown, variables[index][1] == "length")
