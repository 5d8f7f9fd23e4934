"""Address: where a studio is, read from the link that it prints."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from kinegen.errors import UsageError

__all__ = ["Address"]


@dataclass(frozen=True, slots=True)
class Address:
    """A studio, and what opens it."""

    host: str
    port: int
    secure: bool
    """Whether it is served over TLS."""
    token: str
    session: str | None = None
    """The session that the link names, if any."""
    fingerprint: str | None = None
    """SHA-256 of the certificate, where the link names it: 64 hexadecimal digits."""

    @staticmethod
    def parse(link: str) -> Address:
        """The address of a link as ``kinegen studio`` prints it; UsageError says what is missing.

        Args:
            link: ``http://127.0.0.1:8137/?token=…``; ``?session=`` or ``?watch=`` may name a
                session, ``#sha256=`` the certificate.
        """
        example = "http://127.0.0.1:8137/?token=…, as 'kinegen studio' prints it"
        if not isinstance(link, str):
            raise UsageError(f"a studio's link must be a text such as {example}; got {link!r}")
        try:
            parts = urlsplit(link.strip())
            port = parts.port
        except ValueError as error:
            raise UsageError(f"'{link}' is not a link ({error}); expected {example}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"'{link}' is not a studio's link; expected {example}")
        query = parse_qs(parts.query)
        token = query.get("token", [""])[0]
        if not token:
            raise UsageError(f"the link has no token; expected {example}")
        named = query.get("session") or query.get("watch")
        secure = parts.scheme == "https"
        return Address(
            parts.hostname,
            port or (443 if secure else 80),
            secure,
            token,
            named[0] if named else None,
            parse_qs(parts.fragment).get("sha256", [None])[0],
        )

    @property
    def place(self) -> str:
        """The address without the token, for messages."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    def to_session(self, session: str, secret: str | None) -> str:
        """The link to a session of the studio, for a browser or another program.

        Args:
            session: Its name.
            secret: What lets a page change it; None: the page only watches.
        """
        query = urlencode({"session" if secret else "watch": session, "token": self.token})
        # behind the #, which no server sees
        return f"{self.place}/?{query}" + (f"#secret={secret}" if secret else "")

    @property
    def socket(self) -> str:
        """Where programs connect. TLS is done before, so that the certificate is checked first."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"ws://{host}:{self.port}/ws?token={quote(self.token, safe='')}"
