"""Guard: who may talk to the studio, by host, origin and token."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["Access", "Guard", "is_loopback", "new_token", "same_secret"]

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::([0-9]{1,5}))?\Z", re.IGNORECASE)
"""An IPv6 address in brackets, or a name or IPv4 address; then a port or none."""
ONCE = 120.0
"""[s] How long the link that the browser is started with can be used."""
_PROOF = 32
"""Digits of the proof in a watch link: 128 bits."""


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def same_secret(known: str, given: str) -> bool:
    """Whether a secret is the right one, in a time that says nothing; any text may be given."""
    return hmac.compare_digest(_bytes(known), _bytes(given))


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Access:
    """What a visitor may do."""

    watch: frozenset[str] | None = None
    """The only sessions it may watch; None for one who may do everything."""


@dataclass(slots=True)
class Guard:
    """The rules of one studio."""

    host: str = "127.0.0.1"
    port: int = 0
    secure: bool = False
    """Whether it is served over TLS."""
    token: str = field(default_factory=new_token)
    """What visitors must know, on this machine too: others may have accounts on it."""
    origins: frozenset[str] = frozenset()
    """Other pages that may connect, such as a development server's."""
    once: str = field(default_factory=new_token)
    """Opens the studio once, soon after it was made: browsers are started with a command line that
    everybody on the machine can read, so it must not hold the token."""
    _until: float = field(default_factory=lambda: time.monotonic() + ONCE)
    _names: frozenset[str] = field(default_factory=lambda: frozenset(_own_names()))

    @property
    def cookie(self) -> str:
        """Name of the cookie; cookies are shared between ports."""
        return f"kinegen-{self.port}"

    def watch_cookie(self, session: str) -> str:
        """Name of the cookie of a watch link: it never takes the place of the owner's."""
        return f"{self.cookie}-watch-{session}"

    def allows_host(self, header: str | None) -> bool:
        """Whether a request was meant for us, and not for a name that was bent to our address."""
        found = _HOST.match(header or "")
        if found is None or int(found[3] or 0) > 0xFFFF:
            return False
        name = (found[1] or found[2]).lower()
        if is_loopback(name):
            return True
        if is_loopback(self.host):
            return False
        try:
            ipaddress.ip_address(name)
            return True
        except ValueError:
            return name in self._names or name == self.host.lower()

    def allows_origin(self, origin: str | None, host: str | None) -> bool:
        """Whether a request comes from our own page, or from a program that is no browser."""
        if origin is None:
            return True
        scheme = "https" if self.secure else "http"
        return origin == f"{scheme}://{host}" or origin in self.origins

    def access(self, *tokens: str) -> Access | None:
        """What the bearer of these tokens may do; None for nothing."""
        watched = set()
        for token in tokens:
            if same_secret(self.token, token):
                return Access()
            session, dot, proof = token.rpartition(".")
            if dot and same_secret(self._proof(session), proof):
                watched.add(session)
        return Access(frozenset(watched)) if watched else None

    def redeem(self, code: str) -> bool:
        """Whether a code is the one that opens the studio once; then it is worth nothing."""
        if not self.once or not same_secret(self.once, code):
            return False
        self.once = ""
        return time.monotonic() < self._until

    def renew(self) -> str:
        """Another code that opens the studio once, in place of the last one."""
        self.once, self._until = new_token(), time.monotonic() + ONCE
        return self.once

    def watch_link(self, session: str) -> str:
        """Path and query under which others can watch a session, and only that."""
        return f"?watch={session}&token={session}.{self._proof(session)}"

    def tokens_in(self, query: Iterable[str], cookies: Mapping[str, str]) -> list[str]:
        """The tokens that a request brings: those of its link and those of its cookies."""
        own = self.watch_cookie("")
        return [*query] + [
            value for name, value in cookies.items() if name == self.cookie or name.startswith(own)
        ]

    def _proof(self, session: str) -> str:
        return hmac.new(self.token.encode(), _bytes(session), "sha256").hexdigest()[:_PROOF]


def _bytes(text: str) -> bytes:
    """A text as bytes, halves of characters included: whatever is sent can be compared."""
    return text.encode("utf-8", "surrogatepass")


def _own_names() -> Iterable[str]:
    name = socket.gethostname().lower()
    return (name, name.partition(".")[0], f"{name.partition('.')[0]}.local")
