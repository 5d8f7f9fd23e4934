"""Invitations: links, and a QR code, that open a session on another device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from kinegen.studio.wire.messages import Invitation, ScreenLink, ScreenLinks

__all__ = ["Invitations", "sha256"]


@dataclass(frozen=True, slots=True)
class Invitations:
    """What invitations to one studio have in common."""

    scheme: str
    host: str
    """As it is written in links."""
    port: int
    token: str
    is_away: bool
    """Whether other devices reach this address."""
    fingerprint: str
    """Of the certificate; '' without one. Links have it at their end: programs check it, and people
    can compare it with what their browser shows."""

    def __call__(self, session: str, secret: str) -> Invitation:
        """An invitation to a session; ``secret`` is what allows changes to it."""
        network = self._link(self.host, session, secret) if self.is_away else ""
        return Invitation(
            network_link=network,
            local_link=self._link("localhost", session, secret),
            code=_code(network) if network else "",
            fingerprint=self.fingerprint,
            port=self.port,
            command=self._command,
        )

    def screens(self, watch: str, names: Sequence[str]) -> ScreenLinks:
        """Links to screens of a session's wall; ``watch`` is the query that lets a page watch."""
        links = []
        for name in names:
            query = f"/{watch}&{urlencode({'screen': name})}"
            network = f"{self._place(self.host)}{query}" if self.is_away else ""
            code = _code(network) if network else ""
            links.append(ScreenLink(name, f"{self._place('localhost')}{query}", network, code))
        return ScreenLinks(links, self._command)

    @property
    def _command(self) -> str:
        return f"kinegen studio --host 0.0.0.0 --port {self.port}"

    def _link(self, host: str, session: str, secret: str) -> str:
        query = urlencode({"token": self.token, "session": session})
        # behind the #, which browsers do not send
        return f"{self._place(host)}/?{query}#secret={secret}{sha256(self.fingerprint, '&')}"

    def _place(self, host: str) -> str:
        return f"{self.scheme}://{host}:{self.port}"


def sha256(fingerprint: str, mark: str = "#") -> str:
    """The end of a link that names a certificate; empty without one.

    Args:
        fingerprint: Pairs of hexadecimal digits, with colons.
        mark: What it begins with.
    """
    return f"{mark}sha256={fingerprint.replace(':', '').lower()}" if fingerprint else ""


def _code(link: str) -> str:
    import segno

    # always dark on white, with the border that scanners need: also where the page is dark
    made = segno.make(link, error="l", micro=False)
    address: str = made.svg_data_uri(border=4, dark="#000", light="#fff", omitsize=True)
    return address
