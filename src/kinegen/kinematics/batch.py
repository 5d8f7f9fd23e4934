"""Forward kinematics of many configurations at once: arrays of joint values in, points out.

Public arrays have a row per configuration. The kernels write theirs by variable, (…, n), so that
wide registers take neighbours at once: what comes from them is a view. They read both orders.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, seed_number, thread_count, whole_number
from kinegen.kernels import Floats
from kinegen.kernels.backend import module
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.followers import Followers, find_followers
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.memory import check_memory

__all__ = ["forward_many", "grid_positions", "point_cloud", "site_columns"]

Array: TypeAlias = npt.NDArray[Any]
MOST_POINTS = 2_000_000_000
"""More points than this in one array are refused: ask in parts."""
COUPLED = 250_000
"""Configurations of a coupled mechanism that are made together."""


def forward_many(
    model: AnyModel,
    qs: npt.ArrayLike,
    frames: Sequence[str],
    *,
    rotations: bool = False,
    threads: int = 0,
) -> Array:
    """Positions or poses of frames for many configurations.

    Args:
        model: The compiled mechanism.
        qs: Configurations, (n, nq), float64 or float32.
        frames: The k frames or links.
        rotations: Whether to return full poses instead of positions.
        threads: 0 for all cores.

    Returns:
        Positions p_WF [m], (n, k, 3), or poses (quaternion wxyz, xyz), (n, k, 7), in the type of
        ``qs``: a view of an array that is stored by number.
    """
    model, given = model_of(model), np.asarray(qs)
    if given.ndim != 2 or given.shape[1] != model.nq:
        raise UsageError(
            f"qs of mechanism '{model.name}' has one row per configuration: (n, {model.nq}), got "
            f"shape {given.shape}"
        )
    made = site_columns(model, given.T, frames, rotations=rotations, threads=threads)
    return np.moveaxis(made, -1, 0)


def site_columns(
    model: Model,
    qs: Array,
    frames: Sequence[str],
    *,
    rotations: bool = False,
    threads: int = 0,
) -> Array:
    """As :func:`forward_many`, in the kernels' layout: (nq, n) in, (k, 3, n) or (k, 7, n) out."""
    threads = thread_count(threads)
    array = np.asarray(qs, np.float32 if qs.dtype == np.float32 else np.float64)
    if not array.flags.forc:
        array = array.copy()
    if not np.isfinite(array).all():
        raise UsageError("qs contains numbers that are not finite")
    rows = 7 if rotations else 3
    _check_room(len(frames) * rows * array.shape[1] * array.itemsize, array.shape[1])
    out = np.empty((len(frames), rows, array.shape[1]), array.dtype)
    module().batch_forward(model.ints, model.reals, array, _sites(model, frames), out, threads)
    return out


def grid_positions(
    model: AnyModel,
    frames: Sequence[str],
    ranges: Mapping[str, tuple[float, float, int]],
    *,
    q: Configuration = None,
    threads: int = 0,
) -> Floats:
    """Positions of frames over a grid of joint values.

    Args:
        model: The compiled mechanism.
        frames: The k frames or links.
        ranges: Joint name → (first, last, count) [rad or m]; joints of one variable. Joints that
            are coupled with these follow.
        q: Values of the joints that stay fixed.
        threads: 0 for all cores.

    Returns:
        Positions [m], (count of the first joint, …, count of the last, k, 3).
    """
    model = model_of(model)
    threads = thread_count(threads)
    if not ranges:
        raise UsageError("a grid needs at least one joint's range")
    variables, lower, upper, counts = [], [], [], []
    for name, (first, last, count) in ranges.items():
        joint = model.joint(name)
        if joint.q.stop - joint.q.start != 1:
            raise UsageError(
                f"joint '{name}' has several variables: a grid takes joints with one variable"
            )
        whole_number(count, f"the count of values of '{name}'", 1, MOST_POINTS)
        if not (math.isfinite(first) and math.isfinite(last)):
            raise UsageError(f"range of '{name}' is ({first}, {last}): use two finite numbers")
        variables.append(joint.q.start)
        lower.append(first)
        upper.append(last)
        counts.append(count)
    total = math.prod(counts)
    if total * max(len(frames), 1) > MOST_POINTS:
        raise UsageError(f"a grid of {total:,} points does not fit in one array: make it coarser")
    _check_room(len(frames) * 24 * total, total)
    followers = find_followers(model, variables)
    if followers is not None:
        ends = (np.linspace(*each) for each in zip(lower, upper, counts, strict=True))
        return _coupled_grid(followers, dict(zip(variables, ends, strict=True)), frames, q, threads)
    out = np.empty((len(frames), 3, total))
    module().batch_grid(
        model.ints, model.reals, np.array(variables, np.int32), np.array(lower, float),
        np.array(upper, float), np.array(counts, np.int32), configuration(model, q),
        _sites(model, frames), out, threads,
    )  # fmt: skip
    return np.moveaxis(out, -1, 0).reshape(*counts, len(frames), 3)


def point_cloud(
    model: AnyModel,
    frame: str,
    count: int,
    *,
    first: int = 0,
    seed: int = 0,
    single: bool = False,
    threads: int = 0,
) -> Array:
    """Positions of a frame for configurations that fill the joint ranges evenly.

    The sequence is quasi-random and repeatable: point i is the same whatever ``count``, ``first``
    and ``threads`` are, so a cloud can be computed in parts. Coupled joints follow. Loops are not
    closed: this function is for trees.

    Args:
        model: The compiled mechanism.
        frame: The frame or link.
        count: Number of points.
        first: Index of the first point.
        seed: Another seed shifts the sequence.
        single: Whether to compute in float32.
        threads: 0 for all cores.

    Returns:
        Positions [m], (count, 3).
    """
    model = model_of(model)
    count = whole_number(count, "the number of points", 1, MOST_POINTS)
    first = whole_number(first, "the first point", 0, 2**64 - 1 - MOST_POINTS)
    seed, threads = seed_number(seed), thread_count(threads)
    lower, upper = model.zero(), model.zero()
    for joint in model.joints:
        if joint.type.info.has_quaternion:
            lower[joint.q], upper[joint.q] = model.start()[joint.q], model.start()[joint.q]
            continue
        for k, (_, quantity) in enumerate(joint.type.info.variables):
            wide = math.pi if quantity == "angle" else model.size
            low, high = float(model.lower[joint.v.start + k]), float(model.upper[joint.v.start + k])
            lower[joint.q.start + k] = low if math.isfinite(low) else -wide
            upper[joint.q.start + k] = high if math.isfinite(high) else wide
    _check_room((12 if single else 24) * count, count)
    out = np.empty((3, count), np.float32 if single else np.float64)
    followers = find_followers(model)
    if followers is not None:
        _lead_only(followers, lower, upper)
        for begin in range(0, count, COUPLED):
            here = slice(begin, min(begin + COUPLED, count))
            part = np.empty((3, here.stop - begin))
            qs = np.empty((model.nq, here.stop - begin))
            module().batch_random(
                model.ints, model.reals, lower, upper, seed, first + begin, 0, part, qs, threads
            )
            out[:, here] = site_columns(
                model, followers.fill(qs, threads), [frame], threads=threads
            )[0]
        return out.T
    module().batch_random(
        model.ints, model.reals, lower, upper, seed, first, model.site(frame), out, None, threads
    )
    return out.T


def _coupled_grid(
    followers: Followers, axes: Mapping[int, Floats], frames: Sequence[str], q: Configuration,
    threads: int,
) -> Floats:  # fmt: skip
    """As :func:`grid_positions`, with what is coupled following the axes."""
    model, shape = followers.model, [len(values) for values in axes.values()]
    home, total = configuration(model, q), math.prod(shape)
    out = np.empty((total, len(frames), 3))
    for begin in range(0, total, COUPLED):
        end = min(begin + COUPLED, total)
        qs = np.repeat(home[:, None], end - begin, axis=1)
        index = np.unravel_index(np.arange(begin, end), shape)
        for (variable, values), place in zip(axes.items(), index, strict=True):
            qs[variable] = values[place]
        made = site_columns(model, followers.fill(qs, threads), frames, threads=threads)
        out[begin:end] = made.transpose(2, 0, 1)
    return out.reshape(*shape, len(frames), 3)


def _lead_only(followers: Followers, lower: Floats, upper: Floats) -> None:
    """Cut ranges so that what follows keeps its limits, and hold it: it is computed."""
    model, behind = followers.model, followers.variables
    ends, names = {}, {}
    for joint in model.joints:
        for k in range(len(joint.type.info.variables) * (not joint.type.info.has_quaternion)):
            at, v = joint.q.start + k, joint.v.start + k
            ends[at], names[at] = (float(model.lower[v]), float(model.upper[v])), joint.name
    for one in behind:
        if followers.line(one) is None and np.isfinite(ends[one]).any():
            raise UsageError(
                f"joint '{names[one]}' follows others and has limits, which not every pose of "
                "these keeps: use kg.cloud, which leaves such poses out"
            )
    for one in ends.keys() - behind:
        low, high = followers.cut(one, ends)
        if low > high:
            raise UsageError(
                f"the limits of '{names[one]}' and of what follows it have no pose in common"
            )
        lower[one] = low if math.isfinite(low) else lower[one]
        upper[one] = high if math.isfinite(high) else upper[one]
    for one in behind:
        lower[one] = upper[one] = 0.0


def _check_room(needed: int, count: int) -> None:
    check_memory(needed, f"an array for {count:,} configurations", "Compute it in parts.")


def _sites(model: Model, frames: Sequence[str]) -> npt.NDArray[np.int32]:
    if isinstance(frames, str):
        raise UsageError(f"frames takes a list of names, such as ['{frames}']")
    return np.array([model.site(name) for name in frames], np.int32)
