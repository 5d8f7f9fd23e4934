"""Visual hulls: frames per second of 8 cameras of 320 × 240 pixels at 64³ voxels.

Run ``python -m bench.world.hull [--rounds N]``. A frame is carved, meshed and coloured: by the
compiled kernels from Python, by the WebAssembly kernels in Node, and by our NumPy kernels. Then
the studio's page in Chromium carves a moving arm from eight virtual cameras: the time in its
worker, from silhouettes to colours, and apart from it the drawing of the pictures, which takes long
without a graphics card. Beside them is carving alone: ours, and the usual few lines of NumPy that
project all voxels into all pictures; Open3D's ``VoxelGrid.carve_silhouette`` is measured if it is
installed. Results are checked on each other first. Rates are the best of several rounds.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from bench.studio.page import BROWSERS, FLAGS
from bench.support.notes import note
from kinegen.hull import PinholeCamera, camera_ring
from kinegen.kernels import backend, reference, wasm_bytes
from tests.browser.server import RunningServer
from tests.browser.studio import Studio

BAR = 10.0
"""Frames per second that an avatar needs."""
SHAPE = np.array([64, 64, 64], dtype=np.int32)
BOX = np.array([[-1.0, -1, -1], [1, 1, 1]])
VOXEL = float(np.sqrt(3) * 2 / 64)
NODE = """
import { readFileSync } from "node:fs";
const [wasm, folder, given, rounds] = process.argv.slice(2);
const { exports: k } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasm)), {});
k._initialize();
const put = (bytes) => {
  const at = k.kg_alloc(bytes.length);
  new Uint8Array(k.memory.buffer, at, bytes.length).set(bytes);
  return [at, bytes.length];
};
const read = (name) => put(readFileSync(`${folder}/${name}`));
const as = ([at, size], bytes) => [at, size / bytes];
const masks = read("masks"), pictures = read("pictures");
const P = as(read("P"), 8), centres = as(read("centres"), 8);
const box = as(read("box"), 8), shape = as(read("shape"), 4);
const [height, width, count, voxel] = [240, 320, 64 ** 3, Number(given)];
const voxels = [k.kg_alloc(count), count], counts = [k.kg_alloc(8), 2];
let best = Infinity, found = [];
for (let round = 0; round < Number(rounds); ++round) {
  const begin = performance.now();
  const inside = k.kg_hull_carve(...masks, ...P, height, width, ...box, ...shape, ...voxels);
  k.kg_hull_counts(...voxels, ...box, ...shape, ...counts);
  const [n, m] = new Int32Array(k.memory.buffer, counts[0], 2);
  const vertices = [k.kg_alloc(24 * n), 3 * n], triangles = [k.kg_alloc(12 * m), 3 * m];
  const colours = [k.kg_alloc(3 * n), 3 * n];
  k.kg_hull_surface(...voxels, ...box, ...shape, 2, ...vertices, ...triangles);
  k.kg_hull_colours(...masks, ...pictures, ...P, ...centres, height, width, voxel, ...vertices,
                    ...triangles, ...colours);
  for (const [at] of [vertices, triangles, colours]) k.kg_free(at);
  best = Math.min(best, performance.now() - begin);
  found = [inside, n, m];
}
console.log(JSON.stringify({ seconds: best / 1000, found }));
"""

IN_PAGE = """async (frames) => {
  const { studio, viewer } = window.kinegen, { avatar } = studio;
  const rows = [], start = studio.q.slice();
  let last = avatar.count, turn = 0;
  while (rows.length < frames + 5) {
    // one of many poses after the other: nothing is at rest
    const q = start.slice();
    q[0] += 0.4 * Math.sin((turn += 0.05));
    studio.setPose(q, "set");
    await new Promise((go) => setTimeout(go, 10));
    if (avatar.count === last) continue;
    last = avatar.count;
    rows.push([avatar.took, avatar.taking]);
  }
  const middle = (i) => rows.slice(5).map((row) => row[i]).sort((a, b) => a - b)[frames >> 1];
  const triangles = avatar.hull.triangles.length / 3;
  return { took: middle(0), taking: middle(1), rate: avatar.rate, triangles };
}"""


def scene() -> tuple[tuple[PinholeCamera, ...], dict[str, np.ndarray]]:
    """A figure of spheres before eight cameras: head, body, arms and legs."""
    cameras = camera_ring((0, 0, 0), 4.0, 8)
    balls: list[tuple[float, ...]] = [(0, 0, 0.65, 0.2), *((0, 0, z, 0.28) for z in (0.0, 0.25))]
    balls += [(0, side * (0.35 + 0.1 * i), 0.35, 0.1) for side in (-1, 1) for i in range(4)]
    balls += [(0, side * 0.15, -0.2 - 0.12 * i, 0.13) for side in (-1, 1) for i in range(5)]
    masks = np.zeros((8, 240, 320), np.uint8)
    u, v = np.meshgrid(np.arange(320) + 0.5, np.arange(240) + 0.5)
    for camera, mask in zip(cameras, masks, strict=True):
        f, (cx, cy) = camera.focal[0], camera.centre
        rays = np.stack([np.ones_like(u), (cx - u) / f, (cy - v) / f], -1) @ camera.X_WC.rotation.T
        rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
        for *centre, radius in balls:
            to = np.array(centre) - camera.X_WC.translation
            mask[to @ to - (rays @ to) ** 2 <= radius**2] = 1
    rng = np.random.default_rng(0)
    return cameras, {
        "masks": masks,
        "pictures": rng.integers(0, 256, (8, 240, 320, 3)).astype(np.uint8),
        "P": np.array([one.projection for one in cameras]),
        "centres": np.array([one.X_WC.translation for one in cameras]),
        "box": BOX,
        "shape": SHAPE,
    }


def whole(kernels: Any, given: dict[str, np.ndarray]) -> list[int]:
    """One frame: carved, meshed, coloured."""
    voxels = kernels.hull_carve(given["masks"], given["P"], BOX, SHAPE)
    vertices, triangles = kernels.hull_surface(voxels, BOX, 2)
    kernels.hull_colours(
        given["masks"], given["pictures"], given["P"], given["centres"], VOXEL, vertices, triangles
    )
    return [int(voxels.sum()), len(vertices), len(triangles)]


def plain(given: dict[str, np.ndarray]) -> int:
    """Carving as it is usually written in NumPy: all voxels into all pictures by one product."""
    ticks = np.linspace(-1, 1, 64, endpoint=False) + 1 / 64
    points = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), -1).reshape(-1, 3)
    padded = np.column_stack([points, np.ones(len(points))])
    inside = np.ones(len(points), dtype=bool)
    for P, mask in zip(given["P"], given["masks"], strict=True):
        u, v, depth = P @ padded.T
        column, row = (u / depth).astype(int), (v / depth).astype(int)
        inside &= mask[row.clip(0, 239), column.clip(0, 319)] != 0
    return int(inside.sum())


def open3d_carving(cameras: tuple[PinholeCamera, ...], given: dict[str, np.ndarray]) -> Any:
    """The same by Open3D, or None where it is not installed."""
    try:
        o3d = importlib.import_module("open3d")
    except ImportError:
        return None
    pairs = []
    for camera, mask in zip(cameras, given["masks"], strict=True):
        setting = o3d.camera.PinholeCameraParameters()
        f, (cx, cy) = camera.focal[0], camera.centre
        setting.intrinsic = o3d.camera.PinholeCameraIntrinsic(320, 240, f, f, cx, cy)
        R = camera.X_WC.rotation
        turn = np.stack([-R[:, 1], -R[:, 2], R[:, 0]])
        setting.extrinsic = np.block([[turn, -(turn @ camera.X_WC.translation)[:, None]],
                                      [np.zeros((1, 3)), 1]])  # fmt: skip
        pairs.append((o3d.geometry.Image(mask.astype(np.float32)), setting))

    def run() -> int:
        grid = o3d.geometry.VoxelGrid.create_dense(
            origin=BOX[0], color=[0, 0, 0], voxel_size=2 / 64, width=2, height=2, depth=2
        )
        for picture, setting in pairs:
            grid.carve_silhouette(picture, setting, False)
        return len(grid.get_voxels())

    return run


def best(rounds: int, run: Callable[[], Any]) -> float:
    """Seconds of the fastest of several rounds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


def in_node(given: dict[str, np.ndarray], rounds: int) -> dict[str, Any] | None:
    """Seconds of a frame in WebAssembly and what was found; None without Node."""
    node = shutil.which("node")
    if node is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for key, array in given.items():
            (folder / key).write_bytes(np.ascontiguousarray(array).tobytes())
        (folder / "kernels.wasm").write_bytes(wasm_bytes())
        (folder / "run.mjs").write_text(NODE, encoding="utf-8")
        files = [str(one) for one in (folder / "run.mjs", folder / "kernels.wasm", folder)]
        done = subprocess.run(
            [node, *files, repr(VOXEL), str(rounds)], capture_output=True, text=True, check=True
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def in_page(frames: int) -> dict[str, Any] | None:
    """Times of the page's worker and of drawing [ms], medians; None without Chromium."""
    browser = next(filter(None, (shutil.which(name) for name in BROWSERS if name)), None)
    if browser is None:
        return None
    with (
        tempfile.TemporaryDirectory() as name,
        RunningServer(Path(name), Path(name) / "state") as server,
        sync_playwright() as playwright,
    ):
        chromium: Any = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        page = Studio(chromium.new_page(viewport={"width": 1280, "height": 720}), server.address)
        page.open("puma560")
        page.tab("Scene")
        page.page.get_by_role("button", name="Start", exact=True).click()
        page.wait("s.avatar.count > 0")
        found: dict[str, Any] = page.page.evaluate(IN_PAGE, frames)
        chromium.close()
    return found


def report_page(frames: int) -> None:
    """What the page's worker takes, and drawing beside it."""
    print("\nin the studio's page, a moving arm before virtual cameras")
    found = in_page(frames)
    if found is None:
        print("  left out: there is no Chromium here")
        return
    rate = 1000 / found["took"]
    print(
        f"  in the worker  {found['took']:8.1f} ms {rate:8.1f} Hz, {found['triangles']} triangles"
    )
    print(f"  drawing        {found['taking']:8.1f} ms for all pictures, in the page")
    print(f"  shown          {'':11} {found['rate']:8.1f} Hz with drawing and rests")
    note("frame, worker in the page", rate, "Hz", more_is_better=True)
    note("drawing of virtual pictures", found["taking"], "ms")
    print(f"  the worker reaches {BAR:g} Hz: {'yes' if rate >= BAR else 'NO'}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    cameras, given = scene()
    native: Any = backend.module()
    found = whole(native, given)
    print(f"8 cameras of 320 × 240, 64³ voxels: {found[0]:,} inside, {found[2]:,} triangles\n")
    print("a whole frame (carve, mesh, colour)")
    seconds = {"compiled": best(rounds, lambda: whole(native, given))}
    page = in_node(given, rounds)
    if page is not None:
        assert page["found"] == found
        seconds["wasm in Node"] = page["seconds"]
    assert whole(reference, given) == found
    seconds["NumPy kernels"] = best(max(1, rounds // 5), lambda: whole(reference, given))
    for name, value in seconds.items():
        print(f"  {name:14} {1000 * value:8.1f} ms {1 / value:8.1f} Hz")
        note(f"frame, {name}", 1 / value, "Hz", more_is_better=True)
    print(f"  the slower of the first two is {BAR:g} Hz or more: "
          f"{'yes' if 1 / max(list(seconds.values())[:-1]) >= BAR else 'NO'}\n")  # fmt: skip

    print("carving alone")
    ours = best(rounds, lambda: native.hull_carve(given["masks"], given["P"], BOX, SHAPE))
    # products of matrices round differently: a few voxels lie on the edge of a pixel
    assert abs(plain(given) - found[0]) < 0.001 * found[0]
    peers: dict[str, Callable[[], Any]] = {"plain NumPy": lambda: plain(given)}
    if (run := open3d_carving(cameras, given)) is not None:
        peers["Open3D"] = run
    print(f"  {'ours':14} {1000 * ours:8.1f} ms")
    note("carving, ours", 1000 * ours, "ms")
    for name, run in peers.items():
        value = best(max(1, rounds // 3), run)
        print(f"  {name:14} {1000 * value:8.1f} ms, {value / ours:.1f} times ours")
        note(f"carving, {name}", 1000 * value, "ms")
    report_page(2 * rounds)


if __name__ == "__main__":
    main()
