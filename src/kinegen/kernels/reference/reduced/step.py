"""Steps of the reduced engine: each leaves loops closed and no joint beyond its stops."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reduced_protocol import Integrator, RunStatus
from kinegen.kernels.reference.reduced.stops import TOUCHING, Stops

__all__ = ["Steps"]

REFINEMENTS = 7
"""How often a step that opens the loops too far is halved."""
SHORTEST = 1e-9
"""Share of a step below which adaptive ones are given up."""
STEP_TRIALS = 20000
"""Adaptive steps within one step after which it is given up."""
ROUNDING = 1e-6
"""Errors that may be rounding: where shorter steps do not make them smaller, they are."""
IMPACTS, TRIALS = 16, 30
"""Impacts within one step, and trials for the moment of one."""

State = tuple[Floats, Floats]


class Steps(Stops):
    """The equations with ways to move along them."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._integrator = Integrator.RK4
        self._tolerance, self._refine = 1e-9, np.inf
        self._trial = 0.0
        """Length of the adaptive step to try next."""
        self._refined = 0
        self._gap = self._angle = 0.0

    def _accelerate(self, q: Floats, v: Floats) -> tuple[Floats, Floats, float]:
        """Accelerations of the tree, forces in the rows, power of loads and dampers."""
        f, power = self._efforts(q, v)
        vdot, forces = self._solve(q, f, self.targets(q, self._of_tree(v)))
        self._evaluations += 1
        return self._rest_on_stops(q, v, vdot, None), forces, power

    def _note_gaps(self, linear: float, angular: float) -> None:
        self._gap, self._angle = max(self._gap, linear), max(self._angle, angular)

    def _settled(self, q: Floats, v: Floats) -> State:
        q, v, linear, angular = self._settle(q, v)
        self._note_gaps(linear, angular)
        return q, v

    # Explicit ones

    def _nystrom(self, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats, float]:
        """One step of order four, loops as open as it errs, and its work."""
        chart = self._chart

        def rate(xi: Floats, p: Floats) -> tuple[Floats, float]:
            at, speed = chart.leave(q, xi, p)
            vdot, _, power = self._accelerate(at, speed)
            return chart.accelerations(at, speed, xi, p, vdot), power

        p0, zero = chart.enter(q, v), np.zeros(self.nv)
        a1, w1 = rate(zero, p0)
        middle = h / 2 * p0 + h * h / 8 * a1
        a2, w2 = rate(middle, p0 + h / 2 * a1)
        a3, w3 = rate(middle, p0 + h / 2 * a2)
        a4, w4 = rate(h * p0 + h * h / 2 * a3, p0 + h * a3)
        xi = h * p0 + h * h / 6 * (a1 + a2 + a3)
        p = p0 + h / 6 * (a1 + 2 * (a2 + a3) + a4)
        return *chart.leave(q, xi, p), h / 6 * (w1 + 2 * (w2 + w3) + w4)

    def _rk4(self, q: Floats, v: Floats, h: float) -> State:
        q, v, work = self._nystrom(q, v, h)
        self._work += work
        return self._settled(q, v)

    def _verlet(self, q0: Floats, v0: Floats, h: float) -> State:
        """Places by the old accelerations, speeds by the mean of old and new ones."""
        chart = self._chart
        p0, zero = chart.enter(q0, v0), np.zeros(self.nv)
        vdot, _, before = self._accelerate(q0, v0)
        a1 = chart.accelerations(q0, v0, zero, p0, vdot)
        xi, p = h * p0 + h * h / 2 * a1, p0 + h * a1
        q, v = self._settled(*chart.leave(q0, xi, p))
        if self._status != RunStatus.OK:
            return q, v
        vdot, _, after = self._accelerate(q, v)
        a2 = chart.accelerations(q, v, xi, p, vdot)
        v = chart.leave(q0, xi, p0 + h / 2 * (a1 + a2))[1]
        self._work += h / 2 * (before + after)
        return q, self._close_speeds(q, v)

    def _adaptive(self, q: Floats, v: Floats, h: float) -> State:
        """RK4 steps whose halves agree to the tolerance."""
        # the error of the halves is a fifteenth of what they differ by; rounding is always there
        tolerance = max(15 * self._tolerance, 1e-14)
        done, trials, stalls = 0.0, 0, 0
        failed_error = failed = np.inf
        rounding = 0.0
        if not 0 < self._trial < h:
            self._trial = h
        while done < h and self._status == RunStatus.OK:
            trials += 1
            if trials > STEP_TRIALS:
                self._status = RunStatus.SMALL
                break
            last = not self._trial < 0.999 * (h - done)
            own = h - done if last else self._trial
            q_try, v_try, _ = self._nystrom(q, v, own)
            q_half, v_half, first = self._nystrom(q, v, own / 2)
            q_half, v_half = self._settle(q_half, v_half)[:2]
            q_half, v_half, second = self._nystrom(q_half, v_half, own / 2)
            apart, between = np.empty(self.nv), v_half - v_try
            self._model.difference(q_try, q_half, apart)
            errors = np.maximum(np.abs(apart), np.abs(between) / (1 + np.abs(v_half)))
            error = float(errors[self._tree].max(initial=0.0))
            # a trial that leads nowhere is too long, whatever was found there
            if self._status != RunStatus.OK or not np.isfinite(v_half).all():
                error = np.inf
            self._status = RunStatus.OK
            # the method's own error falls with the fifth power of the step
            shorter = own / failed
            stalls += shorter < 1 and error > shorter * shorter * failed_error
            if stalls >= 2 and error < ROUNDING:
                rounding = max(rounding, 2 * error)
            share = error / max(tolerance, rounding)
            factor = 0.9 * share**-0.2 if share > 0 else 4.0
            if not share <= 1:
                failed_error, failed = error, own
                self._trial = own * (min(factor, 0.5) if factor > 0.1 else 0.1)
                if not self._trial > SHORTEST * h:
                    self._status = RunStatus.SMALL
                continue
            if error > tolerance:  # errors that are rounding say nothing against a longer step
                factor = 4.0
            failed_error = failed = np.inf
            stalls = 0
            self._work += first + second
            q, v = self._settled(self._moved(q_half, apart, 1 / 15), v_half + between / 15)
            done = h if last else done + own
            if not last or factor < 1:
                self._trial = own * min(4.0, factor)
        return q, v

    # The implicit one

    def _euler(self, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats, float]:
        """One linearly implicit step of order one, and its work."""
        self._stiff = h
        k, c = self._drive["stiffness"], self._dampers
        whole, speed, C = self._full(q, v)
        bias, power = self._bias(q, v)
        # loads and the tree's own springs and dampers, where the step leads them
        effort = self._of_tree(self._tau - c * v - k * (self._dynamics._stretches(whole) + h * v))
        f = h * (effort + C.T @ self._tau - bias)
        springs = self._spring_rows(q)
        for spring in springs:
            slope = h * spring.stiffness + spring.damping
            push = spring.stiffness * spring.stretch + slope * (spring.row @ self._of_tree(v))
            f = f - h * push * spring.row
        change, _ = self._solve(q, f, -self.rows(q)[0] @ self._of_tree(v))
        self._evaluations += 1
        change = self._rest_on_stops(q, self._of_tree(v), change, h)
        after = v + change
        work = h * (power + float((self._tau * speed)[~self._tree].sum()))
        work += h * float((self._tau * after - c * after * after)[self._tree].sum())
        for spring in springs:
            work -= h * spring.damping * float(spring.row @ self._of_tree(after)) ** 2
        return self._moved(q, after, h), after, work

    def _implicit(self, q: Floats, v: Floats, h: float) -> State:
        """Twice with half the step against once with the whole one, extrapolated to order two."""
        q_once, v_once, once = self._euler(q, v, h)
        q_half, v_half, first = self._euler(q, v, h / 2)
        q_half, v_half = self._settle(q_half, v_half)[:2]
        q_half, v_half, second = self._euler(q_half, v_half, h / 2)
        self._work += 2 * (first + second) - once
        apart = np.empty(self.nv)
        self._model.difference(q_once, q_half, apart)
        return self._settled(self._moved(q_half, apart), 2 * v_half - v_once)

    # A whole step

    def _one_step(self, q: Floats, v: Floats, h: float) -> State:
        match self._integrator:
            case Integrator.RK4:
                return self._rk4(q, v, h)
            case Integrator.SEMI_IMPLICIT:
                return self._verlet(q, v, h)
            case Integrator.IMPLICIT:
                return self._implicit(q, v, h)
            case _:
                return self._adaptive(q, v, h)

    def _step_refined(self, q: Floats, v: Floats, h: float, level: int = 0) -> State:
        """One step; in halves if it opens the loops by more than it should."""
        work = self._work
        q_end, v_end = self._one_step(q, v, h)
        bad = self._status == RunStatus.OPEN or not self._opening <= self._refine
        if (
            not bad
            or self._integrator == Integrator.ADAPTIVE
            or level == REFINEMENTS
            or self._status not in {RunStatus.OK, RunStatus.OPEN}
        ):
            return q_end, v_end
        self._work, self._status = work, RunStatus.OK
        self._refined += 1
        for _ in range(2):
            if self._status == RunStatus.OK:
                q, v = self._step_refined(q, v, h / 2, level + 1)
        return q, v

    def _guess_impact(self, q: Floats, v: Floats, h: float) -> float:
        """Share of a step after which the first stop was met, by parabolas."""
        q, v, _ = self._full(q, v)
        first = 1.0
        for stop, room in self._all_stops(q):
            if self._was_touching(stop) or not room < 0:
                continue
            slope = stop.sign * float(self._along(stop, q) @ v) * h
            bend = self._room_before[stop] - room + slope
            low, high = -1.0, 0.0
            for _ in range(40):
                x = (low + high) / 2
                low, high = (x, high) if room + slope * x + bend * x * x > 0 else (low, x)
            first = min(first, 1 + low)
        return first

    def _cut_step(self, start: State, end: State, h: float, work: float) -> tuple[State, float]:
        """The step made again so that it ends where the first stop is met, and its length."""
        trial, side, part = self._trial, 0, h
        early, late = 0.0, h
        above, below = self._least_room(start[0]), self._least_room(self._full(*end)[0])
        guess = h * self._guess_impact(*end, h)
        for _ in range(TRIALS):
            part = guess if early < guess < late else (early + late) / 2
            self._work = work
            end = self._step_refined(*start, part)
            self._trial = trial
            if self._status != RunStatus.OK:
                break
            room = self._least_room(self._full(*end)[0])
            if abs(room) <= TOUCHING:
                break
            # Illinois' method: the end that stays twice counts half
            if room < 0:
                late, below, above = part, room, above / 2 if side < 0 else above
                side = -1
            else:
                early, above, below = part, room, below / 2 if side > 0 else below
                side = 1
            guess = early + (late - early) * above / (above - below)
        return end, part

    def _step_to_stops(self, q: Floats, v: Floats, h: float) -> State:
        """One step with its impacts: cut wherever a joint meets a stop."""
        left, impacts = h, 0
        self._held_impulse = np.zeros(self.nv)
        while left > 0 and self._status == RunStatus.OK:
            work, trial, self._rest = self._work, self._trial, {}
            if self._with_stops:
                self._note_stops(q, v)
            start, part = (q, v), left
            q, v = self._step_refined(q, v, left)
            if self._with_stops and self._status == RunStatus.OK:
                room = self._least_room(self._full(q, v)[0])
                if impacts < IMPACTS and room < -TOUCHING:
                    self._trial = trial
                    (q, v), part = self._cut_step(start, (q, v), left, work)
            self._stop_count += sum(force != 0 for force in self._rest.values())
            whole = self._full(q, v)[0]
            for stop, force in self._rest.items():
                self._held_impulse += stop.sign * force * part * self._along(stop, whole)
            if self._status == RunStatus.OK:
                q, v = self._meet_stops(part, q, v)
            left = left - part if part < left else 0.0
            impacts += 1
        self._rest = {}
        return q, v
