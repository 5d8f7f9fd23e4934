"""Shapes of SDF links: visuals with their colours, and shapes for collisions."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from kinegen.formats.robots.read.robot import Robot, RobotLink, RobotShape
from kinegen.formats.robots.read.sdf_reader.scope import Scope, number, numbers, word
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import Transform, compose, inverse

__all__ = ["SdfShapes"]

_PARTS = {"pose", "geometry", "material", "transparency", "cast_shadows", "visibility_flags",
          "laser_retro", "max_contacts"}  # fmt: skip


class SdfShapes:
    """Reads what links look like."""

    def __init__(self, robot: Robot, unknown: Callable[[Element, str], None]) -> None:
        self.robot, self.unknown = robot, unknown

    def read(self, scope: Scope, name: str, element: Element, link: RobotLink) -> None:
        """All visuals and collisions of a link."""
        for tag, shapes in (("visual", link.shapes), ("collision", link.collisions)):
            for one in element.findall(tag):
                shape = self.shape(scope, name, one)
                if shape is not None:
                    shapes.append(shape)
                for part in one:
                    if part.tag not in _PARTS:
                        self.unknown(part, tag)

    def shape(self, scope: Scope, link: str, element: Element) -> RobotShape | None:
        """One visual or collision; None where it has no shape that RAFF knows."""
        geometry = element.find("geometry")
        form = next(iter(geometry), None) if geometry is not None else None
        if form is None or form.tag == "empty":
            return None
        shape = self.form(scope, form)
        if shape is None:
            return None
        shape.at = form
        shape.X_LS = self.place(scope, link, element.find("pose"))
        shape.color = self.color(element)
        return shape

    def place(self, scope: Scope, link: str, pose: Element | None) -> Transform:
        """Pose in the link: relative to it unless the file says otherwise."""
        X = scope.raw_pose(pose)
        frame = "" if pose is None else pose.get("relative_to", "")
        if pose is None or not frame:
            return X
        X_ML = scope.pose_of(link, pose)
        return compose(compose(inverse(X_ML), scope.pose_of(frame, pose)), X)

    def form(self, scope: Scope, form: Element) -> RobotShape | None:
        """The shape inside <geometry>."""
        robot = self.robot
        match form.tag:
            case "box":
                size = form.find("size")
                edges = (1.0, 1.0, 1.0) if size is None else numbers(robot, size, 3)
                return RobotShape("box", edges or (1.0, 1.0, 1.0))
            case "cylinder" | "capsule":
                usual = 1.0 if form.tag == "cylinder" else 0.5
                radius = number(robot, form, "radius", usual)
                return RobotShape(form.tag, (radius, number(robot, form, "length", 1.0)))
            case "sphere":
                return RobotShape("sphere", (number(robot, form, "radius", 1.0),))
            case "mesh":
                return self.mesh(scope, form)
        self.unknown(form, "geometry")
        return None

    def mesh(self, scope: Scope, form: Element) -> RobotShape | None:
        """A mesh, by its path from the file that was opened."""
        uri, given = word(form, "uri"), form.find("scale")
        scales = None if given is None else numbers(self.robot, given, 3)
        if scales is not None and not all(scales):
            self.robot.problem(form, "the scale of a mesh must not be 0")
        if form.find("submesh") is not None:
            self.unknown(form.find("submesh") or form, "mesh")
        if "://" not in uri:
            uri = posixpath.join(scope.folder, uri)
        return RobotShape("mesh", mesh=uri, scale=scales or (1.0, 1.0, 1.0))

    def color(self, element: Element) -> str | None:
        """The diffuse colour of a material, else its ambient one."""
        material = element.find("material")
        if material is None:
            return None
        for one in material:
            if one.tag in {"script", "shader", "pbr"}:
                self.unknown(one, "material")
        for tag in ("diffuse", "ambient"):
            found = material.find(tag)
            parts = (found.text or "").split() if found is not None else []
            if len(parts) not in {3, 4}:
                continue
            try:
                rgb = [min(1.0, max(0.0, float(one))) for one in parts[:3]]
            except ValueError:
                continue
            return "#" + "".join(f"{round(255 * one):02x}" for one in rgb)
        return None
