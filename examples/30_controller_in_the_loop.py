"""A controller in the loop: it moves the handle of a five-bar to a target, again after each drag.

Move the sliders in the page, or drag the mechanism: while you hold it, your hand has priority.
"""

from __future__ import annotations

import os
import time

import numpy as np

import kinegen as kg

with kg.show("five-bar", name="controller in the loop") as view:
    has_page = not os.environ.get("KINEGEN_NO_BROWSER")
    if has_page:
        view.wait_for_page()
    model = view.model
    x = view.slider("x", 0.0, 0.2, value=0.14, unit="m")
    y = view.slider("y", 0.2, 0.36, value=0.3, unit="m")
    gain = view.slider("gain", 0.5, 20, value=6, unit="1/s")
    stop = view.button("Stop")
    mark = view.points([[x.value, y.value, 0]], color="orange", size=10)

    rate, count, error = 60.0, 0, np.inf
    began = time.monotonic()
    while not stop.pressed and (has_page or count < 150):
        # one step of velocity control: v = J⁺ k e, loops closed by the view
        target = np.array([x.value, y.value, 0.0])
        mark.update([target])
        q = view.q
        e = target - kg.pose(model, q, "handle").translation
        error = float(np.linalg.norm(e))
        if not view.dragging:
            solved = kg.solve(
                model, kg.Handle("handle", position=target - e * (1 - gain.value / rate)), start=q
            )
            view.q = solved.q
        view.plot("distance to the target", 1000 * error, unit="mm")
        count += 1
        time.sleep(max(0.0, began + count / rate - time.monotonic()))
    print(f"{count} steps, {1000 * error:.3f} mm from the target")

assert has_page or error < 1e-4
