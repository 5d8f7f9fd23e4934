"""Motors with servos inside the steps: targets in, efforts out before every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reduced_protocol import ServoArrays, ServoMode, ServoRow, ServoState
from kinegen.kernels.reference.reduced.engine import ReducedEngine, loop_targets, of_tree
from kinegen.kernels.reference.reduced.forces import find_efforts
from kinegen.kernels.reference.reduced.system import solve_system

__all__ = ["Servos", "push_servos"]

COPPER = 0.00393
"""Growth of the resistance of copper per kelvin."""
ROTOR_STEPS = 8
"""Steps of a rotor in its backlash within one of the servo."""
APPROACH = LOAD_SHARE = 0.3
STANDING = LIGHTEST = 1 / 16
PASSED = 1.02
"""Shares of a speed limit's approach, as in ``dynamics/motors/speed_limits.py``."""


@dataclass(slots=True, eq=False)
class Servos:
    """Motors, their targets, and where rotors and windings are."""

    is_stiff: bool
    """Whether gains look ahead."""
    modes: Ints
    """:class:`ServoMode` of each v, (nv,)."""
    rows: Floats
    """Numbers by :class:`ServoRow`, (rows, nv)."""
    place: Ints
    """The variable in q of each v, -1: a quaternion's."""
    target_q: Floats
    target_v: Floats
    target_effort: Floats
    state: Floats
    """Of the caller, by :class:`ServoState`, (rows, nv)."""
    given: Floats
    """Efforts of others than the servos, (nv,)."""

    @classmethod
    def of(cls, e: ReducedEngine, given: ServoArrays, tau: Floats) -> Servos:
        """As they are given for a run, on top of efforts tau."""
        is_stiff, modes, rows, targets, state = given
        if (~e.tree & (modes != ServoMode.NONE)).any():
            raise UsageError("servos inside the steps drive joints of the tree only")
        place = np.full(e.nv, -1, dtype=np.int32)
        for j, (_, q, v) in enumerate(e.variables):
            after = e.variables[j + 1] if j + 1 < len(e.variables) else (0, e.nq, e.nv)
            if after[1] - q == after[2] - v:
                place[v : after[2]] = np.arange(q, after[1])
        aim = np.split(targets, [e.nq, e.nq + e.nv])
        return cls(is_stiff, modes, rows, place, aim[0], aim[1], aim[2], state, np.array(tau))


def push_servos(e: ReducedEngine, s: Servos) -> Floats:
    """Efforts over the next step, (nv,): of all motors and of others."""
    h, rows = e.step, s.rows
    error = np.empty(e.nv)
    e.model.difference(e.q, s.target_q, error)
    seen, slack = e.v.copy(), rows[ServoRow.HALF] > 0
    # the motor's own angle is what its servo sees
    error[slack] += e.q[s.place[slack]] - s.state[ServoState.ANGLE, slack]
    seen[slack] = s.state[ServoState.SPEED, slack]
    linear = (s.modes == ServoMode.POSITION) | (s.modes == ServoMode.VELOCITY)
    kp = np.where(s.modes == ServoMode.POSITION, rows[ServoRow.KP], 0.0)
    kd = np.where(linear, rows[ServoRow.KD], 0.0)
    full = kp * error + kd * (s.target_v - seen) + s.target_effort
    # a loop of speed inside one of place: no faster than the motor can
    with np.errstate(divide="ignore", invalid="ignore"):
        asked = np.where(kd > 0, kp / kd * error, 0.0) + s.target_v
    goal = np.clip(asked, -rows[ServoRow.SPEED], rows[ServoRow.SPEED])
    limited = (goal != asked) & (kd > 0)
    kp = np.where(limited, 0.0, kp)
    goal = np.where(limited, goal, s.target_v)
    push = np.where(linear, kp * error + kd * (goal - seen) + s.target_effort, 0.0)
    if s.is_stiff and linear.any():
        push = look_ahead(e, push, kp, h * kd + h * h * kp)
    # at its limit a motor gives what holds that speed, which the limit alone bounds
    push = np.where(limited, full, push)
    wanted = np.where(s.modes == ServoMode.TORQUE, s.target_effort, push)
    low, high = effort_span(s, seen, *limit_speeds(e, s, seen, wanted, h))
    efforts = np.where(s.modes == ServoMode.NONE, 0.0, np.clip(wanted, low, high))
    # a motor whose target is a torque does not brake when it runs too fast
    efforts[(s.modes == ServoMode.TORQUE) & (efforts * wanted < 0)] = 0.0
    saturated = np.abs(efforts - wanted) > 1e-12 * (1 + np.abs(wanted))
    # a motor that is off still carries its rotor, and cools
    for i in np.flatnonzero(slack).tolist():
        efforts[i] = push_through(s, i, float(efforts[i]), float(e.q[s.place[i]]), e.v[i], h)
    warm(s, efforts, h)
    s.state[ServoState.WANTED], s.state[ServoState.EFFORT] = wanted, efforts
    s.state[ServoState.BEFORE] = np.where(s.modes == ServoMode.NONE, np.inf, e.v)
    s.state[ServoState.SATURATED] = saturated
    s.state[ServoState.SATURATIONS] += saturated
    return efforts + s.given


def look_ahead(e: ReducedEngine, push: Floats, kp: Floats, slope: Floats) -> Floats:
    """Efforts of springs kp and dampers as they will be after the step."""
    drift = push - e.step * kp * e.v
    wrenches, e.wrenches = e.wrenches, None  # servos do not know what else pushes
    e.tau = drift
    f, _ = find_efforts(e, e.q, e.v)
    e.wrenches = wrenches
    vdot, _ = solve_system(e, e.q, f, loop_targets(e, e.q, of_tree(e, e.v)), slope)
    return np.asarray(drift - slope * vdot)


def limit_speeds(
    e: ReducedEngine, s: Servos, speed: Floats, wanted: Floats, h: float
) -> tuple[Floats, Floats]:
    """Least and greatest efforts that bring motors to their speed limits and not beyond.

    What each pushes against, which is what of its last effort did not accelerate it, and as much
    more as brings it nearer to its limit.
    """
    load, before = s.state[ServoState.LOAD], s.state[ServoState.BEFORE]
    low, high, rate = np.full(e.nv, -np.inf), np.full(e.nv, np.inf), APPROACH / h
    for i in np.flatnonzero(np.isfinite(s.rows[ServoRow.SPEED])).tolist():
        limit, start = s.rows[[ServoRow.SPEED, ServoRow.INERTIA], i]
        if not start > 0:
            continue
        if not abs(wanted[i]) > LIGHTEST * rate * start * (limit - abs(speed[i])):
            load[i] = 0.0
            continue
        slack = s.rows[ServoRow.HALF, i] > 0
        inertia = s.rows[ServoRow.ROTOR, i] if slack else inertia_of(e, i)
        if np.isfinite(before[i]):
            gained, most = e.v[i] - before[i], s.rows[ServoRow.EFFORT, i]
            # through backlash, the effort that reached the joint is the load of the rotor
            moved = 0.0 if slack else inertia * gained / h
            found = min(most, max(-most, s.state[ServoState.EFFORT, i] - moved))
            # a load that is gone is gone at once: what held a finger does not throw it
            left = min(max(0.0, found), max(min(0.0, found), load[i]))
            stands = max(abs(speed[i]), abs(gained)) <= STANDING * limit
            load[i] = left + (1.0 if stands else LOAD_SHARE) * (found - left)
            if (speed[i] if load[i] > 0 else -speed[i]) > PASSED * limit:
                load[i] *= 0.5
        high[i] = load[i] + rate * inertia * (limit - speed[i])
        low[i] = load[i] - rate * inertia * (limit + speed[i])
    return low, high


def inertia_of(e: ReducedEngine, i: int) -> float:
    """Inertia of variable i of the tree within a step, loops closed."""
    still = np.zeros_like(loop_targets(e, e.q, of_tree(e, e.v)))
    vdot, _ = solve_system(e, e.q, np.eye(e.nv)[i], still)
    return 1 / float(vdot[i]) if vdot[i] > 0 else 0.0


def effort_span(s: Servos, speed: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Least and greatest effort of each motor at its speed, within those of its speed limit."""
    effort, stall = s.rows[ServoRow.EFFORT], s.rows[ServoRow.STALL]
    with np.errstate(divide="ignore", invalid="ignore"):
        curve = np.where(np.isfinite(stall), speed / s.rows[ServoRow.NO_LOAD], 0.0)
        high, low = np.minimum(high, stall * (1 - curve)), np.maximum(low, -stall * (1 + curve))
        low, high = np.clip(low, -effort, effort), np.clip(high, -effort, effort)
        # what the windings' temperatures leave
        limit, derate = s.rows[ServoRow.LIMIT], s.rows[ServoRow.DERATE]
        temperature = s.state[ServoState.TEMPERATURE]
        share = np.clip((limit - temperature) / (limit - derate), 0.0, 1.0)
        share = np.where(temperature <= derate, 1.0, share)
        share = np.where(temperature >= limit, 0.0, share)
        left = np.where(
            share >= 1, np.inf, np.where(share <= 0, 0.0, share * np.minimum(effort, stall))
        )
    left = np.where(np.isfinite(s.rows[ServoRow.PER_AMPERE]), left, np.inf)
    return np.maximum(low, -left), np.minimum(high, left)


def push_through(s: Servos, i: int, push: float, at: float, v: float, h: float) -> float:
    """What reaches the joint of motor i through its backlash over a step."""
    part, half, total = h / ROTOR_STEPS, s.rows[ServoRow.HALF, i], 0.0
    angle, speed = s.state[ServoState.ANGLE, i], s.state[ServoState.SPEED, i]
    for _ in range(ROTOR_STEPS):
        apart = angle - at
        depth = apart - min(half, max(-half, apart))
        flank = s.rows[ServoRow.FLANK_STIFFNESS, i] * depth
        flank += s.rows[ServoRow.FLANK_DAMPING, i] * (speed - v)
        if depth == 0 or flank * depth < 0:  # teeth push, they never pull
            flank = 0.0
        speed += part * (push - flank) / s.rows[ServoRow.ROTOR, i]
        angle += part * speed
        at += part * v
        total += flank
    s.state[ServoState.ANGLE, i], s.state[ServoState.SPEED, i] = angle, speed
    return total / ROTOR_STEPS


def warm(s: Servos, efforts: Floats, h: float) -> None:
    """Let windings warm up over a step."""
    has = np.isfinite(s.rows[ServoRow.PER_AMPERE])
    rows, before = s.rows[:, has], s.state[ServoState.TEMPERATURE, has]
    current = efforts[has] / rows[ServoRow.PER_AMPERE]
    resistance = rows[ServoRow.RESISTANCE] * (1 + COPPER * (before - 25))
    final = rows[ServoRow.AMBIENT] + current**2 * resistance * rows[ServoRow.TO_AIR]
    decay = np.exp(-h / (rows[ServoRow.TO_AIR] * rows[ServoRow.CAPACITY]))
    s.state[ServoState.CURRENT, has] = current
    s.state[ServoState.TEMPERATURE, has] = final + (before - final) * decay
