"""Parts lists: counts, hole distances as formulas and numbers, masses, pins."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.formats.workshop.materials import Material, material_named, parse_material
from kinegen.formats.workshop.parts_list import parts_list
from kinegen.formats.workshop.parts_table import FORMAT
from kinegen.formats.workshop.sizes import Sizes


def test_equal_bars_are_one_row_with_their_formula_and_mass() -> None:
    sizes = Sizes(width=0.02, hole=0.005, clearance=0.0001, thickness=0.004)
    listed = parts_list(kg.load("five-bar"), sizes=sizes, material="steel")
    rows = {row.names: row for row in listed.parts}
    assert set(rows) == {("base",), ("A", "E"), ("B", "D")}
    cranks = rows["A", "E"]
    (distance,) = cranks.holes
    assert (distance.first, distance.second, distance.formula) == ("A", "B", "crank")
    assert distance.value == pytest.approx(0.15, abs=1e-12)
    area = 0.15 * 0.02 + math.pi * (0.01**2 - 2 * 0.00255**2)
    assert cranks.mass == pytest.approx(area * 0.004 * 7850)
    assert listed.mass == pytest.approx(sum(row.count * row.mass for row in listed.parts))


def test_joints_have_pins_and_screws() -> None:
    listed = parts_list(kg.load("slider-crank"))
    joints = {row.names: row for row in listed.joints}
    assert joints["crank",].screw == "M5, clamped length 8.5 mm"
    assert joints["crank",].parts == ("base", "crank")
    assert joints["piston",].count == 2  # two pins guide the slide
    odd = parts_list(kg.load("four-bar"), sizes=Sizes(hole=0.0047))
    assert odd.joints[0].screw.startswith("⌀ 4.7 mm")
    shared = {row.names for row in parts_list(kg.load("peaucellier")).joints}
    assert ("OA", "OC") in shared


def test_densities_and_masses_of_the_file() -> None:
    own = kg.load("four-bar")
    own.set_value("crank", "density", 2000)
    own.set_value("rocker", "mass", 0.3)
    rows = {row.names[0]: row for row in parts_list(own).parts}
    assert rows["crank"].density == 2000 and rows["crank"].material == "as in the file"
    assert rows["rocker"].mass_in_file == 0.3
    assert rows["coupler"].material == "acrylic"


def test_spatial_mechanisms_have_lists_too() -> None:
    pytest.importorskip("manifold3d", reason="volumes need manifold3d")
    listed = parts_list(kg.load("bricard"))
    rows = {row.names[0]: row for row in listed.parts}
    assert str(rows["P1"].holes[0]) == "P1–P2: rod = 1000 mm"
    assert all(row.mass and row.mass > 0 for row in listed.parts)


def test_files_for_people_and_programs() -> None:
    text = FORMAT.write(
        kg.load("five-bar"), options={"material": "plywood"}, file="list.md"
    ).content
    assert "| A, E | bar | 2 | A–B: crank = 150 mm | 170 × 20 × 4 |" in text
    table = FORMAT.write(kg.load("five-bar"), options={}, file="list.csv")
    rows = list(csv.DictReader(io.StringIO(table.content.decode())))
    assert rows[1]["count"] == "2" and float(rows[1]["mass [g]"]) == pytest.approx(15.5809)
    assert b"M5, clamped length" in table.files["list-joints.csv"]
    data = json.loads(FORMAT.write(kg.load("five-bar"), options={}, file="list.json").content)
    assert data["units"]["length"] == "m"
    assert data["parts"][1]["holes"][0]["value"] == pytest.approx(0.15)
    with pytest.raises(UsageError, match=r"\.md, \.csv or \.json, not '\.txt'"):
        FORMAT.write(kg.load("five-bar"), options={}, file="list.txt")


def test_materials() -> None:
    assert parse_material({"density": "1.2 g/cm3"}, "acrylic").density == pytest.approx(1200)
    assert parse_material({"material": "Steel"}, "acrylic") == Material("steel", 7850.0)
    assert material_named("oak", 700).name == "oak"
    with pytest.raises(UsageError, match="did you mean 'acrylic'"):
        material_named("acryl")
    for wrong in ("-5", "0", "5 mm", "heavy"):
        with pytest.raises(UsageError, match="density"):
            parse_material({"density": wrong}, "acrylic")
