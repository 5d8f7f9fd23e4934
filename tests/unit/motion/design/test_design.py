import math
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, UsageError
from kinegen.motion.design.design import DesignProgress, box_points, design
from tests.unit.motion.linkage import FOUR_BAR

FREE = {
    "x0": (-0.5, 0.7), "y0": (-0.5, 0.7), "tilt": (-math.pi, math.pi), "crank": (0.02, 0.2),
    "ground": (0.05, 0.8), "coupler": (0.05, 0.8), "rocker": (0.05, 0.8), "px": (-0.6, 0.6),
    "py": (-0.6, 0.6),
}  # fmt: skip


def test_a_published_curve_is_reached_to_one_percent() -> None:
    # Acharyya and Mandal, Performance of EAs for four-bar linkage synthesis, Mechanism and Machine
    # Theory 44, 2009, case 3: ten points of an ellipse, (20, 10), (17.66, 15.142), (11.736, 17.878)
    # and so on, the last equal to the first; here in centimetres
    angle = np.radians(40 * np.arange(9))
    wanted = np.stack([10 + 10 * np.cos(angle), 10 + 8 * np.sin(angle), 0 * angle], axis=1) / 100
    assert np.allclose(wanted[1:3, :2] * 100, [[17.66, 15.142], [11.736, 17.878]], atol=1e-3)
    model = kg.load(FOUR_BAR).compile()
    before = dict(model.parameters)
    found = design(model, FREE, wanted, frame="handle", starts=14, tries=250)
    assert found.share < 0.01
    assert found.connected
    assert dict(model.parameters) == before
    # the design itself, walked round: it passes every point
    for name, value in found.parameters.items():
        model.parameters[name] = value
        assert FREE[name][0] <= value <= FREE[name][1]
    crank = model.joint("crank").q.start
    q, way = found.q[0].copy(), []
    for _ in range(1440):
        q[crank] += math.tau / 1440
        q = kg.assemble(model, q, locked=["crank"], attempts=1).q
        way.append(kg.pose(model, q, "handle").translation)
    far = np.linalg.norm(np.array(way)[None] - wanted[:, None], axis=2).min(axis=1)
    assert far.max() < 0.01 * np.linalg.norm(np.ptp(wanted, axis=0))


def test_progress_is_reported_and_can_stop() -> None:
    model = kg.load(FOUR_BAR).compile()
    seen: list[DesignProgress] = []

    def watch(report: DesignProgress) -> bool:
        seen.append(report)
        return len(seen) < 5

    found = design(
        model,
        FREE,
        kg.curves.circle([0.1, 0.1, 0], 0.08),
        frame="handle",
        starts=3,
        tries=20,
        progress=watch,
    )
    assert found.cancelled
    assert len(seen) == 5
    assert seen[-1].best <= seen[0].best
    errors = [step.error for step in found.history]
    assert errors == sorted(errors, reverse=True)


def test_a_box_is_covered() -> None:
    model = kg.load("five-bar").compile()
    box = box_points([-0.1, 0.35, 0], [0.3, 0.55, 0], (4, 4, 4))
    assert box.shape == (16, 3)
    reached = [kg.solve(model, kg.Handle("handle", p), attempts=5).reached for p in box]
    assert not all(reached)
    found = design(model, {"crank": (0.1, 0.5), "coupler": (0.1, 0.6)}, box, frame="handle",
                   starts=2, tries=5)  # fmt: skip
    assert found.worst < 1e-6
    for name, value in found.parameters.items():
        model.parameters[name] = value
    assert all(kg.solve(model, kg.Handle("handle", p), attempts=20).reached for p in box)


def test_clearance_keeps_from_singular_poses() -> None:
    model = kg.load("five-bar").compile()
    box = box_points([0, 0.3, 0], [0.2, 0.45, 0], (3, 3, 1))
    free = {"crank": (0.1, 0.5), "coupler": (0.1, 0.6)}
    near = design(model, free, box, frame="handle", starts=3, tries=10)
    far = design(model, free, box, frame="handle", starts=3, tries=10, clear=0.3)
    assert far.worst < 1e-3
    assert far.clearance > max(0.25, near.clearance)


@pytest.mark.parametrize(
    ("free", "wanted"),
    [
        ([], [[0, 0, 0]]),
        ("crank", [[0, 0, 0]]),
        (["nose"], [[0, 0, 0]]),
        ({"crank": (1, 1)}, [[0, 0, 0]]),
        ({"crank": (0, float("nan"))}, [[0, 0, 0]]),
        (["crank"], []),
        (["crank"], [[0, 0]]),
        (["crank"], [[0, 0, float("nan")]]),
    ],
)
def test_bad_input_is_refused(free: object, wanted: object) -> None:
    model = kg.load(FOUR_BAR).compile()
    with pytest.raises(KinegenError):
        design(model, free, wanted)  # type: ignore[arg-type]


def test_designs_that_never_close_are_reported() -> None:
    model = kg.load(FOUR_BAR).compile()
    with pytest.raises(UsageError, match="no design could be assembled"):
        design(model, {"crank": (5, 6)}, [[0, 0, 0]], frame="handle", starts=2, tries=5)
    with pytest.raises(UsageError, match="box"):
        box_points([0, 0], [1, 1, 1])
    with pytest.raises(UsageError, match="along an edge"):
        box_points([0, 0, 0], [1, 1, 1], (0, 1, 1))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": -1}, "a seed must be a whole number from 0 to"),
        ({"starts": 0}, "number of starts must be a whole number from 1"),
        ({"tries": -1}, "number of tries must be a whole number from 0"),
        ({"clear": -1.0}, "clearance from singular poses must be 0 or more"),
        ({"free": {"crank": (2, 1)}}, "reversed: the lower end comes first"),
    ],
)
def test_numbers_that_make_no_search_are_refused(given: dict[str, Any], words: str) -> None:
    model = kg.load("five-bar").compile()
    with pytest.raises(UsageError, match=words):
        kg.design(model, **({"free": ["crank"], "goal": [[0.1, 0.4, 0]]} | given))
