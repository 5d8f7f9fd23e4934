"""Orders to a live simulation: carried out, refused in words, and what is reported meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.studio.live import orders
from kinegen.studio.live.frames import LiveFrame, unpack_live
from kinegen.studio.live.loop import LiveLoop
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import (
    LiveSettings,
    PauseSimulation,
    PlaySimulation,
    SetSimulation,
    SimulationOrder,
    StepSimulation,
    Touch,
    Undo,
)

DOWN = (0.0, -9.81, 0.0)


class Heard:
    """Who listens to a loop."""

    def __init__(self) -> None:
        self.answers: list[Message] = []
        self.frames: list[LiveFrame] = []
        self.loop = LiveLoop(self.hear)

    def hear(self, message: Message, more: bytes) -> None:
        if isinstance(message, orders.Frame):
            self.frames.append(unpack_live(more))
        else:
            self.answers.append(message)

    def ask(self, order: SimulationOrder) -> Any:
        order.request = 1
        self.loop.obey(order)
        found = [one for one in self.answers if isinstance(one, orders.Answered)][-1]
        return found.error or found.started

    def begin(self, name: str, *, run: bool = False, text: str | None = None, **more: Any) -> Any:
        source = orders.Source(text or kg.load(name).to_raff(), str(Path.cwd()), None)
        q = kg.assemble(kg.load(name).compile()).q.tolist()
        return self.ask(orders.Start(0, source, q, LiveSettings(**more), run))

    @property
    def states(self) -> list[orders.State]:
        return [one for one in self.answers if isinstance(one, orders.State)]


def test_start_step_play_pause() -> None:
    heard = Heard()
    seen = heard.begin("five-bar", gravity=DOWN)
    assert seen.objects == [] and not seen.motors
    assert heard.states[-1] == orders.State("paused", "", "")
    heard.ask(StepSimulation(0, 5))
    assert abs(heard.frames[-1].facts.time - 0.005) < 1e-12
    heard.ask(PlaySimulation(0))
    heard.loop.pass_time(0.05)
    assert heard.states[-1].phase == "running"
    assert heard.frames[-1].facts.time > 0.005
    heard.ask(PauseSimulation(0))
    time = heard.frames[-1].facts.time
    heard.loop.pass_time(1.0)
    assert heard.frames[-1].facts.time == time and heard.states[-1].phase == "paused"


def test_what_cannot_be_is_said_and_nothing_breaks() -> None:
    heard = Heard()
    assert "there is no simulation" in heard.ask(PlaySimulation(0))
    assert "not in Kinegen" in heard.begin("five-bar", engine="magic")
    heard.loop.obey(Undo(1))
    assert heard.answers[-1] == orders.Warn("undo is not an order to a simulation")
    heard.begin("five-bar")
    # a hand has no number to answer to: a warning
    touch = Touch(1, "nowhere", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    heard.loop.obey(orders.HandTouches(7, touch))
    assert isinstance(said := heard.answers[-1], orders.Warn) and "nowhere" in said.message
    assert said.client == 7


def test_numbers_that_run_away_stop_it_with_a_reason() -> None:
    heard = Heard()
    heard.begin("five-bar", run=True, gravity=DOWN)
    heard.loop.pass_time(0.02)
    assert heard.loop.live is not None
    good = heard.frames[-1].q
    heard.loop.live.simulation.control = lambda time, q, v: np.full(len(v), np.nan)
    heard.loop.pass_time(0.05)
    assert heard.states[-1].phase == "stopped"
    assert "not finite" in heard.states[-1].reason
    # the last good moment is what is reported
    assert np.isfinite(heard.frames[-1].q).all() and np.allclose(heard.frames[-1].q, good, atol=0.1)
    assert "has ended" in heard.ask(PlaySimulation(0))


def test_a_step_that_is_too_large_is_said_with_one_that_would_do() -> None:
    heard = Heard()
    heard.begin("five-bar", gravity=[0, -9810, 0], step=0.05)
    for _ in range(40):
        heard.ask(StepSimulation(0, 5))
        if heard.states[-1].phase == "stopped":
            break
    assert heard.states[-1].phase == "stopped"
    assert "too large" in heard.states[-1].reason


def test_settings_and_text_change_while_it_goes_on() -> None:
    heard, settings = Heard(), LiveSettings(gravity=DOWN)
    heard.begin("five-bar", gravity=DOWN)
    heard.ask(StepSimulation(0, 100))
    time, q = heard.frames[-1].facts.time, heard.frames[-1].q
    heard.ask(SetSimulation(0, replace(settings, engine="impulse")))
    assert heard.frames[-1].facts.time == time
    assert np.allclose(heard.frames[-1].q, q, atol=1e-9)
    assert heard.frames[-1].facts.kinetic > 0
    mechanism = kg.load("five-bar")
    name = next(iter(mechanism.parameters))
    mechanism.set_parameter(name, 1.02 * dict(mechanism.compile().parameters)[name])
    source = orders.Source(mechanism.to_raff(), str(Path.cwd()), None)
    assert heard.ask(orders.ChangeText(0, source)) is None
    assert heard.frames[-1].facts.time == time
    assert 0 < np.abs(heard.frames[-1].q - q).max() < 0.5
    other = replace(source, text=kg.load("four-bar").to_raff())
    assert "have changed" in heard.ask(orders.ChangeText(0, other))


def test_forces_in_the_joints_belong_to_the_last_frame_or_are_said_to_be_unknown() -> None:
    heard = Heard()
    settings = LiveSettings(gravity=DOWN, reactions=True)
    heard.begin("four-bar", gravity=DOWN, reactions=True)
    for _ in range(3):  # quicker than frames of a run
        heard.ask(StepSimulation(0, 5))
        assert len(heard.frames[-1].reactions) > 0
    assert heard.states[-1].unknown == ""
    heard.ask(SetSimulation(0, replace(settings, engine="mujoco")))
    heard.ask(StepSimulation(0, 1))
    assert len(heard.frames[-1].reactions) == 0
    assert "'mujoco' does not compute" in heard.states[-1].unknown
    heard.ask(SetSimulation(0, replace(settings, engine="reduced")))
    assert heard.states[-1].unknown == "" and len(heard.frames[-1].reactions) > 0
