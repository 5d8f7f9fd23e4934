"""How near a mechanism is to the things around it, now and on its planned way."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.motion.plan import Plan
from kinegen.motion.recording import Recording
from kinegen.studio.live.clearance import LiveClearance
from kinegen.studio.live.simulation import LiveSimulation
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.data.scene import motion_data
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.messages import LiveSettings, Touch
from tests.unit.studio.workbench import piece_of

BALL = """
raff: 1
name: slider
joints:
  - {name: rail, type: prismatic, parent: base, alpha: 90 deg, motor: true, shape: {sphere: 50 mm}}
objects:
  - {name: ball, shape: {sphere: 30 mm}, at: {xyz: [0, -0.3, 0]}}
"""


def test_the_distance_is_that_of_the_surfaces_wherever_the_object_is() -> None:
    mechanism = kg.load(BALL)
    model = mechanism.compile()
    clearance = LiveClearance(mechanism, model)
    clearance_at = [clearance.at(np.array([x])) for x in (0.15, 0.25, 0.27)]
    assert [one.distance for one in clearance_at] == pytest.approx([0.07, -0.03, -0.05])
    assert clearance_at[0].link == model.link_names.index("rail") and clearance_at[0].thing == 0
    away = np.array([1, 0, 0, 0, 0, 5, 0], dtype=float)
    assert math.isinf(clearance.at(np.array([0.25]), {"ball": away}).distance)


def test_a_plan_reports_what_it_hits_and_when() -> None:
    mechanism = kg.load(BALL)
    model = mechanism.compile()
    clearance = LiveClearance(mechanism, model)
    through = Recording.of(model, [[0.0], [0.6]], [0, 2])
    found = clearance.of_plan(Plan(through))
    assert found is not None
    assert found.distance == pytest.approx(-0.08, abs=2e-3) and found.object == "ball"
    assert found.link == "rail" and 0.6 < found.start < 1.0 < found.end < 1.4
    short = clearance.of_plan(Plan(Recording.of(model, [[0.0], [0.2]], [0, 2])))
    assert short is not None and short.start is None
    assert short.distance == pytest.approx(0.02, abs=1e-6)


def test_nobody_looks_where_nothing_is() -> None:
    mechanism = kg.load("arm-6")
    clearance = LiveClearance(mechanism, mechanism.compile())
    assert clearance.collisions is None and clearance.refused == ""
    assert math.isinf(clearance.at(mechanism.compile().start()).distance)


def test_an_arm_is_led_around_a_post_and_an_undone_touch_hits_it() -> None:
    piece = piece_of("arm-and-wall")
    plan = motion_data(piece.mechanism, piece.model)[0]
    settings = LiveSettings(motion=plan.name, resume="rejoin")
    live = LiveSimulation(piece, settings, piece.start)
    assert live.steering is not None
    planned = live.clearance.of_plan(live.steering.plan)
    assert planned is not None and planned.object == "post" and planned.distance < -0.02
    live.step(800)
    at = np.array(kg.pose(piece.model, live.frame().q, "tool").translation)
    hand = Touch(1, "tool", (0.0, 0.0, 0.0), vec3(at))
    # up, over the post with the plan's own speed, and down behind it
    for i, way in enumerate(np.linspace(0, 1, 80)):
        along = 0.5 * way
        up = 0.22 * min(1.0, 4 * way, 4 * (1 - way))
        live.touch(replace(hand, target=vec3(at + [0, along, up])))
        live.step(25)
        assert live.frame().is_led or i < 2
    live.release()
    live.step(2000)
    frame = live.frame()
    assert live.is_done and frame.facts.least > 0.002, frame.facts
    assert frame.facts.least_object in (0, 1)
    goal = kg.pose(piece.model, np.array(plan.values[-1]), "tool").translation
    end = kg.pose(piece.model, frame.q, "tool").translation
    assert np.linalg.norm(np.subtract(end, goal)) < 1e-3
    # undone, it goes straight: energies and distances count from there
    assert live.undo() and not live.undo()
    assert live.frame().facts.time == pytest.approx(0.8, abs=0.01)
    live.step(2000)
    facts = live.frame().facts
    assert facts.least < -0.02 and facts.least_object == 1
    assert facts.drift < 2e-3 * facts.scale


def test_a_missing_engine_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from kinegen.errors import UsageError
    from kinegen.studio.live import clearance as live_clearance

    def refuse(*_: object) -> None:
        raise UsageError("contact between bodies needs MuJoCo")

    monkeypatch.setattr(live_clearance, "Collisions", refuse)
    piece = CompiledText.read(BALL, Project(Path.cwd()))
    clearance = LiveClearance(piece.mechanism, piece.model)
    assert "needs MuJoCo" in clearance.refused
    assert clearance.of_plan(Plan(Recording.of(piece.model, [[0.0], [0.1]], [0, 1]))) is None
