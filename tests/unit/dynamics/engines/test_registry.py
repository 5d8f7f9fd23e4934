"""The registry of engines."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

import kinegen as kg
from kinegen.dynamics.engines import registry as engines
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from tests.support.mechanisms.simulated import bob


def test_an_unknown_engine_is_reported_with_the_known_ones() -> None:
    with pytest.raises(kg.errors.KinegenError, match=r"did you mean 'mujoco'\? engines: .*reduced"):
        kg.simulate(bob(), time=1, engine="mujco")


def test_a_broken_plug_in_warns_and_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = {"bad": EntryPoint("bad", "no.such.module:Engine", engines.GROUP),
           "odd": EntryPoint("odd", "math:pi", engines.GROUP)}  # fmt: skip
    for name, entry in bad.items():
        monkeypatch.setitem(engines.ENGINES.entries, name, entry)
    for name in bad:
        with (
            pytest.warns(RuntimeWarning, match=f"engine plug-in '{name}' .* is skipped"),
            pytest.raises(kg.errors.KinegenError, match=f"engine '{name}' is not in"),
        ):
            engines.engine_maker(name)
    assert engines.engine_maker("reduced").__name__ == "ReducedEngine"


@pytest.mark.parametrize("step", [0, -0.1, float("nan"), float("inf"), "1"])
def test_a_step_is_a_positive_time(step: float) -> None:
    with pytest.raises(kg.errors.KinegenError, match="use a positive number of seconds"):
        kg.simulate(bob(), time=1, step=step)


def test_options_that_an_engine_does_not_know_are_reported() -> None:
    with pytest.raises(kg.errors.KinegenError, match=r"no option 'speed'; options: integrator"):
        kg.simulate(bob(), time=1, speed=3)


class Unfinished:
    """An engine of somebody else's, without most of it."""

    def __init__(self, system: kg.dynamics.System, step: float) -> None:
        self.model, self.step = system.model, step


class Fragile(ReducedEngine):
    """An engine that breaks after a while, not with one of our errors."""

    def advance(
        self, loads: kg.dynamics.Loads | None = None, steps: int = 1
    ) -> kg.dynamics.StepReport:
        if self.time > 0.045:
            raise RuntimeError("out of luck")
        return super().advance(loads, steps)


def registered(monkeypatch: pytest.MonkeyPatch, maker: type) -> None:
    entry = EntryPoint("mine", f"{__name__}:{maker.__name__}", engines.GROUP)
    monkeypatch.setitem(engines.ENGINES.entries, "mine", entry)


def test_an_engine_that_lacks_parts_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch, Unfinished)
    with pytest.raises(
        kg.errors.KinegenError, match=r"'mine' does not satisfy kg\.dynamics\.Engine: it lacks name"
    ):
        kg.simulate(bob(), time=1, engine="mine")


def test_an_engine_that_breaks_leaves_what_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch, Fragile)
    run = kg.simulate(bob(), time=1, engine="mine")
    assert not run.complete and run.duration == pytest.approx(0.05) and len(run) == 6
    assert run.reason == "the engine failed after 0.05 s: RuntimeError: out of luck"
