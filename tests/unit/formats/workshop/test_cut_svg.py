"""SVG for laser cutters: true scale, red is cut, blue is engraved."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

import kinegen as kg
from kinegen.formats.workshop.cut_svg import FORMAT, cut_svg
from kinegen.formats.workshop.flat.assembly import flat_assembly
from kinegen.formats.workshop.flat.layout import arrange

SVG = "{http://www.w3.org/2000/svg}"


def test_the_drawing_is_at_true_scale() -> None:
    assembly = flat_assembly(kg.load("four-bar"))
    root = ET.fromstring(cut_svg(assembly, arrange(assembly)))
    box = [float(word) for word in root.attrib["viewBox"].split()]
    assert (
        root.attrib["width"] == f"{box[2]:.10g}mm" and root.attrib["height"] == f"{box[3]:.10g}mm"
    )
    groups = {group.attrib["id"]: group for group in root.iter(f"{SVG}g")}
    assert set(groups) == {"crank", "coupler", "rocker"}
    # two holes and the outline; the crank's rim has the length and width of the bar
    paths = [path.attrib["d"] for path in groups["crank"].iter(f"{SVG}path")]
    assert len(paths) == 3
    numbers = [
        tuple(map(float, pair)) for pair in re.findall(r"([\d.-]+) ([\d.-]+)(?=[LAZ])", paths[2])
    ]
    xs, ys = zip(*numbers, strict=True)
    assert max(xs) - min(xs) == pytest.approx(120) and max(ys) - min(ys) == pytest.approx(20)
    assert groups["crank"].attrib["stroke"] == "#ff0000"
    assert all(text.attrib["fill"] == "#0000ff" for text in root.iter(f"{SVG}text"))


def test_options_of_the_format() -> None:
    made = FORMAT.write(
        kg.load("slider-crank"),
        options={"sheet": "400x300mm", "labels": "no", "width": "24mm", "hole": "6mm"},
    )
    assert "<text" not in made.content and "<rect" in made.content
    assert any("ground=yes adds" in note for note in made.notes)
    assert made.notes[-1].startswith("levels of the stack from below: 0: base; 1: ")
