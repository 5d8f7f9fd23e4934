"""Programs: what Python programs in a session show there, and what people do with it."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kinegen.errors import UsageError
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import WireError, encode

if TYPE_CHECKING:
    from kinegen.studio.session.room import Client, Room

__all__ = ["Program", "Programs"]

MOST_PROGRAMS = 32
"""Of one session, those included that ended and whose items are still shown."""
MOST_ITEMS = 2000
"""Of one program."""
MOST_BYTES = 64 * 2**20
"""Of all items of one program, as they were sent."""
PICTURE = 20.0
"""[s] Within which a page sends a picture."""


class Program:
    """A program and what it shows."""

    def __init__(self, number: int, name: str, key: str, client: Client) -> None:
        self.number = number
        self.name = name
        self.key = key
        self.client: Client | None = client
        """None: it has ended."""
        self.items: dict[str, wire.Item] = {}
        self.sizes: dict[str, int] = {}
        """[bytes] Of each item."""


class Programs:
    """The programs of one room. All methods run in the event loop."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.all: dict[int, Program] = {}
        self._ran: deque[str] = deque(maxlen=MOST_PROGRAMS)
        """Names of programs that have ended."""
        self._numbers = itertools.count(1)
        self._pictures: dict[int, asyncio.Future[wire.PictureTaken]] = {}
        self._picture_numbers = itertools.count(1)
        self.hands: dict[int, wire.Hand] = {}
        """Pages in which a person moves the mechanism now, by client."""

    # Coming and going

    def enter(self, client: Client, hello: wire.ProgramHello) -> None:
        """Let a program in: one that was here before, or a new one."""
        known = next((one for one in self.all.values() if one.key == hello.key), None)
        if known is None:
            # a program that is run again takes the place of its last run
            for old in [one for one in self.all.values() if one.name == hello.name]:
                if old.client is None:
                    self._forget(old)
            if len(self.all) >= MOST_PROGRAMS:
                raise UsageError(
                    f"{MOST_PROGRAMS} programs are in this session, which is the limit; remove one "
                    "in the page"
                )
            number = next(self._numbers)
            known = self.all[number] = Program(number, hello.name, hello.key, client)
        known.client = client
        client.program = known
        for hand in self.hands.values():
            client.outbox.put(hand)
        self._send_list()

    def page_entered(self, client: Client) -> None:
        """Send a new page what there is."""
        if not self.all:
            return
        client.outbox.put(self._list())
        for program in self.all.values():
            for item, data in program.items.items():
                message = wire.ItemShown(program.number, item, data)
                client.outbox.put_latest(_key(program, item), functools.partial(encode, message))

    def left(self, client: Client) -> None:
        """A client is gone: its hand lets go, or its program has ended."""
        if client.number in self.hands:
            self.hand(client, wire.Hand(False, []))
        program = client.program
        if program is None or program.client is not client:
            return
        program.client = None
        self._ran.append(program.name)
        if not program.items:
            self._forget(program)
        self._send_list()
        words = f"The program '{program.name}' has disconnected"
        for page in self.pages():
            page.outbox.put(wire.Notice("info", words))

    def end(self, number: int) -> None:
        """Remove what a program shows; one that is still there is disconnected."""
        program = self.all.get(number)
        if program is None:
            raise UsageError("this program is no longer in the session")
        client, program.client = program.client, None
        self._forget(program)
        self._send_list()
        if client is not None:
            client.outbox.end("a person removed the program from the session")

    def has_run(self, name: str) -> bool:
        """Whether a program of a name was here and has ended."""
        return name in self._ran and all(
            one.name != name or one.client is None for one in self.all.values()
        )

    def pages(self) -> Iterator[Client]:
        """Clients with a person in front of them."""
        return (one for one in self._room.clients.values() if one.program is None)

    def page(self) -> Client:
        """The page that a person used last; UsageError where none is open."""
        writers = [one for one in self.pages() if not one.read_only]
        if not writers:
            raise UsageError("no page is open in this session")
        return max(writers, key=lambda one: one.used_at)

    # Items

    def take(self, client: Client, message: wire.Message, size: int) -> None:
        """A message that needs no answer."""
        match message:
            case wire.ShowItem(item=item, data=data):
                self._show(_program(client), item, data, size)
            case wire.HideItem(item=item):
                self._hide(_program(client), item)
            case wire.InputItem():
                self._input(client, message)
            case wire.PictureTaken(picture=number):
                future = self._pictures.get(number)
                if future is not None and not future.done():
                    future.set_result(message)
            case wire.Played():
                for program in self._running():
                    program.outbox.put(message)

    def _show(self, program: Program, item: str, data: wire.Item, size: int) -> None:
        if item not in program.items and len(program.items) >= MOST_ITEMS:
            raise WireError(f"a program shows at most {MOST_ITEMS} items; remove some")
        rest = sum(program.sizes.values()) - program.sizes.get(item, 0)
        if rest + size > MOST_BYTES:
            raise WireError(f"a program shows at most {MOST_BYTES >> 20} MB; remove some items")
        program.items[item] = data
        program.sizes[item] = size
        self._send(program, item, wire.ItemShown(program.number, item, data))

    def _hide(self, program: Program, item: str) -> None:
        if program.items.pop(item, None) is None:
            return
        del program.sizes[item]
        self._send(program, item, wire.ItemHidden(program.number, item))

    def _input(self, client: Client, message: wire.InputItem) -> None:
        """Somebody used a control: its program hears of it, and other pages show it."""
        program = self.all.get(message.program)
        data = program.items.get(message.item) if program else None
        if program is None or data is None:
            return  # it was removed at that moment
        changed = _with_value(data, message.value)
        if changed is not data:
            program.items[message.item] = changed
            news = wire.ItemShown(program.number, message.item, changed)
            self._send(program, message.item, news, besides=client)
        if program.client is None:
            return
        outbox, tell = program.client.outbox, wire.ItemInput(message.item, message.value)
        if isinstance(data, wire.ButtonItem):
            outbox.put(tell)
        else:
            outbox.put_latest(f"input/{message.item}", functools.partial(encode, tell))

    def _send(
        self,
        program: Program,
        item: str,
        message: wire.ItemShown | wire.ItemHidden,
        besides: Client | None = None,
    ) -> None:
        text = _once(message)
        for page in self.pages():
            if page is not besides:
                page.outbox.put_latest(_key(program, item), text)

    def _forget(self, program: Program) -> None:
        for item in list(program.items):
            self._hide(program, item)
        self.all.pop(program.number, None)

    def _list(self) -> wire.Programs:
        return wire.Programs(
            [
                wire.ProgramData(one.number, one.name, one.client is not None)
                for one in self.all.values()
            ]
        )

    def _send_list(self) -> None:
        message = self._list()
        for page in self.pages():
            page.outbox.put(message)

    def _running(self) -> Iterator[Client]:
        return (one.client for one in self.all.values() if one.client is not None)

    # What people do

    def hand(self, client: Client, message: wire.Hand) -> None:
        """A person takes hold of the mechanism, or lets go."""
        if client.program is not None:
            raise WireError("a program has no hand; it writes poses")
        self._room.pass_on()  # the poses until then come before it
        if message.active:
            self.hands[client.number] = message
        elif self.hands.pop(client.number, None) is None:
            return
        others = list(self.hands.values())
        news = message if message.active or not others else others[-1]
        for program in self._running():
            program.outbox.put(news)
        if not others:
            self._room.pass_on()  # what programs wrote meanwhile is shown now

    async def picture(self, message: wire.TakePicture) -> wire.Picture:
        """A picture of the page that was used last."""
        page, number = self.page(), next(self._picture_numbers)
        future: asyncio.Future[wire.PictureTaken] = asyncio.get_running_loop().create_future()
        self._pictures[number] = future
        page.outbox.put(wire.PictureWanted(number, message.width, message.height))
        try:
            async with asyncio.timeout(PICTURE):
                taken = await future
        except TimeoutError:
            raise UsageError(
                f"the page sent no picture within {PICTURE:g} s; is its window hidden?"
            ) from None
        finally:
            del self._pictures[number]
        if taken.error or not taken.png:
            raise UsageError(taken.error or "the page sent an empty picture")
        return wire.Picture(taken.png)

    def play(self, message: wire.PlayMotion) -> None:
        """Put a motion into the player of the page that was used last."""
        self.page().outbox.put(wire.PlayWanted(message.motion, message.rate, message.loop))


def _program(client: Client) -> Program:
    if client.program is None:
        raise WireError("only programs show items; send 'hello' with 'program'")
    return client.program


def _key(program: Program, item: str) -> str:
    return f"item/{program.number}/{item}"


def _once(message: wire.Message) -> Callable[[], str]:
    """The text of a message, made when it is needed, and once for all pages."""
    return functools.cache(lambda: encode(message))


def _with_value(data: wire.Item, value: bool | float | str | None) -> wire.Item:
    """A control with the value that somebody chose; WireError when it has no such value."""
    match data:
        case wire.ButtonItem():
            return data
        case wire.SliderItem(low=low, high=high) if (
            type(value) in (int, float) and low <= float(value or 0) <= high
        ):
            return dataclasses.replace(data, value=float(value or 0))
        case wire.CheckboxItem() if isinstance(value, bool):
            return dataclasses.replace(data, value=value)
        case wire.ChoiceItem(options=options) if isinstance(value, str) and value in options:
            return dataclasses.replace(data, value=value)
    raise WireError(f"an item of kind {data.kind} does not take the value {value!r}"[:200])
