"""The studio over HTTP: page, headers, origin, uploads, meshes, downloads, token, TLS."""

from __future__ import annotations

import asyncio
import http.client
import ssl
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from kinegen.live.address import Address
from kinegen.studio.server.serve import Running, announcement
from kinegen.studio.session.files.project import LARGEST_MESH
from tests.support.studio import HANG, RefusedError, address, cookie, greeting, page, run, studio
from tests.support.studio import Page as WirePage


async def fetch(
    running: Running,
    path: str,
    *,
    method: str = "GET",
    body: Any = None,
    headers: dict[str, str] | None = None,
    known: bool = True,
) -> tuple[int, dict[str, str], bytes]:
    """One request by a client that follows nothing and adds nothing but the cookie."""
    given = {**(cookie(running) if known else {}), **(headers or {})}

    def work() -> tuple[int, dict[str, str], bytes]:
        if running.guard.secure:
            context = ssl._create_unverified_context()
            link: http.client.HTTPConnection = http.client.HTTPSConnection(
                "127.0.0.1", running.port, context=context
            )
        else:
            link = http.client.HTTPConnection("127.0.0.1", running.port)
        try:
            link.request(method, path, body=body, headers=given)
            answer = link.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            link.close()

    return await asyncio.to_thread(work)


def client(folder: Path) -> Path:
    built = folder / "client"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<!doctype html><title>page</title>")
    (built / "assets/index-abc.js").write_text("1")
    (built / "icon.svg").write_text("<svg/>")
    return built


def test_the_page_and_its_parts(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, client=client(tmp_path)) as running:
            status, headers, body = await fetch(running, "/")
            assert status == 200 and b"<title>page" in body
            assert headers["cache-control"] == "no-cache"
            _, headers, _ = await fetch(running, "/assets/index-abc.js")
            assert "immutable" in headers["cache-control"]
            assert headers["content-type"].startswith("text/javascript")
            status, headers, body = await fetch(running, "/kinegen.wasm")
            assert status == 200 and headers["content-type"] == "application/wasm"
            assert body[:4] == b"\0asm"
            assert (await fetch(running, "/icon.svg"))[0] == 200
            assert (await fetch(running, "/none"))[0] == 404

    run(work())


@pytest.mark.parametrize("path", ["/", "/none", "/assets/index-abc.js", "/files/x.stl", "/upload"])
def test_every_answer_carries_the_safety_headers(tmp_path: Path, path: str) -> None:
    async def work() -> None:
        async with studio(tmp_path, client=client(tmp_path)) as running:
            _, headers, _ = await fetch(running, path)
            policy = headers["content-security-policy"]
            assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
            assert "script-src 'self' 'wasm-unsafe-eval';" in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "server" not in headers

    run(work())


def test_a_page_that_is_not_built_says_how(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, client=tmp_path / "none") as running:
            status, _, body = await fetch(running, "/")
            assert status == 503 and b"npm run build" in body

    run(work())


def test_names_bent_to_our_address_are_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            status, _, body = await fetch(running, "/", headers={"Host": "evil.example"})
            assert status == 403 and b"another host name" in body

    run(work())


def test_pages_from_elsewhere_are_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            own = f"http://127.0.0.1:{running.port}"
            for origin in ("http://evil.example", "null", own + "1", own.replace("http", "https")):
                with pytest.raises(InvalidStatus) as caught:
                    await connect(address(running), additional_headers={"Origin": origin})
                assert caught.value.response.status_code == 403
                status, _, _ = await fetch(
                    running, "/upload?file=x.raff", method="POST", body=b"raff: 1",
                    headers={"Origin": origin},
                )  # fmt: skip
                assert status == 403
            async with connect(address(running), additional_headers={"Origin": own}) as socket:
                one = WirePage(socket)
                await greeting(one)
                await one.leave()
            assert not list((tmp_path / "project").iterdir())

    run(work())


def test_uploads(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:

            async def put(name: str, body: Any, **headers: str) -> tuple[int, bytes]:
                path = f"/upload?file={name}"
                status, _, text = await fetch(
                    running, path, method="POST", body=body, headers=headers
                )
                return status, text

            mesh = b"v 0 0 0\nv 1 0 0\n"
            assert (await put("parts/box.obj", mesh))[0] == 200
            status, headers, body = await fetch(running, "/files/parts/box.obj")
            assert status == 200 and body == mesh and headers["content-type"] == "model/obj"
            status, text = await put("arm.raff", b"raff: 1\n")
            assert status == 200 and b'"files":["arm.raff"]' in text
            for name, body in (
                ("../x.obj", mesh), ("%2e%2e/x.obj", mesh), ("/etc/x.obj", mesh), ("x.py", b""),
                ("x.stl", b"no"), ("", mesh), ("..%5Cx.obj", mesh),
            ):  # fmt: skip
                status, text = await put(name, body)
                assert status == 400 and text, name
            found = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.obj")}
            assert found == {"project/parts/box.obj"}

    run(work())


def test_uploads_end_where_they_are_too_large(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            length = LARGEST_MESH + 2**20
            writer.write(
                f"POST /upload?file=x.stl&token={running.guard.token} HTTP/1.1\r\n"
                f"Host: 127.0.0.1:{running.port}\r\n"
                f"Content-Length: {length}\r\n\r\n".encode()
            )
            sent = 0
            try:
                while sent < length:
                    writer.write(bytes(2**20))
                    await writer.drain()
                    sent += 2**20
            except ConnectionError:
                pass  # it need not read to the end
            try:
                line = await reader.readline()
                assert b"413" in line
            except ConnectionError:
                pass
            writer.close()
            assert not list((tmp_path / "project").iterdir())

    run(work())


@pytest.mark.parametrize(
    "path",
    ["/files/../state/x", "/files/%2e%2e/%2e%2e/etc/passwd", "/files/x.raff", "/files//etc/passwd",
     "/assets/../../serve.py", "/assets/%2e%2e/%2e%2e/serve.py"],
)  # fmt: skip
def test_no_path_leads_out(tmp_path: Path, path: str) -> None:
    async def work() -> None:
        async with studio(tmp_path, client=client(tmp_path)) as running:
            (tmp_path / "project/x.raff").write_text("secret")
            status, _, body = await fetch(running, path)
            assert status in (400, 404) and b"secret" not in body

    run(work())


def test_exports_are_fetched_once_made(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            made = await one.ask("export", format="svg", q=one.snapshot["q"])
            assert made["name"] == "four-bar.svg"
            status, headers, body = await fetch(running, "/" + made["link"])
            assert status == 200 and len(body) == made["size"] and b"<svg" in body
            assert headers["content-disposition"] == 'attachment; filename="four-bar.svg"'
            assert (await fetch(running, "/download/guess/x.svg"))[0] == 404
            with pytest.raises(RefusedError, match="format 'doc'"):
                await one.ask("export", format="doc", q=one.snapshot["q"])

    run(work())


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_everything_needs_the_token(tmp_path: Path, host: str) -> None:
    async def work() -> None:
        async with studio(tmp_path, host=host) as running:
            token, secure = running.guard.token, host == "0.0.0.0"
            assert running.link.startswith("https://" if secure else "http://")
            assert token and token in running.link
            context = ssl._create_unverified_context() if secure else None
            for path in (
                "/",
                "/?token=wrong",
                "/?token=",
                "/kinegen.wasm",
                "/files/x.stl",
                "/none",
            ):
                assert (await fetch(running, path, known=False))[0] == 403
            put = "/upload?file=x.raff"
            assert (await fetch(running, put, method="POST", body=b"raff: 1", known=False))[
                0
            ] == 403
            for wrong in ("", "wrong", token[:-1], f"x.{token}"):
                with pytest.raises(InvalidStatus) as caught:
                    await connect(address(running, token=wrong), ssl=context)
                assert caught.value.response.status_code == 403
            status, headers, _ = await fetch(running, f"/?open=stewart&token={token}", known=False)
            assert status == 303 and headers["location"] == "/?open=stewart"
            given = headers["set-cookie"]
            flags = ("HttpOnly", "SameSite=strict", *(["Secure"] if secure else []))
            assert all(flag in given for flag in flags)
            own = {"Cookie": given.partition(";")[0]}
            assert own == cookie(running)
            assert (await fetch(running, "/kinegen.wasm", headers=own))[0] == 200
            bare = address(running, token="")
            async with connect(bare, ssl=context, additional_headers=own) as socket:
                one = WirePage(socket)
                await greeting(one)
                await one.leave()
            assert not list((tmp_path / "project").iterdir())

    run(work())


def test_the_browser_is_started_without_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Command lines can be read by everybody on the machine."""

    async def work() -> None:
        async with studio(tmp_path) as running:
            code = running.guard.once
            # another user's program is not let in by it, and does not use it up
            monkeypatch.setattr("kinegen.studio.server.entry.door.may_be_own", lambda *_: False)
            assert (await fetch(running, f"/?once={code}", known=False))[0] == 403
            monkeypatch.undo()
            assert (await fetch(running, f"/files/x?once={code}", known=False))[0] == 403
            assert (await fetch(running, "/?once=guess", known=False))[0] == 403
            status, headers, _ = await fetch(running, f"/?once={code}&open=delta", known=False)
            assert status == 303 and headers["location"] == "/?open=delta"
            assert headers["set-cookie"].partition(";")[0] == cookie(running)["Cookie"]
            assert (await fetch(running, f"/?once={code}", known=False))[0] == 403
            # a visitor with a cookie only loses it from the address
            status, headers, _ = await fetch(running, f"/?once={code}")
            assert status == 303 and headers["location"] == "/" and "set-cookie" not in headers

    run(work())


def test_a_bare_address_says_which_link_to_open(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            wants = {"Accept": "text/html,*/*;q=0.8"}
            status, headers, body = await fetch(running, "/", headers=wants, known=False)
            assert status == 403 and headers["content-type"].startswith("text/html")
            assert b"Open the complete link" in body and running.guard.token.encode() not in body
            assert "default-src 'self'" in headers["content-security-policy"]

    run(work())


def test_a_link_with_a_token_leads_nowhere_else(tmp_path: Path) -> None:
    paths = ["//evil.example", "///evil.example", "/%5Cevil.example", "/.//evil.example", "//",
             "/%2F%2Fevil.example", "/;//evil.example", "//evil.example/..", "/up/"]  # fmt: skip

    async def work() -> None:
        async with studio(tmp_path, client=client(tmp_path)) as running:
            for path in paths:
                link = f"{path}?token={running.guard.token}"
                _, headers, _ = await fetch(running, link, known=False)
                assert "location" not in headers and "set-cookie" not in headers, path

    run(work())


def test_what_follows_the_token_is_kept_in_the_query(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, client=client(tmp_path)) as running:
            token = running.guard.token
            for query in (f"a=%0d%0aX:y&token={token}&b=//evil", f"token=x&token={token}"):
                status, headers, _ = await fetch(running, f"/?{query}", known=False)
                assert status == 303 and headers["location"] in (
                    "/?a=%0D%0AX%3Ay&b=%2F%2Fevil",
                    "/",
                )
                assert "x" not in headers

    run(work())


HOSTS = ["[", "[::1", "::1]", "[]", "[[::1]]", "[::1]:", "127.0.0.1:99999", "127.0.0.1:-1", "a b",
         "127.0.0.1:1:2", "user@127.0.0.1", "127.0.0.1/x", "127.0.0.1#", "127.0.0.1?", "\xe9",
         "\xff\xfe", "", " ", "%", "[v1.x]", "[::1%25eth0]", "0x7f.1.evil", "localhost\\@evil",
         "1" * 5000]  # fmt: skip


def test_odd_hosts_are_refused_and_never_break_it(tmp_path: Path) -> None:
    upgrade = (
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    )

    async def answer(running: Running, path: str, head: str) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        target = f"{path}?token={running.guard.token}"
        more = upgrade if path == "/ws" else ""
        writer.write(f"GET {target} HTTP/1.1\r\n{head}{more}\r\n".encode("latin-1"))
        async with asyncio.timeout(HANG):
            line = await reader.readline()
        writer.close()
        return line.split()[1]

    async def work() -> None:
        async with studio(tmp_path) as running:
            for path in ("/", "/ws", "/health"):
                for host in HOSTS:
                    for head in (
                        f"Host: {host}\r\n",
                        f"Host: 127.0.0.1\r\nHost: {host}\r\n",
                        f"Host: 127.0.0.1\r\nOrigin: {host}\r\nOrigin: http://127.0.0.1\r\n",
                    ):
                        status = await answer(running, path, head)
                        assert status in (b"400", b"403"), (path, head, status)

    run(work())


def test_a_watch_link_changes_no_cookie_of_the_owner(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            session = one.welcome["session"]
            link = "/" + one.welcome["watch_link"]
            status, headers, _ = await fetch(running, link)
            assert status == 303 and headers["location"] == f"/?watch={session}"
            assert "set-cookie" not in headers
            # a stranger gets a cookie of another name, and the owner's link works beside it
            _, headers, _ = await fetch(running, link, known=False)
            watch = headers["set-cookie"].partition(";")[0]
            assert watch.partition("=")[0] != running.guard.cookie
            both = {"Cookie": f"{watch}; {cookie(running)['Cookie']}"}
            status, _, _ = await fetch(running, "/download/none/x", headers=both)
            assert status == 404

    run(work())


def test_several_watch_links_work_side_by_side(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one, page(running) as two:
            cookies = []
            for owner in (one, two):
                _, headers, _ = await fetch(running, "/" + owner.welcome["watch_link"], known=False)
                cookies.append(headers["set-cookie"].partition(";")[0])
            both = {"Cookie": "; ".join(cookies)}
            for owner in (one, two):
                bare = address(running, token="")
                async with connect(bare, additional_headers=both) as socket:
                    watcher = WirePage(socket)
                    await greeting(watcher, session=owner.welcome["session"])
                    assert watcher.welcome["session"] == owner.welcome["session"]
                    await watcher.leave()

    run(work())


def test_the_link_the_fingerprint_and_the_code_are_shown(tmp_path: Path) -> None:
    async def work() -> None:
        from kinegen.studio.server.serve import Settings

        async with studio(tmp_path, host="0.0.0.0") as running:
            text = "\n".join(announcement(running, Settings(folder=tmp_path)))
            assert running.certificate is not None
            assert running.link in text and running.certificate.fingerprint in text
            assert "█" in text or "▄" in text
            # programs check the certificate by the link alone
            digits = running.certificate.fingerprint.replace(":", "").lower()
            assert running.printed_link == f"{running.link}#sha256={digits}"
            assert f"Kinegen studio: {running.printed_link}\n" in text
            assert Address.parse(running.printed_link).fingerprint == digits
        async with studio(tmp_path) as running:
            text = "\n".join(announcement(running, Settings(folder=tmp_path)))
            assert f"Kinegen studio: {running.link}\n" in text and "certificate" not in text

    run(work())
