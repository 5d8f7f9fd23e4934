"""Planar linkages in closed form in NumPy: the specification of ``native/kernel/dyads/dyads.hpp``.

A program places the links of a planar linkage one after the other; link 0 is the ground. Rows of
``ints`` and ``reals`` are constructions, their columns as in ``native/kernel/dyads/program.hpp``.
Complex numbers are points and turns of the plane here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.dyads import DYAD_INTS, DYAD_REALS, DyadKind
from kinegen.kernels.reference.batch.checks import check
from kinegen.kernels.reference.dyads.program import is_dyad_program

__all__ = ["batch_dyads"]

DYAD_TOUCH = 1e-13
"""Circles that miss each other by no more than this share count as touching: rounding alone."""

Complex = npt.NDArray[np.complex128]


def batch_dyads(
    ints: Ints,
    reals: Floats,
    link_count: int,
    site_links: Ints,
    site_points: Floats,
    inputs: Floats,
    out: Floats,
    threads: int = 0,
) -> None:
    """Points of a planar linkage for many inputs.

    Args:
        ints: What each construction does with which links, (constructions, 8).
        reals: Its numbers, (constructions, 20).
        link_count: Number of links, the ground included.
        site_links: The link of each point, (sites,).
        site_points: The points in their links, (sites, 2).
        inputs: Angles [rad] and places [m], (inputs, N).
        out: Receives the points, (sites, 2, N); NaN where the linkage cannot be built.
        threads: A hint for the compiled kernel; 0 means all.
    """
    if np.ndim(ints) != 2 or np.ndim(inputs) != 2:
        raise UsageError("ints must have shape (constructions, 8) and inputs (variables, N)")
    check(ints, "ints", (len(ints), DYAD_INTS), np.int32)
    check(reals, "reals", (len(ints), DYAD_REALS), np.float64)
    check(site_links, "site_links", (np.size(site_links),), np.int32)
    check(site_points, "site_points", (len(site_links), 2), np.float64)
    check(inputs, "inputs", inputs.shape, np.float64)
    check(out, "out", (len(site_links), 2, inputs.shape[1]), np.float64)
    if not is_dyad_program(ints, link_count, len(inputs), site_links):
        raise UsageError("the constructions name a link or an input that does not exist")
    with np.errstate(invalid="ignore", divide="ignore"):
        turns, places, missing = _build(ints, reals, link_count, inputs)
        for i, (link, (x, y)) in enumerate(zip(site_links.tolist(), site_points, strict=True)):
            point = places[link] + turns[link] * (x + 1j * y)
            out[i] = point.real + missing, point.imag + missing


def _build(
    ints: Ints, reals: Floats, link_count: int, inputs: Floats
) -> tuple[list[Complex], list[Complex], Floats]:
    """Turns and places of all links, and NaN where the linkage cannot be built, else 0."""
    n = inputs.shape[1]
    turns: list[Complex] = [np.ones(n, complex) for _ in range(link_count)]
    places: list[Complex] = [np.full(n, np.nan + 0j) for _ in range(link_count)]
    places[0] = np.zeros(n, complex)
    missing = np.zeros(n)
    for op, r in zip(ints.tolist(), reals, strict=True):
        kind, m = DyadKind(op[0]), op[1]
        z = r[0::2] + 1j * r[1::2]  # pairs of numbers as points
        if kind is DyadKind.TURN:
            turned = turns[op[2]] * z[0] * np.exp(1j * r[8] * inputs[op[6]])
            places[m] = places[op[2]] + turns[op[2]] * z[1] + turned * z[3]
            turns[m] = turned * z[2]
        elif kind is DyadKind.TILT:
            turns[m] = np.exp(1j * (inputs[op[6]] + r[0]))
        elif kind is DyadKind.PLACE:
            places[m] = inputs[op[6]] + 1j * inputs[op[6] + 1] - turns[m] * z[0]
        else:
            missing += _join(op, z, r, turns, places)
    return turns, places, missing


def _join(
    op: list[int], z: Complex, r: Floats, turns: list[Complex], places: list[Complex]
) -> Floats:
    """Place two bars that meet, and the platform between them; NaN where they do not."""
    _, m, a, n, b, p, sign, _ = op
    A = places[a] + turns[a] * z[0]
    B = places[b] + turns[b] * z[1]
    # a platform's side moves the first circle: both bars then end in one point
    F = A if p < 0 else A + turns[p] * z[7]
    D = B - F
    inverse = 1 / (D.real**2 + D.imag**2)
    along = (inverse * (r[12] - r[13]) + 1) / 2
    square = inverse * r[12] - along**2
    touching = np.where(square + DYAD_TOUCH > 0, 0.0, np.nan)
    height = sign * np.sqrt(np.where(square > 0, square, touching))
    J = F + (along + 1j * height) * D
    turns[m], turns[n] = (J - F) * z[2], (J - B) * z[4]
    places[m], places[n] = A - turns[m] * z[3], B - turns[n] * z[5]
    if p >= 0:
        places[p] = J - turns[p] * z[8]
    lost: Floats = np.where(np.isnan(J.real + J.imag), np.nan, 0.0)
    return lost
