"""Bundle: the file from which a unit's compiled engine reads its model, motors and variables."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.contact.contacts import MARGIN
from kinegen.dynamics.engines.reduced.engine import INTEGRATORS
from kinegen.dynamics.motors.backlash import GEAR_SHARE
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.formats.fmi.bodies import collisions_of, numbers_of_file
from kinegen.formats.fmi.spring_formulas import spring_formulas
from kinegen.formats.fmi.variable import FmuVariable
from kinegen.kernels import Floats, Ints, ServoMode, ServoRow, ShapeArrays
from kinegen.kernels.protocols.contact import NO_FACETS, SHAPE_INTS, SHAPE_REALS, SURFACE_SIZE

__all__ = ["bundle_of", "token_of"]

MARK = b"KINEGEN2"
_SPACE = uuid.UUID("6b1f0d0c-52a5-5d6e-9a64-1f1a4b8f7c11")
"""Of the tokens of units."""


def bundle_of(
    run: Simulation,
    variables: Sequence[FmuVariable],
    held: Sequence[int],
    *,
    integrator: str,
    token: str,
) -> bytes:
    """The file's content; native/fmu/bundle.hpp reads it.

    Args:
        run: A simulation at its start.
        variables: Of the unit.
        held: Places in v for which starts can be given.
        integrator: A name of ``INTEGRATORS``, or 'auto'.
        token: What the model description calls this export.
    """
    model, springs = run.model, run.system.springs
    follow = spring_formulas(model)
    modes: Ints = np.full(model.nv, ServoMode.NONE, dtype=np.int32)
    rows, is_stiff, damped = np.zeros((len(ServoRow), model.nv)), False, math.inf
    if run.servos is not None:
        arrays = run.servos.arrays
        assert arrays is not None  # other motors are refused
        is_stiff, modes, rows = arrays.is_stiff, arrays.modes, arrays.rows
        damped = run.servos.motors.damped_step
    settings = [
        run.engine.step, 1e-9, 1.0, 1.0, 0.0,
        -1.0 if integrator == "auto" else float(INTEGRATORS[integrator]), math.nan,
        float(run.servos is not None), float(is_stiff), damped, MARGIN, GEAR_SHARE,
    ]  # fmt: skip
    shapes, reach = _shapes(run)
    _ = model.inertia  # what follows from shapes is filled in by asking
    reals: list[npt.ArrayLike] = [
        settings, numbers_of_file(run), springs.point_a, springs.point_b, springs.stiffness,
        springs.damping, springs.rest, follow.points, follow.constants, run.engine.q,
        run.engine.v, rows,
        [one.start for one in variables], shapes.reals, shapes.surfaces, shapes.corners,
        shapes.planes, shapes.heights, reach,
    ]  # fmt: skip
    table = [(int(one.kind), one.index, one.detail) for one in variables]
    ints: list[npt.ArrayLike] = [
        model.ints, springs.link_a, springs.link_b, follow.frames, follow.targets, follow.starts,
        follow.code, modes, held, table, shapes.ints, shapes.facet_first, shapes.facet_corners,
        shapes.meets,
    ]  # fmt: skip
    joints = [joint.name for joint in model.joints for _ in range(joint.v.start, joint.v.stop)]
    lines = [token, *(one.name for one in variables), *joints]
    lines += [f"{what} = '{text}'" for what, text in model.formulas]
    text = "\n".join(line.replace("\n", " ") for line in lines).encode()
    sizes = [
        len(model.ints), len(model.reals), len(springs), len(follow.targets),
        len(follow.code) // 2, len(follow.constants), model.nq, model.nv, len(held),
        len(variables), rows.size, len(text), len(shapes.ints), len(shapes.corners),
        len(shapes.planes), len(shapes.facet_corners), len(shapes.heights), len(reach),
    ]  # fmt: skip
    parts = [MARK, np.array(sizes, dtype="<i8").tobytes()]
    parts += [np.asarray(one, dtype="<f8").tobytes() for one in reals]
    parts += [np.asarray(one, dtype="<i4").tobytes() for one in ints]
    return b"".join([*parts, text])


def _shapes(run: Simulation) -> tuple[ShapeArrays, Floats]:
    """What touches, and how far each link's shapes reach; nothing where nothing touches."""
    found = collisions_of(run)
    if found is not None:
        return found.arrays, found.reach
    none = np.zeros(0)
    ints = np.zeros((0, SHAPE_INTS), dtype=np.int32)
    return ShapeArrays(
        ints, np.zeros((0, SHAPE_REALS)), np.zeros((0, SURFACE_SIZE)), np.zeros((0, 3)),
        np.zeros((0, 4)), NO_FACETS, ints[:, 0], none, ints[:, :0], run.model.link_count,
    ), none  # fmt: skip


def token_of(content: bytes) -> str:
    """A token for an export with this content: the same content has the same token."""
    return "{" + str(uuid.uuid5(_SPACE, content.hex())) + "}"
