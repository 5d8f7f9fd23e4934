from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.zone import ZoneSpec
from tests.unit.studio.workbench import Pieces, compiled_of, points_of, put

FIVE_BAR = compiled_of("five-bar")
SPEC = {field.name for field in dataclasses.fields(ZoneSpec)}


def ask(compiled: CompiledText, question: str, **fields: Any) -> tuple[Any, Pieces]:
    """The answer to a question about a zone, whose own settings are among the fields."""
    spec = {name: value for name, value in fields.items() if name in SPEC}
    more = {name: value for name, value in fields.items() if name not in SPEC}
    return put(compiled, question, zone=spec, **more)


def test_a_zone_comes_coarse_first_and_by_mode() -> None:
    result, pieces = ask(FIVE_BAR, "zone", step=0.1)
    begins = [head.zone for head, _ in pieces.of("begin")]
    assert [round(head.step, 9) for head in begins] == [0.4, 0.2, 0.1]
    made = kg.zone(FIVE_BAR.model, step=0.1)
    assert [mode.name for mode in result.modes] == ["home", "C flipped"]
    assert result.measure.value == made.measure.value and result.measure.unit == "m²"
    assert result.method == "triangles" and result.points == len(made.points)
    xyz, tags = points_of(*pieces.of("points")[-1])
    assert sorted(tags // 2) == list(range(result.points))
    np.testing.assert_allclose(xyz, made.points[tags // 2], atol=1e-6)
    assert ((tags // 2 >= made.modes[0].count) == (tags % 2 == 1)).all()


def test_points_of_a_zone_have_values_of_a_layer() -> None:
    result, pieces = ask(FIVE_BAR, "zone", step=0.2, layer="manipulability")
    made = kg.zone(FIVE_BAR.model, step=0.2, layer="manipulability")
    head, data = pieces.of("points")[-1]
    _, tags = points_of(head, data)
    assert head.valued and result.layer == "manipulability"
    values = np.frombuffer(data, "<f4", offset=16 * head.count)
    np.testing.assert_allclose(values, made.values[tags // 2], rtol=1e-6)
    assert made.values.min() < result.ends[0] < result.ends[1] < made.values.max()
    assert ask(FIVE_BAR, "zone", step=0.2)[0].layer is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [("eight-bar", "inputs"), ("3-rrr", "inputs"), ("delta", "inputs"), ("stewart", "place")],
)
def test_one_click_gives_a_useful_zone(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    # a slow machine would be content with the first zone
    monkeypatch.setattr("kinegen.workspace.progressive.zone.LONGEST", np.inf)
    result, pieces = ask(compiled_of(name), "zone")
    assert result.kind == kind and result.points > 200
    assert result.measure.value > result.measure.error > 0
    counts = [head.zone.points for head, _ in pieces.of("begin")]
    assert counts == sorted(counts) and counts[0] < counts[-1]


def test_a_point_leads_back_to_its_pose() -> None:
    for name, goal in (("five-bar", {"step": 0.2}), ("stewart", {"step": 0.8})):
        compiled = compiled_of(name)
        result, pieces = ask(compiled, "zone", **goal)
        xyz, tags = points_of(*pieces.of("points")[-1])
        point = int(tags[len(tags) // 2]) // len(result.modes)
        q = np.array(ask(compiled, "zone_pose", **goal, point=point)[0].q)
        assert kg.kinematics.loop_gap(compiled.model, q).distance < 1e-8
        place = kg.pose(compiled.model, q, result.frame).translation
        np.testing.assert_allclose(place, xyz[len(tags) // 2], atol=1e-6)


def test_turns_are_shown_as_a_ball() -> None:
    compiled = compiled_of("stewart")
    result, pieces = ask(compiled, "zone", kind="turn", step=0.5)
    xyz, _ = points_of(*pieces.of("points")[-1])
    home = kg.pose(compiled.model, compiled.start, "handle").translation
    far = np.linalg.norm(xyz - home, axis=1)
    assert far.min() < 1e-6 and far.max() <= 0.5 * compiled.model.size
    assert result.measure.unit == "rad^3"


def test_the_way_through_a_mode_goes_from_neighbour_to_neighbour() -> None:
    qs = np.array(ask(FIVE_BAR, "zone_way", step=0.2, mode="home")[0].qs)
    assert len(qs) > 200
    gaps = [kg.kinematics.loop_gap(FIVE_BAR.model, q).distance for q in qs[::50]]
    assert max(gaps) < 1e-8
    inputs = [FIVE_BAR.model.joint(name).q.start for name in ("A", "E")]
    steps = np.abs(np.remainder(np.diff(qs[:, inputs], axis=0) + np.pi, 2 * np.pi) - np.pi)
    # most of the way one motor makes one step; only at gaps of the zone it is more
    assert np.median(steps.sum(axis=1)) < 0.5
    with pytest.raises(NameNotFoundError, match="modes: home, C flipped"):
        ask(FIVE_BAR, "zone_way", step=0.2, mode="nobody")


def test_points_as_a_file() -> None:
    found, _ = ask(FIVE_BAR, "zone_file", step=0.3, format="csv")
    rows = found.data.decode().splitlines()
    assert rows[0] == "mode,x [m],y [m],z [m]" and rows[1].startswith("home,")
    assert len(rows) == 1 + ask(FIVE_BAR, "zone", step=0.3)[0].points


@pytest.mark.parametrize(
    ("name", "question", "goal", "words"),
    [
        ("five-bar", "zone", {"step": 0}, "step must be a number"),
        ("five-bar", "zone", {"kind": "dance"}, "one of inputs"),
        ("five-bar", "zone", {"frame": "nobody"}, "nobody"),
        ("five-bar", "zone_pose", {"step": 0.3, "point": 10**7}, "from 0 to 839, not 10000000"),
        ("stewart", "zone", {"kind": "inputs"}, "too many to sweep"),
        ("delta", "zone", {"kind": "turn"}, "cannot rotate"),
        ("lynx6", "zone", {}, "no loops"),
    ],
)
def test_bad_goals_are_refused(name: str, question: str, goal: dict[str, Any], words: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=words):
        ask(compiled_of(name), question, **goal)


def test_short_ranges_get_a_step_that_suits_them() -> None:
    short = {"A": [1.0, 1.2], "E": [0.8, 2.0]}
    result, pieces = ask(FIVE_BAR, "zone", ranges=short)
    assert result.points > 20 and pieces.of("begin")
    # a step that is asked for is refused where it is too coarse; only its overviews are left out
    with pytest.raises(UsageError, match="fewer than 3 values of input 'A'"):
        ask(FIVE_BAR, "zone", ranges=short, step=0.5)
    assert ask(FIVE_BAR, "zone", ranges=short, step=0.05)[0].points > 20
