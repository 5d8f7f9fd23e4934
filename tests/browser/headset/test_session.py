"""What a headset's session does when something goes wrong: late frames, lost tracking, errors."""

from __future__ import annotations

import pytest

from tests.browser.headset.device import Headset, place, stand
from tests.browser.studio import CLOSED, Studio

RIG = "[...h.rig.position.toArray(), ...h.rig.quaternion.toArray(), h.rig.scale]"
SEEN = """((w) => {
  const { rig, head } = h;
  const p = rig.position.clone().set(...w).sub(rig.position);
  p.applyQuaternion(rig.quaternion.clone().invert()).divideScalar(rig.scale).sub(head.place);
  const { x, y } = head.ahead;
  return [p.x * y - p.y * x, p.x * x + p.y * y, p.z];
})(a[0])"""
"""A place of the world as the head sees it: to the right, ahead, up."""
WORLD = """((rig, p) => p.clone().multiplyScalar(rig.scale).applyQuaternion(rig.quaternion)
  .add(rig.position).toArray())"""
"""A place of the room in the world."""
LAMP = """raff: 1
name: lamp-room
base: {shape: none}
joints: [{name: A, parent: base, motor: true, mass: 1, inertia: [1, 1, 1]}]
lights: [{name: lamp, type: point, at: {xyz: [0.5, 0.5, 1]}, intensity: 0.5}]
"""
WATCHED = """raff: 1
name: watched
gravity: [0, 0, 0]
world: {floor: 0}
joints: [{name: A, parent: base, motor: true, mass: 1, inertia: [1, 1, 1]}]
objects: [{name: puck, shape: {box: [0.1, 0.1, 0.1]}, at: {xyz: [1, 0, 1]}, velocity: [0.3, 0, 0]}]
sensors: [{name: near, type: person, rate: 50, range: [0, 20]}]
agents: [{name: eyes, program: "os:getcwd"}]
"""


LOSE = """{
  const known = XRFrame.prototype.getPose;
  window.find = () => void (XRFrame.prototype.getPose = known);
  XRFrame.prototype.getPose = function (space, base) {
    const isHand = [...this.session.inputSources].some(
      ({ targetRaySpace, gripSpace }) => space === targetRaySpace || space === gripSpace,
    );
    return isHand ? null : known.call(this, space, base);
  };
}"""
"""Controllers are not tracked any more, until `find()`."""


AROUND = """window.device.installSEM(class {
  environmentCanvas = document.createElement('canvas');
  render() {}
  computeHitTestResults(X) {
    const [x, y, z, dx, dy, dz] = [X[12], X[13], X[14], -X[8], -X[9], -X[10]];
    const at = (t) => [x + t * dx, y + t * dy, z + t * dz, 1];
    const level = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
    const upright = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0];
    const isOnTable = ([px, , pz]) => Math.abs(px) < 0.6 && pz < -0.7 && pz > -1.6;
    const ways = [(0.74 - y) / dy, -y / dy, (-3 - z) / dz];
    const hits = [[level, ways[0], isOnTable], [level, ways[1]], [upright, ways[2]]];
    return hits.filter(([, t, fits]) => t > 0 && (fits?.(at(t)) ?? true))
      .sort((a, b) => a[1] - b[1]).map(([turn, t]) => [...turn, ...at(t)]);
  }
})"""
"""A table of 74 cm, a floor and a wall, as a headset finds them in the real room."""
FOOT = """(({ centre, floor, up }) =>
  centre.map((x, i) => x + (floor - up.dot(up.clone().set(...centre))) * up.getComponent(i)))
  (v.frameOf())"""
"""What the mechanism stands on, in the world."""


def stick(headset: Headset, side: str, x: float, y: float) -> None:
    """Push a stick to the right and forwards."""
    headset.value("(d.controllers[a[0]].updateAxes('thumbstick', a[1], a[2]), 0)", side, x, -y)
    headset.frames()


QUALITY = """(({ renderer, key }, { edges }) => ({
  shadows: renderer.shadowMap.autoUpdate && key.shadow.intensity > 0,
  foveation: renderer.xr.getFoveation(), scale: window.askedScale, outlines: edges.visible,
}))(v.stage, v.links.views.at(-1))"""
PROGRAM = """v.stage.renderer.properties.get(v.links.views.at(-1).solid.material)
  .currentProgram.id"""
"""The compiled material of a part."""
STEPS = [
    {"shadows": True, "foveation": 0, "scale": 1, "outlines": True},
    {"shadows": False, "foveation": 0, "scale": 1, "outlines": True},
    {"shadows": False, "foveation": 1, "scale": 0.7, "outlines": True},
    {"shadows": False, "foveation": 1, "scale": 0.7, "outlines": False},
]
DRAWN = "v.parts.find((one) => one.overview).overview.object.geometry.drawRange.count"


def test_quality_drops_step_by_step_stays_dropped_and_comes_back(
    headset: Headset, page: Studio
) -> None:
    stand(page, "five-bar")
    headset.enter()
    headset.value("(h.quality.pace.took = () => undefined, 0)")  # the test is the governor

    def show(level: int) -> None:
        headset.value("(h.quality.pace.level = a[0], 0)", level)
        headset.frames()

    # real shadows, so that materials would be compiled again if they were turned off
    page.value("(v.stage.lowfx = false, v.stage.shadows = true, 0)")
    try:
        show(0)
        before = page.value(PROGRAM)
        for level in (1, 2, 3, 2, 1, 0):
            show(level)
            assert page.value(QUALITY) == STEPS[level]
        assert page.value(PROGRAM) == before
    finally:
        page.value("(v.stage.lowfx = true, v.stage.shadows = false, 0)")
    show(3)
    for change in (
        "s.setSetting('showFrames', !s.settings.showFrames)",
        "s.setSetting('overlays', ['speeds'])",
    ):
        page.value(f"({change}, 0)")
        headset.frames()
        assert page.value(QUALITY) == STEPS[3]
    headset.open_from_library("four-bar")
    headset.frames()
    assert page.value(QUALITY) == STEPS[3]
    # a wireframe has nothing but outlines
    page.value("s.setSetting('renderMode', 'wireframe')")
    headset.frames()
    assert page.value(QUALITY)["outlines"]
    page.value("s.setSetting('renderMode', 'solid')")
    headset.frames()
    assert page.value(QUALITY) == STEPS[3]
    show(0)
    assert page.value(QUALITY) == STEPS[0]
    show(2)
    headset.leave()
    left = page.value(QUALITY)
    assert left["shadows"] and left["outlines"]
    # the next session begins with the best
    headset.enter()
    headset.value("(h.quality.pace.took = () => undefined, h.quality.pace.level = 0, 0)")
    headset.frames()
    assert page.value(QUALITY) == STEPS[0]


def test_points_of_a_workspace_are_part_of_the_budget(headset: Headset, page: Studio) -> None:
    stand(page, "lynx6")
    page.value("s.workspace.run()")
    page.wait("!s.workspace.task.busy && s.workspace.points.count === 25_920")
    headset.enter()
    headset.value("(h.quality.pace.took = (...a) => void (window.took = a), 0)")
    for points in (4000, 9000, 60_000):
        headset.value("(h.quality.pace.points = a[0], 0)", points)
        headset.frames()
        assert page.value(DRAWN) == min(points, 25_920)
    assert page.value("window.took[2]") == 25_920
    page.value("s.setSetting('showFrames', !s.settings.showFrames)")
    headset.value("(h.quality.pace.points = 5000, 0)")
    headset.frames()
    assert page.value(DRAWN) == 5000
    page.value("(s.workspace.clear(), 0)")
    headset.frames()
    assert page.value("window.took[2]") == 0


def test_the_rate_is_asked_for_and_frames_are_measured_by_it(
    headset: Headset, page: Studio
) -> None:
    stand(page, "five-bar")
    headset.enter()
    session = "v.stage.renderer.xr.getSession()"
    page.wait(f"{session}.frameRate === 72")
    headset.press("right", "a-button")
    headset.press("right", "a-button", 0)
    menu = "h.panels.open.get('Menu').sheet.rows.some((row) => JSON.stringify(row).includes(a[0]))"
    headset.wait(menu, " of 72 Hz")
    page.value(f"{session}.updateTargetFrameRate(90)")
    headset.wait(menu, " of 90 Hz")
    headset.value("(h.quality.pace.took = () => undefined, h.quality.pace.level = 3, 0)")
    headset.wait(menu, "no outlines")


def test_a_step_is_made_by_a_stick_but_not_by_a_hand_that_is_lost(
    headset: Headset, page: Studio
) -> None:
    stand(page, "stewart")
    headset.enter()
    headset.put("right", [0.4, 1.2, 0.0], [0.3, 0.1, -1.0])
    start = headset.value(RIG)
    stick(headset, "right", 0, 1)
    assert headset.value("h.walking.aimed !== null")
    # the controller is not tracked for a moment, and the stick is let go meanwhile
    page.page.evaluate(f"() => {LOSE}")
    headset.frames()
    assert headset.value("h.walking.aimed") is None
    stick(headset, "right", 0, 0)
    page.value("(window.find(), 0)")
    headset.frames(4)
    assert headset.value(RIG) == start
    # a system menu in between cancels it, too
    stick(headset, "right", 0, 1)
    headset.value("(d.updateVisibilityState('visible-blurred'), 0)")
    headset.wait("h.isVisible === false")
    headset.value("(d.controllers.right.updateAxes('thumbstick', 0, 0), 0)")
    headset.value("(d.updateVisibilityState('visible'), 0)")
    headset.wait("h.isVisible")
    headset.frames(4)
    assert headset.value(RIG) == start
    # and now it is meant
    stick(headset, "right", 0, 1)
    there = headset.value(f"{WORLD}(h.rig, h.walking.aimed.at(-1))")
    stick(headset, "right", 0, 0)
    feet = headset.value(f"{WORLD}(h.rig, h.head.place.clone().setZ(0))")
    assert feet == pytest.approx(there, abs=1e-6)
    assert headset.value(RIG) != start


def test_a_stick_that_has_pushed_a_part_moves_nobody_when_it_is_let_go(
    headset: Headset, page: Studio
) -> None:
    stand(page, "stewart")
    headset.enter()
    middle = headset.room(place(page, "platform"))
    eye = [0.1, 1.5, 0.0]
    headset.put("right", eye, [a - b for a, b in zip(middle, eye, strict=True)])
    start = headset.value(RIG)
    headset.press("right", "trigger")
    headset.wait("s.grabs.length === 1")
    stick(headset, "right", 0, 1)
    headset.press("right", "trigger", 0)
    headset.frames(3)
    assert headset.value("h.walking.aimed") is None
    stick(headset, "right", 0, 0)
    assert headset.value(RIG) == start
    assert page.gap < CLOSED


def test_it_is_put_on_a_real_table_where_one_points(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    page.value(f"({AROUND}, 0)")
    rings = "h.putting.group.children.filter((one) => one.visible).length"

    def point(place: list[float]) -> None:
        eye = [0.2, 1.3, 0.0]
        headset.put("right", eye, [a - b for a, b in zip(place, eye, strict=True)])
        headset.frames(3)  # the question for the surfaces is answered meanwhile

    def toggle() -> None:
        headset.click("a-button")
        headset.press_on("Menu", "Put it down")
        headset.click("a-button")

    headset.enter()
    assert not headset.value("h.canPutDown")  # nothing is real in VR
    headset.leave()
    headset.enter("Enter AR")
    headset.put("left", [-0.3, 0.5, 0.6], [0, 1, 0.2])  # it points at nothing
    scale = headset.value("h.rig.scale")
    toggle()
    headset.wait("h.isPuttingDown")
    table = [0.3, 0.74, -1.1]
    point(table)
    headset.wait(f"{rings} === 1")
    headset.click()
    headset.wait("!h.isPuttingDown")
    assert headset.room(page.value(FOOT)) == pytest.approx(table, abs=1e-4)
    assert headset.value("h.rig.scale") == scale
    assert headset.value("s.grabs.length") == 0
    # nothing stands on a wall, and the world stays where it is
    start = headset.value(RIG)
    toggle()
    point([0.0, 1.2, -3.0])
    assert headset.value(rings) == 0
    headset.click()
    assert headset.value("h.isPuttingDown") and headset.value(RIG) == start
    floor = [0.6, 0.0, -2.0]
    point(floor)
    headset.wait(f"{rings} === 1")
    toggle()  # given up
    assert headset.value(rings) == 0 and headset.value(RIG) == start


@pytest.mark.parametrize("is_told", [False, True])
def test_a_recentred_room_leaves_the_world_where_it_is_seen(
    headset: Headset, page: Studio, is_told: bool
) -> None:
    stand(page, "stewart")
    headset.enter()
    headset.value("(h.panels.toggle('Joints'), 0)")
    headset.value("(d.position.set(0.4, 1.6, 0.3), d.quaternion.set(0, Math.sin(0.2), 0,"
                  " Math.cos(0.2)), 0)")  # fmt: skip
    headset.wait("Math.abs(h.head.place.x - 0.4) < 1e-6")
    headset.hold_at("right", headset.room(place(page, "platform")))
    headset.press("right", "squeeze")
    headset.wait("s.grabs.length === 1")
    world = place(page, "platform")
    before = headset.value(SEEN, world)
    panel = "h.panels.open.get('Joints').X_RP.elements.slice(12, 15)"
    way = f"Math.hypot(...{panel}.map((x, i) => x - h.head.place.getComponent(i)))"
    away = headset.value(way)
    frames = headset.value("h.frames")
    if is_told:  # the new origin is a metre to the right, and the head is so much to the left of it
        headset.value(
            "((event) => (event.transform = new XRRigidTransform({ x: 1, y: 0, z: 0 }),"
            " d.position.set(-0.6, 1.6, 0.3),"
            " v.stage.renderer.xr.getReferenceSpace().dispatchEvent(event), 0))(new Event('reset'))"
            .replace("v.stage", "window.kinegen.viewer.stage")
        )  # fmt: skip
        headset.wait("Math.abs(h.head.place.x + 0.6) < 1e-6")
    else:
        headset.value("(d.recenter(), 0)")
        headset.wait("Math.abs(h.head.place.x) < 1e-6")
    headset.wait("h.frames > a[0] + 3", frames)
    headset.wait("s.grabs.length === 0")
    assert place(page, "platform") == world  # nothing was dragged along
    assert headset.value(SEEN, world) == pytest.approx(before, abs=1e-6)
    assert headset.value(way) == pytest.approx(away, abs=1e-6)
    headset.press("right", "squeeze", 0)


def raise_hand(headset: Headset) -> None:
    """Hold up a flat right hand."""
    headset.put("right", [0.2, 1.4, -0.4], thing="hands")
    headset.value("(d.hands.right.quaternion.set(0, 0, 0, 1), d.hands.right.poseId = 'flat', 0)")
    headset.frames()


def test_a_flat_hand_ends_motion_that_no_agent_ends(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.value("(d.primaryInputMode = 'hand', 0)")
    headset.enter()
    headset.wait("h.hands.actors.every((one) => one.hand.kind === 'tracked')")
    page.value("s.simulation.set({ hold: true })")
    page.value("s.simulation.play()")
    page.wait("s.simulation.phase === 'running'")
    raise_hand(headset)
    page.wait("s.simulation.phase === 'paused'")
    headset.value("(d.hands.right.poseId = 'default', 0)")
    headset.frames()
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_a_flat_hand_ends_motion_in_a_world_whose_agents_do_nothing_about_it(
    headset: Headset, page: Studio
) -> None:
    # a slow robot of which agents see people: its world would need minutes to find out
    stand(page, "careful-robot")
    headset.value("(d.primaryInputMode = 'hand', 0)")
    headset.enter()
    headset.wait("h.hands.actors.every((one) => one.hand.kind === 'tracked')")
    page.value("s.simulation.set({ speed: 0.01 })")
    page.value("s.simulation.play()")
    page.wait("s.simulation.phase === 'running' && s.simulation.sensors.areGesturesRead")
    time = page.value("s.simulation.frame.time")
    raise_hand(headset)
    page.wait("s.simulation.phase === 'paused'")
    assert page.value("s.simulation.frame.time") - time < 1.2
    headset.value("(d.hands.right.poseId = 'default', 0)")
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")
    # a sensor that no agent reads is no reason to wait
    page.value("s.editText(a[0])", WATCHED)
    page.wait("s.snapshot.model.name === 'watched'")
    page.value("s.simulation.set({ speed: 1 })")
    page.value("s.simulation.play()")
    page.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0.1")
    assert not page.value("s.simulation.sensors.areGesturesRead")
    raise_hand(headset)
    page.wait("s.simulation.phase === 'paused'")
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_an_error_in_a_frame_is_reported_and_the_session_continues(
    headset: Headset, page: Studio
) -> None:
    stand(page, "stewart")
    headset.enter()
    headset.hold_at("right", headset.room(place(page, "platform")))
    headset.press("right", "squeeze")
    headset.wait("s.grabs.length === 1")
    fail = "(h.tags.update = () => { throw new Error('out of ink'); }, 0)"
    drawn = page.value("v.stage.renderer.info.render.frame")
    headset.value(fail)
    headset.wait("s.grabs.length === 0")  # what was held is let go
    page.wait("v.stage.renderer.info.render.frame > a[0] + 2", drawn)  # pictures still come
    page.page.get_by_text("out of ink").first.wait_for(state="attached")
    headset.value("(delete h.tags.update, 0)")
    headset.wait("h.failures === 0")
    headset.press("right", "squeeze", 0)
    headset.press("right", "squeeze")
    headset.wait("s.grabs.length === 1")
    headset.press("right", "squeeze", 0)
    assert any("out of ink" in error for error in page.errors)
    # an error that stays ends the session, in which nothing could be done anyway
    headset.value(fail)
    page.wait("window.kinegen.headset.visit === null")
    page.page.get_by_text("session was ended").first.wait_for(state="attached")
    page.errors.clear()


def test_a_browser_that_cannot_draw_for_a_headset_leaves_the_page_as_it_was(
    headset: Headset, page: Studio
) -> None:
    stand(page, "five-bar")
    size = "[v.canvas.width, v.canvas.height, v.stage.renderer.getPixelRatio()]"
    before = page.value(size)
    page.value(
        "((own) => { window.compatible = own.makeXRCompatible;"
        " own.makeXRCompatible = () => Promise.reject(new Error('no such display')); })"
        "(WebGL2RenderingContext.prototype)"
    )
    page.value("window.kinegen.headset.enter('immersive-vr')")
    page.page.get_by_text("no such display").first.wait_for(state="attached")
    page.value("(WebGL2RenderingContext.prototype.makeXRCompatible = window.compatible, 0)")
    assert page.value("window.kinegen.headset.visit") is None
    assert page.value(size) == before
    assert before[0] > 1
    headset.enter()  # nothing stands in the way of another try
    headset.leave()
    assert page.value(size) == before


def test_previews_of_cameras_pause_while_a_headset_is_worn(headset: Headset, page: Studio) -> None:
    stand(page, "careful-robot")
    draw = """(() => {
      const canvas = document.createElement('canvas');
      const eye = s.simulation.state.sensors.find(({ camera }) => camera);
      [canvas.width, canvas.height] = [eye.camera.width, eye.camera.height];
      v.lookFrom(eye, canvas);
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(data).size;
    })()"""
    page.value("s.simulation.start(false)")
    page.wait("s.simulation.phase === 'paused' && s.simulation.frame !== null")
    assert page.value(draw) > 20  # shades of what the camera sees
    headset.enter()
    assert page.value(draw) == 1  # an empty picture
    headset.leave()
    page.view_still()
    assert page.value(draw) > 20
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_lamps_shine_as_brightly_at_any_scale_of_the_world(headset: Headset, page: Studio) -> None:
    page.value("s.editText(a[0])", LAMP)
    page.wait("s.snapshot.model.name === 'lamp-room'")
    page.view_still()
    lamp = "v.stage.given[0].intensity"
    outside = page.value(lamp)
    headset.enter()
    for scale in (1, 10, 0.2):
        headset.value("(h.bring(a[0]), 0)", scale)
        headset.frames()
        # the eyes' distances are so many times smaller, and light falls with their square
        assert page.value(lamp) * scale**2 == pytest.approx(outside)
    headset.leave()
    page.value("v.invalidate()")
    page.wait(f"Math.abs({lamp} - a[0]) < 1e-9", outside)
