"""Random arms of the families that have a closed-form inverse, and how to compare solutions."""

from __future__ import annotations

import math

import numpy as np

import kinegen as kg

FAMILIES = {
    "position-3": 3,
    "wrist-4": 4,
    "wrist-5": 5,
    "wrist-6": 6,
    "square-wrist-6": 6,
    "parallel-4": 4,
    "parallel-5": 5,
    "parallel-6": 6,
}
"""Family and number of joints."""


def random_arm(family: str, seed: int, *, rounding: float = 0.0) -> kg.Model:
    """An arm with random offsets everywhere that its family allows, anywhere in space.

    Args:
        family: one of ``FAMILIES``.
        seed: of the random numbers.
        rounding: largest error of the angles that make the family [rad].
    """
    rng = np.random.default_rng(seed)
    count = FAMILIES[family]

    def angle() -> float:
        return float(rng.uniform(-math.pi, math.pi))

    def length() -> float:
        return float(rng.uniform(0.1, 0.5)) * (1 if rng.random() < 0.7 else -1)

    def about(value: float) -> float:
        return value + float(rng.uniform(-rounding, rounding))

    def twist() -> float:
        """An angle that is neither a right one nor near zero."""
        if family == "square-wrist-6":
            return about(math.copysign(math.pi / 2, rng.random() - 0.5))
        return math.copysign(float(rng.uniform(0.5, 1.4)), rng.random() - 0.5)

    def parallel() -> float:
        return about(0.0 if rng.random() < 0.5 else math.pi)

    rows = [
        {"gamma": angle(), "b": length(), "alpha": angle(), "d": length(), "r": length()},
        {"alpha": about(math.copysign(math.pi / 2, rng.random() - 0.5)), "d": length() / 3},
        {"alpha": parallel(), "d": length()},
    ]
    if family.startswith("parallel"):
        rows.append({"alpha": parallel(), "d": length()})
        if count > 4:
            rows.append({"alpha": twist(), "d": length() / 4})
        if count > 5:
            rows.append({"alpha": twist()})
    elif count > 3:
        rows.append({"alpha": twist(), "d": length()})
        if count > 4:
            rows.append({"alpha": twist()})
        if count > 5:
            # back along axis 5 to the point where it crosses axis 4
            rows.append({"alpha": twist()})
    for row in rows:
        row.setdefault("gamma", angle())
        row.setdefault("b", length())
        row["theta"] = angle()
        row.setdefault("r", length())
    if family in {"wrist-6", "square-wrist-6"}:
        rows[5]["b"] = -rows[4]["r"]
    text = ["raff: 1", f"name: {family}", "joints:"]
    parent = "base"
    for i, row in enumerate(rows):
        # a fixed joint here and there: the arm is the same
        if rng.random() < 0.3:
            text.append(f"  - {{name: fix{i}, type: fixed, parent: {parent}}}")
            parent = f"fix{i}"
        numbers = ", ".join(f"{key}: {value!r}" for key, value in row.items())
        text.append(f"  - {{name: J{i}, parent: {parent}, start: {angle() / 2!r}, {numbers}}}")
        parent = f"J{i}"
    xyz = [length(), length(), length()]
    rpy = [angle(), angle() / 2, angle()]
    text.append("frames:")
    text.append(f"  - {{name: tool, parent: {parent}, xyz: {xyz}, rpy: {rpy}}}")
    return kg.load("\n".join(text) + "\n").compile()


def turns_apart(one: np.ndarray, other: np.ndarray) -> float:
    """Largest difference of two joint vectors, whole turns left aside [rad]."""
    return float(np.abs(np.angle(np.exp(1j * (one - other)))).max())


def pose_error(one: kg.SE3, other: kg.SE3) -> tuple[float, float]:
    """Distance [m] and angle [rad] between two poses."""
    distance = float(np.linalg.norm(one.translation - other.translation))
    return distance, float(np.linalg.norm((one.so3.inverse() @ other.so3).log()))
