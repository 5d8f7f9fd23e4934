"""Clouds for the page: an even overview that grows as it comes, and detail where one looks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics import forward_many
from kinegen.mechanism.model import Model
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.files import points_file
from kinegen.workspace.progressive.cells import CellValues, density_cells, dexterity_cells
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.workspace.clouds import held_joints, plan_cloud
from kinegen.workspace.colours import PALETTES, colours_of
from kinegen.workspace.layers import layer_of, layer_values
from kinegen.workspace.sweep import CHUNK, Sweep

__all__ = ["CloudPlan", "cloud", "plan_of"]

Points32 = npt.NDArray[np.float32]
OVERVIEW = 300_000
"""Points that a page is sent at most, over all and again in detail."""
FIRST = 3_000
"""Points of the first piece: so few that they are seen at once."""
GROWTH = 4
MOST_POSES = 10_000_000
KEPT = 20_000_000
"""Points that are kept for looks from nearby, 12 bytes each."""
PATIENCE = 0.25
"""[s] Time after which a look for detail answers with what it has."""
MOST_FILE = 5_000_000
"""Points of a file at most."""
FACTORS = (90.0, 60.0, 45.0, 30.0, 20.0, 15.0, 10.0, 6.0, 5.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1)
ENOUGH = 5_000
"""Poses of a grid that nobody has chosen."""
COARSEST = 20.0
"""[deg] Where a grid of so few poses would be coarser than this, they are quasi-random."""
SPREAD = 50_000
CELLS = ("density", "dexterity")
"""Layers that are known only when all poses are."""


@dataclass(frozen=True, slots=True, eq=False)
class CloudPlan:
    """What is swept and shown."""

    sweep: Sweep
    frames: tuple[str, ...]
    layer: str
    factor: float | None
    """Degrees per value on a grid."""
    key: str
    """The same for the same points of the same mechanism."""

    @property
    def point_count(self) -> int:
        """Poses times frames."""
        return self.sweep.count * len(self.frames)

    def poses(self, first: int, count: int) -> tuple[npt.NDArray[np.int64], Floats, Points32]:
        """Some poses in even order: which, their configurations, points (count, k, 3)."""
        index, qs = self.sweep.even(first, count)
        points = forward_many(self.sweep.model, qs, self.frames)
        return index, qs, points.transpose(2, 0, 1).astype(np.float32)


@dataclass(slots=True, eq=False)
class _Kept:
    """The last cloud, for looks from nearby."""

    key: str = ""
    points: Points32 | None = None
    """In even order, (poses, k, 3); None where it is too large."""
    cells: CellValues | None = None
    cells_key: str = ""


_kept = _Kept()


def plan_of(piece: CompiledText, q: Floats, asked: Asked) -> CloudPlan:
    """The sweep that a page asks for; what it leaves open is chosen so that a cloud is useful."""
    model = piece.model
    home = asked.floats("home", model.nq)
    home = q if home is None else piece.checked(home)
    factor, count = asked.number("factor", 0.05, 360.0), asked.whole("count", 1, MOST_POSES)
    chosen: dict[str, Any] = {
        "frames": asked.words("frames"), "ranges": asked.ranges(), "q": home,
    }  # fmt: skip
    frame = asked.word("frame")
    layer = asked.word("layer") or "link"
    if layer == "dexterity":
        chosen["frames"] = [frame or model.site_names[-1]]
    if factor is None and count is None:
        factor, count = _usual(model, frame, chosen, asked.word("how"))
    sweep, frames = plan_cloud(model, frame, factor=factor, count=count, **chosen)
    if layer not in CELLS:
        layer_of(layer, sweep.ranges)
    key = repr((piece.text, home.tobytes(), factor, count, frames, sweep.ranges))
    return CloudPlan(sweep, frames, layer, factor, key)


def cloud(piece: CompiledText, q: Floats, arguments: Mapping[str, Any], report: Progress) -> Any:
    """Where the links of a tree get to.

    Answers the plan alone (``plan``), the configuration of one pose (``pose``), a file of all
    points (``file``), more points within planes (``planes``, from pose ``next`` on), or the cloud.
    """
    asked = Asked(arguments)
    plan = plan_of(piece, q, asked)
    if asked.flag("plan"):
        return _told(plan)
    if plan.sweep.count > MOST_POSES:
        raise UsageError(
            f"{plan.sweep.count:,} poses are more than the studio tries ({MOST_POSES:,}): take "
            "more degrees per step, narrower ranges, or spread poses; 'kinegen workspace' does any "
            "number"
        )
    pose = asked.whole("pose", 0, plan.sweep.count - 1)
    if pose is not None:
        return {"q": plan.sweep.chunk(pose, 1)[:, 0].tolist()}
    if asked.has("file"):
        return _file(plan, asked)
    most = asked.whole("most", 1, OVERVIEW) or OVERVIEW
    if asked.has("planes"):
        first = asked.whole("next", 0, plan.sweep.count) or 0
        return _detail(plan, asked.rows("planes", 4, 8), first, most, report)
    return _overview(plan, most, report)


def _usual(
    model: Model, frame: str | None, chosen: dict[str, Any], how: str | None
) -> tuple[float | None, int | None]:
    """A grid of some thousand poses, or as many spread poses where that would be too coarse."""
    if how == "spread":
        return None, SPREAD
    for factor in FACTORS:
        sweep, _ = plan_cloud(model, frame, factor=factor, **chosen)
        if sweep.count >= ENOUGH:
            break
    return (factor, None) if factor <= COARSEST or how == "grid" else (None, SPREAD)


def _told(plan: CloudPlan) -> dict[str, Any]:
    """A plan as plain data."""
    return {
        "frames": list(plan.frames),
        "ranges": [
            {
                "name": one.name, "quantity": one.quantity, "lower": one.lower, "upper": one.upper,
                "count": one.count if plan.sweep.is_grid else 0,
            }
            for one in plan.sweep.ranges
        ],
        "held": list(held_joints(plan.sweep.model, plan.frames)),
        "poses": plan.sweep.count,
        "points": plan.point_count,
        "factor": plan.factor,
        "layer": plan.layer,
        "palettes": {name: [list(rgb) for rgb in colours] for name, colours in PALETTES.items()},
    }  # fmt: skip


def _overview(plan: CloudPlan, most: int, report: Progress) -> dict[str, Any]:
    """The whole cloud: an even part of it is sent, all of it counts."""
    k, total = len(plan.frames), plan.sweep.count
    shown = max(1, min(total, most // k))
    report.piece({"what": "begin", **_told(plan), "shown": shown * k}, b"")
    _kept.key, _kept.points = plan.key, None
    room = np.empty((total, k, 3), np.float32) if plan.point_count <= KEPT else None
    low, high = np.full((k, 3), np.inf), np.full((k, 3), -np.inf)
    ends, seconds = _no_ends(), 0.0
    overview: list[Points32] = []
    for first, count in _steps(total, shown, k):
        begin = time.perf_counter()
        index, qs, points = plan.poses(first, count)
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        if room is not None:
            room[first : first + count] = points
        seconds += time.perf_counter() - begin
        done = (first + count) / total
        if first < shown:
            values = _values(plan, qs)
            ends = _wider(ends, values)
            overview.append(points)
            head = {"what": "points", "ends": _told_ends(ends), "share": done, "seconds": seconds}
            _send(report, head, points.reshape(-1, 3), values, _tags(index, k))
        else:
            report.piece({"what": "progress", "share": done, "seconds": seconds}, b"")
    _kept.points = room
    if plan.layer in CELLS:
        begin = time.perf_counter()
        cells = _cells(plan, np.concatenate(overview))
        values = cells.at(np.concatenate(overview)).ravel()
        ends = _wider(ends, values)
        seconds += time.perf_counter() - begin
        head = {"what": "values", "ends": _told_ends(ends), "count": len(values)}
        report.piece(head, values.astype("<f4").tobytes())
    return {
        **_told(plan),
        "seconds": seconds,
        "shown": shown * k,
        "bounds": np.stack([low, high], axis=1).tolist(),
        "ends": _told_ends(ends),
    }


def _detail(
    plan: CloudPlan, planes: Floats, first: int, most: int, report: Progress
) -> dict[str, Any]:
    """Points within planes (rows n, d: inside where n·p + d ≥ 0), as many as come in time."""
    k, end = len(plan.frames), time.perf_counter() + PATIENCE
    kept = _kept.points if _kept.key == plan.key else None
    step = max(1, CHUNK // k) if kept is None else max(1, 4 * CHUNK // k)
    sent = 0
    while first < plan.sweep.count and sent < most and time.perf_counter() < end:
        count = min(step, plan.sweep.count - first)
        index, qs, points = _again(plan, kept, first, count)
        first += count
        flat = points.reshape(-1, 3)
        inside = _inside(planes, flat)[: most - sent]
        if not inside.size:
            continue
        sent += inside.size
        values = _detail_values(plan, index, qs, points, inside)
        tags = (index[inside // k] * k + inside % k).astype("<u4")
        _send(report, {"what": "detail"}, flat[inside], values, tags)
    done = first >= plan.sweep.count or sent >= most
    return {"next": None if done else first, "sent": sent}


def _inside(planes: Floats, points: Points32) -> npt.NDArray[np.int64]:
    """Which points (n, 3) lie within all planes."""
    x, y, z = points.T
    good = np.ones(len(points), dtype=bool)
    for a, b, c, d in planes.astype(np.float32):
        good &= a * x + b * y + c * z + d >= 0
    return np.flatnonzero(good)


def _again(
    plan: CloudPlan, kept: Points32 | None, first: int, count: int
) -> tuple[npt.NDArray[np.int64], Floats | None, Points32]:
    """Poses as in ``CloudPlan.poses``; without configurations where they need not be made."""
    if kept is None:
        return plan.poses(first, count)
    if plan.layer in ("link", *CELLS) and not plan.sweep.is_grid:
        return np.arange(first, first + count), None, kept[first : first + count]
    index, qs = plan.sweep.even(first, count)
    return index, qs, kept[first : first + count]


def _detail_values(
    plan: CloudPlan, index: npt.NDArray[np.int64], qs: Floats | None, points: Points32,
    inside: npt.NDArray[np.int64],
) -> npt.NDArray[Any] | None:  # fmt: skip
    k = len(plan.frames)
    if plan.layer in CELLS:
        if _kept.cells is None or _kept.cells_key != plan.key + plan.layer:
            return np.full(inside.size, np.nan)
        return _kept.cells.at(points).ravel()[inside]
    if plan.layer == "link" or qs is None:
        return None
    wanted, place = np.unique(inside // k, return_inverse=True)
    values = _values(plan, np.ascontiguousarray(qs[:, wanted]))
    return None if values is None else values.reshape(-1, k)[place, inside % k]


def _steps(total: int, shown: int, k: int) -> Iterator[tuple[int, int]]:
    """Pieces of a sweep: a small one first, then larger ones; the overview ends with a piece."""
    first, size = 0, max(1, FIRST // k)
    while first < total:
        count = min(size, (shown if first < shown else total) - first)
        yield first, count
        first += count
        size = min(GROWTH * size, max(1, OVERVIEW // 3 // k)) if first < shown else CHUNK


def _values(plan: CloudPlan, qs: Floats) -> npt.NDArray[Any] | None:
    """The layer's values, pose after pose; None where the frame alone says the colour."""
    k, n = len(plan.frames), qs.shape[1]
    if plan.layer == "link":
        return None
    if plan.layer in CELLS:
        return np.full(k * n, np.nan)
    kind, one = layer_of(plan.layer, plan.sweep.ranges)
    found = layer_values(plan.sweep.model, kind, one, plan.sweep.ranges, plan.frames, qs)
    return found.T.ravel()


def _cells(plan: CloudPlan, points: Points32) -> CellValues:
    make = density_cells if plan.layer == "density" else dexterity_cells
    _kept.cells, _kept.cells_key = make(plan.sweep, plan.frames, points), plan.key + plan.layer
    return _kept.cells


def _tags(index: npt.NDArray[np.int64], k: int) -> npt.NDArray[Any]:
    """Numbers of points: the pose times the frames, and the frame."""
    tags: npt.NDArray[Any] = (index[:, None] * k + np.arange(k)).ravel().astype("<u4")
    return tags


def _send(
    report: Progress, head: dict[str, Any], xyz: Points32, values: npt.NDArray[Any] | None,
    tags: npt.NDArray[Any],
) -> None:  # fmt: skip
    """Points as x y z …, then their tags, then values where there are some."""
    data = xyz.astype("<f4").tobytes() + tags.tobytes()
    if values is not None:
        data += values.astype("<f4").tobytes()
    report.piece({**head, "count": len(xyz), "valued": values is not None}, data)


def _no_ends() -> tuple[float, float]:
    return np.inf, -np.inf


def _wider(ends: tuple[float, float], values: npt.NDArray[Any] | None) -> tuple[float, float]:
    if values is None or not np.isfinite(values).any():
        return ends
    return min(ends[0], float(np.nanmin(values))), max(ends[1], float(np.nanmax(values)))


def _told_ends(ends: tuple[float, float]) -> list[float] | None:
    return list(ends) if ends[0] <= ends[1] else None


def _file(plan: CloudPlan, asked: Asked) -> Any:
    """All points as a file."""
    if plan.point_count > MOST_FILE:
        raise UsageError(
            f"{plan.point_count:,} points are too many for a download ({MOST_FILE:,}): take fewer "
            "poses, or 'kinegen workspace … --out FILE'"
        )
    k, total = len(plan.frames), plan.sweep.count
    points = np.empty((total, k, 3), np.float32)
    values = np.empty((total, k), np.float32)
    for first in range(0, total, CHUNK):
        count = min(CHUNK, total - first)
        index, qs, made = plan.poses(first, count)
        found = _values(plan, qs)
        points[index] = made
        values[index] = np.arange(k) if found is None else found.reshape(-1, k)
    if plan.layer in CELLS:
        values = _cells(plan, points).at(points)
    palette = asked.choice("palette", tuple(PALETTES), "safe")
    colours = colours_of(values.ravel().astype(float), plan.layer, palette)
    names = np.tile(np.array(plan.frames), total)
    columns = {"frame": names, "value": values.ravel()}
    stem = f"{plan.sweep.model.name}-cloud"
    return points_file(stem, asked, points.reshape(-1, 3), colours, columns).download()
