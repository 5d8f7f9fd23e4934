"""Inverse and forward dynamics: ours beside Pinocchio and MuJoCo, one call and in batch.

Run ``python -m bench.dynamics.dynamics [--rounds N]``. All get the same PUMA 560 (its link 3 made a
possible body, which MuJoCo insists on) and the same humanoid of 30 degrees of freedom
with the same states; results are first checked on each other. Calls and batches run on one thread
and are timed by the processor's clock; batches on two threads by the wall's, which on a busy
machine says little. Timing decides nothing: the bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from bench.support.peers import best_times, find
from bench.support.scenes import arm, mjcf
from kinegen import JointType
from kinegen.kernels import Floats

CALLS, STATES, THREADS = 2000, 20000, 2
SAME = 1e-8
"""Largest relative difference of two results."""
BARS = {
    "inverse dynamics, 6R, one call": 1.0,
    "forward dynamics, 6R, one call": 1.5,
    "forward dynamics, humanoid-30, one call": 5.0,
    "inverse dynamics, 6R, batch per state": 0.2,
    "forward dynamics, 6R, batch per state": 0.4,
}
"""At most [µs]."""

State = tuple[Floats, Floats, Floats]


class Pinocchio:
    """A tree of hinges, balls and a free base with masses."""

    def __init__(self, pin: Any, model: kg.Model) -> None:
        self.pin, self.source, self.model = pin, model, pin.Model()
        made = {JointType.REVOLUTE: pin.JointModelRZ, JointType.SPHERICAL: pin.JointModelSpherical,
                JointType.FREE: pin.JointModelFreeFlyer}  # fmt: skip
        self._ids = [0] * model.link_count
        for joint in _depth_first(model):
            row, mass = model.transforms[joint.placement], model.inertia[joint.child]
            place = pin.SE3(row[:9].reshape(3, 3).copy(), row[9:].copy())
            made_id = self.model.addJoint(
                self._ids[joint.parent], made[joint.type](), place, joint.name
            )
            self._ids[joint.child] = made_id
            xx, yy, zz, xy, xz, yz = mass[4:]
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            body = pin.Inertia(float(mass[0]), mass[1:4].copy(), tensor)
            self.model.appendBodyToJoint(made_id, body, pin.SE3.Identity())
        rotors = model.blocks.real_part("rotor") * model.blocks.real_part("gear") ** 2
        self.model.armature = self.to_v(rotors)
        self.data = self.model.createData()

    def to_q(self, q: Floats) -> Floats:
        """Our configuration in its order."""
        out = np.zeros(self.model.nq)
        for joint in self.source.joints:
            part = q[joint.q]
            if joint.type is JointType.SPHERICAL:
                part = np.roll(part, -1)
            elif joint.type is JointType.FREE:
                part = np.concatenate([part[4:], np.roll(part[:4], -1)])
            first = self.model.idx_qs[self._ids[joint.child]]
            out[first : first + len(part)] = part
        return out

    def to_v(self, v: Floats) -> Floats:
        """Our velocities (or efforts) in its order."""
        out = np.zeros(self.model.nv)
        for joint in self.source.joints:
            first = self.model.idx_vs[self._ids[joint.child]]
            out[first : first + joint.v.stop - joint.v.start] = v[joint.v]
        return out


def _depth_first(model: kg.Model) -> list[Any]:
    order, waiting = [], [j for j in model.joints if j.parent == 0][::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += [j for j in model.joints if j.parent == joint.child][::-1]
    return order


class Mujoco:
    """The same tree; at rest its free joint's velocities are ours, so states are checked there."""

    def __init__(self, mujoco: Any, model: kg.Model) -> None:
        self.mujoco, self.source = mujoco, model
        self.model = mujoco.MjModel.from_xml_string(mjcf(model, masses=True))
        # nothing touches, nothing is limited: let it look for neither
        self.model.opt.disableflags = int(
            mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
            | mujoco.mjtDisableBit.mjDSBL_SENSOR
        )  # fmt: skip
        self.data = mujoco.MjData(self.model)

    def to_q(self, q: Floats) -> Floats:
        """Our configuration in its order."""
        out = np.zeros(self.model.nq)
        for joint in self.source.joints:
            part = q[joint.q]
            if joint.type is JointType.FREE:
                part = np.concatenate([part[4:], part[:4]])
            first = self.model.joint(f"{joint.name}:0").qposadr[0]
            out[first : first + len(part)] = part
        return out

    def to_v(self, q: Floats, v: Floats) -> Floats:
        """Our velocities or efforts in its order; a free joint's linear part in world axes."""
        out = np.zeros(self.model.nv)
        for joint in self.source.joints:
            part = v[joint.v].copy()
            if joint.type is JointType.FREE:
                part[:3] = kg.SO3(q[joint.q][:4]).matrix @ part[:3]
            first = self.model.joint(f"{joint.name}:0").dofadr[0]
            out[first : first + len(part)] = part
        return out


Loop = Callable[[], None]
Job = tuple[int, Callable[[], object]]
"""How many calls or states, and the work."""


def our_loop(call: Callable[..., object], model: kg.Model, states: list[State]) -> Loop:
    """Our public function over all states."""

    def loop() -> None:
        for q, v, x in states:
            call(model, q, v, x)

    return loop


def kernel_loop(call: Callable[..., object], states: list[State]) -> Loop:
    """The bound kernel alone."""

    def loop() -> None:
        for q, v, x in states:
            call(q, v, x, None)

    return loop


def pinocchio_loop(pin: Any, twin: Pinocchio, inverse: bool, states: list[State]) -> Loop:
    """``rnea`` or ``aba`` over all states."""
    call, model, data = pin.rnea if inverse else pin.aba, twin.model, twin.data
    theirs = [(twin.to_q(q), twin.to_v(v), twin.to_v(x)) for q, v, x in states]

    def loop() -> None:
        for q, v, x in theirs:
            call(model, data, q, v, x)

    return loop


def mujoco_loop(twin: Mujoco, inverse: bool, states: list[State]) -> Loop:
    """``mj_inverse`` or ``mj_forward`` over all states."""
    call = twin.mujoco.mj_inverse if inverse else twin.mujoco.mj_forward
    model, data = twin.model, twin.data
    qpos, qvel, given = data.qpos, data.qvel, data.qacc if inverse else data.qfrc_applied
    theirs = [(twin.to_q(q), twin.to_v(q, v), twin.to_v(q, x)) for q, v, x in states]

    def loop() -> None:
        for q, v, x in theirs:
            qpos[:] = q
            qvel[:] = v
            given[:] = x
            call(model, data)

    return loop


def check(model: kg.Model, pin: Pinocchio | None, muj: Mujoco | None, state: State) -> None:
    """Stop when the peers find something else."""
    q, v, x = state
    rest = np.zeros(model.nv)
    tau, vdot = (
        kg.dynamics.inverse_dynamics(model, q, v, x),
        kg.dynamics.forward_dynamics(model, q, v, x),
    )
    pairs = []
    if pin is not None:
        given = pin.model, pin.data, pin.to_q(q), pin.to_v(v), pin.to_v(x)
        pairs += [(pin.to_v(tau), pin.pin.rnea(*given)), (pin.to_v(vdot), pin.pin.aba(*given))]
    if muj is not None:
        mujoco_loop(muj, False, [(q, rest, x)])()
        ours = muj.to_v(q, kg.dynamics.forward_dynamics(model, q, rest, x))
        pairs.append((ours, muj.data.qacc.copy()))
    for ours, theirs in pairs:
        if np.abs(ours - theirs).max() > SAME * np.abs(theirs).max():
            raise SystemExit("a peer gives another result: nothing to compare")


def batch_jobs(model: kg.Model, pin: Any, twin: Pinocchio | None, threads: int) -> dict[str, Job]:
    """Batches over the same states, checked on single calls."""
    rng = np.random.default_rng(1)
    qs, vs, xs = rng.uniform(-2, 2, (3, STATES, model.nv))
    many = {
        "inverse": kg.dynamics.inverse_dynamics_many,
        "forward": kg.dynamics.forward_dynamics_many,
    }
    single = {"inverse": kg.dynamics.inverse_dynamics, "forward": kg.dynamics.forward_dynamics}
    jobs: dict[str, Job] = {}
    for kind, call in many.items():
        found = call(model, qs, vs, xs, threads=threads)
        for n in rng.integers(0, STATES, 50):
            one = single[kind](model, *(a[n] for a in (qs, vs, xs)))
            if np.abs(found[n] - one).max() > SAME * np.abs(one).max():
                raise SystemExit("a batch differs from single calls: nothing to compare")
        jobs[f"{kind}|kinegen"] = STATES, partial(call, model, qs, vs, xs, threads=threads)
    if twin is not None and hasattr(pin, "rneaInParallel"):
        pool = pin.ModelPool(twin.model, threads)
        given = tuple(np.asfortranarray(a.T) for a in (qs, vs, xs))
        for kind, theirs in (("inverse", pin.rneaInParallel), ("forward", pin.abaInParallel)):
            jobs[f"{kind}|pinocchio"] = STATES, partial(theirs, threads, pool, *given)
    return jobs


def wall_medians(jobs: dict[str, Job], rounds: int) -> dict[str, float]:
    """Median time per state [µs] by the wall's clock, in turns.

    Not the best: with two threads that is the round in which both cores happened to be free.
    """
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, (count, run) in jobs.items():
            begin = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - begin) / count * 1e6)
    return {name: float(np.median(all_times)) for name, all_times in times.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Dynamics, one call and in batch.")
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    pin, mujoco = find("pinocchio", "pin"), find("mujoco")
    puma, person = arm(), kg.load("humanoid-30").compile()
    puma.inertia[3, 6] = 0.0785  # zz of the elbow: as measured it is above xx + yy
    rng = np.random.default_rng(0)
    jobs: dict[str, Job] = {}
    for label, model in (("6R", puma), ("humanoid-30", person)):
        states: list[State] = [
            (
                kg.kinematics.integrate(model, model.start(), rng.uniform(-1, 1, model.nv)),
                *rng.normal(size=(2, model.nv)),
            )
            for _ in range(CALLS)
        ]
        pin_twin = Pinocchio(pin, model) if pin else None
        muj_twin = Mujoco(mujoco, model) if mujoco else None
        check(model, pin_twin, muj_twin, states[0])
        ours = {True: kg.dynamics.inverse_dynamics, False: kg.dynamics.forward_dynamics}
        kernels = {True: model.dynamics.inverse, False: model.dynamics.forward}
        for inverse in (True, False):
            task = f"{'inverse' if inverse else 'forward'} dynamics, {label}, one call"
            jobs[f"{task}|kinegen"] = CALLS, our_loop(ours[inverse], model, states)
            jobs[f"{task}|(kinegen, kernel)"] = CALLS, kernel_loop(kernels[inverse], states)
            if pin_twin is not None:
                jobs[f"{task}|pinocchio"] = CALLS, pinocchio_loop(pin, pin_twin, inverse, states)
            if muj_twin is not None:
                jobs[f"{task}|mujoco"] = CALLS, mujoco_loop(muj_twin, inverse, states)
    twin = Pinocchio(pin, puma) if pin else None
    for key, job in batch_jobs(puma, pin, twin, 1).items():
        kind, who = key.split("|")
        jobs[f"{kind} dynamics, 6R, batch per state|{who}"] = job
    times = best_times(jobs, rounds)
    # one thread and two in turns: both see the same other work on the machine
    both = {
        f"{key}|{threads}": job
        for threads in (1, THREADS)
        for key, job in batch_jobs(puma, pin, twin, threads).items()
    }
    walls = wall_medians(both, rounds)
    for key, spent in walls.items():
        kind, who, threads = key.split("|")
        count = f"{threads} thread{'' if threads == '1' else 's'}"
        times[f"({kind} dynamics, 6R, batch, {count}, median by the wall)|{who}"] = spent

    print(f"Python {platform.python_version()}, best of {rounds} rounds; batches on one thread")
    table: dict[str, dict[str, float]] = {}
    for key, best in times.items():
        task, who = key.split("|")
        table.setdefault(task, {})[who] = best
    for task, row in table.items():
        mine = row["kinegen"]
        print(f"\n{task}")
        for who, best in row.items():
            note(f"{task}, {who}", best, "µs")
            print(f"  {who:20}{best:8.3f} µs{best / mine:8.2f}×")
        if task in BARS:
            print(f"  {verdict(mine, BARS[task], f'µs, at most {BARS[task]}', least=False)}")
    print(f"\n{THREADS} threads against one, by the wall")
    for key in (key for key in walls if key.endswith("|1")):
        kind, who, _ = key.split("|")
        gain = walls[key] / walls[f"{kind}|{who}|{THREADS}"]
        note(f"{kind}, {who}, {THREADS} threads against one", gain, "×", more_is_better=True)
        print(f"  {kind + ', ' + who:20}{gain:8.2f}×")


if __name__ == "__main__":
    main()
