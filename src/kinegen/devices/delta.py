"""The Delta device: CINEGEN's force-feedback handle, with the library's mechanism as its driver.

Three motors carry a handle: their angles give its position (absolute translation), their torques
make the force on the hand. A wrist on the handle turns the tool bit by bit (incremental rotation).
"""

from __future__ import annotations

import contextlib
import math
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kinegen.devices.client import DeviceClient
from kinegen.devices.device import DeviceLimits, Trouble
from kinegen.devices.rotation import IncrementalRotation
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.kinematics.solving.inverse import solve
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.load import load_raff

if TYPE_CHECKING:
    from kinegen.devices.haptic import HapticThread

__all__ = ["DeltaDevice", "DeltaHandle"]

MOTORS = ("arm1", "arm2", "arm3")
MOTOR_TORQUE = 25.0
"""Most that a motor of the handle is asked for [N m]: twice 20 N at an arm of 0.52 m, and some."""


class DeltaHandle:
    """Kinematics of a Delta: motor angles to handle and back, force to motor torques."""

    def __init__(
        self,
        model: AnyModel | None = None,
        *,
        motors: Sequence[str] = MOTORS,
        frame: str = "tool",
    ) -> None:
        """Take a model or a mechanism; None: the library's Delta.

        Args:
            model: Its loops close for every angle of the motors.
            motors: Names of its driven joints.
            frame: The handle.
        """
        self.model = model_of(load_raff("delta") if model is None else model)
        self.motors, self.frame = tuple(motors), frame
        self._columns = [self.model.joint(name).q.start for name in self.motors]
        self._speeds = [self.model.joint(name).v.start for name in self.motors]
        self.q = assemble(self.model).q
        """Configuration at the last question."""

    @property
    def angles(self) -> Floats:
        """Motor angles of the last call [rad]."""
        return self.q[self._columns].copy()

    def place(self, angles: npt.ArrayLike) -> Floats:
        """Position of the handle for given motor angles [m], (3,)."""
        q = self.q.copy()
        q[self._columns] = np.asarray(angles, dtype=np.float64)
        self.q = assemble(self.model, q, locked=self.motors, limits=False).q
        return np.asarray(pose(self.model, self.q, self.frame).translation)

    def angles_at(self, place: npt.ArrayLike) -> Floats:
        """Motor angles for a position of the handle [m], (3,)."""
        found = solve(self.model, Handle(self.frame, place), start=self.q)
        if not found.reached:
            raise UsageError(f"the handle cannot reach {np.asarray(place).tolist()}")
        self.q = found.q
        return self.angles

    def jacobian(self) -> Floats:
        """Jacobian from motor speeds to the speed of the handle at the last call, (3, 3) [m]."""
        J_phi = loop_jacobian(self.model, self.q)
        J = jacobian(self.model, self.q, self.frame)[:3]
        # passive joints follow: J_phi v = 0
        passive = [i for i in range(self.model.nv) if i not in self._speeds]
        follow = -np.linalg.pinv(J_phi[:, passive]) @ J_phi[:, self._speeds]
        return np.asarray(J[:, self._speeds] + J[:, passive] @ follow)

    def torques(self, force: npt.ArrayLike) -> Floats:
        """Motor torques for a force [N] on the hand, Jᵀ f, (3,) [N m]."""
        return np.asarray(self.jacobian().T @ np.asarray(force, dtype=np.float64))


class DeltaDevice:
    """A driver: reads motor angles, reports the handle's position, commands motor torques.

    The hardware is two functions; without them the handle rests at the centre. The driver
    communicates by packets, so it can also run as another program on another machine.
    """

    def __init__(
        self,
        read: Callable[[], Sequence[float]] | None = None,
        command: Callable[[Floats], None] | None = None,
        *,
        wrist: Callable[[], Sequence[float]] | None = None,
        handle: DeltaHandle | None = None,
        period: float = 2e-3,
        limits: DeviceLimits | None = None,
        motor_torque: float = MOTOR_TORQUE,
    ) -> None:
        """Describe the hardware.

        Args:
            read: Angles of the three motors [rad].
            command: Takes the torques of the motors [N m].
            wrist: Deflection of the wrist as a rotation vector [rad].
            handle: Its kinematics.
            period: Length of a cycle [s].
            limits: Largest force and torque on the handle.
            motor_torque: Largest torque of a motor [N m].
        """
        for name, value in (("period", period), ("motor_torque", motor_torque)):
            if not (value > 0 and math.isfinite(value)):
                raise UsageError(f"the {name} must be positive, got {value!r}")
        self.limits, self.motor_torque = limits or DeviceLimits(), float(motor_torque)
        self.handle = handle or DeltaHandle()
        self.centre = np.array(pose(self.handle.model, self.handle.q, "tool").translation)
        """Middle of the device's space [m]."""
        rest = tuple(self.handle.angles.tolist())
        self._read = read or (lambda: rest)
        self._command = command or (lambda torques: None)
        self._wrist = wrist
        self.rotation = IncrementalRotation()
        self.period = period
        self.port = 0
        self.trouble = ""
        """Why the driver ended, if it did."""
        self.gated = 0
        """Torques that were refused: not finite, or beyond what a motor is asked for."""
        self._key = b""
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def connect(self, thread: HapticThread) -> None:
        """Open a port in the haptic thread and start the driver."""
        if self._thread is not None:
            raise UsageError("the Delta device is in use: close it first")
        self._key = secrets.token_bytes(32)  # driver and thread are one process: nobody else's
        self.port = thread.loop.device("127.0.0.1", 0, "", 0, self._key)
        self._thread = threading.Thread(target=self._run, name="delta driver", daemon=True)
        self._stopping.clear()
        self._thread.start()

    def close(self) -> None:
        """Stop the driver and release the motors."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def step(self, client: DeviceClient, before: Floats | None, seconds: float) -> Floats:
        """One cycle: angles in, position out, force in, torques out; returns the position."""
        place = self.handle.place(self._read()) - self.centre
        velocity = np.zeros(3) if before is None else (place - before) / seconds
        if self._wrist is not None:
            self.rotation.turn(self._wrist(), seconds)
        quat = self.rotation.orientation.quat
        client.send(
            place.tolist(), velocity=velocity.tolist(), quaternion=np.asarray(quat).tolist()
        )
        client.receive()
        self.command(self.handle.torques(client.force))
        return place

    def command(self, torques: Floats) -> None:
        """Command motor torques [N m]; none at all if one is not a number or too large."""
        if not bool((np.abs(torques) <= self.motor_torque).all()):
            self.gated += 1
            self.trouble = Trouble.FORCE_REFUSED.words
            torques = np.zeros(3)
        self._command(torques)

    def _run(self) -> None:
        client: DeviceClient | None = None
        before: Floats | None = None
        last = time.monotonic()
        try:
            client = DeviceClient(f"127.0.0.1:{self.port}", key=self._key, limits=self.limits)
            while not self._stopping.is_set():
                now = time.monotonic()
                before = self.step(client, before, max(now - last, 1e-4))
                last = now
                self._stopping.wait(max(0.0, self.period - (time.monotonic() - now)))
        except Exception as error:  # of the hardware's own functions, any
            self.trouble = f"the driver stopped: {error}"
        finally:
            # the motors are let go, whatever else fails
            with contextlib.suppress(Exception):
                self._command(np.zeros(3))
            if client is not None:
                client.close()
