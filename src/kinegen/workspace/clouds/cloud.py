"""Forward workspace: where the links and frames of a tree get to over its joint ranges (R6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.kinematics.batch import site_columns
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.memory import names_memory
from kinegen.results import Columns, Result, plain
from kinegen.workspace.budget import MOST_POSES, check_budget
from kinegen.workspace.clouds.coupled_ranges import coupled_ranges
from kinegen.workspace.clouds.layers import Layer, density, layer_of, layer_values
from kinegen.workspace.clouds.ranges import Ranges, by_factor, joint_ranges, moving_variables
from kinegen.workspace.clouds.sweep import CHUNK, Sweep, coupled_sweep, grid_sweep, random_sweep

__all__ = [
    "Cloud",
    "CloudChunk",
    "CloudPlan",
    "EvenPoses",
    "Points32",
    "Progress",
    "cloud",
    "cloud_chunks",
    "held_joints",
    "plan_cloud",
]

Points32: TypeAlias = npt.NDArray[np.float32]

Progress = Callable[[int, int], bool | None]
"""Called with poses done and poses in all; False stops the work and keeps what is there."""
FACTOR = 15.0
"""3D-RAS's own example."""


@dataclass(frozen=True, slots=True, eq=False)
class EvenPoses:
    """Some poses of a sweep, spread over its whole range."""

    index: npt.NDArray[np.int64]
    """Indices of the poses, (n,)."""
    qs: Floats | None
    """Configurations, (n, nq); None if they were not needed."""
    points: Points32
    """Origins of the k frames [m], (n, k, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class CloudPlan(Result):
    """The joints, ranges and frames of a cloud."""

    sweep: Sweep
    frames: tuple[str, ...]
    """The k frames and links."""
    layer: str = Layer.LINK.value
    """The quantity that colours the points: see :class:`Layer`."""
    factor: float | None = None
    """Degrees per value on a grid; None for quasi-random poses."""

    @property
    def point_count(self) -> int:
        """Poses times frames."""
        return self.sweep.count * len(self.frames)

    @property
    def is_by_place(self) -> bool:
        """Whether the values of the layer are known only after all poses."""
        return layer_of(self.layer, self.sweep.shown_ranges)[0].is_by_place

    def poses(self, first: int, count: int) -> EvenPoses:
        """Some poses, evenly distributed."""
        index, qs = self.sweep.even(first, count)
        points = site_columns(self.sweep.model, qs, self.frames)
        return EvenPoses(index, qs.T, points.transpose(2, 0, 1).astype(np.float32))

    def configuration(self, pose: int) -> Floats:
        """The configuration of a pose, (nq,)."""
        pose = whole_number(pose, "a pose of this cloud", 0, self.sweep.count - 1)
        return self.sweep.chunk(pose, 1)[:, 0]

    def values(self, qs: Floats) -> npt.NDArray[Any] | None:
        """Values of the layer for poses (n, nq), (n k,); NaN if they are known only at the end.

        None if the frame alone determines the colour.
        """
        k, n = len(self.frames), len(qs)
        kind, one = layer_of(self.layer, self.sweep.shown_ranges)
        if kind is Layer.LINK:
            return None
        if kind.is_by_place:
            return np.full(k * n, np.nan)
        sweep = self.sweep
        return layer_values(sweep, kind, one, self.frames, qs.T).T.ravel()


@dataclass(frozen=True, slots=True, eq=False)
class CloudChunk(Result):
    """A piece of a cloud during its computation."""

    first: int
    """Index of its first pose."""
    qs: Floats
    """Configurations, (n, nq)."""
    points: Floats
    """Origins of the k frames [m], (n, k, 3)."""
    values: Floats
    """The layer's value at each point, (n, k)."""
    poses: Floats | None
    """Poses X_WF (quaternion wxyz, xyz), (n, k, 7), if asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloud(Result):
    """All points of a sweep."""

    model: Model
    frames: tuple[str, ...]
    """The k frames and links, starting at the base."""
    sweep: Sweep
    points: npt.NDArray[Any]
    """Origins [m], (n, k, 3)."""
    values: Floats
    """The layer's value at each point, (n, k)."""
    layer: str
    poses: Floats | None
    """Poses X_WF (quaternion wxyz, xyz), (n, k, 7), if asked for."""
    elapsed: float
    """Time it took [s]."""
    complete: bool
    """False if the computation was stopped early."""

    @property
    def name(self) -> str:
        """Of the mechanism."""
        return self.model.name

    @property
    def pose_count(self) -> int:
        """Number of poses n."""
        return len(self.points)

    @property
    def held(self) -> tuple[str, ...]:
        """Ball joints and free bases on the way to the frames, which have no ranges."""
        return held_joints(self.model, self.frames)

    @property
    def point_count(self) -> int:
        """Number of points, k n."""
        return len(self.frames) * self.pose_count

    @property
    def bounds(self) -> npt.NDArray[Any]:
        """Lowest and highest x, y, z of each frame [m], (k, 2, 3)."""
        return np.stack([self.points.min(axis=0), self.points.max(axis=0)], axis=1)

    @property
    def xyz(self) -> npt.NDArray[Any]:
        """All points in one list, frame after frame, (k n, 3)."""
        return self.points.transpose(1, 0, 2).reshape(-1, 3)

    def columns(self) -> Columns:
        """A row per point, frame after frame."""
        return {
            "frame": np.repeat(np.array(self.frames), self.pose_count),
            self.layer: self.values.T.ravel(),
            **dict(zip(("x [m]", "y [m]", "z [m]"), self.xyz.T, strict=True)),
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Points, values, poses if requested, and the names of the frames."""
        found = {"frames": np.array(self.frames), "points": self.points, "values": self.values}
        return found if self.poses is None else found | {"poses": self.poses}

    def to_dict(self) -> dict[str, Any]:
        """The sweep and all points."""
        return {
            "mechanism": self.name,
            "frames": list(self.frames),
            "ranges": plain(self.sweep.ranges),
            "layer": self.layer,
            "elapsed": self.elapsed,
            "complete": self.complete,
            "points": plain(self.points),
            "values": plain(self.values),
            "poses": plain(self.poses),
        }


def plan_cloud(
    model: AnyModel,
    q: Configuration = None,
    frame: str | None = None,
    *,
    frames: Sequence[str] | None = None,
    ranges: Ranges | None = None,
    factor: float | None = None,
    count: int | None = None,
    layer: str = Layer.LINK.value,
    seed: int = 0,
) -> CloudPlan:
    """The sweep of a cloud and its frames; arguments as for :func:`cloud`."""
    model = model_of(model)
    if model.loops:
        raise UsageError(
            f"mechanism '{model.name}' has loops, which a sweep of all joints would open: compute "
            "its zone (kg.zone, `kinegen zone`)"
        )
    tool = frame or model.site_names[-1]
    model.site(tool)
    if layer == Layer.DEXTERITY and frames is None:
        frames = [tool]
    chosen = tuple(frames) if frames is not None else _way_to(model, tool)
    if not chosen:
        raise UsageError("a cloud needs at least one frame")
    if factor is not None and count is not None:
        raise UsageError("specify a factor (a grid) or a count (quasi-random poses), not both")
    home = configuration(model, q)
    all_ranges = joint_ranges(model, ranges)
    moving = moving_variables(model, all_ranges, chosen, home)
    if not moving:
        raise UsageError(f"no joint of mechanism '{model.name}' moves {', '.join(chosen)}")
    coupled = coupled_ranges(model, all_ranges, moving, ranges or ())
    if count is not None:
        sweep = random_sweep(model, coupled.swept, count, home, seed=seed)
    else:
        factor = FACTOR if factor is None else factor
        sweep = grid_sweep(model, by_factor(coupled.swept, factor, model.size), home)
    if coupled.followers is not None:
        sweep = coupled_sweep(sweep, coupled.followers, coupled.following)
    layer_of(layer, sweep.shown_ranges)
    return CloudPlan(sweep, chosen, layer, factor)


def cloud_chunks(
    plan: CloudPlan, *, rotations: bool = False, chunk: int = CHUNK
) -> Iterator[CloudChunk]:
    """A cloud piece by piece: only one piece is in memory, so any number of poses is possible.

    Args:
        plan: A plan of :func:`plan_cloud`; layers that need all points, such as 'density', are
            replaced by the indices of the frames.
        rotations: Whether to compute full poses in addition to positions.
        chunk: Poses per piece.
    """
    chunk = whole_number(chunk, "the number of poses per piece", 1, MOST_POSES)
    sweep, frames = plan.sweep, plan.frames
    kind, one = layer_of(plan.layer, sweep.shown_ranges)
    for first, qs in sweep.chunks(chunk):
        made = site_columns(sweep.model, qs, frames, rotations=rotations).transpose(2, 0, 1)
        values = layer_values(sweep, kind, one, frames, qs)
        points = made[:, :, 4:] if rotations else made
        yield CloudChunk(first, qs.T, points, values.T, made if rotations else None)


@names_memory(
    "a cloud: use a larger factor, fewer poses or frames, or write it to a store piece by piece "
    "(kg.workspace.run, --out NAME.zarr)"
)
def cloud(
    model: AnyModel,
    q: Configuration = None,
    frame: str | None = None,
    *,
    frames: Sequence[str] | None = None,
    ranges: Ranges | None = None,
    factor: float | None = None,
    count: int | None = None,
    layer: str = Layer.LINK.value,
    rotations: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Cloud:
    """The workspace of an arm as points, by forward kinematics.

    Args:
        model: The mechanism or its model; for mechanisms with loops use :func:`zone`.
        q: Values of the joints that stay fixed; default: the file's start.
        frame: The tool; default: the file's last frame. The links between the base and the tool are
            included.
        frames: A list of frames and links, instead of ``frame``.
        ranges: Joint → lowest and highest value [rad, m]; default: the limits, else a whole turn.
        factor: 3D-RAS's Factor: degrees per value of each joint (eq. 17); default 15.
        count: Number of quasi-random poses, instead of a grid.
        layer: The quantity that colours the points: 'link', 'joint:NAME', 'manipulability',
            'limits',
            'singularity', 'density', 'dexterity' (of the tool alone, unless frames are given).
        rotations: Whether to compute full poses in addition to positions.
        seed: Shifts the quasi-random poses.
        progress: Called with the number of finished poses; may stop the computation.

    Raises:
        UsageError: Ranges are empty, reversed or not finite, or the cloud does not fit into memory.
    """
    begin = time.perf_counter()
    model = model_of(model)
    plan = plan_cloud(
        model, q, frame, frames=frames, ranges=ranges, factor=factor, count=count, layer=layer,
        seed=seed,
    )  # fmt: skip
    k, n = len(plan.frames), plan.sweep.count
    check_budget(
        n, k * (4 + 7 * rotations), what=f"the cloud of '{model.name}'",
        remedy="Use a larger factor, narrower ranges or fewer frames; or count= (--count) "
            "quasi-random poses; or write it to a store piece by piece (kg.workspace.run, --out "
            "NAME.zarr); or stream it with cloud_chunks.",
    )  # fmt: skip
    # kept by column, as the kernels make them, and shown by row
    points, values = np.empty((k, 3, n)).transpose(2, 0, 1), np.empty((k, n)).T
    poses = np.empty((k, 7, n)).transpose(2, 0, 1) if rotations else None
    done = 0
    for piece in cloud_chunks(plan, rotations=rotations):
        done = piece.first + len(piece.points)
        points[piece.first : done], values[piece.first : done] = piece.points, piece.values
        if poses is not None and piece.poses is not None:
            poses[piece.first : done] = piece.poses
        if progress is not None and progress(done, n) is False:
            break
    points, values = points[:done], values[:done]
    if layer == Layer.DENSITY:
        values = density(points.transpose(1, 2, 0)).T
    elif layer == Layer.DEXTERITY:
        from kinegen.workspace.progressive.cells import dexterity_cells  # builds on this module

        values = dexterity_cells(plan).at(points).astype(float)
    return Cloud(
        model, plan.frames, plan.sweep, points, values, layer,
        None if poses is None else poses[:done], time.perf_counter() - begin, done == n,
    )  # fmt: skip


def held_joints(model: Model, frames: Sequence[str]) -> tuple[str, ...]:
    """Joints on the way to frames that have no ranges, as balls: they keep their pose."""
    carried = {int(joint.child): joint for joint in model.joints if not joint.is_cut}
    found: set[str] = set()
    for name in frames:
        site = int(model.site(name))
        link = site if site < model.link_count else int(model.frames[site - model.link_count].link)
        while link in carried:
            joint = carried[link]
            if joint.type.info.has_quaternion:
                found.add(joint.name)
            link = int(joint.parent)
    return tuple(sorted(found))


def _way_to(model: Model, tool: str) -> tuple[str, ...]:
    """Links from the base to a frame, then the frame; a link at the frame's own place left out."""
    site = int(model.site(tool))
    frame = model.frames[site - model.link_count] if site >= model.link_count else None
    link = site if frame is None else int(frame.link)
    carried = {int(joint.child): int(joint.parent) for joint in model.joints if not joint.is_cut}
    names = []
    while link != 0:
        names.append(model.link_names[link])
        link = carried[link]
    if frame is not None:
        same = np.abs(model.transforms[frame.placement, 9:]).max() < 1e-12
        return (*reversed(names[1:] if same and names else names), tool)
    return tuple(reversed(names))
