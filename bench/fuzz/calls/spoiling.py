"""Absurd arguments in place of sensible ones, and what a call with them may raise."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from kinegen.errors import KinegenError

__all__ = ["ALLOWED", "spoil_call"]

ALLOWED = (
    KinegenError, TypeError, ValueError, OverflowError, MemoryError, OSError, BufferError,
)  # fmt: skip
"""What a call with absurd arguments may raise; a RuntimeError or SystemError is a defect."""
INTS = (-1, 0, 1, 2, 7, 63, 2**31 - 1, -(2**31), 2**31, 2**63, -(2**63), 2**64, 10**30)
FLOATS = (
    float("nan"), float("inf"), float("-inf"), 0.0, -0.0, -1.0, 1e308, -1e308, 5e-324, 1e-9, 1e9,
    3e9,
)  # fmt: skip
THINGS: tuple[Any, ...] = (
    None,
    True,
    "x",
    b"",
    b"abc",
    [],
    [1.0, 2.0],
    (),
    {},
    1j,
    object(),
    3,
    2.5,
)


def _spoil(rng: random.Random, value: Any) -> Any:
    """Something else in place of an argument."""
    if rng.random() < 0.12:
        return rng.choice(THINGS)
    if isinstance(value, np.ndarray):
        return _spoil_array(rng, value)
    if isinstance(value, bool):
        return rng.choice([not value, 2, -1, None])
    if isinstance(value, int):
        return rng.choice([*INTS, value + 1, value - 1])
    if isinstance(value, float):
        return rng.choice(FLOATS)
    if isinstance(value, bytes):
        return rng.choice([value[:-1], value + b"x", value * 50, bytes(len(value)), value[::-1]])
    if isinstance(value, str):
        return rng.choice(["", "\0", "300.1.1.1", "::", "x" * 5000, "\udcff", value + " "])
    return rng.choice(THINGS)


def _spoil_array(rng: random.Random, value: np.ndarray) -> Any:
    way = rng.randrange(14)
    if way <= 4:
        return _spoil_numbers(rng, value)
    if way == 5:
        if value.dtype.kind not in "biuf":  # spoilt already: not all kinds convert to each other
            return value
        kinds = ["f4", "f8", "i4", "i8", "u4", "u1", "c16", "?", ">f8", ">i4", "O", "S8", "m8[s]"]
        with np.errstate(all="ignore"):
            return value.astype(rng.choice(kinds))
    if way == 6:
        return np.repeat(value, 2, axis=-1)[..., ::2] if value.ndim else value
    if way == 7:
        return value.T[::-1] if value.ndim else value
    if way == 8:
        return value[..., : max(value.shape[-1] - 1, 0)].copy() if value.ndim else value
    if way == 9:
        return np.concatenate([value, value[:1]]) if value.ndim else value
    if way == 10:
        return rng.choice(
            [value[None], value.ravel(), value.reshape(-1, 1), value[:0] if value.ndim else value]
        )
    if way == 11:
        fixed = value.copy()
        fixed.setflags(write=False)
        return fixed
    if way == 12:
        data = value.tobytes()
        return rng.choice([data, bytearray(data), memoryview(data)])
    shape = rng.choice([(0,), (0, 0), (1,), (2**12,), (1, 2**11), (2**11, 1), (3, 0), ()])
    return np.zeros(shape, value.dtype)


def _spoil_numbers(rng: random.Random, value: np.ndarray) -> np.ndarray:
    """The same shape and type with other numbers in some places, or everywhere."""
    out = value.copy()
    if not out.size or out.dtype.kind not in "fiu":
        return out
    flat = out.reshape(-1)
    places = range(flat.size) if rng.random() < 0.1 else rng.sample(range(flat.size), k=1)
    if out.dtype.kind == "f":
        nasty = rng.choice([*FLOATS, 1e-3, 1e3])
    else:
        limits = np.iinfo(out.dtype)
        chosen = rng.choice([-1, 0, 1, 2, 5, 1000, 2**26, limits.max, limits.min, limits.max - 2])
        nasty = min(max(int(chosen), limits.min), limits.max)
    for place in places:
        flat[place] = nasty
    return out


def spoil_call(
    rng: random.Random, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with one or two of them spoilt, or one too many or too few."""
    spoilt, named = list(args), dict(options)
    for _ in range(rng.choice([1, 1, 1, 2])):
        place = rng.randrange(max(len(spoilt) + len(named), 1))
        if place < len(spoilt):
            spoilt[place] = _spoil(rng, spoilt[place])
        elif named:
            name = list(named)[place - len(spoilt)]
            named[name] = _spoil(rng, named[name])
    if rng.random() < 0.03:
        spoilt = spoilt[:-1] if rng.random() < 0.5 else [*spoilt, None]
    return tuple(spoilt), named
