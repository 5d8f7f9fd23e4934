"""Invitations: links, and a QR code, that open a session on another device."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from kinegen.studio.wire.messages import Invitation

__all__ = ["Invitations"]


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
    """Of the certificate; '' without one."""

    def __call__(self, session: str, secret: str) -> Invitation:
        """An invitation to a session; ``secret`` is what allows changes to it."""
        network = self._link(self.host, session, secret) if self.is_away else ""
        return Invitation(
            network_link=network,
            local_link=self._link("localhost", session, secret),
            code=_code(network) if network else "",
            fingerprint=self.fingerprint,
            port=self.port,
            command=f"kinegen studio --host 0.0.0.0 --port {self.port}",
        )

    def _link(self, host: str, session: str, secret: str) -> str:
        query = urlencode({"token": self.token, "session": session})
        # behind the #, which browsers do not send
        return f"{self.scheme}://{host}:{self.port}/?{query}#secret={secret}"


def _code(link: str) -> str:
    import segno

    # always dark on white, with the border that scanners need: also where the page is dark
    made = segno.make(link, error="l", micro=False)
    address: str = made.svg_data_uri(border=4, dark="#000", light="#fff", omitsize=True)
    return address
