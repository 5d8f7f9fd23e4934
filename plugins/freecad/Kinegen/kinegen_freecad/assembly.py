"""A mechanism as an assembly of FreeCAD: one part per link, moved by Kinegen's solver.

The assembly is an ``App::Part`` with one part per link and an object *Mechanism*, which keeps the
RAFF text, the pose, and the mechanism's parameters as properties. Whoever changes a parameter there
changes the mechanism.
"""

from __future__ import annotations

import os
from typing import Any

import FreeCAD
import Mesh
import numpy as np
from kinegen_host import Hand, Host, Look

from kinegen.errors import KinegenError
from kinegen.mechanism.shapes.shapes import MeshRef
from kinegen_freecad.solids import MM, placement_of, solid_of

__all__ = ["add_mechanism", "drag", "host_of", "insert", "link_of", "mechanism_in", "open"]

_PARAMETERS = "Parameters"
_SHOWN = {"length": ("Distance", MM), "angle": ("Angle", 180 / np.pi), "number": ("Float", 1.0)}
"""The kind of property that shows a quantity, and the factor from SI to what it shows."""


def open(filename: str) -> Any:
    """A new document with the mechanism of a file: FreeCAD's *File › Open*."""
    name = os.path.splitext(os.path.basename(filename))[0]
    document = FreeCAD.newDocument(name)
    insert(filename, document.Name)
    return document


def insert(filename: str, document: str) -> Any:
    """The mechanism of a file in a document: FreeCAD's *File › Import*."""
    return add_mechanism(FreeCAD.getDocument(document), Host.open(filename))


def add_mechanism(document: Any, host: Host) -> Any:
    """Add a mechanism to a document; its object *Mechanism*."""
    title = host.mechanism.title or host.mechanism.name
    assembly = document.addObject("App::Part", "Assembly")
    assembly.Label = title
    feature = document.addObject("App::FeaturePython", "Mechanism")
    assembly.addObject(feature)
    MechanismFeature(feature, host)
    for link, looks in enumerate(host.looks()):
        part = document.addObject("App::Part", "Link")
        part.Label = host.link_names[link]
        part.addProperty("App::PropertyString", "Link", "Kinegen", "The link that it shows")
        part.Link = host.link_names[link]
        part.setEditorMode("Link", 1)
        assembly.addObject(part)
        _fill(document, part, looks, host)
    feature.Proxy.place(feature)
    document.recompute()
    return feature


class MechanismFeature:
    """What an object *Mechanism* does."""

    def __init__(self, feature: Any, host: Host) -> None:
        self._host: Host | None = host
        feature.Proxy = self
        for kind, name, what in (
            ("String", "Text", "The mechanism as RAFF"),
            ("String", "Folder", "Where its mesh files are"),
            ("FloatList", "Configuration", "Joint variables [rad, m]"),
        ):
            feature.addProperty(f"App::Property{kind}", name, "Kinegen", what)
        feature.Text, feature.Folder = host.text(), host.folder
        feature.setEditorMode("Configuration", 1)
        for name, quantity in host.quantities().items():
            kind, scale = _SHOWN[quantity]
            feature.addProperty(f"App::Property{kind}", name, _PARAMETERS, "A number of the file")
            setattr(feature, name, host.model.parameters[name] * scale)

    def host(self, feature: Any) -> Host:
        """The mechanism in the pose of the document, which undo and opening a file change too."""
        if self._host is None:
            self._host = Host.of_text(feature.Text, feature.Folder)
        kept = np.array(feature.Configuration)
        if kept.shape == self._host.q.shape:
            self._host.q = kept
        return self._host

    def place(self, feature: Any) -> None:
        """Put every part where its link is."""
        host = self._host
        assert host is not None
        feature.Configuration = host.q.tolist()
        poses = dict(zip(host.link_names, host.link_poses(), strict=True))
        for part in _parts(feature, host):
            part.Placement = placement_of(poses[part.Link])

    def execute(self, feature: Any) -> None:
        """Follow changed parameters; called by FreeCAD when it recomputes."""
        host, changed = self.host(feature), False
        for name, quantity in host.quantities().items():
            _, scale = _SHOWN[quantity]
            wanted = float(getattr(feature, name)) / scale
            if abs(wanted - host.model.parameters[name]) <= 1e-12 * max(1.0, abs(wanted)):
                continue
            try:
                host.set_parameter(name, wanted)
            except KinegenError as error:
                setattr(feature, name, host.model.parameters[name] * scale)
                FreeCAD.Console.PrintError(f"Kinegen: {name}: {error}\n")
                continue
            changed = True
        if changed:
            feature.Text = host.text()
            for part, looks in zip(_parts(feature, host), host.looks(), strict=True):
                for old in list(part.Group):
                    feature.Document.removeObject(old.Name)
                _fill(feature.Document, part, looks, host)
            self.place(feature)

    # What FreeCAD saves with a document: nothing beyond the properties.

    def dumps(self) -> None:  # FreeCAD 0.21 and later
        return None

    def loads(self, state: object) -> None:
        self._host = None

    __getstate__, __setstate__ = dumps, loads  # FreeCAD 0.20


def mechanism_in(thing: Any) -> Any | None:
    """The object *Mechanism* of the assembly that an object is in, or is."""
    while thing is not None:
        for one in [thing, *getattr(thing, "Group", ())]:
            if isinstance(getattr(one, "Proxy", None), MechanismFeature):
                return one
        thing = thing.getParentGeoFeatureGroup()
    return None


def link_of(thing: Any) -> str | None:
    """The name of the link that an object shows."""
    while thing is not None:
        if hasattr(thing, "Link") and isinstance(thing.Link, str):
            return thing.Link
        thing = thing.getParentGeoFeatureGroup()
    return None


def host_of(feature: Any) -> Host:
    """The mechanism of an object *Mechanism*."""
    host: Host = feature.Proxy.host(feature)
    return host


def drag(feature: Any, name: str, target: Any, point: Any | None = None) -> bool:
    """Move a point of a link or frame to a place in the assembly; whether it got there.

    Args:
        feature: The object *Mechanism*.
        name: The link or frame.
        target: Where the point should be [mm].
        point: The point now [mm]; the frame's origin when not given.
    """
    at = None if point is None else np.array(point) / MM
    reached = Hand(host_of(feature), name, at).move(np.array(target) / MM)
    feature.Proxy.place(feature)
    return reached


def _parts(feature: Any, host: Host) -> list[Any]:
    """The parts that show links, in the links' order."""
    assembly = feature.getParentGeoFeatureGroup()
    found = {one.Link: one for one in assembly.Group if isinstance(getattr(one, "Link", None), str)}
    return [found[name] for name in host.link_names]


def _fill(document: Any, part: Any, looks: list[Look], host: Host) -> None:
    """Add what a link looks like to its part."""
    for look in looks:
        if isinstance(look.shape, MeshRef):
            made = _mesh(document, look.shape, host)
        else:
            made = document.addObject("Part::Feature", "Solid")
            made.Shape = solid_of(look.shape)
        if made is None:
            continue
        made.Label = look.shape.role.value
        part.addObject(made)
        if FreeCAD.GuiUp:
            made.ViewObject.ShapeColor = look.color


def _mesh(document: Any, shape: MeshRef, host: Host) -> Any | None:
    """A mesh file as an object; None, with a message, when FreeCAD cannot read it."""
    path = host.mesh_path(shape.file)
    if path is None:
        FreeCAD.Console.PrintWarning(f"Kinegen: mesh '{shape.file}' is missing\n")
        return None
    try:
        mesh = Mesh.Mesh(path)
    except Exception as error:  # whatever FreeCAD's readers raise
        FreeCAD.Console.PrintWarning(f"Kinegen: mesh '{shape.file}' cannot be read: {error}\n")
        return None
    scale = FreeCAD.Matrix()
    scale.scale(FreeCAD.Vector(*(MM * factor for factor in shape.scale)))
    mesh.transform(scale)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = shape.rotation, shape.translation
    made = document.addObject("Mesh::Feature", "Mesh")
    made.Mesh = mesh
    made.Placement = placement_of(X)
    return made
