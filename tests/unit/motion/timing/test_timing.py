import sys

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import circle, ellipse_by_corners, segment
from kinegen.errors import UsageError
from kinegen.motion.follow import follow
from kinegen.motion.path import Path
from kinegen.motion.timing.timing import retime


@pytest.fixture(scope="module")
def path() -> Path:
    model = kg.load("ur5e").compile()
    down = kg.SO3.from_rpy(np.pi, 0, 0)
    return follow(model, circle((0.35, 0.1, 0.3), 0.1), frame="tool", points=150, tool=down)


def numeric(path: Path) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    """Speeds and accelerations by plain differences of the joint table."""
    steps = np.diff(path.times)[:, None]
    v = np.diff(path.q, axis=0) / steps
    return v, np.diff(v, axis=0) / ((steps[1:] + steps[:-1]) / 2)


def test_constant_speed(path: Path) -> None:
    slow = retime(path, "constant", speed=0.05)
    assert slow.duration == pytest.approx(2 * path.duration)
    assert np.allclose(slow.v, path.v / 2)
    assert np.allclose(slow.vdot, path.vdot / 4)


def test_optimal_uses_the_limits_and_keeps_them(path: Path) -> None:
    pytest.importorskip("toppra")
    fast = retime(path, "optimal", speeds=1.0, accelerations=2.0)
    assert fast.v[0] == pytest.approx(0)
    assert fast.v[-1] == pytest.approx(0)
    v, vdot = numeric(fast)
    assert np.abs(v).max() <= 1.001
    assert np.abs(vdot[2:-2]).max() <= 2.1  # differences across a switch see both sides
    # at every moment some joint is at a limit: bang-bang
    busy = np.maximum(np.abs(v[1:-1]) / 1.0, np.abs(vdot[:-1]) / 2.0).max(axis=1)
    assert np.median(busy) > 0.95
    assert fast.duration < path.duration


def test_optimal_keeps_the_motors_efforts() -> None:
    pytest.importorskip("toppra")
    model = kg.load("arm-6").compile()
    line = segment((0.45, -0.2, 0.75), (0.45, 0.3, 0.75))
    way = follow(model, line, frame="tool", points=120)
    assert way.reachable.all()
    fast = retime(way, "optimal", efforts="motors")
    efforts = kg.dynamics.inverse_dynamics_many(model, fast.q, fast.v, fast.vdot)
    shares = np.abs(efforts) / model.effort
    # a rise is constant between samples: at a switch the sample before sees the other side
    assert np.median(np.maximum(shares.max(axis=1), np.abs(fast.v / model.speed).max(axis=1))) > 0.9
    assert np.percentile(shares, 95) <= 1.001
    weak = {name: 0.6 * model.effort[model.joint(name).v][0] for name in ("shoulder", "elbow")}
    assert retime(way, "optimal", efforts=weak).duration > 0
    with pytest.raises(UsageError, match="motor 'shoulder' supplies at most 1, and needs"):
        retime(way, "optimal", efforts={"shoulder": 1.0})


def test_optimal_keeps_efforts_in_loops() -> None:
    pytest.importorskip("toppra")
    model = kg.load("five-bar").compile()
    handle = kg.pose(model, kg.assemble(model).q, "handle").translation
    way = follow(model, segment(handle, handle + [0.06, 0.0, 0.0]), frame="handle", points=60)
    strong = retime(way, "optimal", efforts={"A": 2.0, "E": 2.0})
    weak = retime(way, "optimal", efforts={"A": 1.5, "E": 1.5})
    assert strong.duration < weak.duration


def test_smooth_keeps_jerks_too(path: Path) -> None:
    pytest.importorskip("ruckig")
    gentle = retime(path, "smooth", speeds=1.0, accelerations=2.0, jerks=10.0)
    v, vdot = numeric(gentle)
    assert np.abs(v).max() <= 1.001
    assert np.abs(vdot).max() <= 2.001
    middle = (gentle.times[2:] + gentle.times[1:-1]) / 2
    jerk = np.diff(vdot, axis=0) / np.diff(middle)[:, None]
    assert np.abs(jerk[3:-3]).max() <= 11
    assert gentle.v[-1] == pytest.approx(0, abs=1e-6)


def test_motors_without_a_speed_limit_are_timed_gently_too() -> None:
    model = kg.load("five-bar-spatial").compile()
    assert not np.isfinite(model.speed).any()
    loop = circle([0.1, 0.26, 0.144], 0.07)
    path = follow(model, loop, frame="handle", points=120)
    motors = {"O": 5.0, "D": 5.0}
    law = retime(path, "smooth", accelerations=motors, jerks={"O": 50.0, "D": 50.0})
    columns = [model.joint(name).v.start for name in motors]
    assert np.abs(law.vdot[:, columns]).max() <= 5.0 * 1.001
    assert 1.0 < law.duration < 20.0


def test_one_stretch_at_a_time() -> None:
    model = kg.load("five-bar").compile()
    broken = follow(
        model, ellipse_by_corners((0, 0.2, 0), (0.2, 0.45, 0)), frame="handle", points=80
    )
    second = retime(broken, "constant", run=1)
    assert len(second) == broken.runs[1].stop - broken.runs[1].start
    assert second.is_complete
    with pytest.raises(UsageError, match="unbroken segment"):
        retime(broken, "constant", run=2)


def test_the_files_motors_are_the_default() -> None:
    pytest.importorskip("toppra")
    model = kg.load("five-bar").compile()
    path = follow(model, segment((0.05, 0.3, 0), (0.15, 0.3, 0)), frame="handle", points=60)
    fast = retime(path, "optimal", accelerations=500.0)
    assert fast.too_fast == {}
    assert np.abs(fast.v[:, 0]).max() > 1


@pytest.mark.parametrize(
    "options",
    [
        {"timing": "optimal"},
        {"timing": "smooth", "accelerations": 1.0},
        {"timing": "optimal", "accelerations": -1.0},
        {"timing": "optimal", "accelerations": float("nan")},
        {"timing": "optimal", "accelerations": {"nose": 1.0}},
        {"timing": "quick", "accelerations": 1.0},
        {"timing": "constant", "speed": 0.0},
    ],
)
def test_bad_input_is_refused(path: Path, options: dict[str, object]) -> None:
    with pytest.raises((UsageError, KeyError)):
        retime(path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("timing", "package"), [("optimal", "toppra"), ("smooth", "ruckig")])
def test_a_missing_package_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch, timing: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match="pip install"):
        retime(path, timing, accelerations=1.0, jerks=1.0)  # type: ignore[arg-type]


def test_missing_limits_name_what_gives_them() -> None:
    model = kg.load("five-bar").compile()
    path = kg.follow(model, kg.curves.segment([0.05, 0.3, 0], [0.15, 0.3, 0]), points=9)
    with pytest.raises(UsageError, match=r"--acceleration.*--effort"):
        retime(path, "optimal")
    with pytest.raises(UsageError, match="--acceleration"):
        retime(path, "smooth")
