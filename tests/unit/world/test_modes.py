"""Every mode of a motor with every profile, from the file, Python and the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli import main as kinegen

pytestmark = pytest.mark.slow

TURNTABLE = """raff: 1
name: turntable
gravity: [0, 0, 0]
{world}
joints:
  - {{name: A, parent: base, mass: 1, centre: [0, 0, 0], inertia: [0.1, 0.1, 0.1],
     motor: {{torque: 20, speed: 2, {mode}acceleration: 8, profile: {profile}{jerk}}}}}
"""
INERTIA, TARGETS = 0.1, {"position": 0.3, "computed": 0.3, "velocity": 1.0, "torque": 0.02}
PROFILES = ("none", "trapezoidal", "jerk-limited")


def text(mode: str, profile: str, *, world: str = "") -> str:
    jerk = ", jerk: 80" if profile == "jerk-limited" else ""
    given = f"mode: {mode}, " if mode else ""
    return TURNTABLE.format(mode=given, profile=profile, jerk=jerk, world=world)


def arrives(mode: str, q: float, v: float, time: float) -> None:
    """What physics says of a target that was held for a time."""
    target = TARGETS[mode]
    if mode == "torque":
        assert v == pytest.approx(target / INERTIA * time, rel=1e-6)
    elif mode == "velocity":
        assert v == pytest.approx(target, abs=1e-3)
    else:
        assert (q, v) == (pytest.approx(target, abs=1e-3), pytest.approx(0, abs=2e-2))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mode", TARGETS)
def test_from_file_and_python(mode: str, profile: str) -> None:
    by_world = f"world: {{modes: {{A: {mode}}}}}"
    makers = [
        lambda: kg.World(text(mode, profile)),
        lambda: kg.World(text("", profile, world=by_world)),
        lambda: kg.World(text("", profile), modes={"A": mode}),
    ]
    runs = []
    for make in makers:
        with make() as world:
            world.command({"A": TARGETS[mode]})
            speeds = []
            for _ in range(600):
                world.step()
                speeds.append(float(world.signals["A.velocity"].value))
            runs.append(speeds)
            arrives(mode, float(world.signals["A.position"].value), speeds[-1], world.time)
    assert runs[0] == runs[1] == runs[2]
    if profile != "none" and mode != "torque":
        # within the profile: the servo follows it with some ripple
        assert max(runs[0]) < 2.0 * 1.02
        assert np.abs(np.diff(runs[0][::10])).max() / 0.01 < 8 * 1.5
    run = kg.simulate(kg.load(text("", profile)), time=0.6, targets={"A": TARGETS[mode]},
                      modes={"A": mode})  # fmt: skip
    arrives(mode, float(run.joint("A")[-1]), runs[0][-1], 0.6)


@pytest.mark.parametrize("mode", TARGETS)
def test_from_the_command_line(
    mode: str, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    file = f"{tmp_path}/turntable.raff"
    with open(file, "w", encoding="utf-8") as out:
        out.write(text("", "trapezoidal"))
    words = ["--mode", f"A={mode}", "--target", f"A={TARGETS[mode]}", "--time", "0.6", "--json"]
    assert kinegen(["run", file, *words]) == 0
    signals = json.loads(capsys.readouterr().out)["signals"]
    arrives(mode, signals["A.position"], signals["A.velocity"], 0.6)
    assert kinegen(["simulate", file, *words]) == 0


def test_a_mode_of_something_without_a_motor_is_refused() -> None:
    with pytest.raises(kg.errors.KinegenError, match="'B' under 'modes' of the world has no motor"):
        kg.World(
            text("", "none", world="world: {modes: {B: torque}}")
            + "  - {name: B, parent: A, d: 1}\n"
        )
