"""Clouds as a page asks for them: plan, overview, detail, the pose of a point, a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.files import points_file
from kinegen.studio.jobs.last import Last
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.workspace.clouds import CloudPlan, held_joints
from kinegen.workspace.colours import PALETTES, colours_of
from kinegen.workspace.progressive.cloud import OVERVIEW, CloudPart, ProgressiveCloud
from kinegen.workspace.progressive.plan import propose_cloud

__all__ = ["cloud", "plan_of"]

MOST_POSES = 10_000_000
MOST_FILE = 5_000_000
"""Points of a file at most."""

_last: Last[ProgressiveCloud] = Last()
"""For looks from nearby."""


def plan_of(piece: CompiledText, q: Floats, asked: Asked) -> CloudPlan:
    """The cloud that a page asks for."""
    home = asked.floats("home", piece.model.nq)
    return propose_cloud(
        piece.model, frame=asked.word("frame"), frames=asked.words("frames"), ranges=asked.ranges(),
        factor=asked.number("factor", 0.05, 360.0), count=asked.whole("count", 1, MOST_POSES),
        how=asked.word("how"), q=q if home is None else piece.checked(home),
        layer=asked.word("layer") or "link",
    )  # fmt: skip


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
            f"{plan.sweep.count:,} poses are more than the studio computes ({MOST_POSES:,}): use "
            "more degrees per step, narrower ranges, or spread poses; 'kinegen workspace' has no "
            "limit"
        )
    pose = asked.whole("pose", 0, plan.sweep.count - 1)
    if pose is not None:
        return {"q": plan.sweep.chunk(pose, 1)[:, 0].tolist()}
    if asked.has("file"):
        return _file(plan, asked)
    most = asked.whole("most", 1, OVERVIEW) or OVERVIEW
    key = repr((piece.text, plan.sweep.home.tobytes(), plan.sweep.count, plan.sweep.ranges,
                plan.factor, plan.frames, plan.layer))  # fmt: skip
    if asked.has("planes"):
        first = asked.whole("next", 0, plan.sweep.count) or 0
        return _detail(plan, key, asked.rows("planes", 4, 8), first, most, report)
    return _overview(plan, key, most, report)


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


def _overview(plan: CloudPlan, key: str, most: int, report: Progress) -> dict[str, Any]:
    """The whole cloud: an even part of it is sent, all of it counts."""
    made = ProgressiveCloud(plan, most=most)
    _last.put(key, made)
    shown = made.shown * len(plan.frames)
    report.piece({"what": "begin", **_told(plan), "shown": shown}, b"")
    for part in made.overview():
        if len(part.points):
            head = {"what": "points", "ends": _ends(made), "share": part.share}
            _send(report, {**head, "seconds": made.seconds}, part)
        else:
            head = {"what": "progress", "share": part.share, "seconds": made.seconds}
            report.piece(head, b"")
    values = made.place_values
    if values is not None:
        head = {"what": "values", "ends": _ends(made), "count": len(values)}
        report.piece(head, values.astype("<f4").tobytes())
    return {
        **_told(plan),
        "seconds": made.seconds,
        "shown": shown,
        "bounds": made.bounds.tolist(),
        "ends": _ends(made),
    }


def _detail(
    plan: CloudPlan, key: str, planes: Floats, first: int, most: int, report: Progress
) -> dict[str, Any]:
    """Points within planes (rows n, d: inside where n·p + d ≥ 0), as many as come in time."""
    made = _last.get(key) or ProgressiveCloud(plan)
    look = made.look(planes, first, most)
    for part in look:
        _send(report, {"what": "detail"}, part)
    return {"next": look.next, "sent": look.sent}


def _ends(made: ProgressiveCloud) -> list[float] | None:
    return None if made.ends is None else list(made.ends)


def _send(report: Progress, head: dict[str, Any], part: CloudPart) -> None:
    """Points as x y z …, then their tags, then values where there are some."""
    data = part.points.astype("<f4").tobytes() + part.tags.astype("<u4").tobytes()
    if part.values is not None:
        data += part.values.astype("<f4").tobytes()
    report.piece({**head, "count": len(part.points), "valued": part.values is not None}, data)


def _file(plan: CloudPlan, asked: Asked) -> Any:
    """All points as a file."""
    if plan.point_count > MOST_FILE:
        raise UsageError(
            f"{plan.point_count:,} points are too many for a download ({MOST_FILE:,}): use fewer "
            "poses, or 'kinegen workspace … --out FILE'"
        )
    points, values = ProgressiveCloud(plan).all_points()
    palette = asked.choice("palette", tuple(PALETTES), "safe")
    colours = colours_of(values.ravel().astype(float), plan.layer, palette)
    names = np.tile(np.array(plan.frames), plan.sweep.count)
    columns = {"frame": names, "value": values.ravel()}
    stem = f"{plan.sweep.model.name}-cloud"
    return points_file(stem, asked, points.reshape(-1, 3), colours, columns).download()
