"""Zone of reachability: where a frame of a mechanism with loops gets to (B6)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from kinegen.cluster import Executors
from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.solving.assembling.assembly import assemble, inputs_of
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.memory import names_memory
from kinegen.workspace.bodies.gaps import SliceReach
from kinegen.workspace.bodies.measure import measure_cells
from kinegen.workspace.budget import MOST_POSES, check_work
from kinegen.workspace.clouds.ranges import Ranges, check_step
from kinegen.workspace.zones.flood_fill import Progress, WorkShare, flood_fill
from kinegen.workspace.zones.layers import with_layer
from kinegen.workspace.zones.place import Slice, SliceTries, usual_ability
from kinegen.workspace.zones.result import Zone, ZoneMode
from kinegen.workspace.zones.solver import by_solver
from kinegen.workspace.zones.triangle_method import by_triangles, construction

__all__ = ["zone", "zone_slice"]

STEP = math.radians(5)
FAR = 1000.0
"""A frame that gets this many times the mechanism's size away from home gets anywhere."""
MOST_SLICE = 2_000_000
"""Cells of a slice: some minutes."""
COARSE = 0.25
"""Cells of the first estimate [sizes, rad]; then they are halved until there are"""
ENOUGH = 100
"""so many, which give an estimate of how many smaller ones there will be."""


@names_memory("a zone: use a larger step or narrower ranges")
def zone(
    model: AnyModel,
    q: Configuration = None,
    frame: str | None = None,
    *,
    step: float = STEP,
    ranges: Ranges | None = None,
    inputs: Sequence[str] | None = None,
    tilt: float | None = None,
    modes: Sequence[str] | None = None,
    poses: bool = False,
    method: str = "auto",
    layer: str | None = None,
    executor: Executors = None,
    progress: Progress | None = None,
) -> Zone:
    """The workspace of a mechanism with loops: positions of a frame over all inputs.

    Planar linkages of hinges that decompose into dyads are built from circles, in every assembly
    mode. A frame with three degrees of freedom in a plane then keeps its tilt, as in RobotDesigner,
    so one input fewer is swept. All other mechanisms are solved from pose to pose, beginning at the
    file's start or at each assembly mode.

    Args:
        model: The mechanism or its model.
        q: The home pose, which determines tilt and assembly mode; default: the file's start.
        frame: The frame or link; default: the last.
        step: Step between two values of an input [rad]; for slides, relative to the size of the
            mechanism.
        ranges: Input → lowest and highest value [rad, m]; default: limits, else a whole turn.
        inputs: Joints that are swept; default: those with motors.
        tilt: Angle of the frame in its plane [rad]; default: that of the home pose.
        modes: Only modes with these names; 'all' for every one; default: all by the triangle
            method, 'home' by the solver.
        poses: Whether to keep the configurations.
        method: 'auto', 'triangles' or 'solver'.
        layer: The quantity that colours the points, as for clouds: 'manipulability', 'singularity',
            'limits', 'density' or 'joint:NAME'.
        executor: Where the solver explores the modes, as for :func:`kinegen.design`. The triangle
            method always runs in this process, because it is faster than starting another one.
        progress: Called with the number of poses that were tried and the total; may stop the
            solver. Not called with an executor.
    """
    begin = time.perf_counter()
    model = model_of(model)
    tool = frame or model.site_names[-1]
    model.site(tool)
    check_step(step)
    if method not in {"auto", "triangles", "solver"}:
        raise UsageError(f"there is no method '{method}'; methods: auto, triangles, solver")
    home = assemble(model, q).q
    names = tuple(inputs_of(model) if inputs is None else inputs)
    if not names:
        raise UsageError(f"mechanism '{model.name}' has no motors: name the inputs of its zone")
    if method != "solver":
        built = construction(model, home, names, tool, tilt)
        if built is not None:
            only = None if modes is None or "all" in modes else modes
            keep = poses or layer is not None
            made = by_triangles(built, tool, step, ranges, tilt, only, keep, begin)
            return _layered(model, made, layer, names, poses)
        if method == "triangles" or tilt is not None:
            raise UsageError(
                f"mechanism '{model.name}' with inputs {', '.join(names)} is not a planar linkage "
                "made of dyads: the triangle method and a fixed tilt do not apply"
            )
    keep = poses or layer is not None
    made = by_solver(model, home, names, tool, step, ranges, modes, keep, begin, executor, progress)
    return _layered(model, made, layer, names, poses)


def _layered(
    model: Model, made: Zone, layer: str | None, inputs: Sequence[str], poses: bool
) -> Zone:
    """A zone with a layer's values, if one is asked for, and its poses only if they are."""
    if layer is None:
        return made
    driven = dict.fromkeys((*inputs_of(model), *inputs))
    valued = with_layer(model, made, layer, tuple(driven))
    if poses:
        return valued
    return replace(valued, modes=tuple(replace(mode, qs=None) for mode in valued.modes))


@names_memory("a zone: use a larger step")
def zone_slice(
    model: AnyModel,
    q: Configuration = None,
    frame: str | None = None,
    *,
    step: float,
    kind: str = "place",
    limits: bool = True,
    poses: bool = False,
    most: int = MOST_SLICE,
    through: bool = False,
    layer: str | None = None,
    progress: Progress | None = None,
) -> Zone:
    """The positions of a frame with constant rotation, or its rotations at a constant position.

    Cells are explored outwards from the home pose, in its working mode, without crossing poses in
    which the motors lose control of the mechanism.

    Args:
        model: The mechanism or its model.
        q: The home pose, whose rotation or position is constant; default: the file's start.
        frame: The frame or link; default: the last.
        step: Side of a cell [m], or [rad] for turns.
        kind: 'place' or 'turn'.
        limits: Whether joint limits are kept.
        poses: Whether to keep the configurations.
        most: Largest number of cells; a larger request is rejected before the computation, by an
            estimate.
        through: Whether the frame may cross singular poses, such as those to a platform's mirror
            image.
        layer: The quantity that colours the points, as for :func:`zone`.
        progress: Called with the number of cells that were tried and the approximate total; may
            stop the computation.
    """
    begin = time.perf_counter()
    model = model_of(model)
    most = whole_number(most, "the largest number of cells", 1, MOST_POSES)
    tool = frame or model.site_names[-1]
    check_step(step)
    home = assemble(model, q).q
    if kind not in set(Slice):
        raise UsageError(f"there is no slice '{kind}'; slices: {', '.join(Slice)}")
    what = Slice(kind)
    can = usual_ability(model, home, tool, what)
    side = not through

    def tries_of(size: float) -> SliceTries:
        return SliceTries(model, home, tool, what, can, size, limits=limits, one_side=side)

    far = math.inf
    if what is Slice.PLACE:
        far = FAR * model.size
        _check_ends(model, home, tool)
    about = _estimate(model, home, tries_of, what, step, can.axes.shape[1], most, far)
    tries = tries_of(step)
    share = None if progress is None else WorkShare(progress, 0, about)
    found = flood_fill(home, can.axes.shape[1], tries, most=most, far=far / step, report=share)
    points = tries.targets(found.cells)
    size = measure_cells(found.cells, step, outside=0.0)
    keep = poses or layer is not None
    mode = ZoneMode("home", points, points, size, found.qs if keep else None)
    made = Zone(
        model, tool, step, "solver", what.value, ("x", "y", "z"), {}, found.tried, (mode,), size,
        time.perf_counter() - begin,
        reach=SliceReach(tries) if what is Slice.PLACE else None,
    )  # fmt: skip
    return _layered(model, made, layer, (), poses)


def _check_ends(model: Model, home: Floats, tool: str) -> None:
    """Refuse a zone that has no end: of a tree with a slide that moves the frame and no limits."""
    if model.constraint_count:
        return
    moves = np.linalg.norm(jacobian(model, home, tool)[:3], axis=0)
    for joint in model.joints:
        for v, (_, quantity) in enumerate(joint.type.info.variables, joint.v.start):
            ends = model.lower[v], model.upper[v]
            if quantity == "length" and moves[v] > 0 and not np.isfinite(ends).all():
                raise UsageError(f"the zone is unbounded: set limits of joint '{joint.name}'")


def _estimate(
    model: Model, home: Floats, tries_of: Callable[[float], SliceTries], what: Slice, step: float,
    dimension: int, most: int, far: float,
) -> int:  # fmt: skip
    """About how many cells a slice has, by larger ones; too many are refused. 0: a few."""
    is_place = what is Slice.PLACE
    large = COARSE * (model.size if is_place else 1.0)
    while large > 2 * step:
        found = flood_fill(home, dimension, tries_of(large), most=most, far=far / large)
        if len(found.cells) >= ENOUGH:
            cells = round(len(found.cells) * (large / step) ** dimension)
            unit = "mm" if is_place else "deg"
            name = f"the zone of '{model.name}'"
            check_work(cells, step, dimension, most=most, what=name, unit=unit)
            return cells
        large /= 2
    return 0
