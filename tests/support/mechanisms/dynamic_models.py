"""Mechanisms with masses, rotors, springs and friction for the tests of dynamics."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen import JointType
from tests.support.mechanisms.random_mechanisms import TYPES, random_mechanism, random_q

__all__ = ["State", "give_masses", "heavy_model", "random_state"]

State = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""q, v, vdot or tau, wrenches."""


def give_masses(model: kg.Model, seed: int, *, drives: bool = True) -> kg.Model:
    """Random physical masses on every link; rotors, springs and friction on every joint."""
    rng = np.random.default_rng(seed)
    for row in model.inertia[1:]:
        row[0] = rng.uniform(0.5, 3)
        row[1:4] = rng.uniform(-0.3, 0.3, 3)
        points = rng.normal(size=(5, 3)) * 0.2
        tensor = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        row[4:7] = np.diag(tensor)
        row[7:10] = tensor[0, 1], tensor[0, 2], tensor[1, 2]
    model.gravity[:] = rng.normal(size=3) * 5
    if drives:
        for name in ("gear", "rotor", "viscous", "coulomb", "breakaway", "stribeck"):
            model.blocks.real_part(name)[:] = rng.uniform(0.1, 1, model.nv)
        for name in ("stiffness", "spring_damping", "spring_rest"):
            model.blocks.real_part(name)[:] = rng.uniform(0.1, 1, model.nv)
    return model


def heavy_model(
    seed: int,
    *,
    loop_count: int = 2,
    types: tuple[JointType, ...] = TYPES,
    drives: bool = True,
) -> kg.Model:
    """A random mechanism with random masses."""
    mechanism = random_mechanism(seed, loop_count=loop_count, types=types)
    return give_masses(mechanism.compile(), seed, drives=drives)


def random_state(model: kg.Model, seed: int) -> State:
    """A random state with accelerations or efforts, and wrenches on all links."""
    rng = np.random.default_rng(seed)
    return (
        random_q(model, rng),
        rng.normal(size=model.nv),
        rng.normal(size=model.nv),
        rng.normal(size=(model.link_count, 6)),
    )
