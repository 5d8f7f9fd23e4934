"""Objects: the object dictionary of a CANopen device (CiA 301), with live values behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Abort", "Dictionary", "Kind", "Object"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A data type."""

    code: int
    """In an EDS file."""
    size: int
    """Bytes; 0: a text of any length."""
    signed: bool = False

    @property
    def span(self) -> tuple[int, int]:
        """Least and greatest number."""
        bits = 8 * self.size
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.signed else (0, (1 << bits) - 1)


I8, I16, I32 = Kind(2, 1, True), Kind(3, 2, True), Kind(4, 4, True)
U8, U16, U32, TEXT = Kind(5, 1), Kind(6, 2), Kind(7, 4), Kind(9, 0)


class Abort(Exception):
    """A request that is refused, with the abort code of CiA 301."""

    def __init__(self, code: int) -> None:
        super().__init__(f"abort {code:#010x}")
        self.code = code


NO_OBJECT, NO_SUBINDEX = 0x06020000, 0x06090011
WRITE_ONLY, READ_ONLY, SUBINDEX_LOCKED = 0x06010001, 0x06010002, 0x06010003
WRONG_LENGTH, TOO_LONG, TOO_SHORT = 0x06070010, 0x06070012, 0x06070013
BAD_VALUE = 0x06090030
NOT_MAPPABLE, MAP_TOO_LONG = 0x06040041, 0x06040042
WRONG_STATE, NOT_STORED = 0x08000022, 0x08000020


@dataclass(frozen=True, slots=True)
class Object:
    """One number or text of a dictionary."""

    index: int
    sub: int
    name: str
    kind: Kind
    default: int | str = 0
    access: str = "rw"
    """'rw', 'ro', 'wo' or 'const'."""
    mappable: bool = False
    """Whether PDOs may hold it."""
    parent: str = ""
    """Name of the array or record that it is in."""
    is_node: bool = False
    """Whether the node's id is added to the default."""
    low: int | None = None
    """Least value that can be written; None: any."""
    high: int | None = None


class Dictionary:
    """The values of a device; what is measured has a getter, what commands something a setter."""

    def __init__(self, objects: list[Object], node: int) -> None:
        """All values are the defaults.

        Args:
            objects: What there is.
            node: The id of the device.
        """
        self.objects = {(one.index, one.sub): one for one in objects}
        self._indices = {one.index for one in objects}
        self._node = node
        self.values: dict[tuple[int, int], int | str] = {}
        self.live: dict[tuple[int, int], Callable[[], int]] = {}
        """What is measured."""
        self.changed: dict[int, Callable[[int, int], None]] = {}
        """Called with subindex and value after a write, by index; may raise :class:`Abort`."""
        self.reset(lambda _: True)

    def reset(self, which: Callable[[int], bool]) -> None:
        """Bring back the defaults of some indices."""
        for key, one in self.objects.items():
            if which(one.index):
                value = one.default
                if one.is_node and isinstance(value, int):
                    value += self._node
                self.values[key] = value

    def find(self, index: int, sub: int) -> Object:
        """An object, or the abort that says what is not there."""
        one = self.objects.get((index, sub))
        if one is None:
            raise Abort(NO_SUBINDEX if index in self._indices else NO_OBJECT)
        return one

    def get(self, index: int, sub: int = 0) -> int:
        """A number as it is now."""
        key = index, sub
        value = self.live[key]() if key in self.live else self.values[key]
        assert isinstance(value, int)
        low, high = self.objects[key].kind.span
        return min(max(value, low), high)

    def read(self, index: int, sub: int) -> bytes:
        """An object as bytes."""
        one = self.find(index, sub)
        if one.access == "wo":
            raise Abort(WRITE_ONLY)
        if one.kind.size == 0:
            return str(self.values[index, sub]).encode("ascii", "replace")
        return self.get(index, sub).to_bytes(one.kind.size, "little", signed=one.kind.signed)

    def write(self, index: int, sub: int, data: bytes) -> None:
        """Write an object as a client does."""
        one = self.find(index, sub)
        if one.access in ("ro", "const"):
            raise Abort(READ_ONLY)
        if len(data) != one.kind.size:
            raise Abort(TOO_LONG if len(data) > one.kind.size else TOO_SHORT)
        value = int.from_bytes(data, "little", signed=one.kind.signed)
        if (one.low is not None and value < one.low) or (one.high is not None and value > one.high):
            raise Abort(BAD_VALUE)
        before, self.values[index, sub] = self.values[index, sub], value
        if index in self.changed:
            try:
                self.changed[index](sub, value)
            except Abort:
                self.values[index, sub] = before
                raise
