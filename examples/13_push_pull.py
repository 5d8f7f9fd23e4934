"""Change a planned motion by hand while it runs: push, then pull the arm around an obstacle.

The scene of the I-GMS paper (ETRI Journal 25(1), 2003, figures 4 to 8): a six-axis arm moves
straight to a wall, a post is in its way, and two touches lead it around the post.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import kinegen as kg
from kinegen.dynamics.contact.contacts import Collisions
from kinegen.kernels import Floats

UP = np.array([0.0, 0.0, 1.0])
scene = kg.load("arm-and-wall")
model = scene.compile()
bodies = Collisions(kg.dynamics.System.of(scene, objects=True, contacts=True))


def clearance(qs: Floats) -> float:
    """Least distance between the arm and the wall or post along a motion [m]."""
    nearest = [bodies.find(q, margin=0.1).distances for q in qs]
    return float(min((found.min() for found in nearest if len(found)), default=0.1))


# the plan: a smooth straight motion to the wall in three seconds
line = kg.follow(
    model, kg.curves.segment([0.55, -0.3, 0.7], [0.55, 0.4, 0.7]), frame="tool", points=80
)
times = np.linspace(0, 3, 61)
s = times / 3
way = 10 * s**3 - 15 * s**4 + 6 * s**5
qs = np.array([np.interp(way, np.linspace(0, 1, 80), column) for column in line.q.T]).T
plan = kg.Recording.of(model, qs, times, name="straight")
print(f"clearance as planned: {1000 * clearance(qs):.0f} mm, so the arm would hit the post")


def planned(arm: kg.motion.Steering, time: float) -> Floats:
    """Planned position of the tool at a time."""
    return kg.pose(model, arm.plan.at(time)[0], "tool").translation


def pushed() -> kg.motion.Steering:
    """A finger pushes the forearm up before the post, and down behind it."""
    arm = kg.motion.Steering(scene, plan, resume="keep")
    arm.advance(0.7)
    lift = kg.pose(model, arm.q[-1], "wrist_1").translation
    arm.push("wrist_1", tip=lambda t: lift + UP * 0.17 * min(1, (t - 0.7) / 0.5),
             normal=[0, 0, -1], stiffness=3000, damping=150)  # fmt: skip
    arm.advance(0.6)
    arm.release()
    arm.advance(0.7)
    arm.resume = "rejoin"
    press = kg.pose(model, arm.q[-1], "wrist_1").translation
    arm.push("wrist_1", tip=lambda t: press - UP * 0.12 * min(1, (t - 2.0) / 0.3),
             normal=[0, 0, 1], stiffness=3000, damping=150)  # fmt: skip
    arm.advance(0.4)
    arm.release()
    arm.advance(1.2)
    return arm


def pulled() -> kg.motion.Steering:
    """A hand pulls the tool over the post, then down towards the wall."""
    arm = kg.motion.Steering(scene, plan)
    arm.advance(0.7)
    for seconds, height, resume in ((0.7, 0.17, "keep"), (0.5, -0.10, "rejoin")):
        begin = arm.time
        at = kg.pose(model, arm.q[-1], "tool").translation

        def hand(t: float, begin: float = begin, at: Floats = at, up: float = height) -> Floats:
            # above or below the planned path
            past = planned(arm, t) - planned(arm, begin)
            return np.asarray(at + past + UP * up * min(1.0, (t - begin) / 0.5))

        arm.pull("tool", target=hand, stiffness=1500, damping=120)
        arm.advance(seconds)
        arm.release("keep" if resume == "keep" else "rejoin")
        arm.advance(0.6)
    arm.advance(1.0)
    return arm


folder = Path(tempfile.mkdtemp())
goal = kg.pose(model, qs[-1], "tool").translation
gaps = {}
for name, arm in (("push", pushed()), ("pull", pulled())):
    done = arm.recording(name)
    gaps[name] = clearance(done.values)
    end = kg.pose(model, done.values[-1], "tool").translation
    most = np.linalg.norm(arm.forces, axis=1).max()
    off = float(np.linalg.norm(end - goal))
    print(f"{name}: {len(arm.edits)} touches, up to {most:.0f} N, clearance {gaps[name]:.3f} m,")
    print(f"    ends {1000 * off:.2f} mm from the goal at the wall")
    arm.save(folder / f"{name}.svg")
    done.save(folder / f"{name}.csv")
    assert len(arm.edits) == 2 and off < 1e-3

# touches can be undone, and recordings can be followed again
assert arm.undo() and len(arm.edits) == 1
again = kg.motion.Steering(scene, done)
again.advance(done.duration)
assert np.abs(again.q[-1] - done.values[-1]).max() < 1e-3
assert clearance(qs) < 0 < min(gaps.values())
