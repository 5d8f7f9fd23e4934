"""Library mechanisms without dry friction: only smooth motions show the order of a method."""

from __future__ import annotations

import re

import kinegen as kg

__all__ = ["frictionless", "has_dry_friction", "without_servos"]


def has_dry_friction(name: str) -> bool:
    """Whether a joint of a library mechanism has Coulomb friction."""
    return bool(kg.load(name).compile().blocks.real_part("coulomb").any())


def frictionless(name: str) -> kg.Mechanism:
    """A library mechanism whose joints have no dry friction."""
    made = kg.load(name)
    if has_dry_friction(name):
        made = kg.load(re.sub(r"friction: \{coulomb: [^}]*\},\s*", "", made.to_raff()))
    assert not made.compile().blocks.real_part("coulomb").any()
    return made


def without_servos(name: str) -> kg.Mechanism:
    """A library mechanism whose joints have neither dry friction nor rotors."""
    text = re.sub(r"(gear: [\d./]+), inertia: [^,}]*", r"\1", frictionless(name).to_raff())
    made = kg.load(text) if has_dry_friction(name) else kg.load(name)
    assert not (has_dry_friction(name) and made.compile().blocks.real_part("rotor").any())
    return made
