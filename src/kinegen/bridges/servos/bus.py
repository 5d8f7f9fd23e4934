"""ServoBus: many servos on one wire: addressing, reading, writing, groups of both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from kinegen.bridges.robot import Robot
from kinegen.bridges.servos.framing import BROADCAST, Framing, Instruction, crc16
from kinegen.bridges.servos.registers import Memory
from kinegen.bridges.servos.wiring import Maker, robots_on, wire_servos
from kinegen.bridges.transport.serial_wire import SerialWire
from kinegen.bridges.transport.wire import WireOptions

__all__ = ["ServoBus"]

PING, READ, WRITE, REG_WRITE, ACTION, RESET, REBOOT = 1, 2, 3, 4, 5, 6, 8
SYNC_READ, SYNC_WRITE, FAST_SYNC_READ = 0x82, 0x83, 0x8A
BULK_READ, BULK_WRITE, FAST_BULK_READ = 0x92, 0x93, 0x9A
WORDS = {
    PING: "ping", READ: "read", WRITE: "write", REG_WRITE: "prepare", ACTION: "carry out",
    RESET: "reset", REBOOT: "reboot", SYNC_READ: "sync read", SYNC_WRITE: "sync write",
    FAST_SYNC_READ: "fast sync read", BULK_READ: "bulk read",
    BULK_WRITE: "bulk write", FAST_BULK_READ: "fast bulk read",
}  # fmt: skip


class ServoBus(SerialWire):
    """A bus of servos; a make of servos gives its framing, its memory and its defaults."""

    MAKER: ClassVar[Maker]
    FRAMING: ClassVar[type[Framing]]
    MEMORY: ClassVar[type[Memory]]

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """All servos of the robot that are on this bus."""
        super().__init__(kind, robot, options)
        self.framing = self.FRAMING()
        wired = wire_servos(robot, self.MAKER, options.robot)
        self.servos = [self.MEMORY(one, wired) for one in wired]
        """In the order of the file."""
        self._read = {id(one) for one in self.servos}
        """Servos whose position was read since time moved on, where clients hold the clock."""

    @classmethod
    def groups(cls, robot: Robot) -> list[str]:
        """Robots whose servos have the same ids are on buses of their own."""
        return robots_on(robot, cls.MAKER)

    @abstractmethod
    def ping_data(self, servo: Memory) -> bytes:
        """What an answer to a ping carries."""

    def facts(self) -> dict[str, Any]:
        """Ids with their joints, and the speed."""
        ids = {str(one.id): one.servo.name for one in self.servos}
        return super().facts() | {"baud": self.servos[0].baud, "servos": ids}

    # Bytes

    def receive(self, data: bytes, baud: int | None) -> bytes:
        """Answers to all instructions that are complete; none to a wrong speed."""
        if baud is not None and all(one.baud != baud for one in self.servos):
            self.framing.clear()
            self.traffic.wrong()
            return b""
        self._baud = baud
        return self._answers(self.framing.feed(data))

    def idle(self) -> bytes:
        """Answers to packets behind one that never ended."""
        return self._answers(self.framing.search()) if self.framing.is_waiting else b""

    def forget(self) -> None:
        """A half packet of the client before is void."""
        self.framing.clear()

    def _answers(self, instructions: Iterable[Instruction]) -> bytes:
        out = bytearray()
        errors = self.framing.errors
        for one in instructions:
            self.traffic.heard(one.raw)
            for answer in self._carry_out(one):
                self.traffic.said(answer)
                out += answer
        self.traffic.errors += self.framing.errors - errors
        return bytes(out)

    # Instructions

    def _carry_out(self, one: Instruction) -> Iterator[bytes]:
        code, data = one.code, one.parameters
        if code == SYNC_READ:
            yield from self._sync_read(data)
        elif code == FAST_SYNC_READ:
            address, length = self._numbers(data, 2)
            yield from self._fast([(i, address, length) for i in data[2 * self.framing.width :]])
        elif code == BULK_READ:
            yield from self._each_read(self._bulk(data))
        elif code == FAST_BULK_READ:
            yield from self._fast(list(self._bulk(data)))
        elif code == SYNC_WRITE:
            self._sync_write(data)
        elif code == BULK_WRITE:
            self._bulk_write(data)
        else:
            for servo in self._hearing(one.id):
                answer = self._single(servo, code, data)
                heard = one.id != BROADCAST or code == PING
                if answer is not None and heard and servo.answers(code):
                    yield answer

    def _single(self, servo: Memory, code: int, data: bytes) -> bytes | None:
        """An instruction for one servo; None where it is silent."""
        number, status = servo.id, self.framing.status
        width = self.framing.width
        if code == PING:
            return status(number, servo.error, self.ping_data(servo))
        if code == READ:
            if len(data) != 2 * width:
                return status(number, servo.error | servo.LENGTH)
            address, length = self._numbers(data, 2)
            return self._one_read(servo, address, length)
        if code in (WRITE, REG_WRITE):
            if len(data) <= width:
                return status(number, servo.error | servo.LENGTH)
            address = self._numbers(data, 1)[0]
            if code == REG_WRITE:
                servo.waiting = address, data[width:]
                return status(number, servo.error)
            return status(number, servo.error | servo.write(address, data[width:]))
        if code == ACTION:
            if servo.waiting is not None:
                (address, content), servo.waiting = servo.waiting, None
                servo.write(address, content)
            return status(number, servo.error)
        if code in (RESET, REBOOT):
            servo.servo.on = False
            self._again(servo, keep=code == REBOOT)
            return status(number, 0)
        return status(number, servo.error | servo.INSTRUCTION)

    def _again(self, servo: Memory, *, keep: bool) -> None:
        """Switch a servo off and on; what is in its permanent memory may stay."""
        kept = {name: servo.get(name) for name in ("id",)}
        if keep:
            kept |= {one.name: servo.get(one.name) for one in servo.TABLE if one.address < 40}
        fresh = type(servo)(servo.wired, servo.bus)
        for name, value in kept.items():
            if name not in fresh.live:
                fresh.set(name, value)
        self.servos[self.servos.index(servo)] = fresh
        self._read.add(id(fresh))

    def _sync_read(self, data: bytes) -> Iterator[bytes]:
        width = self.framing.width
        if len(data) >= 2 * width:
            address, length = self._numbers(data, 2)
            yield from self._each_read([(i, address, length) for i in data[2 * width :]])

    def _each_read(self, asked: Iterable[tuple[int, int, int]]) -> Iterator[bytes]:
        """One answer per servo, all of one step."""
        rows = [(servo, *row[1:]) for row in asked for servo in self._hearing(row[0])]
        self._move_on([servo for servo, address, n in rows if self._is_position(servo, address, n)])
        for servo, address, length in rows:
            yield self._status_of(servo, address, length)

    def _one_read(self, servo: Memory, address: int, length: int) -> bytes:
        if self._is_position(servo, address, length):
            self._move_on([servo])
        return self._status_of(servo, address, length)

    def _status_of(self, servo: Memory, address: int, length: int) -> bytes:
        data = servo.read(address, length)
        error = servo.error | (servo.RANGE if data is None else 0)
        return self.framing.status(servo.id, error, data or b"")

    def _fast(self, asked: list[tuple[int, int, int]]) -> Iterator[bytes]:
        """One packet of all servos; each checksum covers what came before it."""
        rows = [(servo, *row[1:]) for row in asked for servo in self._hearing(row[0])]
        if not rows:
            return
        self._move_on([servo for servo, address, n in rows if self._is_position(servo, address, n)])
        parts = [(servo, servo.read(address, n) or bytes(n)) for servo, address, n in rows]
        length = 1 + sum(len(data) + 4 for _, data in parts)
        out = self.framing.header + bytes([BROADCAST, length & 0xFF, length >> 8, 0x55])
        for servo, data in parts:
            out += bytes([servo.error, servo.id]) + data
            out += crc16(out).to_bytes(2, "little")
        yield out

    def _sync_write(self, data: bytes) -> None:
        width = self.framing.width
        if len(data) < 2 * width:
            return
        address, length = self._numbers(data, 2)
        rows = data[2 * width :]
        for start in range(0, len(rows) - length, length + 1):
            for servo in self._hearing(rows[start]):
                servo.write(address, rows[start + 1 : start + 1 + length])

    def _bulk(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Id, address and length of each read of a group."""
        if self.framing.width == 1:
            rows = data[1:]
            for start in range(0, len(rows) - 2, 3):
                length, number, address = rows[start : start + 3]
                yield number, address, length
            return
        for start in range(0, len(data) - 4, 5):
            address, length = self._numbers(data[start + 1 :], 2)
            yield data[start], address, length

    def _bulk_write(self, data: bytes) -> None:
        while len(data) > 5:
            address, length = self._numbers(data[1:], 2)
            for servo in self._hearing(data[0]):
                servo.write(address, data[5 : 5 + length])
            data = data[5 + length :]

    # Inside

    def _numbers(self, data: bytes, count: int) -> list[int]:
        width = self.framing.width
        return [int.from_bytes(data[i * width : (i + 1) * width], "little") for i in range(count)]

    def _hearing(self, number: int) -> list[Memory]:
        """Servos that hear an id at the client's speed, in order of their ids."""
        found = [
            one for one in self.servos
            if number in (one.id, BROADCAST) and self._baud in (one.baud, None)
        ]  # fmt: skip
        return sorted(found, key=lambda one: one.id) if len(found) > 1 else found

    def _is_position(self, servo: Memory, address: int, length: int) -> bool:
        place = servo.by_name[servo.POSITION]
        return address < place.end and place.address < address + length

    def _move_on(self, servos: list[Memory]) -> None:
        """Where clients hold the clock, a servo that is read again begins a new period."""
        if self.robot.clock != "client" or not servos:
            return
        asked = {id(one) for one in servos}
        if asked & self._read:
            self._read = set()
            self.robot.advance()
        self._read |= asked

    _baud: int | None = None

    def words(self, packet: bytes, answers: bool) -> str:
        """What a packet says."""
        framing = self.FRAMING()
        if answers and self.framing.width == 2:
            return _status_words(packet[4], packet[8], packet[9:-2])
        if answers:
            return _status_words(packet[2], packet[4], packet[5:-1])
        one = next(iter(framing.feed(packet)), None)
        if one is None:
            return "incomplete"
        who = "all" if one.id == BROADCAST else f"servo {one.id}"
        what = WORDS.get(one.code, f"instruction {one.code:#x}")
        width = framing.width
        if one.code in (READ, WRITE, REG_WRITE, SYNC_READ, SYNC_WRITE, FAST_SYNC_READ):
            address = int.from_bytes(one.parameters[:width], "little")
            register = next(
                (r.name for r in self.MEMORY.TABLE if r.address <= address < r.end), f"{address}"
            )
            what += f" {register.replace('_', ' ')}"
        if one.code in (WRITE, REG_WRITE):
            what += f" = {_value(one.parameters[width:])}"
        return f"{who}: {what}"


def _status_words(number: int, error: int, data: bytes) -> str:
    text = f"servo {number} answers"
    text += f" {_value(data)}" if data else " ok"
    return text + (f", error {error:#04x}" if error else "")


def _value(data: bytes) -> str:
    return str(int.from_bytes(data, "little")) if len(data) in (1, 2, 4) else data.hex(" ")
