"""Tolerances exist once: those of compiled kernels and of the page are written from Python's."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from kinegen.kernels import tolerances
from kinegen.studio.wire.tables.tolerances import IN_KERNELS, read_table

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "src" / "kinegen" / "kernels" / "reference"
PROTOCOLS = REFERENCE.parent / "protocols"
KERNELS = ROOT / "native" / "kernel"
TABLE = "kinegen/kernels/tolerances.py"


def constants(file: Path) -> dict[str, float]:
    """Numbers that a Python module or a header gives to names in capitals, at its top level."""
    if file.suffix == ".hpp":
        found = re.findall(r"^constexpr \w+ ([^;\n]*);", file.read_text("utf-8"), re.MULTILINE)
        pairs = [part.split("=") for line in found for part in line.split(",") if "=" in part]
        return {name.strip(): number for name, text in pairs if (number := value(text)) is not None}
    out: dict[str, float] = {}
    for line in ast.parse(file.read_text("utf-8")).body:
        if isinstance(line, ast.Assign):
            target, given = line.targets[0], line.value
            both = isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple)
            names = target.elts if both else [target]
            values = given.elts if both else [given]
            for name, number in zip(names, values, strict=True):
                if isinstance(name, ast.Name) and isinstance(number, ast.Constant):
                    if isinstance(number.value, int | float) and name.id.isupper():
                        out[name.id.lstrip("_")] = number.value
    return out


def value(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def test_the_table_says_why() -> None:
    table = read_table()
    assert sorted(table) == tolerances.__all__
    for name, (number, reason) in table.items():
        assert float(number) == getattr(tolerances, name)
        assert len(reason.split()) > 3, name


def test_every_tolerance_of_the_kernels_is_used_there() -> None:
    text = "".join(file.read_text("utf-8") for file in KERNELS.rglob("*.hpp"))
    for name in IN_KERNELS:
        assert f"tolerance::{name}" in text, name


def test_no_other_module_has_a_constant_of_the_same_name() -> None:
    names, again = set(read_table()), []
    files = [*(ROOT / "src" / "kinegen").rglob("*.py"), *KERNELS.rglob("*.hpp")]
    for file in files:
        if not file.match(TABLE) and file.name != "tolerances.hpp":
            again += [f"{file.relative_to(ROOT)}: {name}" for name in names & set(constants(file))]
    assert again == []


def test_constants_of_one_name_have_one_value_in_a_room() -> None:
    """A kernel and its reference agree, under whatever stem each of them keeps the constant."""
    compared = 0
    for room in KERNELS.iterdir():
        compiled: dict[str, float] = {}
        for header in room.glob("*.hpp"):
            compiled |= constants(header)
        modules = [*(REFERENCE / room.name).glob("*.py")]
        for module in [*modules, *PROTOCOLS.glob(f"{room.name}.py")]:
            for name, number in constants(module).items():
                if name in compiled:
                    assert number == compiled[name], f"{room.name}/{module.stem}: {name}"
                    compared += 1
    assert compared > 90
