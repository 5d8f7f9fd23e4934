"""Force devices on a live simulation: a hand is felt and shown, and survives another run."""

from __future__ import annotations

import contextlib
import threading
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.devices import HapticThread, SimulatedHand
from kinegen.devices.declared import DeclaredDevice
from kinegen.devices.device import Trouble
from kinegen.devices.link import UdpTransport
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.studio.live.force_devices import LiveDevices
from kinegen.studio.live.loop import LiveLoop
from kinegen.studio.live.orders import Answered, DeviceTable, Source, Start
from kinegen.studio.live.simulation import LiveSimulation
from kinegen.studio.live.worker import _serve
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import LiveSettings
from tests.support.waiting import needs_thread, wait_for

EXAMPLE = (Path(__file__).parents[4] / "examples" / "devices.raff").read_text(encoding="utf-8")
WAYS = [[t, *((0.02, 0.01, 0) if i % 4 in (1, 2) else (0, 0, 0))] for i, t in enumerate(range(99))]
"""Of a hand: to a place and back, again and again, until somebody has felt it."""


ROOM = """raff: 1
name: room
joints:
  - {name: A, parent: base, xyz: [2, 0, 1], mass: 1, shape: {box: [0.1, 0.1, 0.1]}}
frames:
  - {name: pen, parent: base, xyz: [0, 0, 0.1]}
objects:
  - {name: wall, shape: {box: [0.1, 1, 1]}, fixed: true, at: {xyz: [0.25, 0, 0.5]}}
devices:
  - {name: pen, type: udp, moves: pen, touch: push, stiffness: 400 N/m}
"""
"""A floor 100 mm below the hand, and a wall 200 mm before it."""


class Thread:
    """The thread of a scripted hand in this process, in place of a device in one of its own."""

    device_port = 0

    def __init__(
        self, declared: DeclaredDevice, transport: UdpTransport, ways: list[list[float]] = WAYS
    ) -> None:
        place = f"127.0.0.1:{transport.port}"
        hand = SimulatedHand(ways)
        self.thread = HapticThread(hand, dynamics=place, key=transport.key)
        self.thread.start()
        self.wrong, self.has_ended = Trouble.FINE, False

    def trouble(self) -> Trouble:
        return self.wrong

    def stop(self) -> None:
        self.has_ended = True
        self.thread.stop()


def a_run(tmp_path: Path, text: str = EXAMPLE, **settings: Any) -> LiveSimulation:
    compiled = CompiledText.read(text, Project.again(str(tmp_path)), None)
    return LiveSimulation(compiled, LiveSettings(**settings), compiled.start)


def fitted(devices: LiveDevices, live: LiveSimulation, *names: str) -> LiveSimulation:
    live.devices = devices
    devices.put(live.compiled.mechanism, live, names)
    return live


def acts(live: LiveSimulation) -> bool:
    """Let time pass; whether the hand was heard and pulls."""
    live.step(20)
    return any(live.frame().tips[0].force)


def way_of(live: LiveSimulation, start: Floats) -> Floats:
    """Let time pass; how far the tip is from where it held first."""
    live.step(20)
    return np.subtract(live.frame().tips[0].place, start)


def rests(live: LiveSimulation, place: Floats) -> bool:
    """Let time pass; whether the tip is at a place, and neither it nor its force changes."""
    ways, forces = zip(
        *((way_of(live, place), live.frame().tips[0].force) for _ in range(4)), strict=True
    )
    near = np.abs(ways).max() < 5e-4
    return bool(near and np.ptp(ways, axis=0).max() < 1e-6 and np.ptp(forces, axis=0).max() < 1e-3)


@needs_thread
def test_a_hand_pulls_what_is_simulated_and_its_tip_is_shown(tmp_path: Path) -> None:
    begun: list[Thread] = []

    def begin(declared: DeclaredDevice, transport: UdpTransport) -> Thread:
        begun.append(Thread(declared, transport))
        return begun[-1]

    with contextlib.closing(LiveDevices(begin)) as devices:
        live = fitted(devices, a_run(tmp_path, hold=True, gravity=(0, 0, 0)), "pen")
        start = kg.pose(live.model, live.model.start(), "tool").translation
        wait_for(lambda: acts(live))
        # the arm holds the hand back, which has a spring of its own
        wait_for(lambda: np.linalg.norm(way_of(live, start)) > 0.005)
        (tip,) = live.frame().tips
        assert np.linalg.norm(np.subtract(tip.held, start)) < 0.05
        assert (tip.is_push, [one.name for one in devices.table()]) == (0.0, ["pen"])

        # another engine: the same hand holds the new run, and the old one is free
        again = fitted(devices, a_run(tmp_path, hold=True, gravity=(0, 0, 0)), "pen")
        assert (len(begun), live.simulation.touches) == (1, [])
        wait_for(lambda: acts(again))

        # paused, nobody reads the hand: what was wrong with its link then is not news
        devices.exchange()
        wait_for(lambda: devices.table()[0].trouble == "")
        devices._open["pen"].link.trouble = "the hand stopped sending"  # type: ignore[union-attr]
        assert devices.table()[0].trouble == "the hand stopped sending"
        assert devices.table(is_running=False)[0].trouble == ""

        begun[0].wrong = Trouble.DEVICE_SILENT
        wait_for(lambda: devices.table()[0].trouble.startswith("the device stopped"))
        fitted(devices, again)
        assert begun[0].has_ended
        assert (again.frame().tips, again.simulation.touches) == ([], [])


@needs_thread
@pytest.mark.parametrize(("along", "distance"), [((0, 0, -1), 0.1), ((1, 0, 0), 0.2)])
def test_floor_and_wall_press_back_the_more_the_deeper_a_hand_is_in_them(
    tmp_path: Path, along: tuple[int, int, int], distance: float
) -> None:
    """Out of it with 400 N/m times the depth: the hand's own spring of 300 N/m is drawn out."""
    start, ahead, depths = np.array([0, 0, 0.1]), np.array(along), []
    for beyond in (-0.02, 0.02, 0.06):  # where the hand wants to be, behind the surface [m]
        ways = [[0.0, 0.0, 0.0, 0.0], [0.2, *((distance + beyond) * ahead)]]
        live = a_run(tmp_path, ROOM, floor=0.0, objects=True)
        with contextlib.closing(LiveDevices(lambda *given, w=ways: Thread(*given, w))) as devices:
            fitted(devices, live, "pen")
            end = distance + (beyond * 300 / (300 + 400) if beyond > 0 else beyond)
            wait_for(partial(rests, live, start + end * ahead))
            (tip,) = live.frame().tips
        depths.append(max(0.0, float((tip.place - start) @ ahead) - distance))
        assert tip.force == pytest.approx(-400 * depths[-1] * ahead, abs=0.02)
    assert depths[0] == 0 < depths[1] < depths[2]


def test_only_devices_of_the_file_and_of_this_machine(tmp_path: Path) -> None:
    devices = LiveDevices(lambda declared, transport: pytest.fail("begun"))
    live = a_run(tmp_path)
    with pytest.raises(UsageError, match="no force device 'wand'; force devices: pen"):
        fitted(devices, live, "wand")
    far = EXAMPLE.replace("type: haply,", "type: haply, port: 'ws://192.0.2.7:10001',")
    with pytest.raises(UsageError, match="only devices of its own computer"):
        fitted(devices, a_run(tmp_path, far), "pen")
    assert not devices.is_on


class Dead:
    """A device whose process died."""

    device_port = 0

    def trouble(self) -> Trouble:
        return Trouble.BROKEN

    def stop(self) -> None:
        raise KinegenError("the haptic process ended unexpectedly")


def test_a_device_whose_process_died_is_switched_off(tmp_path: Path) -> None:
    devices = LiveDevices(lambda declared, transport: Dead())
    live = fitted(devices, a_run(tmp_path), "pen")
    wait_for(lambda: devices.table()[0].trouble == Trouble.BROKEN.words)
    fitted(devices, live)
    assert not devices.is_on and live.simulation.touches == []


def test_a_device_whose_process_died_begins_again_with_the_next_run(tmp_path: Path) -> None:
    begun: list[Dead] = []

    def begin(declared: DeclaredDevice, transport: UdpTransport) -> Dead:
        begun.append(Dead())
        return begun[-1]

    with contextlib.closing(LiveDevices(begin)) as devices:
        fitted(devices, a_run(tmp_path), "pen")
        fitted(devices, a_run(tmp_path), "pen")
        assert len(begun) == 2


def test_a_start_that_is_refused_leaves_no_device_on(tmp_path: Path) -> None:
    text = EXAMPLE + "  - {name: quill, type: udp, moves: tool}\n"
    heard: list[Message] = []
    loop = LiveLoop(lambda message, more: heard.append(message))

    def begin(declared: DeclaredDevice, transport: UdpTransport) -> Dead:
        if declared.name == "quill":
            raise UsageError("the address of 'quill' is taken")
        return Dead()

    loop.devices = LiveDevices(begin)
    compiled = CompiledText.read(text, Project.again(str(tmp_path)), None)
    settings = LiveSettings(devices=["pen", "quill"])
    source = Source(text, str(tmp_path), None)
    loop.obey(Start(1, source, compiled.start.tolist(), settings, run=False))
    assert [one.error for one in heard if isinstance(one, Answered)] == [
        "the address of 'quill' is taken"
    ]
    assert not loop.devices.is_on
    assert [one.devices for one in heard if isinstance(one, DeviceTable)][-1] == []
    loop.close()


def test_what_becomes_of_a_device_is_reported_while_the_simulation_rests(tmp_path: Path) -> None:
    heard: list[Message] = []
    loop = LiveLoop(lambda message, more: heard.append(message))
    hand = Dead()
    loop.devices = LiveDevices(lambda declared, transport: hand)
    waiting: SimpleQueue[tuple[Message, bytes] | None] = SimpleQueue()
    thread = threading.Thread(target=_serve, args=(loop, waiting))
    thread.start()
    try:
        hand.trouble = lambda: Trouble.FINE  # type: ignore[method-assign]
        compiled = CompiledText.read(EXAMPLE, Project.again(str(tmp_path)), None)
        settings = LiveSettings(devices=["pen"])
        source = Source(EXAMPLE, str(tmp_path), None)
        waiting.put((Start(1, source, compiled.start.tolist(), settings, run=False), b""))

        def tables() -> list[str]:
            return [one.devices[0].trouble for one in heard if isinstance(one, DeviceTable)]

        wait_for(lambda: any(isinstance(one, Answered) for one in heard))
        assert tables() == [""]
        hand.trouble = lambda: Trouble.BROKEN  # type: ignore[method-assign]
        wait_for(lambda: tables() == ["", Trouble.BROKEN.words])
    finally:
        waiting.put(None)
        thread.join()
        loop.close()
