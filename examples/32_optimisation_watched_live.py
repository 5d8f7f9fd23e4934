"""Optimisation watched live: the links of a four-bar are changed until its path fits a target.

The page shows every better design as it is found; the search does not wait for the page.
"""

from __future__ import annotations

import os

import numpy as np

import kinegen as kg
from kinegen.kernels import Floats

ANGLES = np.linspace(0.6, 2.2, 9)


def path_of(model: kg.Model) -> Floats:
    """Positions of the handle at some angles of the crank, (n, 3) [m]."""
    qs = [kg.assemble(model, {"crank": float(a)}, locked=["crank"]).q for a in ANGLES]
    return np.array([kg.pose(model, q, "handle").translation for q in qs])


with kg.show("four-bar", name="optimisation") as view:
    if not os.environ.get("KINEGEN_NO_BROWSER"):
        view.wait_for_page()
    wanted = kg.load("four-bar")
    wanted.set_parameter("coupler", 0.27)
    wanted.set_parameter("rocker", 0.22)
    view.line(path_of(wanted.compile()), color="orange", width=4)

    names = ["coupler", "rocker"]
    model = kg.load("four-bar").compile()
    best = np.array([model.parameters[name] for name in names])
    now = view.line(path_of(model), name="path")
    target, random = path_of(wanted.compile()), np.random.default_rng(0)
    least, step = np.inf, 0.02
    for round_ in range(160):
        trial = np.clip(best + step * random.standard_normal(2) * (round_ > 0), 0.2, 0.4)
        try:
            for name, value in zip(names, trial, strict=True):
                model.parameters[name] = float(value)
            places = path_of(model)
        except kg.errors.AssemblyError:
            continue
        error = float(np.sqrt(((places - target) ** 2).sum(axis=1).mean()))
        if error < least:
            least, best, step = error, trial, 1.5 * step
            view.parameters.set(dict(zip(names, map(float, trial), strict=True)))
            now.update(places)
        else:
            step *= 0.9  # the one-fifth rule: smaller steps where most fail
        view.plot("error", 1000 * least, x=round_, x_label="trial", unit="mm")
    print(f"coupler {best[0]:.3f} m, rocker {best[1]:.3f} m, error {1000 * least:.3f} mm")
    shown = view.parameters["coupler"]

assert least < 2e-3 and abs(shown - best[0]) < 1e-4
