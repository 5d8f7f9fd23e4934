"""Formula curves: x, y and z as formulas of t."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.kernels import Floats
from kinegen.motion.curves.curve import Curve, CurvePoints
from kinegen.motion.curves.formula import Range, columns, range_of, read_formula

__all__ = ["formula_curve"]


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
    an overflow) are left out, with the reason.

    Args:
        x: Formula of t and the parameters.
        y: The same.
        z: The same.
        t: Its range, such as ``(0, "360 deg")``.
        parameters: More names for the formulas, such as ``model.parameters``.
    """
    known = dict(parameters or {})
    names = ("t", *known)
    formulas = {
        what: read_formula(text, names, what) for what, text in (("x", x), ("y", y), ("z", z))
    }
    first, last = range_of(t, "t")

    def evaluate(shares: Floats) -> CurvePoints:
        values: dict[str, Floats | float] = {**known, "t": first + shares * (last - first)}
        xyz, reason = columns(formulas, values, len(shares))
        return CurvePoints(shares, xyz, explain=reason)

    return Curve("formula curve", evaluate)
