"""Teaching by hand: drag the robot to some places, and it repeats them as one smooth motion."""

from __future__ import annotations

import os

import numpy as np

import kinegen as kg

PLACES = [[0.05, 0.3, 0.0], [0.16, 0.32, 0.0], [0.1, 0.24, 0.0]]
"""Positions of the handle [m] if no person leads it."""

with kg.show("five-bar", name="teaching by hand") as view:
    has_page = not os.environ.get("KINEGEN_NO_BROWSER")
    if has_page:
        view.wait_for_page()
    status = view.readout("taught", "drag the handle to three places")
    taught = [view.q]
    for number, place in enumerate(PLACES, 1):
        if has_page:
            q = view.wait_for_drag().q
        else:
            q = kg.solve(view.model, kg.Handle("handle", position=place), start=view.q).q
            view.q = q
        taught.append(q)
        at = kg.pose(view.model, q, "handle").translation
        view.label(f"{number}", at, name=f"place {number}")
        status.value = f"{number} of {len(PLACES)} places"

    # two seconds from place to place; the loops stay closed in between
    rough = kg.Recording.of(view.model, taught, 2.0 * np.arange(len(taught)), name="taught")
    motion = rough.resample(1 / 30)
    view.trace("handle", color="orange")
    if has_page:
        view.play(motion, wait=True)
    gaps = [kg.kinematics.loop_gap(view.model, q).distance for q in motion.configurations()]
    print(f"a motion of {motion.duration:.0f} s through {len(taught)} poses")

assert max(gaps) < 1e-9
