"""The text of a USD file: prims with attributes and children."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kinegen.formats.robots.write.out_names import OutNames, identifier
from kinegen.formats.robots.write.xml_text import number

__all__ = ["Prim", "quoted", "tuple_text", "usda_text"]


@dataclass(slots=True)
class Prim:
    """A prim with its schemas, attributes and children."""

    kind: str
    name: str
    apis: list[str] = field(default_factory=list)
    """Schemas applied to it."""
    attributes: dict[str, str] = field(default_factory=dict)
    """Text of each value by type and name."""
    children: list[Prim] = field(default_factory=list)
    names: OutNames = field(default_factory=lambda: OutNames(identifier))
    """Of its children."""
    scale: Iterable[float] | None = None

    def set(self, key: str, value: str | float) -> None:
        """An attribute: type and name, and its value as text or number."""
        self.attributes[key] = value if isinstance(value, str) else number(value)

    def child(self, kind: str, name: str) -> Prim:
        """A new child."""
        made = Prim(kind, name)
        self.children.append(made)
        return made

    def lines(self, indent: str = "") -> list[str]:
        """Its text."""
        head = f'{indent}def {self.kind} "{self.name}"'
        if self.apis:
            listed = ", ".join(f'"{one}"' for one in self.apis)
            head += f" (\n{indent}    prepend apiSchemas = [{listed}]\n{indent})"
        made = [head, f"{indent}{{"]
        made += [f"{indent}    {key} = {value}" for key, value in self.attributes.items()]
        for child in self.children:
            made += ["", *child.lines(indent + "    ")]
        return [*made, f"{indent}}}"]


def usda_text(prims: Iterable[Prim], default: str, doc: Iterable[str]) -> str:
    """The text of a file in metres and kilograms, z up."""
    head = [
        "#usda 1.0",
        "(",
        f'    defaultPrim = "{default}"',
        f"    doc = {quoted(chr(10).join(doc))}",
        "    kilogramsPerUnit = 1",
        "    metersPerUnit = 1",
        '    upAxis = "Z"',
        ")",
    ]
    parts = ["\n".join(prim.lines()) for prim in prims]
    return "\n\n".join(["\n".join(head), *parts]) + "\n"


def quoted(text: str) -> str:
    """A string, over several lines where it has several."""
    plain = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    safe = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{safe}"""' if "\n" in safe else f'"{safe}"'


def tuple_text(values: Iterable[float]) -> str:
    """A vector or a quaternion."""
    return f"({', '.join(number(float(one)) for one in values)})"
