"""The stack: parts of one level never touch, whatever the pose."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.formats.workshop.flat.assembly import flat_assembly
from kinegen.formats.workshop.motion_samples import motion_samples


@pytest.mark.parametrize("name", ["five-bar", "peaucellier"])
def test_parts_of_one_level_keep_clear_of_each_other(name: str) -> None:
    model = kg.load(name).compile()
    built = flat_assembly(model)
    levels = {part.name: part.level for part in built.parts}
    assert [part.name for part in built.parts if part.level == 0] == ["base"]
    for pin in built.pins:
        own = [levels[part] for part, _ in pin.parts]
        assert len(set(own)) == len(own), pin.name
    # the middle lines of two bars of one level cross in no pose
    for q in motion_samples(model)[60::80]:
        posed = {part.name: part for part in flat_assembly(model, q).parts}
        bars = [part for part in posed.values() if part.kind == "bar"]
        for k, one in enumerate(bars):
            for other in bars[:k]:
                if levels[one.name] == levels[other.name]:
                    lines = [[bar.at.point(hole.at) for hole in bar.holes] for bar in (one, other)]
                    assert not _cross(*lines[0][:2], *lines[1][:2]), (one.name, other.name)


def _cross(a: object, b: object, c: object, d: object) -> bool:
    pa, pb, pc, pd = (np.array(p) for p in (a, b, c, d))

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> float:
        u, v = q - p, r - p
        return float(u[0] * v[1] - u[1] * v[0])

    return side(pa, pb, pc) * side(pa, pb, pd) < 0 and side(pc, pd, pa) * side(pc, pd, pb) < 0


def test_a_pin_that_is_touched_is_reported() -> None:
    assembly = flat_assembly(kg.load("five-bar"))
    assert any("would touch the pin of" in one for one in assembly.messages)
    assert flat_assembly(kg.load("four-bar")).messages == ()


def test_samples_are_closed_and_within_limits() -> None:
    model = kg.load("five-bar").compile()
    samples = motion_samples(model)
    assert len(samples) > 100
    assert max(kg.kinematics.loop_gap(model, q).largest for q in samples) < 1e-9
    a = samples[:, model.joint("A").q.start]
    assert np.radians(-170) - 1e-9 <= a.min() and a.max() <= np.radians(170) + 1e-9
    crank = motion_samples(kg.load("four-bar").compile())
    turned = np.ptp(crank[:, 0])
    assert turned > 2 * np.pi  # the crank of a Grashof linkage turns round
