"""Clouds too large for memory: pieces in a Zarr store, made here or by workers, resumed.

A piece is written whole or not at all, so that a run that was stopped, by a full disk or a lost
worker, continues where it was; a piece that was damaged since is computed again. Poses are
numbered: a piece is the same wherever and however often it is made, and has one place in the store,
so that every pose is there exactly once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from kinegen.cluster import Executors, LostWorkersError, Workers, each, open_workers
from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.kinematics.batch import site_columns
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_raff
from kinegen.mechanism.model import Model
from kinegen.memory import check_memory, names_memory
from kinegen.results import Result, plain
from kinegen.workspace.budget import MOST_POSES, check_disk, free_memory
from kinegen.workspace.clouds.cloud import CloudPlan, Progress, plan_cloud
from kinegen.workspace.clouds.layers import Layer, layer_of, layer_values
from kinegen.workspace.clouds.ranges import Ranges
from kinegen.workspace.clouds.sweep import Sweep
from kinegen.workspace.runs.layout import DamagedStoreError
from kinegen.workspace.runs.store import (
    CloudStore,
    Fault,
    StoreState,
    StoreWriteError,
    create_store,
    open_store,
    repair_store,
)

__all__ = ["CloudRun", "RunPiece", "make_piece", "open_run", "run", "verify_run"]

CHUNK, SMALLEST = 1_000_000, 1000
"""Poses per piece where nothing is said, and where memory is short."""
NUMBERS = 12
"""Per pose and frame while a piece is made and written: points, values and their copies."""
THREADS = 2
"""Pieces that are made at a time in this process."""
DTYPES = ("float64", "float32")
REMEDY = (
    "Use another disk, a larger factor, narrower ranges, only the tool (frames=, --tool-only) or "
    "single precision (dtype='float32', --float32)."
)


@dataclass(frozen=True, slots=True, eq=False)
class RunPiece(Result):
    """A piece of a stored cloud."""

    first: int
    """Index of its first pose."""
    points: Floats
    """Origins of the k frames [m], (n, k, 3)."""
    values: Floats
    """The layer's value at each point, (n, k)."""


@dataclass(frozen=True, slots=True, eq=False)
class CloudRun(Result):
    """A cloud in a store, which is read piece by piece."""

    store: CloudStore
    made: int
    """Pieces that this call computed; the others existed before."""
    repaired: tuple[Fault, ...] = ()
    """Damaged files that this call found, all of which it computed again."""

    @property
    def folder(self) -> Path:
        """The folder of the store."""
        return self.store.folder

    @property
    def plan(self) -> dict[str, Any]:
        """The request: mechanism, ranges, factor or count, layer, seed."""
        return dict(self.store.about["plan"])

    @property
    def frames(self) -> tuple[str, ...]:
        """The k frames and links, starting at the base."""
        return tuple(self.store.about["frames"])

    @property
    def pose_count(self) -> int:
        """Total number of poses."""
        return self.store.pose_count

    @property
    def chunk(self) -> int:
        """Poses per piece."""
        return self.store.chunk

    @property
    def pieces(self) -> int:
        """Total number of pieces."""
        return self.store.pieces

    @property
    def missing(self) -> tuple[int, ...]:
        """Pieces that have not been computed yet."""
        return self.store.missing()

    @property
    def bounds(self) -> Floats:
        """Lowest and highest x, y, z of each frame [m], (k, 2, 3), over the existing pieces."""
        ends = self.store.piece_bounds()
        if np.isnan(ends).all():
            raise UsageError(f"'{self.folder}' has no piece yet: continue the run")
        return np.stack([np.nanmin(ends[:, :, 0], axis=0), np.nanmax(ends[:, :, 1], axis=0)], 1)

    def __iter__(self) -> Iterator[RunPiece]:
        """The pieces that are there.

        Raises:
            DamagedStoreError: When a piece is not as it was written.
        """
        missing = set(self.missing)
        for piece in range(self.pieces):
            if piece not in missing:
                points, values = self.store.read(piece)
                yield RunPiece(piece * self.chunk, points.transpose(2, 0, 1), values.T)

    def configurations(self, first: int, count: int) -> Floats:
        """Joint values of poses ``first`` …, (count, nq): computed again from the plan."""
        plan = self.plan
        if plan["raff"] is None:
            raise UsageError(
                f"'{self.folder}' was computed from a model, so the text of the mechanism is not "
                "known: compute it from the mechanism to get configurations"
            )
        model = load_raff(plan["raff"]).compile()
        return _planned(model, plan).sweep.chunk(first, count).T

    def to_dict(self) -> dict[str, Any]:
        """The request and the existing pieces; the points themselves stay in the store."""
        return {
            "folder": str(self.folder),
            "plan": self.plan,
            "frames": list(self.frames),
            "poses": self.pose_count,
            "pieces": self.pieces,
            "missing": list(self.missing),
            "made": self.made,
            "repaired": plain(self.repaired),
        }


def open_run(folder: str | Path) -> CloudRun:
    """Open a cloud that :func:`run` wrote, complete or not; checksums are compared on reading."""
    store = open_store(Path(folder), writable=False)
    if store is None:
        raise UsageError(f"there is no cloud in '{folder}'")
    return CloudRun(store, 0)


def verify_run(folder: str | Path) -> StoreState:
    """Compare all checksums of a store that :func:`run` wrote, without changing it.

    Raises:
        UsageError: There is no store of this version.
    """
    try:
        return open_run(folder).store.verify()
    except DamagedStoreError as error:
        return StoreState(0, (), (Fault(None, error.file, error.reason),))


@names_memory("the pieces of a cloud: use smaller ones (chunk=, --chunk)")
def run(
    model: AnyModel,
    folder: str | Path,
    *,
    q: Configuration = None,
    frame: str | None = None,
    frames: Sequence[str] | None = None,
    ranges: Ranges | None = None,
    factor: float | None = None,
    count: int | None = None,
    layer: str = Layer.LINK.value,
    seed: int = 0,
    chunk: int | None = None,
    dtype: str = "float64",
    executor: Executors = None,
    progress: Progress | None = None,
) -> CloudRun:
    """Compute a cloud piece by piece in a Zarr store, or continue an unfinished one.

    The checksums of existing pieces are compared first, and damaged pieces are computed again.

    Args:
        model: The mechanism, whose text is stored; or a model without a text, for which the store
            cannot provide configurations.
        folder: The store, such as 'cloud.zarr'; created if necessary.
        q: As for :func:`kinegen.cloud`.
        frame: The tool; default: the last frame. The links between the base and the tool are
            included.
        frames: A list of frames and links, instead of ``frame``.
        ranges: As for :func:`kinegen.cloud`.
        factor: As there.
        count: As there.
        layer: As there, except density and dexterity.
        seed: As there.
        chunk: Poses per piece; default: a million, or fewer if memory is short.
        dtype: Type of the stored numbers: 'float64', or 'float32' for half the space.
        executor: Where pieces are computed: an executor of ``concurrent.futures``, a Dask client or
            its executor, the address of a scheduler, or 'local:4' for four processes; default:
            threads of this process. Workers that can access the folder write their pieces; others
            send them back.
        progress: Called with the finished and total number of poses, including those that existed
            before; may stop the computation.

    Raises:
        UsageError: The store belongs to another plan, the disk is too small or full, or the cluster
            is not available; written pieces are kept, and the same call continues.
    """
    if chunk is not None:
        chunk = whole_number(chunk, "the number of poses per piece", 1, MOST_POSES)
    if dtype not in DTYPES:
        raise UsageError(f"there is no dtype '{dtype}' for clouds; dtypes: {', '.join(DTYPES)}")
    if layer in (Layer.DENSITY, Layer.DEXTERITY):
        raise UsageError(f"{layer} needs all points at once: use kg.cloud, or another layer")
    text = model.to_raff() if isinstance(model, Mechanism) else None
    model = model_of(model)
    plan = {
        "raff": text, "numbers": _digest(model), "frame": frame,
        "frames": None if frames is None else list(frames),
        "ranges": {name: [float(x) for x in ends] for name, ends in (ranges or {}).items()},
        "factor": factor, "count": count, "q": configuration(model, q).tolist(), "layer": layer,
        "seed": seed, "chunk": chunk, "dtype": dtype,
    }  # fmt: skip
    planned = _planned(model, plan)
    sweep, chosen = planned.sweep, planned.frames
    each = THREADS * 8 * (model.nq + NUMBERS * len(chosen))
    plan["chunk"] = chunk or _usual_chunk(each)
    layer_of(layer, sweep.shown_ranges)
    home = Path(folder).absolute()
    plan = json.loads(json.dumps(plan))  # as the store gives it back
    about = _about(plan, sweep, chosen)
    store, faults = _begun(home, plan, about, any_chunk=chunk is None)
    size = min(int(plan["chunk"]), sweep.count)
    check_memory(
        each * size, f"a cloud in pieces of {size:,} poses", "Use smaller pieces (chunk=, --chunk)."
    )
    missing: tuple[int, ...] | None = None
    if store is not None:
        store.tidy()
        state = store.verify()
        missing, faults = tuple(sorted({*state.missing, *state.broken})), faults + state.faults
    _check_room(home, plan, sweep, chosen, store, missing)
    with open_workers(executor) as workers:
        # made only now: a cluster that cannot be had leaves nothing behind
        store = store or create_store(home, about)
        missing = store.missing() if missing is None else missing
        made = _carried_on(store, missing, sweep, chosen, layer, workers, progress, faults)
        return CloudRun(store, made, faults)


def _carried_on(
    store: CloudStore, missing: tuple[int, ...], sweep: Sweep, frames: tuple[str, ...], layer: str,
    workers: Workers, progress: Progress | None, faults: tuple[Fault, ...],
) -> int:  # fmt: skip
    """Make the pieces that are missing; how many."""
    made, done = 0, store.pose_count - sum(_size(store, piece) for piece in missing)
    _report(progress, done, store)
    tasks = (
        (piece, (sweep, frames, layer, store.chunk, str(store.folder), store.about["id"], piece))
        for piece in missing
    )
    try:
        for fault in faults:
            if fault.piece is not None:
                store.discard(fault.piece)
        for piece, back in each(workers, make_piece, tasks):
            if back is not None:
                store.write(piece, *back)
            made, done = made + 1, done + _size(store, piece)
            _report(progress, done, store)
    except StoreWriteError as error:
        raise UsageError(
            f"piece {error.piece} cannot be written to '{store.folder}': {error.reason}. "
            f"{_kept(store)}: free some space and repeat the same call, which computes the rest"
        ) from error
    except LostWorkersError as error:
        raise UsageError(f"{error}. {_kept(store)}: the same call computes the rest") from error
    return made


def make_piece(
    sweep: Sweep, frames: Sequence[str], layer: str, chunk: int, folder: str, mark: str, piece: int
) -> tuple[Floats, Floats] | None:
    """Make one piece: what a worker runs.

    Returns:
        Points and values where the worker cannot see the store, which has this mark; else nothing:
        the piece is written.
    """
    first = piece * chunk
    qs = sweep.chunk(first, min(chunk, sweep.count - first))
    kind, one = layer_of(layer, sweep.shown_ranges)
    points = site_columns(sweep.model, qs, frames)
    values = layer_values(sweep, kind, one, frames, qs)
    try:
        store = open_store(Path(folder))
    except UsageError:  # something else in the same place, or no Zarr
        store = None
    if store is None or store.about.get("id") != mark:
        return points, values
    store.write(piece, points, values)
    return None


def _planned(model: Model, plan: dict[str, Any]) -> CloudPlan:
    ranges = {name: (float(low), float(high)) for name, (low, high) in plan["ranges"].items()}
    return plan_cloud(
        model, np.array(plan["q"]), plan["frame"], frames=plan["frames"], ranges=ranges,
        factor=plan["factor"], count=plan["count"], seed=plan["seed"],
    )  # fmt: skip


def _begun(
    home: Path, plan: dict[str, Any], about: dict[str, Any], *, any_chunk: bool
) -> tuple[CloudStore | None, tuple[Fault, ...]]:
    """The store, if it was begun earlier by the same plan, and which metadata were damaged.

    With ``any_chunk`` its pieces may be of any size, which the plan then takes over.
    """
    try:
        store = open_store(home)
    except DamagedStoreError as error:
        return repair_store(home, about), (Fault(None, error.file, error.reason),)
    there = {} if store is None else store.about.get("plan", {})
    if any_chunk:
        plan["chunk"] = there.get("chunk", plan["chunk"])
    differ = [key for key in plan if there.get(key) != plan[key]]
    if store is not None and differ:
        said = "; ".join(_difference(key, there.get(key), plan[key]) for key in differ)
        raise UsageError(
            f"'{home}' holds another cloud: {said}. Use another folder, or request the same cloud "
            "to continue it"
        )
    return store, ()


def _check_room(
    home: Path, plan: dict[str, Any], sweep: Sweep, frames: tuple[str, ...],
    store: CloudStore | None, missing: tuple[int, ...] | None,
) -> None:  # fmt: skip
    """Refuse what the disk cannot take."""
    left = sweep.count
    if store is not None and missing is not None:
        left = sum(_size(store, piece) for piece in missing)
    # link numbers are all alike and take no room
    numbers = len(frames) * (3 + (plan["layer"] != Layer.LINK.value))
    check_disk(
        left, numbers * np.dtype(plan["dtype"]).itemsize, home,
        what=f"the cloud of '{sweep.model.name}'", remedy=REMEDY,
    )  # fmt: skip


def _usual_chunk(each: int) -> int:
    """Poses per piece: a million, or fewer by halves where memory takes no more."""
    most, size = free_memory() // each, CHUNK
    while size > most and size > SMALLEST:
        size //= 2
    return size


def _about(plan: dict[str, Any], sweep: Sweep, frames: tuple[str, ...]) -> dict[str, Any]:
    """What a store says of itself."""
    return {
        "version": import_module("kinegen").__version__, "name": sweep.model.name, "plan": plan,
        "frames": list(frames), "kind": "grid" if sweep.is_grid else "quasi-random",
        "poses": sweep.count, "chunk": min(int(plan["chunk"]), sweep.count), "dtype": plan["dtype"],
        "ranges": [
            {"name": one.name, "quantity": one.quantity, "lower": one.lower, "upper": one.upper,
             "count": one.count if sweep.is_grid else None}
            for one in sweep.ranges
        ],
    }  # fmt: skip


def _difference(key: str, there: Any, here: Any) -> str:
    if key in {"raff", "numbers"}:
        return "another mechanism" if key == "raff" else "other numbers of the mechanism"
    return f"{key} {there} there, {here} here"


def _size(store: CloudStore, piece: int) -> int:
    part = store.part(piece)
    return int(part.stop - part.start)


def _kept(store: CloudStore) -> str:
    return f"{store.pieces - len(store.missing())} of {store.pieces} pieces are kept"


def _report(progress: Progress | None, done: int, store: CloudStore) -> None:
    if progress is not None and progress(done, store.pose_count) is False:
        raise UsageError(
            f"stopped at {done:,} of {store.pose_count:,} poses: the same call continues from there"
        )


def _digest(model: Model) -> str:
    """A mark of the mechanism's numbers: files that it includes may change under the same text."""
    numbers = [model.blocks.real_part(part) for part in ("parameters", "placements")]
    words = [f"{x:.9g}" for x in np.concatenate(numbers).tolist()]
    words += map(str, model.ints.tolist())
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]
