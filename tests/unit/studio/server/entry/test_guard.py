"""Which requests are let in."""

from __future__ import annotations

import pytest

from kinegen.studio.server.entry.guard import Access, Guard, is_loopback, new_token, same_secret


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost", True), ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True),
        ("[::1]", True), ("0.0.0.0", False), ("192.168.1.5", False), ("example.org", False),
        ("localhost.example.org", False),
    ],
)  # fmt: skip
def test_loopback(host: str, own: bool) -> None:
    assert is_loopback(host) is own


@pytest.mark.parametrize(
    ("header", "good"),
    [
        ("127.0.0.1:8123", True), ("localhost:8123", True), ("[::1]:8123", True),
        ("evil.example:8123", False), ("127.0.0.1.evil.example", False), ("192.168.1.5", False),
        ("", False), (None, False),
    ],
)  # fmt: skip
def test_names_bent_to_our_address_are_refused(header: str | None, good: bool) -> None:
    assert Guard(port=8123).allows_host(header) is good


def test_elsewhere_addresses_and_own_names_are_good() -> None:
    guard = Guard(host="0.0.0.0", token="t", _names=frozenset({"bench"}))
    for header, good in (("192.168.1.5:1", True), ("bench:1", True), ("evil.example", False)):
        assert guard.allows_host(header) is good


def test_origins() -> None:
    guard = Guard(origins=frozenset({"http://localhost:5173"}))
    assert guard.allows_origin(None, "127.0.0.1:1")
    assert guard.allows_origin("http://127.0.0.1:1", "127.0.0.1:1")
    assert guard.allows_origin("http://localhost:5173", "127.0.0.1:1")
    for other in ("https://127.0.0.1:1", "http://127.0.0.1:2", "http://evil.example", "null", ""):
        assert not guard.allows_origin(other, "127.0.0.1:1")
    assert Guard(secure=True).allows_origin("https://a:1", "a:1")


def test_nobody_is_let_in_without_a_token() -> None:
    assert Guard().token and Guard().access() is None and Guard().access("") is None


ODD = [
    "",
    "secre",
    "secret ",
    "sécret",
    "a.b",
    ".",
    "\ud800",
    "\udc00.\udfff",
    "😀",
    "\0",
    "x" * 10**5,
]


def test_tokens() -> None:
    guard = Guard(token="secret")
    assert guard.access("secret") == Access()
    for wrong in ODD:
        assert guard.access(wrong) is None
        assert guard.access(wrong, "secret") == Access()
        assert not same_secret("secret", wrong) and same_secret(wrong, wrong)
        assert not same_secret(wrong, "secret")


def test_watch_links_open_their_sessions_only() -> None:
    guard = Guard(token="secret")
    link = guard.watch_link("abc-1")
    assert "secret" not in link
    token = link.partition("token=")[2]
    other = guard.watch_link("abc-2").partition("token=")[2]
    assert guard.access(token) == Access(watch=frozenset({"abc-1"}))
    assert guard.access(token, other) == Access(watch=frozenset({"abc-1", "abc-2"}))
    assert guard.access(token, "secret") == Access()
    assert guard.access(token.replace("abc-1", "abc-2")) is None
    assert Guard(token="other").access(token) is None


def test_tokens_come_from_the_link_and_from_own_cookies() -> None:
    guard = Guard(port=7, token="secret")
    cookies = {"kinegen-7": "a", "kinegen-8": "b", "kinegen-7-watch-x": "c", "other": "d"}
    assert guard.tokens_in(["q"], cookies) == ["q", "a", "c"]


def test_the_link_of_the_browser_opens_once_and_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Guard(token="secret")
    code = guard.once
    assert code != guard.token and not guard.redeem("") and not guard.redeem("\ud800")
    assert guard.redeem(code) and not guard.redeem(code) and not guard.redeem("")
    monkeypatch.setattr("kinegen.studio.server.entry.guard.ONCE", -1.0)
    late = Guard()
    assert not late.redeem(late.once) and not late.redeem(late.once)
    assert guard.access(code) is None


def test_tokens_are_long_and_new() -> None:
    assert len({new_token() for _ in range(10)}) == 10
    assert len(new_token()) >= 32
