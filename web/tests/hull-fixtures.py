"""Rings of cameras, silhouettes and a hull as JSON, for the page's tests."""

import base64
import json
import math
import sys

import numpy as np

from kinegen.hull import camera_ring, carve, silhouettes
from kinegen.kernels.backend import wasm_bytes
from kinegen.studio.wire.frames import BodyFrame, pack_body

RADIUS = 0.4


def text(array: np.ndarray) -> str:
    """Bytes of an array as base64."""
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def ball_masks(cameras: tuple, radius: float) -> np.ndarray:
    """Silhouettes of a ball around the origin, by rays."""
    masks = []
    for camera in cameras:
        u, v = np.meshgrid(np.arange(camera.width) + 0.5, np.arange(camera.height) + 0.5)
        (fx, fy), (cx, cy) = camera.focal, camera.centre
        rays = np.stack([np.ones_like(u), (cx - u) / fx, (cy - v) / fy], -1)
        rays = rays @ camera.X_WC.rotation.T
        rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
        to = -camera.X_WC.translation
        masks.append(to @ to - (rays @ to) ** 2 <= radius**2)
    return np.array(masks)


def main() -> None:
    """Write everything to standard output."""
    rng = np.random.default_rng(3)
    cameras = camera_ring((0.1, -0.2, 0.3), 3.0, 5, pixels=(48, 36), field_of_view=0.9)
    background = rng.integers(0, 256, (36, 48, 3)).astype(np.uint8)
    picture = background.copy()
    picture[8:20, 10:30] = rng.integers(0, 256, (12, 20, 3))
    picture[25, 40] ^= 255
    ring = camera_ring((0, 0, 0), 2.0, 6, pixels=(64, 48), field_of_view=math.radians(40))
    masks = ball_masks(ring, RADIUS)
    pictures = np.full((6, 48, 64, 3), (200, 80, 40), dtype=np.uint8)
    box = [[-0.6, -0.5, -0.5], [0.6, 0.5, 0.5]]
    hull = carve(ring, masks, box, 24, pictures=pictures)
    body = BodyFrame(0, hull.vertices, hull.triangles, hull.colours)
    json.dump(
        {
            "wasm": text(np.frombuffer(wasm_bytes(), np.uint8)),
            "ring": [
                {
                    "name": one.name,
                    "focal": one.focal,
                    "centre": one.centre,
                    "pose": [*one.X_WC.rotation.ravel(), *one.X_WC.translation],
                    "projection": one.projection.ravel().tolist(),
                }
                for one in cameras
            ],
            "background": text(background),
            "picture": text(picture),
            "mask": text(silhouettes(picture, background, threshold=40).astype(np.uint8)),
            "ball": {
                "masks": text(masks.astype(np.uint8)),
                "volume": hull.volume,
                "vertices": hull.vertices.ravel().tolist(),
                "triangles": hull.triangles.ravel().tolist(),
                "colors": hull.colours.ravel().tolist(),
                "body": text(np.frombuffer(pack_body(body), np.uint8)),
            },
        },
        sys.stdout,
    )


main()
