"""Model descriptions: the XML that says what a unit has, for FMI 2 and FMI 3."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.formats.fmi.units import UNITS
from kinegen.formats.fmi.variable import FmuVariable, VariableKind
from kinegen.version import __version__

__all__ = ["FmuFacts", "model_description"]


@dataclass(frozen=True, slots=True)
class FmuFacts:
    """What a description says of a unit beside its variables."""

    name: str
    identifier: str
    """Name of the binary and of C functions."""
    token: str
    description: str
    step: float
    """Of the engine [s]."""


def model_description(version: int, facts: FmuFacts, variables: Sequence[FmuVariable]) -> bytes:
    """The text of ``modelDescription.xml``.

    Args:
        version: 2 or 3.
        facts: About the unit.
        variables: Its variables; their places are the value references.
    """
    two = version == 2
    root = ET.Element(
        "fmiModelDescription",
        {
            "fmiVersion": f"{version}.0",
            "modelName": facts.name,
            "guid" if two else "instantiationToken": facts.token,
            "description": facts.description,
            "generationTool": f"Kinegen {__version__}",
            "variableNamingConvention": "structured",
        },
    )
    state = "FMUstate" if two else "FMUState"
    slave = {
        "modelIdentifier": facts.identifier,
        "canHandleVariableCommunicationStepSize": "true",
        f"canGetAndSet{state}": "true",
        f"canSerialize{state}": "true",
    }
    if two:
        slave["canNotUseMemoryManagementFunctions"] = "true"
    ET.SubElement(root, "CoSimulation", slave)
    _add_units(root, {one.unit for one in variables})
    categories = ET.SubElement(root, "LogCategories")
    ET.SubElement(
        categories, "Category", {"name": "logStatusError", "description": "why a call failed"}
    )
    ET.SubElement(
        root, "DefaultExperiment", {"startTime": "0", "stopTime": "5", "stepSize": "0.01"}
    )
    listed = ET.SubElement(root, "ModelVariables")
    # FMI 2 does not need the time, and FMI Library (libcosim, PyFMI) takes its lack of a start for
    # an error
    shown = [i for i, one in enumerate(variables) if not (two and one.kind is VariableKind.TIME)]
    for reference in shown:
        _add_variable(listed, reference, variables[reference], two=two)
    structure = ET.SubElement(root, "ModelStructure")
    outputs = [i for i in shown if variables[i].kind.causality == "output"]
    if two:
        for name in ("Outputs", "InitialUnknowns"):
            part = ET.SubElement(structure, name)
            for i in outputs:
                ET.SubElement(part, "Unknown", {"index": str(shown.index(i) + 1)})
    else:
        for name in ("Output", "InitialUnknown"):
            for i in outputs:
                ET.SubElement(structure, name, {"valueReference": str(i)})
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_units(root: ET.Element, used: set[str]) -> None:
    part = ET.SubElement(root, "UnitDefinitions")
    for name, (powers, shown) in UNITS.items():
        if name not in used:
            continue
        unit = ET.SubElement(part, "Unit", {"name": name})
        ET.SubElement(unit, "BaseUnit", {key: f"{power:g}" for key, power in powers.items()})
        for one in shown:
            ET.SubElement(unit, "DisplayUnit", {"name": one.name, "factor": repr(one.factor)})


def _add_variable(listed: ET.Element, reference: int, one: FmuVariable, *, two: bool) -> None:
    causality, kind = one.kind.causality, {"unit": one.unit}
    said = {
        "name": one.name,
        "valueReference": str(reference),
        "description": one.description,
        "causality": causality,
        "variability": one.kind.variability,
    }
    if causality == "parameter":
        said["initial"] = "exact"
    elif causality == "output":
        said["initial"] = "calculated"
    shown = UNITS[one.unit][1]
    if shown:
        kind["displayUnit"] = shown[0].name
    for key, end in (("min", one.minimum), ("max", one.maximum)):
        if end is not None:
            kind[key] = repr(end)
    if causality in ("parameter", "input"):
        kind["start"] = repr(one.start)
    if two:
        ET.SubElement(ET.SubElement(listed, "ScalarVariable", said), "Real", kind)
    else:
        ET.SubElement(listed, "Float64", {**said, **kind})
