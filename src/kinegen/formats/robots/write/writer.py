"""RobotWriter: what all writers of robot files do: an outline, a folder of meshes, a head."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from kinegen.formats.format import Written
from kinegen.formats.robots.write.mesh_out import MeshFolder
from kinegen.formats.robots.write.outline import Outline
from kinegen.formats.robots.write.outline_of import outline_of
from kinegen.formats.robots.write.xml_text import Element, xml_text
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism

__all__ = ["Order", "RobotWriter", "XmlWriter"]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be written."""

    mechanism: Mechanism
    file: str
    """Its name; empty: it has none yet."""
    q: Floats | None
    """The pose; None: the start."""
    motion: str | None
    """The recorded motion; None: all of them."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The format's own."""


class RobotWriter(ABC):
    """Writes one mechanism in one format."""

    UNITS: ClassVar[str] = "Metres, kilograms, radians."
    """What the head of the file says about its numbers."""
    HOLDS: ClassVar[tuple[str, ...]] = ()
    """What the format holds beside links and joints, as in ``outline_of``."""
    LINKS_AT_JOINTS: ClassVar[bool] = False
    """Whether the frame of a link must lie on its joint."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.outline: Outline = self.make_outline(order)
        self.meshes = MeshFolder(self.outline, order.mechanism.opener, order.file)

    @classmethod
    def write_file(
        cls,
        mechanism: Mechanism,
        *,
        options: Mapping[str, str],
        file: str = "",
        q: Floats | None = None,
        motion: str | None = None,
    ) -> Written:
        """A mechanism as a file with its meshes."""
        writer = cls(Order(mechanism, file, q, motion, options))
        text = writer.text()
        return Written(text, tuple(writer.outline.notes), writer.meshes.files)

    def make_outline(self, order: Order) -> Outline:
        """The outline of the mechanism in the pose."""
        return outline_of(
            order.mechanism, order.q, links_at_joints=self.LINKS_AT_JOINTS, holds=self.HOLDS
        )

    def head(self) -> list[str]:
        """Lines of comment: title, units, what was cut or left out."""
        title = f"{self.outline.title}, written by Kinegen. {self.UNITS}"
        return [title, *self.outline.notes]

    @abstractmethod
    def text(self) -> str:
        """The file's content."""


class XmlWriter(RobotWriter):
    """Writes one mechanism in a format of XML."""

    DOCTYPE: ClassVar[str] = ""

    def text(self) -> str:
        """The file's content."""
        root = self.write()
        return xml_text(root, self.head(), doctype=self.DOCTYPE)

    @abstractmethod
    def write(self) -> Element:
        """The file's root element; what it does not hold goes to the outline's notes."""
