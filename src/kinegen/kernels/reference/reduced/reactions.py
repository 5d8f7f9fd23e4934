"""Forces in the joints of the reduced engine, by what every link needs for its motion."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Floats
from kinegen.kernels.reference.reduced.step import Steps

__all__ = ["Reactions"]


class Reactions(Steps):
    """The engine's equations and steps with what the joints bear."""

    def reactions(
        self, q: Floats, v: Floats, vdot: Floats, forces: Floats, tau: Floats,
        wrenches: Floats | None, /,
    ) -> Floats:  # fmt: skip
        """Wrenches of parents on children, about the joints' frames F, world axes."""
        whole, speed, _ = self._full(q, v)
        effort = tau - self._dampers * speed
        effort = effort - self._drive["stiffness"] * self._dynamics._stretches(whole)
        X = np.empty((self._links, TRANSFORM_SIZE))
        self._model.forward_links(q, X)
        out = np.zeros((len(self._parents), 6))
        # what every link needs, as force and moment about the world's origin
        needs = self._needs(q, np.where(self._tree, v, 0), vdot, X)
        if wrenches is not None:
            for link in range(1, self._links):
                needs[link] -= _about(wrenches[link], X[link, 9:])
        self._take_springs(q, speed, X, needs)
        row = 0
        for loop in range(self._cuts.count):
            cut, joint = self._cuts.at(q, loop), self._cuts.joint(loop)
            count = len(cut.forces)
            wrench = (
                forces[row : row + count] @ cut.forces + effort[self._cuts.own(loop)] @ cut.axes
            )
            row += count
            wrench = _about(wrench, cut.p_K)
            needs[self._cuts.child[loop]] -= wrench
            needs[self._cuts.parent[loop]] += wrench
            out[joint] = wrench
        for joint in reversed(self._dynamics._order):
            out[joint] = needs[self._children[joint]]
            needs[self._parents[joint]] += out[joint]
        for joint, parent in enumerate(self._parents):
            R, p = X[parent, :9].reshape(3, 3), X[parent, 9:]
            out[joint] = _about(out[joint], -(p + R @ self._placed[joint, 9:]))
        return out

    def _needs(self, q: Floats, v: Floats, vdot: Floats, X: Floats) -> Floats:
        """What the motion of every link asks for, (links, 6), about the world's origin."""
        out = np.zeros((self._links, 6))
        twists = np.empty((self._links, 6))
        self._model.link_twists(q, v, twists)
        for link in range(1, self._links):
            mass, J, place, tensor, centre = self._dynamics._body(q, link)
            J_dot = np.empty((6, self.nv))
            self._model.site_jacobian_dot(q, v, link, centre, -1, J_dot)
            rate, w = J @ vdot + J_dot @ v, twists[link, 3:]
            force = mass * (rate[:3] - self._dynamics._gravity)
            moment = tensor @ rate[3:] + np.cross(w, tensor @ w)
            out[link] = _about(np.concatenate([force, moment]), place)
        return out

    def _take_springs(self, q: Floats, v: Floats, X: Floats, needs: Floats) -> None:
        """Take what springs between points give from the links' needs."""
        twists = np.empty((self._links, 6))
        self._model.link_twists(q, np.where(self._tree, v, 0), twists)
        for a, p_a, b, p_b, k, c, rest in zip(*self._springs, *self._numbers, strict=True):
            places, speeds = [], []
            for link, point in ((a, p_a), (b, p_b)):
                arm = X[link, :9].reshape(3, 3) @ point
                places.append(X[link, 9:] + arm)
                speeds.append(twists[link, :3] + np.cross(twists[link, 3:], arm))
            length = float(np.linalg.norm(places[1] - places[0]))
            along = (places[1] - places[0]) / max(length, 1e-12)
            pull = k * (length - rest) + c * float(along @ (speeds[1] - speeds[0]))
            force = np.concatenate([pull * along, np.zeros(3)])
            needs[a] -= _about(force, places[0])
            needs[b] += _about(force, places[1])


def _about(wrench: Floats, p: Floats) -> Floats:
    """A wrench given about p, about the origin instead."""
    return np.concatenate([wrench[:3], wrench[3:] + np.cross(p, wrench[:3])])
