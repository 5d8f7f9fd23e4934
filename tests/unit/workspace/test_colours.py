from __future__ import annotations

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.workspace.colours import colours_of, palette_colours, scale_colours


def test_the_papers_colours_go_from_orange_to_purple() -> None:
    found = palette_colours([0, 1, 2, 3, 4, 5], "paper").tolist()
    assert found[0] == found[5] == [255, 165, 0] and found[2] == [255, 0, 0]
    assert found[4] == [128, 0, 128]


def test_numbers_grow_lighter() -> None:
    light = scale_colours(np.linspace(2, 5, 20)).astype(int).sum(axis=1)
    assert (np.diff(light) > 0).all()
    assert scale_colours(np.array([9.0, -9.0]), (0, 1)).tolist() == [[255, 233, 69], [0, 32, 76]]


def test_one_value_alone_has_a_colour() -> None:
    assert scale_colours(np.full(3, 7.0)).shape == (3, 3)


def test_layers_choose_palette_or_scale() -> None:
    values = np.array([[0.0, 1.0]])
    assert (colours_of(values, "link") == palette_colours([0, 1])).all()
    assert (colours_of(values, "limits") == scale_colours(values.ravel())).all()
    with pytest.raises(UsageError, match="palettes: safe, paper"):
        palette_colours([0], "rainbow")
