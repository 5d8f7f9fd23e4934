"""Pictures of cameras as people look at them."""

from __future__ import annotations

import numpy as np

from kinegen.world.drawing.pictures import FAR, NEAR, NOTHING, camera_picture
from kinegen.world.signalling.signals import Signals


def test_depths_and_segments_are_drawn_in_colours() -> None:
    signals = Signals(0)
    depth = signals.add("eye.depth", "m", shape=None)
    depth.write(np.array([[1.0, 3.0, np.inf]], np.float32))
    made = camera_picture(depth)
    assert (made.low, made.high) == (1.0, 3.0)
    assert made.pixels[0].tolist() == [[*NEAR], [*FAR], [*NOTHING]]
    segments = signals.add("eye.segmentation", "", shape=None)
    segments.write(np.array([[-1, 0, 1, 2, 1]], np.int32))
    colours = [tuple(one) for one in camera_picture(segments).pixels[0].tolist()]
    assert colours[0] == NOTHING and colours[2] == colours[4] and len({*colours}) == 4
    colour = signals.add("eye.color", "", shape=None)
    colour.write(np.full((2, 2, 3), 7, np.uint8))
    assert camera_picture(colour).pixels.tolist() == np.full((2, 2, 3), 7).tolist()
