"""The IFToMM multibody benchmarks A01 to A05: mechanisms, starts, references.

Numbers: IFToMM library of computational benchmark problems (M. Gonzalez, D. Dopico, U. Lugris, J.
Cuadrado, Multibody System Dynamics 16, 2006, 179-190); squeezer: E. Hairer, G. Wanner, Solving
Ordinary Differential Equations II, and the Test Set for Initial Value Problem Solvers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kinegen as kg
from kinegen.kernels import Floats

__all__ = ["GOVERNOR", "PROBLEMS", "SQUEEZER", "TORQUE", "Problem", "n_four_bar", "pendulum_angle"]

FILES = Path(__file__).parents[2] / "examples" / "benchmarks"
TORQUE = 0.033
"""On K1 of the squeezer [N m]."""
SQUEEZER = {
    "K1": (15.81077119629904, 1139.920302151208),
    "K2": (-15.75637105984298, -1424.379294994111),
    "K3": (0.04082224013073101, 11.03291221937134),
    "K4": (-0.5347301163226948, 19.29337464421385),
    "K5": (0.5244099658805304, 0.5735699284790808),
    "K6": (0.5347301163226948, -19.29337464421385),
    "K7": (1.048080741042263, 0.3231791658026955),
}
"""Angles [rad] and speeds [rad/s] at 0.03 s, computed with PSIDE at tolerance 1e-14 for the Test
Set for Initial Value Problem Solvers (problem Andrews)."""
GOVERNOR = 0.5874553
"""Slider of the governor at 10 s [m]: by adaptive steps here, and by MuJoCo's RK4 at 0.01 ms."""


GOVERNOR = 0.5874553
"""Place of the governor's slider at 10 s [m]: the same to seven digits by adaptive steps of the
engine reduced and by MuJoCo's RK4 at 0.01 ms."""


@dataclass(frozen=True)
class Problem:
    """One benchmark as it is run."""

    id: str
    title: str
    time: float
    step: float
    opensim: float | None
    """CPU time that OpenSim 3.2 needed on a 3.2 GHz desktop [s], as published with its
    implementation of the benchmarks; None where none is published."""
    v: dict[str, float] | None = None
    windows: int = 0

    def load(self) -> kg.Mechanism:
        """The mechanism."""
        if self.windows:
            return kg.load(n_four_bar(self.windows))
        name = {"A01": "pendulum", "A03": "squeezer", "A04": "", "A05": "governor"}[self.id]
        return kg.load(FILES / f"{name}.raff") if name else kg.load("bricard")


PROBLEMS = {
    "A01": Problem("A01", "simple pendulum", 10, 2e-3, 0.637),
    "A02": Problem("A02", "N-four-bar, N = 2", 10, 2e-3, 0.455, {"V0": -1.0}, 2),
    "A02-40": Problem("A02", "N-four-bar, N = 40", 10, 2e-3, None, {"V0": -1.0}, 40),
    "A03": Problem("A03", "Andrews' squeezer", 0.05, 1e-5, None),
    "A04": Problem("A04", "Bricard", 10, 2e-3, 0.258),
    "A05": Problem("A05", "flyball governor", 10, 1e-3, None, {"shaft": 2 * math.pi}),
}


def n_four_bar(windows: int) -> str:
    """The RAFF text of A02 for any number of windows."""
    half = "centre: [bar/2, 0, 0], inertia: [0, mass*bar^2/12, mass*bar^2/12]"
    rows = []
    for i in range(windows + 1):
        rows.append(f"{{name: V{i}, parent: base, d: {i}*bar, start: 90 deg, mass: mass, {half}}}")
        if i < windows:
            rows.append(f"{{name: H{i}, parent: V{i}, d: bar, start: -90 deg, mass: mass, {half}}}")
    for i in range(windows):
        onto = f"closes: {{onto: V{i + 1}, d: bar}}"
        rows.append(f"{{name: P{i + 1}, parent: H{i}, d: bar, start: 90 deg, {onto}}}")
    lines = [
        "raff: 1", "name: n-four-bar", "parameters: {bar: 1 m, mass: 1 kg}",
        "gravity: [0, -9.81, 0]", "joints:", *(f"  - {row}" for row in rows),
        "frames:", "  - {name: B0, parent: V0, d: bar}", "",
    ]  # fmt: skip
    return "\n".join(lines)


def pendulum_angle(times: Floats, length: float = 1.0, gravity: float = 9.81) -> Floats:
    """Angle of A01 in the plane [rad], π at the start: by Jacobi's elliptic functions.

    From the lowest point the angle phi follows sin(phi/2) = k sn(K(k) - w t, k) with k = sin(45°).
    """
    from scipy.special import ellipj, ellipk

    m = math.sin(math.pi / 4) ** 2
    omega = math.sqrt(gravity / length)
    sn = ellipj(ellipk(m) - omega * np.asarray(times), m)[0]
    # it starts to the left of the lowest point, which is at -90 degrees
    return np.asarray(1.5 * math.pi - 2 * np.arcsin(math.sqrt(m) * sn))
