"""Layouts: parts side by side, on sheets that they fit."""

from __future__ import annotations

import itertools

import pytest

import kinegen as kg
from kinegen.errors import FormatError, UsageError
from kinegen.formats.workshop.flat.assembly import FlatAssembly, flat_assembly
from kinegen.formats.workshop.flat.label import label_of
from kinegen.formats.workshop.flat.layout import arrange, parse_sheet


@pytest.fixture(scope="module")
def five_bar() -> FlatAssembly:
    return flat_assembly(kg.load("five-bar"))


@pytest.mark.parametrize("sheet", [None, (0.3, 0.06), (0.1, 0.4)])
def test_parts_keep_apart_and_stay_on_the_sheet(
    five_bar: FlatAssembly, sheet: tuple[float, float] | None
) -> None:
    layout = arrange(five_bar, ground=True, sheet=sheet, spacing=0.005)
    boxes = [
        part.outline(five_bar.sizes).moved(place.x, place.y, place.angle).bounds
        for part, place in layout.places
    ]
    assert len(boxes) == 5
    for one, other in itertools.combinations(boxes, 2):
        gaps = [max(one[k] - other[k + 2], other[k] - one[k + 2]) for k in (0, 1)]
        assert max(gaps) >= 0.005 - 1e-9
    if sheet is not None:
        assert layout.sheets
        for x0, y0, x1, y1 in boxes:
            assert any(
                s[0] + 0.005 <= x0 + 1e-9 and x1 <= s[2] - 0.005 + 1e-9
                and s[1] + 0.005 <= y0 + 1e-9 and y1 <= s[3] - 0.005 + 1e-9
                for s in layout.sheets
            )  # fmt: skip


def test_a_part_that_does_not_fit_is_named(five_bar: FlatAssembly) -> None:
    with pytest.raises(FormatError, match=r"part '[ABDE]' measures .* sheet of 100 × 100 mm"):
        arrange(five_bar, sheet=(0.1, 0.1))
    with pytest.raises(UsageError, match="use one of nested, assembled"):
        arrange(five_bar, layout="pile")


def test_sheets_are_written_with_units() -> None:
    assert parse_sheet("600x400mm") == (0.6, 0.4)
    assert parse_sheet("60 cm x 400 mm") == (0.6, 0.4)
    assert parse_sheet("0.6×0.4") == (0.6, 0.4)
    for wrong in ("600mm", "600xwide", "0x400mm", "-1x2"):
        with pytest.raises(UsageError, match="sheet="):
            parse_sheet(wrong)


def test_labels_lie_on_their_parts_beside_the_holes() -> None:
    assembly = flat_assembly(kg.load("slider-crank"))
    for part in assembly.parts:
        label = label_of(part, assembly.sizes)
        assert label.text == f"{part.name} L{part.level}"
        x0, y0, x1, y1 = part.outline(assembly.sizes).bounds
        half = 0.4 * label.height * len(label.text)
        assert x0 <= label.at[0] - half and label.at[0] + half <= x1
        for hole in part.holes:
            dx = max(abs(hole.at[0] - label.at[0]) - half, 0)
            dy = max(abs(hole.at[1] - label.at[1]) - label.height / 2, 0)
            assert (dx**2 + dy**2) ** 0.5 > assembly.sizes.drilled / 2, part.name
        assert y0 < label.at[1] < y1
