"""MJCF: MuJoCo's own format, loops included.

Bodies are placed as in the pose that is written, and that pose is the reference of the joints, so
that loops are closed in MuJoCo's initial configuration while the variables keep our values. A ball
joint alone counts from that pose. Loops become equations between sites: a ball one ``connect``, a
hinge two of them on its axis, a fixed joint a ``weld``. Any other cut joint becomes a body of its
own, moved by the same joints as elsewhere, that is welded to the link it lands on and has a share
of that link's mass: together they are exactly the link.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.errors import UsageError
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    compose,
    inverse,
    is_identity,
    rotate,
)
from kinegen.formats.robots.write.masses_out import add_mass, least_mass
from kinegen.formats.robots.write.mesh_out import solid_mesh
from kinegen.formats.robots.write.mjcf_writer.actuators import add_actuators
from kinegen.formats.robots.write.mjcf_writer.equations import STEP, Equations
from kinegen.formats.robots.write.mjcf_writer.joints import (
    MadeJoint,
    bakes,
    is_bare,
    is_simple,
    is_turned,
    is_uneven,
    reference_of,
    value_of,
)
from kinegen.formats.robots.write.mjcf_writer.keys import add_keys
from kinegen.formats.robots.write.out_names import OutNames
from kinegen.formats.robots.write.outline import (
    OutJoint,
    OutLink,
    OutLoop,
    OutShape,
    OutVariable,
    Step,
)
from kinegen.formats.robots.write.writer import Order, XmlWriter
from kinegen.formats.robots.write.xml_text import Element, add, numbers
from kinegen.mechanism.graph import BASE
from kinegen.mechanism.shapes.shapes import Box, Capsule, Cylinder, Heights, MeshRef, Sphere
from kinegen.spatial.rotation import SO3

__all__ = ["write_mjcf"]

_USUAL_FRICTION = 0.6
"""Of links that state none, as in Kinegen's own engines."""
FAR = 1e6
"""Where a stop stands that is not there [rad, m]."""
MESHES = (".stl", ".obj", ".msh")
"""Mesh files that MuJoCo reads."""


class _Writer(XmlWriter):
    """Writes one mechanism as MJCF."""

    UNITS = "SI units, radians."
    HOLDS = ("gravity", "friction", "motions")

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        outline = self.outline
        self.root = Element("mujoco", {"model": outline.name})
        self.joint_names, self.site_names, self.mesh_names = OutNames(), OutNames(), OutNames()
        self.body_names = OutNames()
        self.assets: dict[str, str] = {}
        self.bodies: dict[str, Element] = {}
        self.step = _step_of(order)
        self.placed: list[MadeJoint] = []
        """All joints in the order of MuJoCo's positions, free ones too."""
        self.made: list[MadeJoint] = []
        self.least = least_mass(outline)
        landings = [one.child for one in outline.loops if not is_simple(one, outline)]
        self.shares = {one.name: 1 + landings.count(one.name) for one in outline.all_links()}

    def write(self) -> Element:
        outline, root = self.outline, self.root
        add(root, "compiler", angle="radian", autolimits="true")
        is_stiff = outline.fastest * self.step > 1 or any(self.things())
        integrator = "implicitfast" if is_stiff else "RK4"
        add(root, "option", timestep=self.step, gravity=outline.gravity, integrator=integrator)
        self.defaults()
        looks = add(root, "visual")
        add(looks, "headlight", ambient=(0.4,) * 3, diffuse=(0.5,) * 3, specular=(0.1,) * 3)
        self.asset = add(root, "asset")
        add(self.asset, "texture", type="skybox", builtin="gradient", rgb1=(0.96, 0.97, 0.99),
            rgb2=(0.78, 0.82, 0.87), width=256, height=1536)  # fmt: skip
        self.world = add(root, "worldbody")
        add(self.world, "light", directional="true", pos=(0, 0, 4), dir=(0.3, 0.4, -1),
            diffuse=(0.4,) * 3, specular=(0.1,) * 3)  # fmt: skip
        self.tree()
        equations = Equations(root, outline, self.bodies, self.made, self.site, self.step)
        equations.add_all()
        servos = add_actuators(root, self.made)
        add_keys(root, self.order, outline, self.placed, servos)
        for part in (equations.equality, equations.tendons):
            if not len(part):
                root.remove(part)
        self.notes()
        return root

    def things(self) -> list[OutLink]:
        """Objects that links may touch."""
        return [*self.outline.objects, *(o for o in self.outline.links.values() if o.is_object)]

    def defaults(self) -> None:
        """Links touch objects and not each other; masses are stated, not computed from shapes."""
        default = add(self.root, "default")
        add(default, "geom", density=0, contype=1, conaffinity=2,
            friction=(_USUAL_FRICTION, 0.005, 0.0001))  # fmt: skip
        add(default, "site", size=0.01 * self.outline.size, rgba=(0.9, 0.6, 0.1, 0.6))
        thing = add(default, "default", class_="object")
        add(thing, "geom", contype=2, conaffinity=3)

    # Bodies

    def tree(self) -> None:
        outline = self.outline
        home = self.world
        if outline.root.name not in (BASE, "world"):  # a name that must not be lost
            home = add(self.world, "body", name=self.body_names.new(outline.root.name))
        self.bodies[outline.root.name] = home
        self.shapes(home, outline.root)
        self.frames(home, outline.root.name)
        # depth first: that is the order of MuJoCo's variables
        self.outboard(outline.root.name)
        for one in outline.objects:
            body = add(self.world, "body", name=self.body_names.new(one.name, "object"))
            _place(body, one.X_WL)
            self.shapes(body, one)

    def outboard(self, root: str) -> None:
        """Bodies in depth-first order, which is that of MuJoCo's variables."""
        waiting = [(joint, False) for joint in reversed(list(self.outline.outboard(root)))]
        while waiting:
            joint, is_done = waiting.pop()
            if is_done:  # all that it carries is there: loops come behind
                self.loop_ends(joint.child)
                continue
            self.body(joint)
            waiting.append((joint, True))
            above = reversed(list(self.outline.outboard(joint.child)))
            waiting += [(other, False) for other in above]
        self.loop_ends(root)

    def body(self, joint: OutJoint) -> None:
        """The body that a joint carries."""
        link, parent = self.outline.links[joint.child], joint.parent
        is_top = joint.info.floats and is_bare(joint) and parent == self.outline.root.name
        above = self.world if is_top else self.bodies[parent]
        body = add(above, "body", name=self.body_names.new(link.name))
        self.bodies[link.name] = body
        X_PB = compose(compose(joint.X_PF, reference_of(joint)), joint.X_MB)
        _place(body, link.X_WL if is_top else X_PB)
        if is_top:
            name = self.joint_names.new(joint.name)
            add(body, "freejoint", name=name)
            free = Step("free", (0.0, 0.0, 1.0), None, joint.X_FM, joint.name)
            self.placed.append(MadeJoint(name, joint, free))
        else:
            self.joints(body, joint, joint.X_MB)
        add_mass(body, link, IDENTITY, self.shares[link.name], self.least, self.outline)
        self.shapes(body, link)
        self.frames(body, link.name)

    def loop_ends(self, parent: str) -> None:
        """Bodies of cut joints that sit on a link and are no mere equations."""
        for loop in self.outline.loops:
            if loop.parent == parent and not is_simple(loop, self.outline):
                self.loop_end(self.bodies[parent], loop)

    def loop_end(self, parent: Element, loop: OutLoop) -> None:
        """The body of a cut joint, which will be welded to the link that it lands on."""
        body = add(parent, "body", name=self.body_names.new(f"{loop.name}_end"))
        _place(body, compose(loop.X_PF, reference_of(loop)))
        self.joints(body, loop, IDENTITY)
        link = self.outline.link(loop.child)
        if link is self.outline.root:  # it stands still: any mass will do
            link = OutLink(loop.name, self.least * 1e9, inertia=(self.least * 1e9,) * 3 + (0,) * 3)
            add_mass(body, link, IDENTITY, 1, self.least, self.outline)
        else:
            share = self.shares[loop.child]
            add_mass(body, link, inverse(loop.X_CK), share, self.least, self.outline)
        self.site(body, f"{loop.name}_end", IDENTITY)

    def joints(self, body: Element, joint: OutJoint, X_MB: Transform) -> None:
        """The joints of a body: axes and anchors in its frame, as it stands."""
        steps = joint.steps()
        for k, step in enumerate(steps):
            X = IDENTITY
            for later in steps[k:]:
                X = compose(X, later.X if later.kind != "ball" or bakes(joint) else IDENTITY)
            X = inverse(compose(X, X_MB))
            name = self.joint_names.new(step.name, "joint")
            self.made.append(MadeJoint(name, joint, step))
            self.placed.append(self.made[-1])
            kind = step.kind
            element = add(body, "joint", name=name, type=kind)
            if kind != "slide" and any(abs(x) > 1e-15 for x in X[9:]):
                element.set("pos", numbers(X[9:]))
            if kind != "ball":
                element.set("axis", numbers(rotate(X, step.axis)))
                if value_of(joint, step):
                    element.set("ref", numbers([value_of(joint, step)]))
            if step.variable is not None:
                self.drive(element, joint, step.variable, kind)

    def drive(self, element: Element, joint: OutJoint, one: OutVariable, kind: str) -> None:
        """Limits, spring, damping, dry friction and rotor of a variable."""
        given: dict[str, float] = {
            "damping": one.damping, "frictionloss": one.friction, "stiffness": one.stiffness,
            "armature": one.armature,
        }  # fmt: skip
        if kind != "ball" and one.stiffness:
            given["springref"] = one.rest
        for key, value in given.items():
            if value:
                element.set(key, numbers([value]))
        if kind != "ball" and one.has_limits:
            element.set("range", numbers([max(one.lower, -FAR), min(one.upper, FAR)]))

    def frames(self, body: Element, link: str) -> None:
        for frame in self.outline.frames:
            if frame.link == link:
                self.site(body, frame.name, frame.X_LF, is_frame=True)

    def site(self, body: Element, name: str, X: Transform, *, is_frame: bool = False) -> str:
        """A site; those that only equations and tendons need are in a group that is not drawn."""
        own = self.site_names.new(name, "site")
        _place(add(body, "site", name=own, group=None if is_frame else 4), X)
        return own

    # Shapes

    def shapes(self, body: Element, link: OutLink) -> None:
        for shape in link.shapes:
            geom = self.geom(body, shape, link.name)
            if geom is not None:
                _place(geom, _geom_place(shape))
                geom.set("rgba", numbers([*shape.rgb, 1.0]))
                if link.is_object:
                    geom.set("class", "object")
                if link.friction is not None and link.friction != _USUAL_FRICTION:
                    geom.set("friction", numbers([link.friction, 0.005, 0.0001]))

    def geom(self, body: Element, shape: OutShape, link: str) -> Element | None:
        match shape.solid:
            case Box(size=size):
                return add(body, "geom", type="box", size=[s / 2 for s in size])
            case Cylinder(radius=radius, length=length):
                return add(body, "geom", type="cylinder", size=(radius, length / 2))
            case Capsule(radius=radius, length=length):
                return add(body, "geom", type="capsule", size=(radius, length / 2))
            case Sphere(radius=radius):
                return add(body, "geom", type="sphere", size=(radius,))
            case MeshRef(file=file, scale=scale):
                if not file.lower().endswith(MESHES):
                    self.outline.notes.append(
                        f"mesh '{file}' of link '{link}' is left out: MuJoCo reads "
                        f"{', '.join(MESHES)}"
                    )
                    return None
                path = self.meshes.place(shape, link)
                if path is None:
                    return None
                return add(body, "geom", type="mesh", mesh=self.mesh(path, file=path, scale=scale))
            case Heights():
                return self.height_field(body, shape.solid, link)
            case solid:
                mesh = solid_mesh(solid)
                assert mesh is not None
                corners = numbers(mesh.vertices.ravel())
                return add(body, "geom", type="mesh", mesh=self.mesh(link, vertex=corners))

    def height_field(self, body: Element, field: Heights, link: str) -> Element:
        """A height field; MuJoCo's begins at its lowest height, which stands for 0 there."""
        grid = np.array(field.rows, dtype=float)
        low, high = float(grid.min()), float(grid.max())
        x, y = field.size
        name = self.mesh_names.new(link, "heights")
        # rows as our own, from the smallest y on; MuJoCo flips tables that are written in the file
        table = np.flipud(grid - low)
        add(
            self.asset, "hfield", name=name, nrow=grid.shape[0], ncol=grid.shape[1],
            size=(x / 2, y / 2, max(high - low, 1e-9), field.depth + max(low, 0.0)),
            elevation=numbers(table.ravel()),
        )  # fmt: skip
        return add(body, "geom", type="hfield", hfield=name)

    def mesh(self, name: str, **given: object) -> str:
        """The name of a mesh; the same one is stated once."""
        key = repr(given)
        if key not in self.assets:
            stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
            self.assets[key] = self.mesh_names.new(stem, "mesh")
            if given.get("scale") == (1.0, 1.0, 1.0):
                del given["scale"]
            add(self.asset, "mesh", name=self.assets[key], **given)
        return self.assets[key]

    def notes(self) -> None:
        outline, joints = self.outline, [*self.outline.joints.values(), *self.outline.loops]
        shared = [one.name for one in outline.loops if not is_simple(one, outline)]
        outline.note(
            shared,
            "the loop at joint {} is held by an additional body, welded to the link on which the "
            "loop closes, which has a share of that link's mass",
            "loops at joints {} are held by additional bodies, welded to the links on which the "
            "loops close, which have shares of the masses of those links",
        )
        fast = [j.name for j in joints if any(math.isfinite(v.speed) for v in j.variables)]
        outline.note(
            fast, "the speed limit of joint {} is left out: MuJoCo has none",
            "speed limits of joints {} are left out: MuJoCo has none",
        )  # fmt: skip
        balls = [j.name for j in joints if j.quat is not None and bakes(j) and is_turned(j)]
        outline.note(
            balls, "the quaternion of joint {} is measured from the pose that is written",
            "quaternions of joints {} are measured from the pose that is written",
        )  # fmt: skip
        uneven = [j.name for j in joints if j.quat is not None and is_uneven(j)]
        outline.note(
            uneven,
            "joint {}: MuJoCo has one damping, friction, spring and rotor for all axes of a ball; "
            "those of x are written",
            "joints {}: MuJoCo has one damping, friction, spring and rotor for all axes of a ball; "
            "those of x are written",
        )
        cut = [one.name for one in outline.loops if is_simple(one, outline) and not is_bare(one)]
        outline.note(
            cut,
            "limits, motor, friction and spring of the cut joint {} are left out: it is an "
            "equation",
            "limits, motors, friction and springs of the cut joints {} are left out: they are "
            "equations",
        )


def _geom_place(shape: OutShape) -> Transform:
    """Where a shape's geom is: that of a height field begins at its lowest height."""
    if not isinstance(shape.solid, Heights):
        return shape.X_LS
    return compose(shape.X_LS, (*IDENTITY[:11], min(map(min, shape.solid.rows))))


def _place(element: Element, X: Transform) -> None:
    """Position and orientation of an element, where they are not those of its parent."""
    if any(abs(x) > 1e-15 for x in X[9:]):
        element.set("pos", numbers(X[9:]))
    if not is_identity((*X[:9], 0.0, 0.0, 0.0)):
        quat = SO3.from_matrix(np.array(X[:9]).reshape(3, 3)).quat
        element.set("quat", numbers(quat.tolist()))


def _step_of(order: Order) -> float:
    """The time step that the file asks MuJoCo for [s]."""
    given = order.options.get("step")
    if given is None:
        return STEP
    try:
        step = float(given)
    except ValueError:
        step = math.nan
    if not 0 < step <= 1:
        raise UsageError(f"option step is '{given}': use seconds, such as 0.0005; default {STEP}")
    return step


write_mjcf = _Writer.write_file
