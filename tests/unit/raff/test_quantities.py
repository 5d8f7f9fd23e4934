import pytest

from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.quantities import Measure, check_quantity, measure
from kinegen.raff.units import dimension_of

NAMES = {
    "crank": Measure(dimension_of("length")),
    "tilt": Measure(dimension_of("angle")),
    "load": Measure(dimension_of("mass")),
    "any": None,
}


def problem(text: str, quantity: str) -> str:
    formula = parse_formula(text)
    return check_quantity(formula, measure(formula, NAMES), quantity)


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("0.3", "length"),
        ("0.3", "angle"),
        ("3 mm", "length"),
        ("any", "length"),
        ("any + 3 mm", "length"),
        ("crank + 0.1", "length"),
        ("2*crank*sin(tilt)", "length"),
        ("crank*any", "torque"),
        ("crank*tilt", "length"),  # an arc
        ("crank/crank", "angle"),
        ("atan2(crank, 2*crank)", "angle"),
        ("asin(crank/(2*crank)) + tilt", "angle"),
        ("sqrt(crank^2 + (3 mm)^2)", "length"),
        ("hypot(crank, 3 mm)", "length"),
        ("load*9.81*crank", "torque"),  # 9.81 stands for an acceleration
        ("load*9.81 m/s2*crank", "torque"),
        ("(2*3) mm", "length"),
        ("(any) mm", "length"),
        ("crank/(2 s)", "speed"),
        ("tilt/(2 s)", "angular speed"),
        ("5 Hz*tilt", "angular speed"),
        ("round(crank/(1 mm))*(1 mm)", "length"),
        ("min(crank, 10 mm, 0.1)", "length"),
        ("abs(-3 deg)", "angle"),
        ("pi/2", "angle"),
        ("sqrt(crank*(3 mm))", "length"),
        ("(crank^3)^(1/3)", "length"),
        ("0.3*crank/(3 mm)", "length"),  # 0.3 may stand for a length
    ],
)
def test_what_fits_is_accepted(text: str, quantity: str) -> None:
    assert problem(text, quantity) == ""


@pytest.mark.parametrize(
    ("text", "quantity", "message"),
    [
        ("3 deg", "length", "a length; 'deg' is a unit of angle: use m, mm, cm, in, …"),
        ("3 mm", "angle", "an angle; 'mm' is a unit of length: use rad, deg, …"),
        ("3 kg", "length", "a length; 'kg' is a unit of mass"),
        ("2 Hz", "angular speed", "'Hz' is a unit of frequency: use rad/s, deg/s, rpm, …"),
        ("2 Nm", "angular stiffness", "'Nm' is a unit of torque: use Nm/rad"),
        ("5 mm", "number", "a number; 'mm' is a unit of length: write it without a unit"),
        ("crank", "angle", "an angle, but 'crank' is a length"),
        ("2*crank", "angle", "an angle, but '2*crank' is a length"),
        ("tilt/2", "length", "a length, but 'tilt/2' is an angle"),
        ("load", "length", "is a mass"),
        ("asin(0.5)", "length", "is an angle"),
        ("crank^2", "length", "is an area"),
        ("crank*load", "length", "a quantity in m kg"),
        ("sqrt(100 mm)", "length", "is a quantity in m^0.5"),
        ("crank^(1/3)", "length", "is a quantity in m^0.333333"),
        ("1/(8 in)", "length", "is a quantity in m^-1"),
        ("crank/(3 mm)", "length", "'crank/(3 mm)' is a ratio without a unit"),
        ("sign(3 mm)", "length", "is a ratio without a unit"),
        ("crank/(3 mm)", "mass", "is a ratio without a unit"),
    ],
)
def test_what_does_not_fit_is_reported(text: str, quantity: str, message: str) -> None:
    assert message in problem(text, quantity)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("crank + tilt", "'crank + tilt' adds an angle to a length"),
        ("3 mm - 3 deg", "subtracts an angle from a length"),
        ("2*crank + 90 deg", "adds an angle to a length"),
        ("max(crank, tilt)", "max compares a length with an angle"),
        ("sin(crank)", "sin needs an angle, not a length"),
        ("asin(crank)", "asin needs a ratio, not a length"),
        ("log(load)", "log needs a plain number, not a mass"),
        ("(crank) mm", "is already a length"),
        ("asin(0.5) deg", "is already an angle"),
        ("3^2 in", "an exponent must be a plain number, not a length"),
        ("(2 mm)^(1 mm)", "an exponent must be a plain number"),
        ("floor(25.4 mm)", "floor needs a plain number, not a length"),
        ("atan2(crank, load)", "atan2 compares a length with a mass"),
    ],
)
def test_impossible_sums_are_errors(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        measure(parse_formula(text), NAMES)
    assert reason in caught.value.reason
