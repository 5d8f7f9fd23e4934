"""Independent engines agree: free fall of every library mechanism, each pair of engines.

What is compared is where all links and frames are at the end, in sizes of the mechanism; what
differs is the engines' errors, h⁴ for reduced and h² for impulse; those of mujoco are h⁴ for trees
and between h² and h⁴ for loops. No motion here is chaotic: a second of fall multiplies a difference
at the start by 1 to 300. Many linkages pass singular poses in
it and must come out of them as they went in.

Dry friction has a jump at rest, which every engine takes in its own way: falls with it agree to
first order, those without it to the orders above.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.registry import make_engine
from tests.support.mechanisms.frictionless import frictionless, has_dry_friction
from tests.support.mechanisms.linkages import UNCOUPLED

ENGINES = ("reduced", "mujoco", "impulse")
REGISTERED = [name for name in ENGINES if name in kg.dynamics.engine_names()]
PAIRS = list(combinations(REGISTERED, 2))
GRAVITY = np.array([4.0, -6.0, -6.5])
"""Askew: the usual one is perpendicular to the plane of some linkages, and balances others."""
SHORT, SHORT_STEPS = 0.2, (2e-3, 1e-3)
SHORT_TOLERANCE = {"mujoco": 5e-7, "impulse": 3e-4}
"""Largest difference after 0.2 s at a step of 1 ms, of the less exact engine of a pair. Measured:
2.2e-7 for mujoco and 1.1e-4 for impulse."""
LONG, LONG_STEPS = 1.0, (2e-3, 2e-4)
LONG_TOLERANCE = {"mujoco": 1e-5, "impulse": 1e-3}
"""The same after a second at 0.2 ms. Measured: 2.8e-6 for mujoco and 4.4e-4 for impulse."""
LIVELY = {"pioneer2": 5e-3}
"""Tolerance of impulse for a light hand that whips around. Measured: 1.6e-3."""
DRY_TOLERANCE = 1e-3
"""The same with dry friction. Measured: 2.4e-4 between reduced and mujoco for so101."""
GENTLE = {"eight-bar-b": 0.08, "five-bar-spatial": 0.15, "peaucellier": 0.07}
"""Share of gravity in pairs with impulse, so that these do not reach their singular poses within
the second: there impulse errs by its gap over the step, which need not shrink with it."""
ROUNDING = 1e-10
"""Differences below this need not shrink."""


@cache
def ends(
    name: str, engine: str, step: float, time: float, share: float, dry: bool = False
) -> np.ndarray:
    if engine == "mujoco":
        pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    mechanism = kg.load(name) if dry else frictionless(name)
    system = kg.dynamics.System.of(mechanism, gravity=share * GRAVITY)
    # without stops: engines hit them with different hardness
    made = make_engine(system, engine, step, stops=False)
    report = made.advance(None, round(time / step))
    assert report.time == pytest.approx(time)
    assert report.kinetic > 1e-6
    return np.asarray(kg.forward(system.model, made.q)[:, 4:] / system.model.size)


def differences(
    name: str, pair: tuple[str, str], steps: tuple[float, float], time: float
) -> list[float]:
    share = GENTLE.get(name, 1.0) if "impulse" in pair else 1.0
    found = []
    for step in steps:
        one, other = (ends(name, engine, step, time, share) for engine in pair)
        found.append(float(np.abs(one - other).max()))
    return found


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("name", UNCOUPLED)
def test_a_short_fall(name: str, pair: tuple[str, str]) -> None:
    coarse, fine = differences(name, pair, SHORT_STEPS, SHORT)
    assert fine < max(SHORT_TOLERANCE.get(engine, 0.0) for engine in pair)
    # impulse cuts steps that are too long, and errs less then
    most = coarse * (0.8 if "impulse" in pair else 0.5)
    assert fine < max(most, ROUNDING), "the difference does not shrink with the step"


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("name", UNCOUPLED)
def test_a_second_of_fall(name: str, pair: tuple[str, str]) -> None:
    coarse, fine = differences(name, pair, LONG_STEPS, LONG)
    tolerance = max(LONG_TOLERANCE.get(engine, 0.0) for engine in pair)
    if "impulse" in pair:
        tolerance = LIVELY.get(name, tolerance)
    assert fine < tolerance
    # a tenth of the step: of order one at least; impulse passes singular poses less smoothly
    most = coarse / (4 if "impulse" in pair else 10)
    assert fine < max(most, 10 * ROUNDING), "the difference does not shrink with the step"


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("name", [name for name in UNCOUPLED if has_dry_friction(name)])
def test_a_fall_with_dry_friction(name: str, pair: tuple[str, str]) -> None:
    found = []
    for step in LONG_STEPS:
        one, other = (ends(name, engine, step, LONG, 1.0, dry=True) for engine in pair)
        found.append(float(np.abs(one - other).max()))
    coarse, fine = found
    assert fine < DRY_TOLERANCE
    assert fine < coarse / 4, "the difference does not shrink with the step"


def test_exceptions_are_in_the_library() -> None:
    assert LIVELY.keys() | GENTLE.keys() <= set(kg.library_names())
