from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError

TWO = """raff: 1
name: two
robots:
  - {{name: l, include: so101}}
  - {{name: r, include: so101, engine: {engine}, at: {{xyz: [{apart}, 0, 0]}}}}
{more}
"""


def two(engine: str = "impulse", apart: float = 3.0, more: str = "") -> str:
    return TWO.format(engine=engine, apart=apart, more=more)


def test_robots_on_different_engines_move_as_each_does_alone() -> None:
    with kg.World(two("mujoco")) as one:
        one.command(_first(one))
        one.run(0.3)
        assert [island.simulation.engine.name for island in one.islands] == ["reduced", "mujoco"]
        both = [island.state.q for island in one.islands]
    for number, engine in enumerate(("reduced", "mujoco")):
        with kg.World("so101", engine=engine) as alone:
            alone.command({alone.islands[0].actuators.joints[0]: 0.4})  # type: ignore[union-attr]
            alone.run(0.3)
            # the same engine on the same numbers; the second robot stands elsewhere
            assert both[number] == pytest.approx(alone.islands[0].state.q, abs=1e-9)


def _first(one: kg.World) -> dict[str, float]:
    return {
        island.actuators.joints[0]: 0.4 for island in one.islands if island.actuators is not None
    }


def test_the_same_engine_makes_no_island() -> None:
    with kg.World(two("reduced", apart=0.1)) as one:
        assert len(one.islands) == 1


def test_signals_sensors_and_snapshots_span_all_islands() -> None:
    more = "sensors: [{name: p, type: pose, parent: r.tool}]\n"
    tool = next(iter(kg.load("so101").frames))
    with kg.World(two(more=more.replace("r.tool", f"r.{tool}"))) as one:
        one.run(0.05)
        assert one.signals["p.position"].value[0] > 2.5
        moment = one.snapshot()
        one.run(0.05)
        there = [island.state.q for island in one.islands]
        one.restore(moment)
        one.run(0.05)
        assert all(np.array_equal(a, i.state.q) for a, i in zip(there, one.islands, strict=True))
        assert {node.kind for node in one.nodes.values()} >= {"robot", "link", "sensor"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (two(apart=0.2), r"could touch, but different engines .* or place them .* m farther"),
        (two(more="objects: [{name: b, shape: {sphere: 0.1}, mass: 1, at: {xyz: [9, 9, 9]}}]"),
         "'b' .* could touch"),
        (two().replace("at: {xyz", "at: {parent: l, xyz"), "mounted on 'l', which another engine"),
        (two(more="springs: [{name: s, from: {link: l}, to: {link: r}, stiffness: 1}]"),
         "spring 's' joins 'r' and 'two', which are on different engines"),
        (two("impulsive"), "engine 'impulsive' is not"),
    ],
)  # fmt: skip
def test_what_engines_cannot_do_together_is_refused(text: str, message: str) -> None:
    with pytest.raises(KinegenError, match=message):
        kg.World(text)


def test_objects_that_never_move_are_on_every_island() -> None:
    more = "objects: [{name: wall, shape: {box: [1, 1, 1]}, fixed: true, at: {xyz: [9, 0, 0]}}]"
    with kg.World(two(more=more)) as one:
        for island in one.islands:
            assert [row["name"] for row in island.simulation.system.fixed_objects] == ["wall"]
