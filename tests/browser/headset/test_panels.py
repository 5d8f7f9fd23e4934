"""Panels, labels, the menu at a wrist and pulses in an emulated headset."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.browser.headset.device import Headset
from tests.browser.studio import CLOSED, Studio
from tests.support.markdown import blocks

PLACES = "[...h.panels.open.values()].map(({ X_RP }) => X_RP.elements.slice(12, 15))"
SEEN = """(() => {
  const { renderer } = window.kinegen.viewer.stage, [eye] = renderer.xr.getCamera().cameras;
  return [...h.panels.open.values()].map(({ mesh }) => {
    mesh.updateWorldMatrix(true, false);
    return [-0.5, 0.5].flatMap((x) => [-0.5, 0.5].map((y) => {
      const corner = h.rig.position.clone().set(x, y, 0).applyMatrix4(mesh.matrixWorld);
      return corner.project(eye).toArray();
    }));
  });
})()"""
"""Corners of all panels in the picture of an eye: inside it from -1 to 1."""
TURN = """((side, thing) => {
  const one = d[thing][side], { hand } = h.hands.actors.find((actor) => actor.hand.side === side);
  const V = (x = 0, y = 0, z = 0) => h.rig.position.clone().set(x, y, z);
  const at = (i) => V().fromArray(hand.joints, 4 * i);
  const mirror = side === 'left' ? -1 : 1;
  let along, back;
  if (hand.joints) {
    along = at(11).sub(at(0)).normalize();
    back = along.clone().negate().cross(at(21).sub(at(6)).multiplyScalar(mirror)).normalize();
  } else {
    const [x, y] = [V(), V()];
    hand.grip.extractBasis(x, y, V());
    [along, back] = [y.negate(), x.multiplyScalar(mirror)];
  }
  const eyes = h.head.place, { position } = one;
  const toEyes = V(eyes.x - position.x, eyes.y + position.z, eyes.z - position.y).normalize();
  const across = V(-mirror).projectOnPlane(toEyes).normalize();
  // in the axes of the device, y up
  const basis = (a, b) => h.room.matrix.clone().makeBasis(...[a, b, a.clone().cross(b)]
    .map(({ x, y, z }) => V(x, z, -y)));
  const turn = basis(across, toEyes).multiply(basis(along, back).invert());
  const { x, y, z, w } = one.quaternion;
  const next = h.rig.quaternion.clone().setFromRotationMatrix(turn)
    .multiply(h.rig.quaternion.clone().set(x, y, z, w));
  return one.quaternion.set(...next.toArray()), 0;
})(...a)"""
"""Turns a hand as to read a watch: its back to the eyes, the forearm across."""
CONTACT = """(() => {
  const { motions } = s.snapshot, q = Float64Array.from(motions[0].values[a[0]]);
  const at = 7 * s.model.site('tool') + 4;
  return Array.from(s.model.forward(q).subarray(at, at + 3));
})()"""
"""Where the tool is at a row of the first motion."""
LOADED = """raff: 1
name: loaded
gravity: [0, 0, -9.81]
joints:
  - {name: shoulder, parent: base, alpha: 90 deg, limits: [-1 rad, 1 rad],
     motor: {torque: 6}, mass: 1, shape: {box: [0.8, 0.05, 0.05], xyz: [0.5, 0, 0]}}
frames:
  - {name: tip, parent: shoulder, d: 0.9}
"""
"""An arm that is held at 82 % of its motor's torque: 1 kg at 0.5 m, and 6 N m."""


def stand(studio: Studio, name: str) -> None:
    """Show a mechanism in its start pose."""
    if studio.value("s.snapshot.model.name") == name:
        studio.value("s.setPose(s.model.start(), 'set')")
    else:
        studio.load(name)


def toggle(headset: Headset, *names: str) -> None:
    """Open or close panels."""
    for name in names:
        headset.value("(h.panels.toggle(a[0]), 0)", name)
    headset.frames()


def aside(headset: Headset) -> None:
    """Both hands hang down, behind the user."""
    headset.put("left", [-0.3, 0.5, 0.6], [0, -1, 0.2])
    headset.put("right", [0.3, 0.5, 0.6], [0, -1, 0.2])


def test_panels_stand_in_free_places_and_none_is_opened_over_another(
    headset: Headset, page: Studio
) -> None:
    stand(page, "five-bar")
    headset.enter()
    aside(headset)
    toggle(headset, "Menu", "Joints")
    first, second = headset.value(PLACES)
    toggle(headset, "Menu", "Forces")  # the menu is closed: its place is free
    assert headset.value("[...h.panels.open.keys()]") == ["Joints", "Forces"]
    headset.wait("h.panels.open.get('Forces').sheet.rows.length > 0")
    # those of the lower row have one upper edge, whatever their heights
    edges = headset.value(
        "[...h.panels.open.values()].map(({ X_RP, height }) => "
        "h.rig.position.clone().set(0, height / 2, 0).applyMatrix4(X_RP).z)"
    )
    assert edges[0] == pytest.approx(edges[1], abs=1e-6)
    now = headset.value(PLACES)
    assert now[1][:2] == pytest.approx(first[:2], abs=0.02)
    assert now[0][:2] == pytest.approx(second[:2], abs=0.02)
    # there are six places; the seventh panel takes that of the one that was opened first
    toggle(headset, "Motion", "View", "Help", "Parameters", "Robot")
    assert headset.value("h.panels.open.size") == 6
    assert not headset.value("h.panels.open.has('Joints')")
    places = headset.value(PLACES)
    eyes = headset.value("h.head.place.toArray()")
    high = headset.value("[...h.panels.open.values()].map(({ height }) => height)")
    for i, a in enumerate(places):
        assert math.dist(a, eyes) < 0.8
        assert a[1] > 0  # before the user, who looks along y
        assert abs(math.atan2(a[0], a[1])) < math.radians(60)
        for k, b in enumerate(places[:i]):
            beside = math.hypot(b[0] - a[0], b[1] - a[1]) > 0.3  # a panel is 0.42 m wide
            assert beside or abs(b[2] - a[2]) > 0.45 * (high[i] + high[k])


def test_on_a_phone_a_panel_is_inside_the_picture(headset: Headset, page: Studio) -> None:
    stand(page, "five-bar")
    wide = headset.value("d.fovy")
    headset.value("(d.fovy = 0.7, d.quaternion.set(-0.17, 0, 0, 0.985), 0)")  # held low
    try:
        headset.enter("Enter AR")
        headset.frames(4)
        toggle(headset, "Menu")
        headset.wait("h.panels.open.get('Menu').paints > 0")
        for corner in headset.value(SEEN)[0]:
            assert max(map(abs, corner[:2])) < 1
        toggle(headset, "Joints")  # there is one place: it takes that of the menu
        assert headset.value("[...h.panels.open.keys()]") == ["Joints"]
    finally:
        headset.value("(d.fovy = a[0], d.quaternion.set(0, 0, 0, 1), 0)", wide)


@pytest.mark.parametrize("thing", ["hands", "controllers"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_wrist_that_is_turned_to_the_eyes_shows_its_menu(
    headset: Headset, page: Studio, thing: str, side: str
) -> None:
    stand(page, "five-bar")
    headset.value("(d.primaryInputMode = a[0], 0)", thing[:-1])
    try:
        headset.enter()
        kind = "tracked" if thing == "hands" else "controller"
        headset.wait("h.hands.actors.every((one) => one.hand.kind === a[0])", kind)
        x, other = (-0.1, "right") if side == "left" else (0.1, "left")
        headset.put(other, [-x, 1.2, 0.0], [0, 0, -1], thing=thing)
        headset.put(side, [x, 1.35, -0.35], [0, 0, -1], thing=thing)
        assert not headset.value("h.panels.wrist.mesh.visible")  # it reaches out
        headset.value(TURN, side, thing)
        headset.wait("h.panels.wrist.mesh.visible && h.panels.wrist.paints > 0")
        # the other hand presses it: it opens the menu, and stops what moves
        page.value("s.simulation.play()")
        page.wait("s.simulation.phase === 'running'")
        for label in ("Menu", "Stop"):
            target = headset.value("((p) => [p.x, p.z, -p.y])(h.panels.wrist.placeOf(a[0]))", label)
            eye = [-2 * x, 1.25, 0.0]
            way = [a - b for a, b in zip(target, eye, strict=True)]
            headset.put(other, eye, way, thing=thing)
            press(headset, other, thing, 1)
            press(headset, other, thing, 0)
        assert headset.value("h.panels.open.has('Menu')")
        page.wait("s.simulation.phase === 'paused'")
        page.value("s.simulation.end()")
        headset.put(side, [x, 1.35, -0.35], [0, 0, -1], thing=thing)
        headset.wait("!h.panels.wrist.mesh.visible")
    finally:
        headset.value("(d.primaryInputMode = 'controller', 0)")


def press(headset: Headset, side: str, thing: str, value: float) -> None:
    """Pinch, or press a trigger."""
    if thing == "hands":
        headset.value("(d.hands[a[0]].updatePinchValue(a[1]), 0)", side, value)
        headset.frames(3)
    else:
        headset.press(side, "trigger", value)


def test_names_and_numbers_of_the_view_can_be_read(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    before = page.value("s.settings.overlays")
    page.value("(s.setSetting('showFrames', true), s.setSetting('overlays', ['frames']))")
    headset.enter()
    aside(headset)
    headset.wait("h.labels.texts.includes('platform')")
    # a card is at its place, apart from others, and turned to the eyes
    assert headset.value("h.labels.texts.length") <= 14
    page.value("(s.setSetting('showFrames', false), s.setSetting('overlays', a[0]))", before)
    headset.wait("!h.labels.texts.includes('platform')")
    # the force in a hand, which the view writes beside the spring
    page.value("s.simulation.set({ hold: true })")
    page.value("s.simulation.play()")
    page.wait("s.simulation.phase === 'running'")
    headset.hold_at("right", headset.room(page.position("platform")))
    headset.press("right", "trigger")
    headset.shift("right", [0.0, 0.05, 0.0])
    headset.wait("h.labels.texts.some((text) => /^[0-9.]+ k?N$/.test(text))")
    headset.press("right", "trigger", 0)
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_another_assembly_mode_is_chosen(headset: Headset, page: Studio) -> None:
    stand(page, "five-bar")
    headset.enter()
    toggle(headset, "Joints")
    headset.press_on("Joints", "Find assembly modes")
    items = "h.panels.open.get('Joints').sheet.rows.flatMap(({ items }) => items ?? [])"
    modes = f"{items}.filter(({{ isOn }}) => isOn !== undefined)"
    headset.wait(f"{modes}.length > 1 && {modes}.filter(({{ isOn }}) => isOn).length === 1")
    start = page.q
    other = headset.value(f"{modes}.find(({{ isOn }}) => !isOn).label")
    headset.press_on("Joints", other)
    headset.wait(f"!s.isMoving && {modes}.find(({{ label }}) => label === a[0]).isOn", other)
    assert page.q != pytest.approx(start, abs=0.1)
    assert page.gap < CLOSED


def test_a_path_is_shaped_by_ray_and_by_hand(headset: Headset, page: Studio) -> None:
    stand(page, "arm-6")
    headset.enter()
    toggle(headset, "Path")
    headset.press_on("Path", "Line")
    page.wait("s.paths.handles.length === 3 && s.paths.plan !== null && !s.paths.busy")
    toggle(headset, "Path")  # it would be before the path
    ends = "s.paths.curve.points"
    for k in (0, 1):
        before = page.value(ends)
        place = headset.room(before[k])
        if k == 0:  # by ray, from beside the head
            eye = [0.25, 1.5, 0.1]
            headset.put("right", eye, [a - b for a, b in zip(place, eye, strict=True)])
        else:
            headset.hold_at("right", place)
        headset.wait(
            "h.hands.actors.some(({ aim }) => aim?.kind === 'handle' && aim.id === a[0])", f"p{k}"
        )
        headset.press("right", "trigger")
        headset.shift("right", [0.0, 0.04, 0.0])
        headset.press("right", "trigger", 0)
        after = page.value(ends)
        assert after[1 - k] == before[1 - k]
        way = [b - a for a, b in zip(*map(headset.room, (before[k], after[k])), strict=True)]
        assert way == pytest.approx([0, 0.04, 0], abs=2e-3)
    page.wait("!s.paths.busy")
    page.value("s.paths.clear()")


def test_what_a_hand_touches_comes_before_a_panel(headset: Headset, page: Studio) -> None:
    stand(page, "stewart")
    headset.enter()
    toggle(headset, "View")
    at = headset.room(page.position("platform"))
    back = "h.panels.open.get('View').X_RP.setPosition(a[0], -a[2], a[1]).elements[12]"
    rotate = f"(h.panels.open.get('View').X_RP.identity().makeRotationX(Math.PI / 2), {back})"
    # the panel stands behind the part; the ray of the hand meets both
    headset.value(rotate, *[at[0], at[1], at[2] - 0.3])
    headset.hold_at("right", at)
    assert headset.value("h.panels.distance(h.hands.actors[1].hand)") is not None
    assert headset.aim("right")["by"] == "hand"
    headset.press("right", "squeeze")
    assert page.value("s.grabs.length") == 1
    headset.press("right", "squeeze", 0)
    # from a distance, the nearer of both is meant
    for depth, grabs in ((-0.4, 1), (0.3, 0)):
        headset.value(rotate, *[at[0], at[1], at[2] + depth])
        headset.put("right", [at[0], at[1], at[2] + 0.6], [0, 0, -1])
        headset.press("right", "squeeze")
        assert page.value("s.grabs.length") == grabs
        headset.press("right", "squeeze", 0)
    assert page.gap < CLOSED


def test_a_simulation_is_set_and_a_world_taken_back_in_time(headset: Headset, page: Studio) -> None:
    stand(page, "exploring-cart")
    headset.enter()
    toggle(headset, "Forces")
    for label, key in (("Stiffness", "firmness"), ("Damping", "damping"), ("Speed", "speed")):
        before = page.value("s.simulation.settings[a[0]]", key)
        headset.press_on("Forces", label)
        assert page.value("s.simulation.settings[a[0]]", key) != before
    page.value("s.simulation.set({ speed: 1, firmness: 1, damping: 1 })")
    headset.press_on("Forces", "›")
    headset.press_on("Forces", "Moon")
    page.wait("s.simulation.gravity[2] === -1.62")
    headset.press_on("Forces", "Gravity x")  # its slider, left of the middle
    page.wait("s.simulation.gravity[0] < -2 && s.simulation.gravity[2] === -1.62")
    headset.press_on("Forces", "As the file")
    headset.press_on("Forces", "‹")
    headset.press_on("Forces", "Simulate")
    page.wait("s.simulation.frame?.time > 0.3")
    headset.press_on("Forces", "Pause")
    page.wait("s.simulation.phase === 'paused'")
    late = page.value("s.simulation.frame.time")
    headset.press_on("Forces", "Time")  # the middle of its slider
    page.wait("s.simulation.frame.time < 0.8 * a[0]", late)
    headset.press_on("Forces", "End")
    page.wait("s.simulation.phase === 'off'")


def test_a_robot_is_found_and_switched_on_after_agreement(headset: Headset, page: Studio) -> None:
    stand(page, "so101")
    headset.enter()
    toggle(headset, "Robot")
    headset.press_on("Robot", "A simulated robot, to try it")
    headset.press_on("Robot", "Find the servos")
    page.wait("s.robot.phase === 'off' && !s.robot.busy")
    items = "h.panels.open.get('Robot').sheet.rows.flatMap((row) => row.items ?? [])"
    headset.wait(f"{items}.some((one) => one.label === 'Switch the motors on' && one.isOff)")
    headset.press_on("Robot", "Nothing is in its way")
    headset.wait(f"{items}.some((one) => one.label === 'Switch the motors on' && !one.isOff)")
    headset.press_on("Robot", "Switch the motors on")
    page.wait("s.robot.phase === 'on' || s.robot.phase === 'stopped'")  # a busy machine's heartbeat
    headset.press_on("Robot", "Stop the robot")
    page.wait("s.robot.phase !== 'on'")
    headset.press_on("Robot", "Disconnect")
    page.wait("s.robot.phase === 'none'")


def test_a_name_is_written_with_the_panel_of_people(headset: Headset, page: Studio) -> None:
    before = page.value("s.settings.personName")
    page.value("s.setSetting('personName', '')")
    headset.enter()
    toggle(headset, "People")
    headset.press_on("People", "Your name: given by the studio")
    for key in "IDA":
        headset.press_on("People", key)
    headset.press_on("People", "Done")
    assert page.value("s.settings.personName") == "Ida"
    page.value("s.setSetting('personName', a[0])", before)


def felt(headset: Headset, frames: int = 8) -> float:
    """The strongest pulse of the right hand in some frames; 0: none."""
    headset.value("(window.pulses.length = 0, 0)")
    headset.frames(frames)
    return float(
        headset.value(
            "Math.max(0, ...window.pulses.filter((one) => one.side === 'right')"
            ".map(({ strength }) => strength))"
        )
    )


def test_parts_that_begin_to_touch_are_felt_as_the_page_is(headset: Headset, page: Studio) -> None:
    """No switch is needed: bodies are known once the headset is on."""
    stand(page, "arm-and-wall")
    assert not page.value("s.settings.showCollisions || s.settings.avoidCollisions")
    headset.enter()
    page.wait("s.collisions.avoided === null && !s.collisions.task.busy && !!s.collisions.bodies")
    tool = headset.room(page.position("tool"))
    headset.hold_at("right", headset.room(page.position("wrist_3")))
    headset.press("right", "trigger")
    assert page.value("s.collisions.touching.length") == 0
    count = page.value("s.snapshot.motions[0].values.length")
    goal = headset.room(page.value(CONTACT, count // 2))  # beside the post, through which it goes
    headset.value(
        "(window.pulses.length = window.touched = 0, "
        "s.on('collisions', ({ touching }) => (window.touched += touching.length)), 0)"
    )
    headset.shift("right", [b - a for a, b in zip(tool, goal, strict=True)], steps=12)
    headset.wait("window.touched > 0")
    headset.wait("window.pulses.some(({ strength }) => strength >= 0.7 - 1e-9)")
    # nothing is lit: nobody has asked for that
    assert not page.value(
        "v.links.views.some((one) => one.solid.material === v.materials.solid.touching)"
    )
    headset.press("right", "trigger", 0)
    page.value("s.setSetting('haptics', false)")
    headset.press("right", "trigger")
    assert felt(headset) == 0
    headset.press("right", "trigger", 0)
    page.value("s.setSetting('haptics', true)")


def test_the_load_of_a_motor_is_felt_in_proportion(headset: Headset, page: Studio) -> None:
    page.value("s.open('text', a[0])", LOADED)
    page.wait("s.snapshot.model.name === 'loaded'")
    page.view_still()
    headset.enter()
    page.value("s.simulation.set({ hold: true })")
    page.value("s.simulation.play()")
    page.wait("s.simulation.frame?.time > 0.2")
    headset.hold_at("right", headset.room(page.position("tip")))
    headset.press("right", "trigger")
    headset.wait("s.simulation.hands.all.length === 1")
    # nothing is pulled: the motor alone bears the weight, at 82 % of what it can
    strength = felt(headset)
    share, force = page.value("[Math.abs(s.simulation.frame.efforts[0]) / 6, s.simulation.force]")
    assert force < 2
    assert 0.75 < share < 0.9
    assert strength == pytest.approx(0.4 * (share - 0.6) / 0.4, abs=0.05)
    # the system's menu lies over the view: the simulation continues, hands let go and feel nothing
    headset.value("(d.updateVisibilityState('visible-blurred'), 0)")
    headset.wait("s.simulation.hands.all.length === 0")
    time = page.value("s.simulation.frame.time")
    page.wait("s.simulation.frame.time > a[0]", time)
    headset.value("(window.pulses.length = 0, 0)")
    page.wait("s.simulation.frame.time > a[0] + 0.3", time)
    assert page.page.evaluate("window.pulses.length") == 0
    headset.value("(d.updateVisibilityState('visible'), 0)")
    headset.press("right", "trigger", 0)
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_in_the_dark_a_hand_feels_what_it_meets(headset: Headset, page: Studio) -> None:
    tank = blocks(Path(__file__).parents[3] / "docs/tutorials/inspecting-tank.md")[0]
    page.value("s.open('text', a[0])", tank.text)
    page.wait("s.snapshot.model.name === 'tank'")
    page.view_still()
    headset.enter()
    page.value("s.simulation.play()")
    page.wait("s.simulation.frame?.time > 0.1")
    # the trainer switches the lamp off
    dark = "{ kind: 'force_signal', name: 'lamp.intensity', value: 0 }"
    page.value(f"s.simulation.signals.override('lamp.intensity', {dark})")
    headset.wait("window.kinegen.viewer.stage.given[0].intensity === 0")
    headset.hold_at("right", headset.room(page.position("probe")))
    headset.press("right", "trigger")
    headset.wait("s.simulation.hands.all.length === 1")
    # free, above the shelf
    assert page.value("s.simulation.force") < 2
    assert felt(headset) < 0.1
    way = 0.45 / headset.value("h.rig.scale")  # 0.26 m to the shelf, and into it
    headset.shift("right", [0.0, -way, 0.0], steps=15)
    page.wait("s.simulation.force > 20 && s.simulation.frame.touches.length > 0")
    # at rest on the shelf, as strong as the force says; impacts are over
    page.wait("Math.abs(s.poses.at(-1) - 0.328) < 0.01")
    strength, force = felt(headset), page.value("s.simulation.force")
    assert strength > 0.25
    assert strength == pytest.approx(force / (force + 40), abs=0.1)
    assert page.value("v.stage.given[0].intensity") == 0
    headset.press("right", "trigger", 0)
    page.value("s.simulation.end()")
    page.wait("s.simulation.phase === 'off'")


def test_a_singular_pose_is_felt_as_it_comes_near(headset: Headset, page: Studio) -> None:
    stand(page, "five-bar")
    headset.enter()
    handle, middle = (headset.room(page.position(one)) for one in ("handle", "A"))
    away = [0.02 * (b - a) for a, b in zip(middle, handle, strict=True)]
    headset.hold_at("right", handle)
    headset.press("right", "trigger")
    assert felt(headset) < 0.05
    # away from its base until both arms are nearly stretched
    margin = "Math.min(s.gauges?.task ?? 1, s.gauges?.gain ?? 1)"
    for _ in range(60):
        headset.shift("right", away, steps=1)
        if page.value(f"{margin} < 0.1"):
            break
    near = page.value(margin)
    assert near < 0.1
    assert page.value("s.status.limits.length") == 0
    # more than being out of reach alone, which is felt at 0.25 at most
    assert felt(headset) == pytest.approx(0.8 * (1 - near / 0.15), abs=0.1)
    assert 0.8 * (1 - near / 0.15) > 0.25
    headset.press("right", "trigger", 0)
