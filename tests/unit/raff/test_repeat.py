"""Rows that are written once for several indices: what they stand for, and how they are edited."""

import pytest

from kinegen.errors import UsageError
from kinegen.formats.load import load
from kinegen.mechanism.editing.starts import write_starts
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.repeat import fill, fill_formula
from kinegen.studio.wire.data.number import number_data

TEXT = """raff: 1
name: legs
parameters: {r: 1}
joints:
  - repeat: {i: 3}
    rows:
      - {name: "hip{i}", parent: base, gamma: (i-1)*120 deg, d: r, start: 10 deg}   # one per leg
      - repeat: {k: [0, 1]}
        rows:
          - {name: "toe{i}.{k}", parent: "hip{i}", b: k*r/10, note: "toe {2*i + k}"}
frames:
  - {repeat: {i: [-1, 1], j: 2}, name: "f{i+1}{j}", parent: "hip{i+2}", xyz: [i*r, j, i^2]}
"""


def test_indices_are_filled_in() -> None:
    assert fill("leg{i}-{ i + 1 }", {"i": 2}) == "leg2-3"
    assert fill("plain", {"i": 2}) == "plain"
    assert fill_formula(parse_formula("2*i^2 + r*k"), {"i": -1, "k": 3}).text == "2*(-1)^2 + r*3"
    with pytest.raises(FormulaError, match="'k' is not an index here; indices: i"):
        fill("leg{k}", {"i": 2})


def test_rows_stand_for_every_index_in_order() -> None:
    mechanism = load(TEXT)
    names = [f"{kind}{i}{end}" for i in (1, 2, 3) for kind, end in
             (("hip", ""), ("toe", ".0"), ("toe", ".1"))]  # fmt: skip
    assert list(mechanism.joints) == names
    assert mechanism.joints["hip3"].placement.numbers[0].text == "(3-1)*120 deg"
    assert mechanism.joints["toe2.1"].parent == "hip2"
    assert mechanism.joints["toe2.1"].placement.numbers[1].text == "1*r/10"
    assert mechanism.joints["toe2.1"].note == "toe 5"
    assert list(mechanism.frames) == ["f01", "f02", "f11", "f12", "f21", "f22"]
    assert mechanism.frames["f02"].parent == "hip1"
    assert [number.text for number in mechanism.frames["f02"].placement.numbers[:3]] == [
        "(-1)*r",
        "2",
        "(-1)^2",
    ]
    assert load(mechanism.snapshot().to_raff()) == mechanism


def test_an_edit_of_one_changes_the_written_row() -> None:
    mechanism = load(TEXT)
    mechanism.set_number("hip2", "d", "2*r")
    assert mechanism.to_raff() == TEXT.replace("d: r,", "d: 2*r,")
    assert {mechanism.joints[f"hip{i}"].placement.numbers[3].text for i in (1, 2, 3)} == {"2*r"}
    mechanism.set_value("toe1.0", "color", "red")
    assert mechanism.joints["toe3.1"].link.color == "red"
    mechanism.rename_parameter("r", "reach")
    assert (
        "b: k*reach/10" in mechanism.to_raff() and "xyz: [i*reach, j, i^2]" in mechanism.to_raff()
    )
    assert load(mechanism.to_raff()) == mechanism
    write_starts(mechanism, model := mechanism.compile(), model.start() + 0.1, ["hip1", "hip3"])
    assert mechanism.joints["hip2"].start[0].value == pytest.approx(model.start()[0] + 0.1)


def test_one_of_several_cannot_go_or_be_renamed_alone() -> None:
    mechanism = load(TEXT)
    said = r"alone: the row in line 12 is repeated \({i: \[-1, 1\], j: 2}\); edit it in the text"
    with pytest.raises(UsageError, match="'f01' cannot be removed " + said):
        mechanism.remove_frame("f01")
    with pytest.raises(UsageError, match="'f01' cannot be renamed " + said):
        mechanism.rename("f01", "x")
    with pytest.raises(UsageError, match="'hip1' cannot be renamed: a repeated row calls it"):
        mechanism.rename("hip1", "x")
    model = mechanism.compile()
    pose = model.start()
    pose[0] += 0.1
    with pytest.raises(UsageError, match="'hip1' and 'hip2' would start differently"):
        write_starts(mechanism, model, pose)
    assert mechanism.to_raff() == TEXT


def test_a_number_that_follows_an_index_is_a_formula_for_the_page() -> None:
    mechanism = load(TEXT)
    shown = {(n.owner, n.key): n for n in number_data(mechanism, mechanism.compile())}
    assert shown["hip2", "gamma"].text == "(i-1)*120 deg" and shown["hip2", "gamma"].formula
    assert shown["hip2", "start"].text == "10 deg" and not shown["hip2", "start"].formula
