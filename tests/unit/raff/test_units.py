import math

import pytest

from kinegen.raff.units import match_unit, quantity_of, unit_symbols, units_of


@pytest.mark.parametrize(
    ("text", "size", "quantity"),
    [
        ("m", 1, "length"),
        ("mm", 1e-3, "length"),
        ("cm", 1e-2, "length"),
        ("um", 1e-6, "length"),
        ("µm", 1e-6, "length"),
        ("km", 1e3, "length"),
        ("in", 0.0254, "length"),
        ("ft", 0.3048, "length"),
        ("rad", 1, "angle"),
        ("deg", math.pi / 180, "angle"),
        ("°", math.pi / 180, "angle"),
        ("mrad", 1e-3, "angle"),
        ("turn", math.tau, "angle"),
        ("g", 1e-3, "mass"),
        ("t", 1e3, "mass"),
        ("lb", 0.45359237, "mass"),
        ("ms", 1e-3, "time"),
        ("min", 60, "time"),
        ("kN", 1e3, "force"),
        ("kgf", 9.80665, "force"),
        ("N.m", 1, "torque"),
        ("Nm", 1, "torque"),
        ("mNm", 1e-3, "torque"),
        ("kgcm", 0.0980665, "torque"),
        ("kg.cm", 0.0980665, "torque"),
        # 1 ozf in = 7.06155 mN m (NIST SP 811, appendix B.8)
        ("ozin", 7.061552e-3, "torque"),
        ("mm/s", 1e-3, "speed"),
        ("deg/s", math.pi / 180, "angular speed"),
        ("°/s", math.pi / 180, "angular speed"),
        ("rpm", math.tau / 60, "angular speed"),
        ("m/s2", 1, "acceleration"),
        ("m/s^2", 1, "acceleration"),
        ("m/s²", 1, "acceleration"),
        ("rad/s2", 1, "angular acceleration"),
        ("g/cm3", 1000, "density"),
        ("kg/m^3", 1, "density"),
        ("gcm2", 1e-7, "inertia"),
        ("kg.m2", 1, "inertia"),
        ("kgm2", 1, "inertia"),
        ("N/mm", 1000, "stiffness"),
        ("Nm/rad", 1, "angular stiffness"),
        ("Nm.s/rad", 1, "angular damping"),
        ("N.s/m", 1, "damping"),
        ("kHz", 1e3, "frequency"),
        ("%", 0.01, "number"),
    ],
)
def test_units_have_their_size_and_quantity(text: str, size: float, quantity: str) -> None:
    unit = match_unit(text, 0)
    assert unit is not None
    assert unit.text == text
    assert unit.numerator / unit.denominator == pytest.approx(size, rel=1e-6)
    assert quantity_of(unit.dimension) == quantity


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("mm/2", "mm"),  # a division by two
        ("mm/crank", "mm"),
        ("mm/t", "mm"),  # t is a tonne, but nobody means mm per tonne
        ("m/s*2", "m/s"),
        ("N.m/rad)", "N.m/rad"),
        ("kg.cm2", "kg.cm2"),  # an inertia, not the torque kg.cm
        ("mm^2+1", "mm^2"),
    ],
)
def test_the_longest_unit_is_taken_and_no_more(text: str, unit: str) -> None:
    found = match_unit(text, 0)
    assert found is not None
    assert found.text == unit


@pytest.mark.parametrize("text", ["crank", "mmm", "m_x", "", "5", "metre", "mm25"])
def test_other_words_are_no_units(text: str) -> None:
    assert match_unit(text, 0) is None


def test_suggested_units_measure_what_they_are_suggested_for() -> None:
    for quantity in ("length", "angle", "mass", "torque", "angular speed", "density", "inertia"):
        for text in units_of(quantity):
            unit = match_unit(text, 0)
            assert unit is not None and quantity_of(unit.dimension) == quantity


def test_every_symbol_is_matched_whole() -> None:
    for symbol in unit_symbols():
        unit = match_unit(symbol, 0)
        assert unit is not None and unit.text == symbol


def test_a_dimension_without_a_name_is_written_in_si() -> None:
    assert quantity_of((5, 0, -1, 0)) == "quantity in m^5 s^-1"
