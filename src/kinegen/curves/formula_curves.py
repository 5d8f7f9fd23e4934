"""Formula curves: x, y and z as formulas of t."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from kinegen.curves.curve import Curve, CurvePoints
from kinegen.curves.formula import FAR, Range, columns, range_of, read_formula
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["formula_curve"]

SAMPLES = 2001
"""Points at which a curve is looked at when it is made."""
PEAKS = 8
"""Of the places where it is farthest out, so many are looked at closely."""
ROUNDS = 25
"""Looks at such a place, each four times as close as the one before."""
RUNAWAY = 1e4
"""A curve that gets so many times farther out than half of it stays has a pole there."""
LEAST = 1e-3
"""Nothing smaller than this [m] counts as the usual distance from the middle."""
KEPT = 10.0
"""What is kept of a curve with a pole: so many times as far out as half of it stays."""


def formula_curve(
    x: str | float,
    y: str | float,
    z: str | float,
    *,
    t: Range = (0.0, 1.0),
    parameters: Mapping[str, float] | None = None,
) -> Curve:
    """The curve x(t), y(t), z(t), in RAFF's formulas: ``20 cm + 5 cm*cos(t)``.

    Plain numbers are metres and radians. Points where a formula has no value (a division by zero,
    an overflow) are left out, with the reason; so are points next to a pole, where the curve would
    become extremely large.

    Args:
        x: Formula of t and the parameters.
        y: Likewise.
        z: Likewise.
        t: Its range, such as ``(0, "360 deg")``.
        parameters: Further names for the formulas, such as ``model.parameters``.
    """
    known = dict(parameters or {})
    names = ("t", *known)
    formulas = {
        what: read_formula(text, names, what) for what, text in (("x", x), ("y", y), ("z", z))
    }
    first, last = range_of(t, "t")

    def raw(shares: Floats) -> tuple[Floats, Callable[[int], str]]:
        values: dict[str, Floats | float] = {**known, "t": first + shares * (last - first)}
        return columns(formulas, values, len(shares))

    middle, most = _extent(lambda shares: raw(shares)[0])

    def evaluate(shares: Floats) -> CurvePoints:
        xyz, reason = raw(shares)
        away = np.abs(xyz - middle).max(axis=1)
        wild = away > most

        def why(index: int) -> str:
            if not wild[index]:
                return reason(index)
            axis = int(np.abs(full[index] - middle).argmax())
            what, formula = list(formulas.items())[axis]
            return (
                f"{what}: '{formula.text}' is too large at t = "
                f"{first + shares[index] * (last - first):.6g}, next to a pole or an overflow: "
                f"{full[index, axis]:.3g} m"
            )

        full = xyz.copy()
        xyz[wild] = np.nan
        return CurvePoints(shares, xyz, explain=why)

    return Curve("formula curve", evaluate)


def _extent(points: Callable[[Floats], Floats]) -> tuple[Floats, float]:
    """Middle of a curve and how far from it points are kept [m]; refuses one without a length."""
    shares = np.linspace(0.0, 1.0, SAMPLES)
    xyz = points(shares)
    exist = np.isfinite(xyz).all(axis=1)
    if not exist.any():
        return np.zeros(3), np.inf
    middle = np.median(xyz[exist], axis=0)
    if exist.all() and not np.ptp(xyz, axis=0).any():
        raise UsageError(
            f"a formula curve must have a length: this one stays at {middle.tolist()} for all t"
        )

    def away(at: Floats) -> Floats:
        found = np.abs(points(at) - middle).max(axis=1)
        return np.where(np.isfinite(found), found, -1.0)

    here = away(shares)
    usual = max(float(np.median(here[exist])), LEAST)
    inner = np.concatenate([[-1.0], here, [-1.0]])
    peaks = np.flatnonzero((here >= inner[:-2]) & (here >= inner[2:]) & exist)
    for peak in peaks[np.argsort(-here[peaks])][:PEAKS]:
        centre, width, best = shares[peak], 1.0 / (SAMPLES - 1), here[peak]
        for _ in range(ROUNDS):
            at = np.clip(centre + width * np.linspace(-1.0, 1.0, 17), 0.0, 1.0)
            found = away(at)
            best, centre, width = max(best, found.max()), at[found.argmax()], width / 4
        if best > min(RUNAWAY * usual, FAR / 10):
            return middle, KEPT * usual
    return middle, np.inf
