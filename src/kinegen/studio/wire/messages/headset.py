"""How a headset, or another device of the network, comes into this session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinegen.studio.wire.message import Message, Result

__all__ = ["AskInvitation", "Invitation"]


@dataclass(slots=True)
class AskInvitation(Message):
    """Somebody wants to open this session on another device; view-only pages are refused."""

    KIND: ClassVar[str] = "ask_invitation"
    request: int


@dataclass(slots=True)
class Invitation(Result):
    """The links that open this session, with the right to change it."""

    network_link: str
    """For devices in the same network; '' where the studio listens on this computer alone."""
    local_link: str
    """For this computer, and for a device whose port is forwarded to it by a USB cable."""
    code: str
    """The network link as a QR code: the data: address of an SVG picture; '' without a link."""
    fingerprint: str
    """SHA-256 of the certificate, as browsers show it; '' where none is used."""
    port: int
    command: str
    """What starts this studio so that devices of the network reach it."""
