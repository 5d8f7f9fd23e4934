"""Clouds too large for memory: pieces in files, made here or by workers, resumed where they ended.

Every piece is a file of its own and is written whole or not at all, so that a run that was stopped,
by a full disk or a lost worker, goes on where it was. Poses are numbered: a piece is the same
wherever it is made.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics import forward_many
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load
from kinegen.workspace.clouds import Progress, plan_cloud
from kinegen.workspace.layers import layer_of, layer_values
from kinegen.workspace.ranges import Ranges
from kinegen.workspace.sweep import Sweep

__all__ = ["CloudRun", "make_piece", "run"]

CHUNK = 1_000_000
TRIES = 3
"""How often a piece is asked for before its failure is passed on."""
PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class CloudRun:
    """A cloud in a folder."""

    folder: Path
    frames: tuple[str, ...]
    pose_count: int
    chunk: int
    """Poses per piece."""
    made: int
    """Pieces that this call made; the others were there."""

    @property
    def pieces(self) -> int:
        """Number of pieces."""
        return -(-self.pose_count // self.chunk)

    def __iter__(self) -> Iterator[tuple[int, Floats, Floats]]:
        """First pose, points (frames, 3, n) [m] and layer values (frames, n) of each piece."""
        for piece in range(self.pieces):
            with np.load(_file(self.folder, piece)) as kept:
                yield piece * self.chunk, kept["points"], kept["values"]


def run(
    mechanism: Mechanism,
    folder: str | Path,
    frame: str | None = None,
    *,
    ranges: Ranges | None = None,
    factor: float | None = None,
    count: int | None = None,
    layer: str = "link",
    seed: int = 0,
    chunk: int = CHUNK,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> CloudRun:
    """Make a cloud piece by piece in a folder, or go on with one that was begun there.

    Args:
        mechanism: The mechanism; workers get its text.
        folder: Where the pieces go; made if need be.
        frame: The tool; default: the last frame. Links on the way to it count too.
        ranges: As for :func:`kinegen.cloud`.
        factor: As there.
        count: As there.
        layer: As there, density aside.
        seed: As there.
        chunk: Poses per piece.
        executor: Where pieces are made: any of ``concurrent.futures``, or that of a Dask client
            (``client.get_executor()``), whose workers must see the folder; default: here.
        progress: Told poses done and poses in all; may stop the work.
    """
    if chunk < 1:
        raise UsageError(f"pieces of {chunk} poses: give at least 1")
    if layer == "density":
        raise UsageError("density needs all points at once: ask kg.cloud, or another layer")
    plan = {
        "raff": mechanism.to_raff(), "frame": frame, "ranges": dict(ranges or {}),
        "factor": factor, "count": count, "layer": layer, "seed": seed, "chunk": chunk,
    }  # fmt: skip
    sweep, frames = _planned(plan)
    layer_of(layer, sweep.ranges)
    home = Path(folder)
    _begin(home, plan)
    total = -(-sweep.count // chunk)
    missing = [piece for piece in range(total) if not _file(home, piece).exists()]
    done = total - len(missing)
    made = 0
    for piece in _each(missing, plan, home, executor):
        made += 1
        poses = min((done + made) * chunk, sweep.count)
        if progress is not None and progress(poses, sweep.count) is False:
            raise UsageError(
                f"stopped after {done + made} of {total} pieces (the last was {piece}): the same "
                "call goes on from there"
            )
    return CloudRun(home, frames, sweep.count, chunk, made)


def _each(
    pieces: list[int], plan: dict[str, Any], home: Path, executor: Executor | None
) -> Iterator[int]:
    """Make pieces, here or elsewhere, and tell each when it is there."""
    if executor is None:
        for piece in pieces:
            make_piece(plan, str(home), piece)
            yield piece
        return
    waiting: list[tuple[int, int, Future[int]]] = [
        (piece, 1, executor.submit(make_piece, plan, str(home), piece)) for piece in pieces
    ]
    while waiting:
        piece, tries, future = waiting.pop(0)
        try:
            future.result()
        except UsageError:
            raise
        except Exception:
            if tries >= TRIES:
                raise
            again = executor.submit(make_piece, plan, str(home), piece)
            waiting.append((piece, tries + 1, again))
            continue
        yield piece


def make_piece(plan: dict[str, Any], folder: str, piece: int) -> int:
    """Make one piece of a plan and write it: what a worker runs."""
    sweep, frames = _planned(plan)
    first = piece * int(plan["chunk"])
    qs = sweep.chunk(first, min(int(plan["chunk"]), sweep.count - first))
    kind, one = layer_of(plan["layer"], sweep.ranges)
    points = forward_many(sweep.model, qs, frames)
    values = layer_values(sweep.model, kind, one, sweep.ranges, frames, qs)
    file = _file(Path(folder), piece)
    part = file.with_suffix(f".{os.getpid()}.part")
    try:
        with part.open("wb") as out:
            np.savez(out, points=points, values=values)
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(
            f"piece {piece} cannot be written to '{folder}': {error.strerror or error}; make room "
            "and call again: pieces that are there are kept"
        ) from error
    return piece


def _planned(plan: dict[str, Any]) -> tuple[Sweep, tuple[str, ...]]:
    ranges = {name: (float(low), float(high)) for name, (low, high) in plan["ranges"].items()}
    return plan_cloud(
        load(plan["raff"]).compile(), plan["frame"], ranges=ranges, factor=plan["factor"],
        count=plan["count"], seed=plan["seed"],
    )  # fmt: skip


def _begin(home: Path, plan: dict[str, Any]) -> None:
    """Note the plan, or see that the folder is of the same one."""
    text = json.dumps(plan, sort_keys=True)
    mark = {"plan": hashlib.sha256(text.encode()).hexdigest(), **json.loads(text)}
    file = home / PLAN
    if file.exists():
        there = json.loads(file.read_text(encoding="utf-8"))
        if there.get("plan") != mark["plan"]:
            differ = [key for key in mark if key != "plan" and there.get(key) != mark[key]]
            raise UsageError(
                f"folder '{home}' holds another cloud ({', '.join(differ)} differ): take another "
                "folder"
            )
        return
    home.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(mark, indent=2), encoding="utf-8")


def _file(home: Path, piece: int) -> Path:
    return home / f"piece-{piece:06d}.npz"
