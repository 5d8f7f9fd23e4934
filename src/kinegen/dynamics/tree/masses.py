"""Whether the masses of a mechanism are those of real bodies."""

from __future__ import annotations

import math
from typing import NoReturn

import numpy as np

from kinegen.errors import NumberError
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model

__all__ = ["check_masses", "refuse_massless"]

FORGIVEN = 0.1
"""How far measured inertias may break the triangle inequality: a remark, not an error."""
ROUNDING = 1e-6
"""How far they may break it without a word: published numbers have few digits."""


def check_masses(model: AnyModel) -> tuple[str, ...]:
    """Remarks on doubtful masses; impossible ones raise an error.

    The largest principal moment of a body is at most the sum of the other two. Measured values
    violate this slightly: up to 10 % is only a remark.

    Raises:
        NumberError: A mass or a moment is negative or not finite, an inertia is physically
            impossible, or a joint has no mass to move; the error names each link or joint.
    """
    model = model_of(model)
    remarks, faults = [], []
    for name, row in zip(model.link_names[1:], model.inertia[1:], strict=True):
        fault, remark = _judge(row)
        if fault:
            faults.append(f"link '{name}' {fault}")
        if remark:
            remarks.append(f"link '{name}' {remark}")
    if faults:
        raise NumberError(f"masses of mechanism '{model.name}': " + "; ".join(faults))
    zero = np.zeros(model.nv)
    found = model.dynamics.forward(model.start(), zero, zero, None)
    if isinstance(found, int):
        refuse_massless(model, found)
    return tuple(remarks)


def refuse_massless(model: Model, joint: int) -> NoReturn:
    """Say that a joint has nothing to move, and what would help."""
    name = model.joints[joint].name
    carried = model.inertia[model.joints[joint].child]
    what = (
        f"link '{name}' has no mass" if carried[0] == 0 else "what it carries has no inertia there"
    )
    raise NumberError(
        f"joint '{name}' of mechanism '{model.name}' has no mass to move: {what}; specify its mass "
        "and inertia, or a shape, or the rotor inertia of its motor"
    )


def _judge(row: Floats) -> tuple[str, str]:
    """What is wrong with a link's ten numbers, and what is doubtful; '' where nothing is."""
    mass = float(row[0])
    if not np.isfinite(row).all():
        return "has a mass, centre or inertia that is not finite", ""
    if mass < 0:
        return f"has the negative mass {mass:g} kg", ""
    xx, yy, zz, xy, xz, yz = row[4:].tolist()
    least, middle, most = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
    listed = f"principal moments {least:.4g}, {middle:.4g}, {most:.4g} kg m²"
    if most <= 0 and least == 0:
        return "", ""
    if least < -ROUNDING * abs(most):
        return f"has a negative value among its {listed}", ""
    if mass == 0:
        return f"has {listed} but no mass", ""
    excess = most / (least + middle) - 1 if least + middle > 0 else math.inf
    if excess > FORGIVEN:
        return (
            f"has {listed}, which is impossible: the largest is at most the sum of the other two",
            "",
        )
    if excess > ROUNDING:
        return "", f"has {listed}: the largest is {excess:.1%} above the sum of the other two"
    return "", ""
