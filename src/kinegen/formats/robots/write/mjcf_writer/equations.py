"""Loops, screws, couplings, stops of balls and springs of an MJCF file: equations and tendons."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from kinegen.formats.robots.transform import IDENTITY, Transform, Vector, compose, inverse
from kinegen.formats.robots.write.mjcf_writer.joints import MadeJoint, is_simple
from kinegen.formats.robots.write.outline import OutJoint, Outline, OutLoop
from kinegen.formats.robots.write.xml_text import Element, add

__all__ = ["STEP", "Equations"]

STEP = 0.001
"""Of a file that is written without the option ``step`` [s]."""


class Equations:
    """What holds between the bodies of a file."""

    def __init__(
        self,
        root: Element,
        outline: Outline,
        bodies: Mapping[str, Element],
        made: Sequence[MadeJoint],
        site: Callable[[Element, str, Transform], str],
        step: float = STEP,
    ) -> None:
        """Elements that are still empty.

        Args:
            root: The file's root.
            outline: The mechanism.
            bodies: By link.
            made: All joints of the file.
            site: Adds a site to a body; its name.
            step: Of the file [s].
        """
        # as hard as MuJoCo makes them: a time constant of two steps, and the least give
        self.hard = {"solref": (2 * step, 1.0), "solimp": (0.9999, 0.9999, 0.001, 0.5, 2.0)}
        self.outline, self.bodies, self.made, self.site = outline, bodies, made, site
        self.equality, self.tendons = add(root, "equality"), add(root, "tendon")

    def add_all(self) -> None:
        """Loops, screws, couplings, stops of balls, springs."""
        for loop in self.outline.loops:
            reach = 0.5 * self.outline.size
            parent, child = self.bodies[loop.parent], self.bodies[loop.child]
            if not is_simple(loop, self.outline):
                site = self.site(child, f"{loop.name}_landing", loop.X_CK)
                end = f"{loop.name}_end"
                add(self.equality, "weld", name=loop.name, site1=end, site2=site, **self.hard)
            elif loop.info.is_hinge:
                for end, z in (("a", -reach), ("b", reach)):
                    self.pin(loop, f"{loop.name}_{end}", (0.0, 0.0, z), "connect")
            elif loop.info.is_ball:
                self.pin(loop, loop.name, (0.0, 0.0, 0.0), "connect")
            elif not loop.info.moves:
                self.pin(loop, loop.name, (0.0, 0.0, 0.0), "weld")
            if loop.info.is_ball:
                self.swing(loop, parent, child)
        for one in self.made:
            if one.step.variable is None:  # the advance of a screw follows its turn
                screw = one.joint
                turn = next(o.name for o in self.made if o.joint is screw and o.step.variable)
                add(self.equality, "joint", name=f"{screw.name}_thread", joint1=one.name,
                    joint2=turn, polycoef=(0, screw.lead, 0, 0, 0), **self.hard)  # fmt: skip
        self.couplings()
        for joint in self.outline.joints.values():
            if joint.info.is_ball:
                self.swing(joint, self.bodies[joint.parent], self.bodies[joint.child])
        self.springs()

    def couplings(self) -> None:
        """Relations of joint variables, which count from the pose, in which they hold."""
        names = {id(one.step.variable): one.name for one in self.made if one.step.variable}
        kept = []
        for one in self.outline.couplings:
            known = [names.get(id(variable)) for _, _, variable in one.terms]
            if not (one.is_linear or one.polynomial) or None in known:
                continue
            kept.append(one.name)
            if len(known) == 2:
                add(self.equality, "joint", name=one.name, joint1=known[0], joint2=known[1],
                    polycoef=one.polynomial or (0, one.ratio, 0, 0, 0), **self.hard)  # fmt: skip
                continue
            tendon = add(self.tendons, "fixed", name=one.name)
            for (factor, _, _), name in zip(one.terms, known, strict=True):
                add(tendon, "joint", joint=name, coef=factor)
            add(self.equality, "tendon", name=one.name, tendon1=one.name, **self.hard)
        self.outline.leave_out_couplings(kept)

    def pin(self, loop: OutLoop, name: str, point: Vector, kind: str) -> None:
        """Hold a point of a cut joint, or its frame, on the link that it lands on."""
        there = (*IDENTITY[:9], *point)
        parent, child = self.bodies[loop.parent], self.bodies[loop.child]
        one = self.site(parent, f"{name}_1", compose(loop.X_PF, there))
        other = self.site(child, f"{name}_2", compose(loop.X_CK, there))
        add(self.equality, kind, name=name, site1=one, site2=other, **self.hard)

    def swing(self, joint: OutJoint, parent: Element, child: Element) -> None:
        """A stop for the swing of a ball: a tendon along its z whose least length is the stop."""
        if not joint.swing < math.pi:
            return
        length = self.outline.size
        below, above = (*IDENTITY[:11], -length), (*IDENTITY[:11], length)
        X_CM = joint.X_CK if isinstance(joint, OutLoop) else inverse(joint.X_MB)
        tendon = add(
            self.tendons, "spatial", name=f"{joint.name}_swing", width=1e-6,
            range=(2 * length * math.cos(joint.swing / 2), 3 * length),
        )  # fmt: skip
        for body, end, X in ((parent, "1", compose(joint.X_PF, below)),
                             (child, "2", compose(X_CM, above))):  # fmt: skip
            add(tendon, "site", site=self.site(body, f"{joint.name}_swing_{end}", X))

    def springs(self) -> None:
        """Springs between points are tendons."""
        for spring in self.outline.springs:
            tendon = add(
                self.tendons, "spatial", name=spring.name, stiffness=spring.stiffness,
                damping=spring.damping, springlength=(spring.rest, spring.rest),
                width=0.005 * self.outline.size,
            )  # fmt: skip
            for k in range(2):
                body, X = self.bodies[spring.links[k]], (*IDENTITY[:9], *spring.points[k])
                add(tendon, "site", site=self.site(body, f"{spring.name}_{k + 1}", X))
