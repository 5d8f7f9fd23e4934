"""Forward workspace: where the links and frames of a tree get to over its joint ranges (R6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.kinematics.batch import forward_columns
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.model import Model
from kinegen.memory import names_memory
from kinegen.workspace.budget import MOST_POSES, check_budget
from kinegen.workspace.layers import Layer, density, layer_of, layer_values
from kinegen.workspace.ranges import Ranges, by_factor, joint_ranges, moving_variables
from kinegen.workspace.sweep import CHUNK, Sweep, grid_sweep, random_sweep

__all__ = ["Cloud", "CloudChunk", "Progress", "cloud", "cloud_chunks", "held_joints", "plan_cloud"]

Progress = Callable[[int, int], bool | None]
"""Called with poses done and poses in all; False stops the work and keeps what is there."""
FACTOR = 15.0
"""3D-RAS's own example."""


@dataclass(frozen=True, slots=True, eq=False)
class CloudChunk:
    """A piece of a cloud, as it is made."""

    first: int
    """Index of its first pose."""
    qs: Floats
    """Configurations, (nq, n)."""
    points: Floats
    """Origins of the k frames [m], (k, 3, n)."""
    values: Floats
    """The layer's value at each point, (k, n)."""
    poses: Floats | None
    """Poses X_WF (quaternion wxyz, xyz), (k, 7, n), if asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """All points of a sweep."""

    name: str
    frames: tuple[str, ...]
    """The k frames and links, from the base on."""
    sweep: Sweep
    points: Floats
    """Origins [m], (k, 3, n)."""
    values: Floats
    """The layer's value at each point, (k, n)."""
    layer: str
    poses: Floats | None
    """Poses X_WF, (k, 7, n), if asked for."""
    elapsed: float
    """Time it took [s]."""
    complete: bool
    """False when it was stopped before its end."""

    @property
    def pose_count(self) -> int:
        """Number of poses n."""
        return int(self.points.shape[2])

    @property
    def held(self) -> tuple[str, ...]:
        """Ball joints and free bases on the way to the frames, which have no ranges."""
        return held_joints(self.sweep.model, self.frames)

    @property
    def point_count(self) -> int:
        """Number of points, k n."""
        return len(self.frames) * self.pose_count

    @property
    def bounds(self) -> Floats:
        """Lowest and highest x, y, z of each frame [m], (k, 2, 3)."""
        return np.stack([self.points.min(axis=2), self.points.max(axis=2)], axis=1)

    @property
    def xyz(self) -> Floats:
        """All points in one list, frame after frame, (k n, 3)."""
        return self.points.transpose(0, 2, 1).reshape(-1, 3)


def plan_cloud(
    model: Model,
    frame: str | None = None,
    *,
    frames: Sequence[str] | None = None,
    ranges: Ranges | None = None,
    factor: float | None = None,
    count: int | None = None,
    q: Configuration = None,
    seed: int = 0,
) -> tuple[Sweep, tuple[str, ...]]:
    """The sweep of a cloud and its frames; arguments as for :func:`cloud`."""
    if model.loops:
        raise UsageError(
            f"mechanism '{model.name}' has loops, which a sweep of all joints would open: compute "
            "its zone (kg.zone, `kinegen zone`)"
        )
    tool = frame or model.site_names[-1]
    model.site(tool)
    chosen = tuple(frames) if frames is not None else _way_to(model, tool)
    if not chosen:
        raise UsageError("a cloud needs at least one frame")
    if factor is not None and count is not None:
        raise UsageError("give a factor (a grid) or a count (quasi-random poses), not both")
    home = configuration(model, q)
    all_ranges = joint_ranges(model, ranges)
    moving = moving_variables(model, all_ranges, chosen, home)
    if not moving:
        raise UsageError(f"no joint of mechanism '{model.name}' moves {', '.join(chosen)}")
    if count is not None:
        return random_sweep(model, moving, count, home, seed=seed), chosen
    counted = by_factor(moving, FACTOR if factor is None else factor, model.size)
    return grid_sweep(model, counted, home), chosen


def cloud_chunks(
    sweep: Sweep,
    frames: Sequence[str],
    *,
    layer: str = Layer.LINK.value,
    rotations: bool = False,
    chunk: int = CHUNK,
) -> Iterator[CloudChunk]:
    """A cloud piece by piece: nothing but the piece is kept, so that any number of poses fits.

    Args:
        sweep: What is tried, and the frames, of :func:`plan_cloud`.
        frames: The k frames or links.
        layer: 'link', 'joint:NAME', 'manipulability', 'limits', 'singularity'.
        rotations: Whether full poses are wanted beside the positions.
        chunk: Poses per piece.
    """
    chunk = whole_number(chunk, "the number of poses per piece", 1, MOST_POSES)
    kind, one = layer_of(layer, sweep.ranges)
    for first, qs in sweep.chunks(chunk):
        poses = forward_columns(sweep.model, qs, frames, rotations=True) if rotations else None
        points = forward_columns(sweep.model, qs, frames) if poses is None else poses[:, 4:]
        values = layer_values(sweep.model, kind, one, sweep.ranges, frames, qs)
        yield CloudChunk(first, qs, points, values, poses)


@names_memory(
    "a cloud: use a larger factor, fewer poses or frames, or write it to a store piece by piece "
    "(kg.workspace.run, --out NAME.zarr)"
)
def cloud(
    model: Model,
    frame: str | None = None,
    *,
    frames: Sequence[str] | None = None,
    ranges: Ranges | None = None,
    factor: float | None = None,
    count: int | None = None,
    q: Configuration = None,
    layer: str = Layer.LINK.value,
    rotations: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Cloud:
    """Where the links of a tree get to: the forward workspace as points.

    Args:
        model: The compiled mechanism; one with loops has a zone instead.
        frame: The tool; default: the file's last frame. Links on the way to it count too.
        frames: The frames and links themselves, instead.
        ranges: Joint → lowest and highest value [rad, m]; default: the limits, else a whole turn.
        factor: 3D-RAS's Factor: degrees per value of each joint (eq. 17); default 15.
        count: Instead of a grid, this many quasi-random poses.
        q: Values of the joints that hold still.
        layer: What the points are coloured by: 'link', 'joint:NAME', 'manipulability', 'limits',
            'singularity', 'density', 'dexterity' (of the tool alone, unless frames are given).
        rotations: Whether full poses are wanted beside the positions.
        seed: Another seed shifts the quasi-random poses.
        progress: Told how many poses are done; may stop the work.

    Raises:
        UsageError: When ranges are empty, reversed or not finite, or the cloud does not fit.
    """
    begin = time.perf_counter()
    if layer == Layer.DEXTERITY and frames is None:
        frames = [frame or model.site_names[-1]]
    sweep, chosen = plan_cloud(
        model, frame, frames=frames, ranges=ranges, factor=factor, count=count, q=q, seed=seed
    )
    layer_of(layer, sweep.ranges)
    per_pose = len(chosen) * (4 + 7 * rotations)
    check_budget(
        sweep.count, per_pose, what=f"the cloud of '{model.name}'",
        remedy="Use a larger factor, narrower ranges or fewer frames; or count= (--count) "
            "quasi-random poses; or write it to a store piece by piece (kg.workspace.run, --out "
            "NAME.zarr); or stream it with cloud_chunks.",
    )  # fmt: skip
    n = sweep.count
    points, values = np.empty((len(chosen), 3, n)), np.empty((len(chosen), n))
    poses = np.empty((len(chosen), 7, n)) if rotations else None
    done = 0
    for piece in cloud_chunks(sweep, chosen, layer=layer, rotations=rotations):
        done = piece.first + piece.points.shape[2]
        part = slice(piece.first, done)
        points[:, :, part], values[:, part] = piece.points, piece.values
        if poses is not None and piece.poses is not None:
            poses[:, :, part] = piece.poses
        if progress is not None and progress(done, n) is False:
            break
    points, values = points[:, :, :done], values[:, :done]
    if layer == Layer.DENSITY:
        values = density(points)
    elif layer == Layer.DEXTERITY:
        from kinegen.workspace.progressive.cells import dexterity_cells  # builds on this module

        values = dexterity_cells(sweep, chosen).at(points.transpose(2, 0, 1)).T.astype(float)
    return Cloud(
        model.name, chosen, sweep, points, values, layer,
        None if poses is None else poses[:, :, :done], time.perf_counter() - begin, done == n,
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
