"""Guard: who may talk to the studio, by host, origin and token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

__all__ = ["Access", "Guard", "is_loopback"]


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Access:
    """What a visitor may do."""

    watch: str | None = None
    """The only session it may watch; None for one who may do everything."""


@dataclass(slots=True)
class Guard:
    """The rules of one studio."""

    host: str = "127.0.0.1"
    port: int = 0
    secure: bool = False
    """Whether it is served over TLS."""
    token: str | None = None
    """What visitors must know; None on loopback, where all are this machine's own."""
    origins: frozenset[str] = frozenset()
    """Other pages that may connect, such as a development server's."""
    _names: frozenset[str] = field(default_factory=lambda: frozenset(_own_names()))

    @staticmethod
    def new_token() -> str:
        """A token that nobody guesses."""
        return secrets.token_urlsafe(24)

    @property
    def cookie(self) -> str:
        """Name of the cookie; cookies are shared between ports."""
        return f"kinegen-{self.port}"

    def allows_host(self, header: str | None) -> bool:
        """Whether a request was meant for us, and not for a name that was bent to our address."""
        name = (urlsplit(f"//{header or ''}").hostname or "").lower()
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

    def access(self, token: str | None) -> Access | None:
        """What the bearer of a token may do; None for nothing."""
        if self.token is None:
            return Access()
        if token is None:
            return None
        if hmac.compare_digest(token.encode(), self.token.encode()):
            return Access()
        session, dot, proof = token.rpartition(".")
        if dot and hmac.compare_digest(proof.encode(), self._proof(session).encode()):
            return Access(watch=session)
        return None

    def watch_link(self, session: str) -> str:
        """Path and query under which others can watch a session, and only that."""
        if self.token is None:
            return f"?watch={session}"
        return f"?watch={session}&token={session}.{self._proof(session)}"

    def token_in(self, query: Mapping[str, str], cookies: Mapping[str, str]) -> str | None:
        """The token that a request brings: that of the link, else that of the cookie."""
        return query.get("token") or cookies.get(self.cookie)

    def _proof(self, session: str) -> str:
        return hmac.new((self.token or "").encode(), session.encode(), "sha256").hexdigest()[:32]


def _own_names() -> Iterable[str]:
    name = socket.gethostname().lower()
    return (name, name.partition(".")[0], f"{name.partition('.')[0]}.local")
