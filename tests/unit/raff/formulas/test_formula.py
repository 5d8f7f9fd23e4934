import copy
import math
import pickle

import pytest

from kinegen.errors import NumberError
from kinegen.raff.formulas.formula import Formula, format_number
from kinegen.raff.formulas.operations import FUNCTIONS, OPERATIONS
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError

VALUES = {"crank": 0.15, "coupler": 0.25, "a": 2.0, "b": 3.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.25", 0.25),
        ("+.5", 0.5),
        ("1e-3", 0.001),
        ("7.", 7.0),
        ("150 mm", 0.15),
        ("150mm", 0.15),
        ("-90 deg", -math.pi / 2),
        ("90°", math.pi / 2),
        ("2*pi", math.tau),
        ("tau/4", math.pi / 2),
        ("2 + 3*4", 14.0),
        ("(2 + 3)*4", 20.0),
        ("10 - 4 - 3", 3.0),
        ("24/4/3", 2.0),
        ("2^3^2", 512.0),
        ("2**3", 8.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("--3", 3.0),
        ("(1 + 1) mm", 0.002),
        ("1/2 mm", 0.0005),  # a fraction as people write it
        ("-1/8 in", -0.003175),
        ("3 1/2 in", 0.0889),
        ("1/4 turn", math.pi / 2),
        ("2*1/8 in", 0.00635),
        ("1 m - 1/4 m", 0.75),
        ("1/(8 m)", 0.125),  # division by 8 m
        ("150 mm/2", 0.075),
        ("min(3, 1, 2)", 1.0),
        ("max(1, 2)", 2.0),
        ("hypot(3, 4)", 5.0),
        ("hypot(2, 3, 6)", 7.0),
        ("atan2(1, 1)", math.pi / 4),
        ("round(2.5) + floor(1.9) + ceil(0.1) + sign(-3) + abs(-2)", 5.0),
        ("sqrt(2)^2", 2.0000000000000004),
        ("log(exp(1))", 1.0),
        ("asin(1) + acos(1) + atan(0)", math.pi / 2),
        ("5 %", 0.05),
    ],
)
def test_constants_are_computed(text: str, value: float) -> None:
    formula = parse_formula(text)
    assert formula.value == value
    assert formula.names == frozenset()
    assert formula.text == text
    assert formula.postfix() == (("const", value),)


@pytest.mark.parametrize("length", [35, 57, 150, 0.1, 33.3, 1009, 12.7])
def test_units_in_decimal_fractions_are_exact(length: float) -> None:
    """150 mm is the same number as 0.150: the decimal point is shifted."""
    assert parse_formula(f"{length} mm").value == float(f"{length}e-3")


@pytest.mark.parametrize(
    ("text", "value", "names"),
    [
        ("crank", 0.15, {"crank"}),
        ("2*crank*sin(pi/6)", 0.15, {"crank"}),
        ("coupler/2 + 10 mm", 0.135, {"coupler"}),
        ("-a^b", -8.0, {"a", "b"}),
        ("(a) deg", math.radians(2), {"a"}),
        ("min(a, b, crank)", 0.15, {"a", "b", "crank"}),
        ("a - b - 1", -2.0, {"a", "b"}),
    ],
)
def test_formulas_over_parameters(text: str, value: float, names: set[str]) -> None:
    formula = parse_formula(text)
    assert formula.value is None
    assert formula.names == names
    assert formula.evaluate(VALUES) == pytest.approx(value, rel=1e-15)


def test_postfix_is_a_stack_program_with_folded_constants() -> None:
    assert parse_formula("2*pi*crank - 1").postfix() == (
        ("const", math.tau),
        ("name", "crank"),
        ("mul", 0),
        ("const", 1.0),
        ("sub", 0),
    )


def test_every_function_can_be_called_and_is_an_operation() -> None:
    for name, count in FUNCTIONS.items():
        arguments = ", ".join(["0.5"] * (count or 2))
        assert parse_formula(f"{name}({arguments})").value is not None
        assert OPERATIONS[name][0] == (count or 2)


@pytest.mark.parametrize(
    ("text", "offset", "reason"),
    [
        ("", 0, "a number or a formula is missing"),
        ("150 mmm", 4, "unknown unit 'mmm'; did you mean 'mm'?"),
        ("3 degrees", 2, "unknown unit 'degrees'; did you mean 'deg'?"),
        ("2 crank", 2, "unknown unit 'crank'; to multiply, put * before it"),
        ("2*(1 + 3", 2, "this '(' is not closed"),
        ("2)", 1, "')' has no '(' before it"),
        ("1 +", 3, "ends unexpectedly"),
        ("1 + * 2", 4, "a value is missing before '*'"),
        ("a b", 2, "an operator is missing before 'b'"),
        ("1 2", 2, "an operator is missing before '2'"),
        ("1,5", 1, "decimals need a point"),
        ("n/8 in", 0, "unclear: write (n/8) in, or n/(8 in)"),
        ("2*n/4 turn", 2, "unclear: write (n/4) turn, or n/(4 turn)"),
        ("sinn(1)", 0, "unknown function 'sinn'; did you mean 'sin'?"),
        ("sin 1", 0, "'sin' is a function; write sin(…)"),
        ("sin(1, 2)", 0, "sin needs 1 value, not 2"),
        ("atan2(1)", 0, "atan2 needs 2 values, not 1"),
        ("min(1)", 0, "min needs two or more values, not 1"),
        ("1/0", 1, "division by zero"),
        ("sqrt(-1)", 0, "sqrt needs a number that is not negative"),
        ("asin(2)", 0, "from -1 to 1"),
        ("(-8)^(1/3)", 4, "not a real number"),
        ("1e999", 0, "too large"),
        ("2*1e308*10", 1, "too large"),
        ("10^400", 2, "too large"),
        ("1e308 km", 6, "too large"),
        ("−3", 0, "write '-'"),
        ("2×3", 1, "write '*'"),
        ("2*π", 2, "write 'pi'"),
        ("0x1F", 1, "write it in decimals"),
        ("1_000", 1, "without '_'"),
        ("a = 3", 2, "'=' is not part of a formula"),
        ("[1]", 0, "group with ( )"),
        ("__import__('os')", 11, "not understood"),
        ("open(3)", 0, "unknown function 'open'"),
        ("a; b", 1, "not understood"),
        ("(" * 60 + "1" + ")" * 60, 50, "nested more than 50 deep"),
        ("1" + "^1" * 80, 100, "nested more than 50 deep"),
        ("1+" * 3000 + "1", 0, "too long"),
    ],
)
def test_bad_formulas_say_what_and_where(text: str, offset: int, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    assert reason in caught.value.reason
    assert caught.value.offset == offset
    assert isinstance(caught.value, NumberError)


def test_errors_pass_between_processes() -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula("2 mmm")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.offset == 2


def test_long_chains_need_no_deep_stack() -> None:
    assert parse_formula("+".join(["a"] * 1500)).evaluate({"a": 1.0}) == 1500
    assert parse_formula("-" * 2001 + "1").value == -1


def test_evaluation_errors_name_the_formula_and_the_reason() -> None:
    with pytest.raises(NumberError, match=r"'1/\(a - b\)' cannot be computed: division by zero"):
        parse_formula("1/(a - b)").evaluate({"a": 1.0, "b": 1.0})
    with pytest.raises(NumberError, match="needs 'crnk', which has no value; did you mean 'crank'"):
        parse_formula("crnk").evaluate(VALUES)
    with pytest.raises(NumberError, match="too large"):
        parse_formula("exp(a)").evaluate({"a": 1e4})
    with pytest.raises(NumberError, match="not a finite"):
        parse_formula("a").evaluate({"a": math.inf})


def test_renaming_changes_text_and_meaning() -> None:
    formula = parse_formula("2*crank + min(crank, a)/sin(a)")
    moved = formula.renamed(lambda name: f"left-arm.{name}")
    assert moved.text == "2*left-arm.crank + min(left-arm.crank, left-arm.a)/sin(left-arm.a)"
    assert moved.names == {"left-arm.crank", "left-arm.a"}
    values = {f"left-arm.{name}": value for name, value in VALUES.items()}
    assert moved.evaluate(values) == formula.evaluate(VALUES)
    again = moved.renamed(lambda name: f"x.{name}")
    assert again.text.startswith("2*x.left-arm.crank + min(x.left-arm.crank, x.left-arm.a)")
    back = again.renamed(lambda name: name.rpartition(".")[2])
    assert back == formula and back.text == formula.text
    assert back.name_places() == formula.name_places()


def test_formulas_are_values() -> None:
    formula = parse_formula("150 mm")
    assert formula == Formula.constant(0.15) == parse_formula("0.15")
    assert hash(formula) == hash(parse_formula("0.15"))
    assert formula != parse_formula("0.16") and formula != "150 mm"
    assert parse_formula("a + b") == parse_formula("a+b") != parse_formula("b + a")
    assert copy.deepcopy(formula) is formula
    loaded = pickle.loads(pickle.dumps(parse_formula("2*a")))
    assert loaded == parse_formula("2*a") and loaded.text == "2*a"
    with pytest.raises(AttributeError, match="cannot change"):
        formula.text = "x"


def test_constants_must_be_finite() -> None:
    assert Formula.constant(2.0).text == "2"
    with pytest.raises(NumberError, match="not a finite number"):
        Formula.constant(math.nan)


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2"), (0.1, "0.1"), (-0.0, "-0"), (1e22, "1e22"), (1e-7, "1e-07")]
)
def test_numbers_are_written_shortest(value: float, text: str) -> None:
    assert format_number(value) == text
    assert parse_formula(text).value == value
