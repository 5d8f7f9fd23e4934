"""The link: refused, lost, found again, removed by a person."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.errors import LinkError, UsageError
from kinegen.live import link as module
from kinegen.live.requests import Requests
from tests.support.live import StudioThread, until
from tests.unit.live.conftest import Pair


def test_a_dead_address_and_a_wrong_token_are_reported(served: StudioThread) -> None:
    with pytest.raises(LinkError, match=r"no studio at http://127\.0\.0\.1:9 .*kinegen studio"):
        kg.connect("http://127.0.0.1:9/?token=abc")
    with pytest.raises(LinkError, match="needs a token"):
        kg.connect(served.link.replace("token=", "token=x"))
    with pytest.raises(LinkError, match="no open session 'nobodys'"):
        kg.connect(served.link, session="nobodys")


def test_another_version_is_reported(served: StudioThread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "schema_hash", lambda: "another")
    with pytest.raises(LinkError, match="use the same version for both"):
        kg.connect(served.link)


def test_something_else_than_a_studio_is_reported(served: StudioThread) -> None:
    async def listen() -> asyncio.Server:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")
            writer.close()

        return await asyncio.start_server(answer, "127.0.0.1", 0)

    server = served.do(listen())
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(LinkError, match="studio"):
        kg.connect(f"http://127.0.0.1:{port}/?token=abc")
    server.close()


def test_the_session_that_was_used_last_is_joined(served: StudioThread) -> None:
    one, other = served.page(open="four-bar"), served.page(open="five-bar")
    for page in (one, other):
        page.ask("commit_pose", q=page.one.snapshot["q"], label="stay")
    with kg.connect(served.link) as view:
        assert view.session == other.session and view.model.name == "five-bar"
    with kg.connect(f"{served.link}&session={one.session}") as view:
        assert view.session == one.session
    one.leave()
    other.leave()


def test_a_link_for_watchers_only_watches(served: StudioThread, pair: Pair) -> None:
    page, view = pair
    place = served.link.partition("/?")[0]
    with kg.connect(f"{place}/{page.one.welcome['watch_link']}") as watching:
        view.q = {"crank": 1.3}
        until(lambda: watching.q[0] == pytest.approx(1.3), "the pose")
        for work in (
            lambda: setattr(watching, "q", watching.q),
            lambda: watching.arrow([0, 0, 0], [1, 0, 0]),
            lambda: watching.undo(),
        ):
            with pytest.raises(UsageError, match="view-only"):
                work()


def test_a_person_can_remove_a_program(pair: Pair) -> None:
    page, view = pair
    number = page.wait("programs")["programs"][0]["program"]
    page.ask("end_program", program=number)
    until(lambda: view.state == "closed", "the end")
    with pytest.raises(LinkError, match="a person removed the program"):
        view.q = {"crank": 1.0}
    assert page.one.find("programs")[-1]["programs"] == []


def test_a_lost_studio_is_found_again(tmp_path: Path) -> None:
    with StudioThread(tmp_path) as first:
        port, link = first.running.port, first.link
        page = first.page(open="four-bar")
        view = kg.connect(link, session=page.session, patience=60)
        view.parameters["crank"] = 0.11  # a session in which nothing was done is not kept
        arrow = view.arrow([0, 0, 0], [0, 0, 1], name="up")
        slider = view.slider("k", 0, 1)
        view.flush()
        page.wait("item_shown", item="up")
    until(lambda: view.state == "lost", "the loss")
    with pytest.raises(LinkError, match=r"was lost .* being retried"):
        view.undo()
    view.q = {"crank": 1.3}  # kept until it is back
    arrow.update(vector=[0, 1, 0])
    with StudioThread(tmp_path, port=port) as again:
        until(lambda: view.state == "open", "the link")
        back = again.page_of(view.session)
        shown = back.wait("item_shown", item="up")
        assert shown["data"]["vector"] == [0, 1, 0] and slider.value == 0
        room = again.running.hub.rooms[view.session]
        until(lambda: room.session.live[0] == pytest.approx(1.3), "the pose")
        view.close()
    with pytest.raises(LinkError, match="the view was closed"):
        view.q = {"crank": 1.0}


def test_patience_ends(tmp_path: Path) -> None:
    with StudioThread(tmp_path) as served:
        view = kg.connect(served.link, patience=0.3)
        waits: list[Exception] = []

        def wait() -> None:
            try:
                view.wait_for_drag()
            except LinkError as error:
                waits.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
    until(lambda: view.state == "closed", "the end")
    thread.join(60)
    assert "is closed" in str(waits[0])
    with pytest.raises(LinkError, match="no studio at"):
        view.q = {"crank": 1.0}
    view.close()


def test_writes_that_must_wait_wake_the_writer_once(
    served: StudioThread, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, view = pair
    link = view._core.link
    view.flush()
    wakes = 0

    class Counted(threading.Event):
        def set(self) -> None:
            nonlocal wakes
            wakes += 1
            super().set()

    wake = link._wake
    with link._sending:  # nothing can be sent meanwhile
        monkeypatch.setattr(link, "_wake", Counted())
        for i in range(1000):
            view.q = {"crank": 1.2 + 1e-4 * i}
        assert wakes == 1
        monkeypatch.setattr(link, "_wake", wake)
        wake.set()
    room = served.running.hub.rooms[page.session]
    until(lambda: room.session.live[0] == pytest.approx(1.2999), "the last pose")


def test_a_pose_that_waits_is_sent_before_a_request(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, view = pair
    link, sent = view._core.link, []
    socket = link._socket
    assert socket is not None
    send = socket.send
    monkeypatch.setattr(socket, "send", lambda data: (sent.append(type(data)), send(data)))
    with link._sending:  # the writer is at work: the pose waits
        view.q = {"crank": 1.25}
        future = Requests(view._core).set_parameters({"crank": 0.11})
    future.result(60)
    assert sent == [bytes, str]
