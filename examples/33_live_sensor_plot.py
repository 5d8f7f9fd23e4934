"""A live sensor plot: a thread reads an encoder, moves the model and plots the values.

A real program would read a serial port or a socket; this one computes the values.
"""

from __future__ import annotations

import math
import os
import threading
import time

import kinegen as kg

with kg.show("slider-crank", name="sensor") as view:
    has_page = not os.environ.get("KINEGEN_NO_BROWSER")
    if has_page:
        view.wait_for_page()
    stop = view.button("Stop")
    crank = view.model.joints[0].name
    first = float(view.q[0])
    readings: list[float] = []

    def read_sensor() -> None:
        """A thousand readings a second: the view sends the latest, at most 250 times a second."""
        began = time.monotonic()
        while not stop.presses and (has_page or time.monotonic() < began + 1.5):
            now = time.monotonic() - began
            angle = first + 0.4 * math.sin(2 * now)
            readings.append(angle)
            view.q = {crank: angle}
            view.plot("encoder", math.degrees(angle), x=now, unit="°")
            time.sleep(0.001)

    thread = threading.Thread(target=read_sensor)
    thread.start()
    thread.join()
    print(f"{len(readings)} readings, the last {math.degrees(readings[-1]):.1f}°")
    at = float(view.q[0])

assert len(readings) > 50 and (has_page or abs(at - readings[-1]) < 1e-9)
