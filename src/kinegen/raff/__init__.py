"""RAFF, the Robot Arm File Format: text in, checked values out, and back."""

from kinegen.raff.formula import Formula
from kinegen.raff.formula_parser import parse_formula
from kinegen.raff.reading import Reading, read_raff
from kinegen.raff.tokens import FormulaError

__all__ = ["Formula", "FormulaError", "Reading", "parse_formula", "read_raff"]
