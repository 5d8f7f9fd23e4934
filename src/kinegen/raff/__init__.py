"""RAFF, the Robot Arm File Format: text in, checked values out, and back."""

from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.reading import Reading, read_raff

__all__ = ["Formula", "FormulaError", "Reading", "parse_formula", "read_raff"]
