"""Materials of parts: typical densities, for the masses in a parts list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from kinegen.errors import UsageError, did_you_mean
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.quantities import check_quantity, measure

__all__ = ["DENSITIES", "MATERIAL_OPTIONS", "Material", "material_named", "parse_material"]

DENSITIES: Mapping[str, float] = {
    "abs": 1050.0,
    "acrylic": 1190.0,
    "aluminium": 2700.0,
    "brass": 8500.0,
    "cardboard": 700.0,
    "mdf": 750.0,
    "petg": 1270.0,
    "pla": 1240.0,
    "plywood": 680.0,
    "polyamide": 1140.0,
    "pom": 1410.0,
    "stainless": 7900.0,
    "steel": 7850.0,
}
"""[kg/m³], as data sheets usually give them; a sheet of wood may differ by a tenth."""

MATERIAL_OPTIONS: Mapping[str, str] = {
    "material": f"material of the parts: {', '.join(DENSITIES)}; or any name with a density",
    "density": "density of the material, such as 1190 kg/m^3",
}


@dataclass(frozen=True, slots=True)
class Material:
    """What parts are made of."""

    name: str
    density: float
    """[kg/m³]"""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.density) and self.density > 0):
            raise UsageError(f"density must be greater than 0, not {self.density:g} kg/m³")


def material_named(name: str, density: float | None = None) -> Material:
    """A material of the table, or one with its own density [kg/m³]."""
    if density is not None:
        return Material(name, density)
    if name.lower() not in DENSITIES:
        hint = did_you_mean(name, DENSITIES)
        raise UsageError(
            f"material '{name}' is unknown{hint or ';'} known materials: {', '.join(DENSITIES)}; "
            "others need a density"
        )
    return Material(name.lower(), DENSITIES[name.lower()])


def parse_material(options: Mapping[str, str], default: str) -> Material:
    """The material that the options of a format name."""
    text = options.get("density")
    name = options.get("material", default if text is None else "given density")
    if text is None:
        return material_named(name)
    try:
        formula = parse_formula(text)
        problem = check_quantity(formula, measure(formula, {}), "density")
    except FormulaError as error:
        raise UsageError(f"density={text}: {error}") from None
    if problem or formula.value is None:
        raise UsageError(f"density={text}: it must be {problem or 'a number'}")
    return Material(name, formula.value)
