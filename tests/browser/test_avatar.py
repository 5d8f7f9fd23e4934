"""The avatar from cameras: carved in the page's worker, from virtual cameras and from webcams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.hull import PictureFolders, PinholeCamera, VirtualCameras, carve, hulls, read_cameras
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from tests.browser.conftest import BROWSER, FLAGS, WINDOW, Opener
from tests.browser.studio import HANG, Studio
from tests.browser.test_share import link
from tests.browser.test_world import VALUE
from tests.unit.hull.test_camera_file import fill

NEAR = 0.06
"""Of volumes: the page and MuJoCo round shapes with other numbers of corners, and the edges of
silhouettes to pixels, which are 6 mm here while links are 8 cm thick."""
FACTS = """({
  volume: s.avatar.hull.volume, box: [...s.avatar.box], triangles: s.avatar.hull.triangles.length,
  troubles: s.avatar.troubles, cameras: s.avatar.source.cameras,
})"""
DRAWN = """(() => {
  const mesh = v.root.getObjectByName("avatar mesh");
  return mesh.visible && mesh.geometry.index.count;
})()"""


def python_volume(q: list[float], facts: dict[str, Any]) -> float:
    """What Python carves from its own drawings by the page's cameras [m³]."""
    cameras = [
        PinholeCamera(
            one["name"], one["width"], one["height"], tuple(one["focal"]), tuple(one["centre"]),
            SE3(SO3.from_matrix(np.reshape(one["pose"][:9], (3, 3))), np.array(one["pose"][9:])),
        )
        for one in facts["cameras"]
    ]  # fmt: skip
    with VirtualCameras(kg.load("puma560"), [q]) as source:
        source.cameras = cameras
        frame = next(source.frames())
    box = np.reshape(facts["box"], (2, 3))
    return carve(cameras, frame.silhouettes, box, 48).volume


def test_an_arm_is_carved_as_python_carves_it_and_follows_it(
    blank: Studio, pages: Opener, profile: Callable[..., Any]
) -> None:
    pytest.importorskip("mujoco")
    studio = blank
    studio.open("puma560")
    guest = pages(profile(viewport={"width": 400, "height": 240}), studio.address)
    guest.go(link(studio, "View-only link"))
    studio.tab("Scene")
    studio.page.get_by_label("Voxels along the longest edge").select_option("48")
    studio.page.get_by_role("button", name="Start", exact=True).click()
    studio.wait("s.avatar.hull?.triangles.length > 0")
    first = studio.value(FACTS)
    assert first["troubles"] == []
    assert first["volume"] == pytest.approx(python_volume(studio.q, first), rel=NEAR)
    studio.frame_drawn()
    assert studio.value(DRAWN) == first["triangles"]
    # another pose, another body
    studio.value("s.setPose(s.q.map((x, i) => x + [0.8, 0.5, -0.7, 0, 0.4, 0][i]), 'set')")
    studio.wait("s.avatar.box.some((x, i) => Math.abs(x - a[0][i]) > 0.01)", first["box"])
    count = studio.value("s.avatar.count")
    studio.value("s.avatar.renew()")
    studio.wait("s.avatar.count > a[0]", count)
    moved = studio.value(FACTS)
    assert moved["volume"] == pytest.approx(python_volume(studio.q, moved), rel=NEAR)
    # the other person sees it in place of a head, where it is shown; without it a head again
    guest.wait("s.people.meshes.size === 1")
    guest.wait("[...s.people.others.keys()].every((one) => s.people.meshes.has(one))")
    seen = "v.root.children.filter(({name, visible}) => name.startsWith(a[0]) && visible).length"
    guest.value("window.kinegen.viewer.invalidate()")
    guest.wait(f"{seen} === 1", "mesh of person")
    assert guest.value(seen, "person ") == 0
    lowest = "Math.min(...[...s.people.meshes.values()][0].vertices.filter((_, i) => i % 3 === 0))"
    width = moved["box"][3] - moved["box"][0]
    assert guest.value(lowest) > moved["box"][0] + 0.8 * width
    with studio.page.expect_download() as waiting:
        studio.page.get_by_label("Save the avatar").click()
        studio.page.get_by_role("menuitem", name="PLY").click()
    assert waiting.value.path().read_bytes().startswith(b"ply\nformat binary_little_endian")
    studio.page.get_by_role("button", name="Stop", exact=True).click()
    guest.wait("s.people.meshes.size === 0")
    guest.wait(f"{seen} === 0", "mesh of person")


ROOM = """raff: 1
name: room
world: {step: 5 ms}
joints:
  - {name: arm, parent: base, motor: true, xyz: [0, 0, 0.5], shape: {box: [0.2, 0.3, 1.0]}}
sensors:
  - {name: guard, type: person, at: {xyz: [0, 0, 0.5]}, range: [0, 6]}
"""
"""A world whose only link is carved; it stands for a person beside it."""


def test_somebody_whom_cameras_see_stands_in_the_world_without_a_headset(
    studio: Studio, folder: Path
) -> None:
    (folder / "room.raff").write_text(ROOM)
    studio.open("room.raff")
    studio.tab("Scene")
    studio.page.get_by_role("button", name="Start", exact=True).click()
    studio.wait("s.avatar.hull?.triangles.length > 0")
    studio.value("s.avatar.change({ placement: { place: [2, 0, 0], turn: 0, scale: 1 } })")
    studio.value("s.simulation.play()")
    studio.wait(f"{VALUE} === 1", "guard.count")
    # the box in front, as coarse as it was sent: 32 voxels along the longest edge
    distance = studio.value(VALUE, "guard.distance")
    box = studio.value("[...s.avatar.box]")
    voxel = max(box[3 + i] - box[i] for i in range(3)) / 32
    assert distance == pytest.approx(2 - 0.1, abs=2 * voxel)
    # it moves with its placement, and leaves with the avatar
    studio.value("s.avatar.change({ placement: { place: [4, 0, 0], turn: 0, scale: 1 } })")
    studio.wait(f"{VALUE} > 3.5", "guard.distance")
    studio.value("s.avatar.change({ isShared: false })")
    studio.wait(f"{VALUE} === 0", "guard.count")
    studio.value("s.avatar.change({ isShared: true })")
    studio.wait(f"{VALUE} === 1", "guard.count")
    studio.value("s.avatar.stop()")
    studio.wait(f"{VALUE} === 0", "guard.count")
    studio.value("s.simulation.end()")
    studio.wait("s.simulation.phase === 'off'")


def test_pictures_of_the_project_folder_are_played_in_a_loop(studio: Studio, folder: Path) -> None:
    fill(folder)
    source = PictureFolders(read_cameras(folder / "cameras.yaml"))
    wanted = [hull.volume for _, hull in hulls(source, source.file.box, 48)]
    assert wanted[1] > 2 * wanted[0]  # a small sphere and a large one
    studio.tab("Scene")
    page = studio.page
    page.get_by_label("Voxels along the longest edge").select_option("48")
    page.get_by_text("Files", exact=True).click()
    page.get_by_label("Camera file").select_option("cameras.yaml")
    page.get_by_role("button", name="Start", exact=True).click()
    for volume in [*wanted, *wanted]:  # again and again, in their order
        studio.wait("Math.abs(s.avatar.hull?.volume - a[0]) < 1e-3 * a[0]", volume)
    assert studio.value("s.avatar.troubles") == []
    studio.frame_drawn()
    assert studio.value(DRAWN) > 0
    page.get_by_role("button", name="Stop", exact=True).click()
    # what cannot be played is said, by its folder
    (folder / "b" / "2.png").rename(folder / "b" / "3.png")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("alert").get_by_text("is not in the folders of both 'a' and 'b'").wait_for()


@pytest.fixture(scope="module")
def filmed(browser: Any) -> Iterator[Any]:
    """A Chromium with a camera that films a moving pattern."""
    flags = [*FLAGS, "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    other = browser.browser_type.launch(executable_path=BROWSER, args=flags)
    yield other
    other.close()


def test_webcams_need_an_empty_picture_and_say_what_is_wrong(filmed: Any, address: str) -> None:
    context = filmed.new_context(viewport=WINDOW)
    context.set_default_timeout(1000 * HANG)
    studio = Studio(context.new_page(), address)
    studio.open("five-bar")
    page = studio.page
    studio.tab("Scene")
    page.get_by_text("Webcams", exact=True).click()
    page.get_by_role("button", name="Look for cameras").click()
    page.get_by_text("fake", exact=False).first.wait_for()
    page.get_by_role("button", name="Start", exact=True).click()
    studio.wait("s.avatar.preview !== null")
    assert studio.value("s.avatar.hull") is None
    # previews show the camera's picture, which is not black
    assert studio.value("Math.max(...s.avatar.preview.pictures[0])") == 255
    page.get_by_role("button", name="Capture the background").click()
    page.get_by_text("Leave the field of view now").wait_for()
    studio.wait("s.avatar.source?.isReady && s.avatar.hull !== null")
    # the pattern moves, so something differs from it
    studio.wait("s.avatar.shares[0] > 0")
    count = studio.value("s.avatar.count")
    studio.wait("s.avatar.count > a[0] + 2", count)
    # unplugged
    studio.value(
        "s.avatar.source.videos[0].srcObject.getTracks()[0].dispatchEvent(new Event('ended'))"
    )
    page.get_by_text("was it unplugged?").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    assert studio.value("s.avatar.isOn") is False
    # refused by the browser, in words
    studio.value(
        "navigator.mediaDevices.getUserMedia = () => "
        "Promise.reject(new DOMException('no', 'NotAllowedError'))"
    )
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("alert").get_by_text("The browser does not allow").wait_for()
    assert studio.errors == []
    context.close()
