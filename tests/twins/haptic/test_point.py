"""The haptic point and its conversations: compiled against Python, step by step."""

from __future__ import annotations

import hmac
from typing import Any

import numpy as np
import pytest

from kinegen.devices.packets import PacketKind
from kinegen.devices.session import Session
from kinegen.errors import UsageError
from kinegen.kernels import Floats, HapticSettings, Heard
from kinegen.kernels.protocols.haptic import HAPTIC_RANGES
from kinegen.kernels.reference.haptic.bound import HapticPoint as Reference
from kinegen.kernels.reference.haptic.bounds import haptic_gate
from kinegen.spatial.rotation import SO3
from tests.support.hostile_numbers import spoiled, state

native = pytest.importorskip("kinegen.kernels._native")


@pytest.mark.parametrize("turns", [False, True], ids=["3", "6"])
@pytest.mark.parametrize("mode", [1.0, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_forces_are_equal(mode: float, seed: int, turns: bool) -> None:
    rng = np.random.default_rng(seed)
    settings = HapticSettings(silence=0.05, fade=0.02, force_most=8.0, reserve=2e-3).numbers
    points = [native.HapticPoint(settings), Reference(settings)]
    root = rng.normal(size=(6, 6))
    W = root @ root.T
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    x, turn, energy = np.zeros(3), SO3.identity(), 0.0
    for i in range(600):
        now = 1 + 1e-3 * i
        # words are lost, come in disorder, and stop for a while
        if rng.random() < 0.7 and not 300 < i < 400:
            energy += 1e-4 * rng.normal()
            reported = np.concatenate(
                [[mode if i < 550 else 0.0], 0.02 * rng.normal(size=3),
                 SO3.exp(0.1 * rng.normal(size=3)).quat, 0.1 * rng.normal(size=6),
                 rng.normal(size=6), W.ravel(), n, [500.0, 2.0, 5.0, 0.02, energy, 1e-4]]
            )  # fmt: skip
            if rng.random() < 0.02:
                reported[3] = np.nan
            sequence = 5 + i - int(3 * rng.random())
            echo = now - 0.01 * rng.random()
            heard = [point.hear(sequence, now, echo, reported) for point in points]
            assert heard[0] == heard[1]
        v = 0.3 * rng.normal(size=6 if turns else 3)
        x = x + 1e-3 * v[:3]
        if turns:
            turn = SO3.exp(1e-3 * v[3:]) @ turn
        quat = turn.quat if turns else None
        forces = [point.tick(now, x, quat, v, 450 < i < 470) for point in points]
        assert forces[0].shape == ((6,) if turns else (3,))
        # sums in another order
        assert np.allclose(forces[0], forces[1], rtol=1e-9, atol=1e-12)
        assert points[0].counts() == points[1].counts()
    one, two = (point.state() for point in points)
    assert np.allclose(one[0], two[0], atol=1e-12)
    assert one[1:] == pytest.approx(two[1:], rel=1e-9)
    _, _, reused, old, bad, limited = points[0].counts()
    assert reused > 0 and old > 0 and bad > 0
    assert limited > 0 or mode == 1  # a surface gives less to be limited


def test_tags_are_those_of_the_standard() -> None:
    rng = np.random.default_rng(0)
    # RFC 4231, cases 1, 2 and 6
    known = [
        (b"\x0b" * 20, b"Hi There",
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (b"Jefe", b"what do ya want for nothing?",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (b"\xaa" * 131, b"Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ]  # fmt: skip
    for key, data, tag in known:
        assert native.haptic_tag(key, data).hex() == tag
    for size in [*range(0, 200), 1000, 10_000]:
        key, data = rng.bytes(int(rng.integers(1, 150))), rng.bytes(size)
        assert native.haptic_tag(key, data) == hmac.digest(key, data, "sha256")


class PythonEnd:
    """A session, with the calls of the compiled one."""

    def __init__(self, key: bytes) -> None:
        self.session = Session(*PacketKind, key=key)

    def open(self, data: bytes, sender: int, now: float) -> tuple[int, object]:
        session = self.session
        heard, packet = session.examine(data, sender, now)
        if packet is not None:
            session.peer, session._is_met, session._proven_at = sender, True, now
        session.watch(now)
        return heard, session.peer

    def seal(self, kind: int, time: float, echo: float, numbers: Floats) -> bytes:
        return self.session.seal(PacketKind(kind), time, numbers.tolist())


def conversation(end: Any, key: bytes, seed: int) -> list[tuple[int, object]]:
    """What an end makes of packets that are replayed, spoiled, cut, or sent by others."""
    rng = np.random.default_rng(seed)
    partner, now = Session(*PacketKind, key=key), 1.0
    sent: list[bytes] = []
    heard = []
    for _ in range(400):
        now += float(rng.choice([1e-3, 2.0], p=[0.99, 0.01]))
        data = partner.seal(PacketKind.FORCE, now, [1.0, 0, 0, 0])
        sent.append(data)
        kind, place, bit = rng.random(), rng.random(), 1 << int(rng.integers(8))
        if kind < 0.1:
            data = sent[int(place * len(sent))]
        elif kind < 0.2:
            spoilt = bytearray(data)
            spoilt[8 + int(place * (len(data) - 8))] ^= bit
            data = bytes(spoilt)
        elif kind < 0.25:
            data = data[: int(place * len(data))]
        heard.append(end.open(data, int(rng.random() < 0.1), now))
        answer = end.seal(PacketKind.FORCE, now, 0.0, np.zeros(4))
        assert len(answer) == (96 if key else 64)
        if rng.random() < 0.9:
            partner.open(answer, "end", now)
        partner.watch(now)
    return heard


@pytest.mark.parametrize("key", [b"", b"a key of the test"], ids=["open", "sealed"])
@pytest.mark.parametrize("seed", range(8))
def test_sessions_are_equal(key: bytes, seed: int) -> None:
    one = conversation(native.HapticSession(key), key, seed)
    assert one == conversation(PythonEnd(key), key, seed)
    kinds = {heard for heard, _ in one}
    assert kinds >= ({0, 1, 2, 4, 5, 6} if key else {0, 2, 4})


def test_a_compiled_end_and_a_python_end_understand_each_other() -> None:
    key = b"a key of the test"
    one, two = native.HapticSession(key), Session(PacketKind.FORCE, key=key)
    numbers = np.array([1.0, 2.0, 3.0, 0.0])
    heard = []
    for i in range(5):
        now = 1 + i / 1000
        heard.append(one.open(two.seal(PacketKind.FORCE, now, numbers.tolist()), 7, now)[0])
        packet = two.open(one.seal(PacketKind.FORCE, now, 0.0, numbers), "one", now)
    assert heard == [Heard.WAITING] + [Heard.NEW] * 4
    assert packet is not None and packet.numbers == (1.0, 2.0, 3.0, 0.0)
    old = one.seal(PacketKind.FORCE, 1.1, 0.0, numbers)
    assert two.open(old, "one", 1.1) and not two.open(old, "one", 1.1)


def test_gates_are_equal() -> None:
    rng = np.random.default_rng(1)
    settings = HapticSettings(force_most=8.0, force_rate=2000.0, torque_rate=100.0).numbers
    reasons = set()
    for _ in range(500):
        before = np.concatenate([rng.normal(size=3), 0.1 * rng.normal(size=3)])
        # some within the rate, some not
        force = before + rng.choice([0.1, 1.0, 5.0]) * rng.normal(size=6) * [
            1,
            1,
            1,
            0.05,
            0.05,
            0.05,
        ]
        force = spoiled(force, rng)
        (one, why), (two, because) = (
            gate(force, before, settings) for gate in (native.haptic_gate, haptic_gate)
        )
        assert why == because and np.array_equal(one, two)
        assert np.isfinite(one).all() and np.linalg.norm(one[:3]) <= 8 + 1e-6
        reasons.add(why)
    assert reasons == {0, 1, 2, 3}


def test_settings_have_equal_ranges() -> None:
    good = HapticSettings()
    for i, (least, most) in enumerate(HAPTIC_RANGES):
        for value in (
            least,
            most,
            np.nextafter(least, -1),
            np.nextafter(most, np.inf),
            np.nan,
            -1.0,
        ):
            numbers = good.numbers
            numbers[i] = value
            is_fine = True
            try:
                HapticSettings(*numbers.tolist()).checked()
            except UsageError:
                is_fine = False
            if is_fine:
                native.HapticPoint(numbers)
            else:
                with pytest.raises(UsageError, match=f"setting {i}"):
                    native.HapticPoint(numbers)


@pytest.mark.parametrize("seed", range(3))
def test_hostile_words_and_hands_are_judged_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    settings = HapticSettings(
        silence=0.05, force_rate=500.0, torque_rate=50.0, supply_most=1.0, reserve=5e-3
    ).numbers
    points = [native.HapticPoint(settings), Reference(settings)]
    x, turn = np.zeros(3), SO3.identity()
    for i in range(600):
        now = 1 + 1e-3 * i
        reported = spoiled(state(0.05 * rng.normal(size=3), mode=1.0 + i // 100 % 2), rng)
        reported[63] = -0.01 * i if np.isfinite(reported[63]) else reported[63]
        sequence = int(rng.choice([i, i, i, i + 1000, 0]))
        heard = [point.hear(sequence, now, now - 0.01, reported) for point in points]
        assert heard[0] == heard[1]
        v = 0.3 * rng.normal(size=6)
        x, turn = x + 1e-3 * v[:3], SO3.exp(1e-3 * v[3:]) @ turn
        x = x + (0.3 if rng.random() < 0.01 else 0.0)
        hand = np.concatenate([x, turn.quat, v])
        hand = spoiled(hand, rng) if rng.random() < 0.02 else hand
        is_measured = bool(rng.random() < 0.7)
        forces = [
            point.tick(now, hand[:3], hand[3:7], hand[7:], False, is_measured) for point in points
        ]
        assert np.allclose(forces[0], forces[1], rtol=1e-8, atol=1e-9)
        assert points[0].counts() == points[1].counts()
        assert points[0].refusals() == points[1].refusals()
    assert points[0].energies() == pytest.approx(points[1].energies(), rel=1e-6, abs=1e-9)
    wrong, _, gated, _, jumps = points[0].refusals()
    assert wrong > 0 and gated > 0 and jumps > 0
