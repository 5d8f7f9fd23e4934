"""Formula curves, surfaces and volumes."""

import math

import numpy as np
import pytest

from kinegen.curves import (
    SURFACES,
    VOLUMES,
    Surface,
    Volume,
    formula_curve,
    surface,
    volume,
)
from kinegen.curves.formula import read_formula, values_of
from kinegen.errors import KinegenError, UsageError
from kinegen.raff.formulas.tokens import FormulaError


def test_units_and_parameters() -> None:
    curve = formula_curve("20 cm + r*cos(t)", "r*sin(t)", "5 mm", t=(0, "360 deg"),
                          parameters={"r": 0.1})  # fmt: skip
    xyz = curve.evaluate(np.array([0.0, 0.25])).xyz
    assert np.allclose(xyz, [[0.3, 0, 0.005], [0.2, 0.1, 0.005]])
    assert curve.is_closed


def test_array_values_equal_single_ones() -> None:
    texts = [
        "sin(t)+cos(t)*tan(t)-atan2(t,2)", "min(t,1,2)*max(t,0)", "hypot(t,1,2)", "t^2/(1+abs(t))",
        "floor(t)+ceil(t)+round(t)+sign(t)", "exp(t)*sqrt(abs(t))", "asin(t/9)+acos(t/9)+atan(t)",
        "log(t+10)", "-t",
    ]  # fmt: skip
    t = np.linspace(-2.3, 2.4, 13)
    for text in texts:
        formula = read_formula(text, ["t"], "x", quantity="number")
        one = [formula.evaluate({"t": float(x)}) for x in t]
        assert np.allclose(values_of(formula, {"t": t}, len(t)), one, rtol=1e-14)


def test_errors_point_at_the_character() -> None:
    with pytest.raises(FormulaError) as error:
        formula_curve("1 + spam", "0", "0")
    assert error.value.offset == 4
    with pytest.raises(FormulaError) as error:
        formula_curve("1 + (t", "0", "0")
    assert error.value.offset == 4
    with pytest.raises(KinegenError, match="angle"):
        formula_curve("30 deg", "0", "0")
    with pytest.raises(FormulaError):
        formula_curve("__import__('os')", "0", "0")


@pytest.mark.parametrize(
    ("text", "word"),
    [("1/t", "division by zero"), ("exp(1000*t)", "too large"), ("log(t)", "log needs")],
)
def test_points_without_value_have_their_reason(text: str, word: str) -> None:
    found = formula_curve("0", text, "0", t=(-1, 1)).sample(21, even=False)
    missing = np.flatnonzero(~found.exist)
    assert 0 < len(missing) < 21
    assert all(word in found.reason(i) and found.reason(i).startswith("y:") for i in missing)


def test_bad_ranges_are_refused() -> None:
    with pytest.raises(KinegenError):
        formula_curve("t", "t", "t", t=(0, float("nan")))
    with pytest.raises(UsageError, match="two numbers"):
        formula_curve("t", "t", "t", t=(0, "b"))
    with pytest.raises(UsageError, match="two numbers"):
        formula_curve("t", "t", "t", t=(0,))  # type: ignore[arg-type]


def test_surface_gives_y_of_the_two_others() -> None:
    made = Surface("x1 + 2*x2", x1=(0, 1), x2=(0, 3), curves=4)
    xyz = made.curve(2).evaluate(np.array([0.5])).xyz[0]
    assert np.allclose(xyz, [0.5, 0.5 + 4, 2])
    across = made.curve(0, along="x2").evaluate(np.array([1.0])).xyz[0]
    assert np.allclose(across, [0, 6, 3])
    normal = made.curve(1).sample(3).normals
    assert normal is not None
    plane = np.array([1, -1, 2]) / math.sqrt(6)
    assert np.allclose(np.abs(normal @ plane), 1)
    assert made.grid(5).shape == (4, 5, 3)


@pytest.mark.parametrize("name", list(SURFACES))
def test_menu_of_surfaces_works(name: str) -> None:
    found = surface(name).curve(10).sample(15)
    assert found.exist.sum() >= 10
    assert np.nanmax(np.abs(found.xyz)) < 0.5


def test_a_dome_is_empty_in_its_corners() -> None:
    found = surface("dome").curve(0).sample(21)
    assert not found.exist[0]
    assert "sqrt" in found.reason(0)


def test_surface_errors_show_the_users_text() -> None:
    with pytest.raises(FormulaError, match="'y1'"):
        Surface("x1 + y1")
    with pytest.raises(KinegenError, match="plain"):
        surface("plain")
    with pytest.raises(UsageError, match="0 to 19"):
        surface("plane").curve(20)


def test_the_papers_volumes() -> None:
    assert {name: each.curves for name, each in VOLUMES.items()} == {
        "hyperbolic-paraboloid": 25, "epicycloid": 70, "moebius-belt": 28, "latitudinal-sphere": 28,
    }  # fmt: skip
    # eq. 25-27 at u = 1, v = 0.5
    point = Volume(*_texts("hyperbolic-paraboloid"), u=(1, 1), v=(0.5, 0.5), curves=1)
    expected = [30 + 10 * math.sin(1), 30 + 10 * math.cos(1.5), 18 * math.exp(-0.5)]
    assert np.allclose(point.curve(0).evaluate(np.array([0.0])).xyz[0] * 100, expected)
    # the sphere's curves are circles of latitude: one height each
    heights = volume("latitudinal-sphere").curve(3).sample(28).xyz[:, 2]
    assert np.ptp(heights) < 1e-12
    # eq. 32 means y: the middle line of the belt is a circle of 5 cm about (20, 20)
    middle = volume("moebius-belt").curve(0).sample(28).xyz
    assert np.allclose(np.hypot(middle[:, 0] - 0.2, middle[:, 1] - 0.2), 0.05)


def test_closedness_is_checked_not_believed() -> None:
    assert np.allclose(volume("latitudinal-sphere").gaps(), 0, atol=1e-12)
    # u from 0 to 6 leaves 2.8 cm of a whole turn open, and the belt closes after two turns only
    assert abs(volume("hyperbolic-paraboloid").gaps()[0] - 0.028) < 0.001
    belt = volume("moebius-belt")
    assert belt.gaps()[0] < 1e-12
    assert belt.gaps()[27] > 0.05
    twice = Volume(*_texts("moebius-belt"), u=(0, "720 deg"), v=(0, "360 deg"))
    assert np.allclose(twice.gaps(), 0, atol=1e-12)


def _texts(name: str) -> tuple[str, str, str]:
    found = volume(name)
    return found.x, found.y, found.z


def test_even_spacing_does_not_follow_a_pole() -> None:
    found = formula_curve("1 cm/t", "30 cm", "0", t=(-1, 1)).sample(201)
    exist = found.exist
    assert 150 < exist.sum() < 201
    assert np.abs(found.xyz[exist, 0]).max() < 0.25
    middle = np.flatnonzero(~exist)
    assert "next to a pole" in found.reason(int(middle[0]))
    # what has no pole keeps all its points, however steep it is
    steep = formula_curve("1 cm/(t^2 + 0.0001)", "t", "0", t=(-1, 1)).sample(201)
    assert steep.exist.all()


def test_an_overflow_leaves_out_the_rest() -> None:
    found = formula_curve("exp(t)", "0", "0", t=(0, 1000)).sample(2001, even=False)
    exist = np.flatnonzero(found.exist)
    assert exist[0] == 0 and 10 < len(exist) < 40
    assert "too large" in found.reason(2000) or "exp" in found.reason(2000)


def test_a_curve_without_length_is_refused() -> None:
    with pytest.raises(UsageError, match="must have a length"):
        formula_curve("20 cm", "30 cm", "0")
