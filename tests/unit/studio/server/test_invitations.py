"""Invitations: links for other devices, with the certificate's fingerprint at their end."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinegen.errors import LinkError
from kinegen.live.address import Address
from kinegen.live.start import join
from kinegen.studio.server.invitations import Invitations
from tests.support.studio import run, studio

DIGITS = "0123456789abcdef" * 4
PAIRS = ":".join(DIGITS[i : i + 2] for i in range(0, 64, 2)).upper()


def test_links_name_session_secret_and_certificate() -> None:
    made = Invitations("https", "192.0.2.7", 8137, "tok", True, PAIRS)("S1", "key")
    assert made.network_link == (
        f"https://192.0.2.7:8137/?token=tok&session=S1#secret=key&sha256={DIGITS}"
    )
    assert Address.parse(made.network_link).fingerprint == DIGITS
    assert made.code.startswith("data:image/svg+xml")
    plain = Invitations("http", "127.0.0.1", 8137, "tok", False, "")("S1", "key")
    assert plain.local_link == "http://localhost:8137/?token=tok&session=S1#secret=key"
    assert Address.parse(plain.local_link).fingerprint is None
    assert (plain.network_link, plain.code) == ("", "")


def test_a_program_checks_the_certificate_by_the_link_alone(tmp_path: Path) -> None:
    async def work() -> None:
        import asyncio

        async with studio(tmp_path, host="0.0.0.0") as running:
            core = await asyncio.to_thread(join, running.printed_link)
            assert core.link.state == "open"
            core.close()
            wrong = running.printed_link[:-4] + "0000"
            with pytest.raises(LinkError, match="another computer may be answering"):
                await asyncio.to_thread(join, wrong)
            with pytest.raises(LinkError, match="compare it with the one that the studio printed"):
                await asyncio.to_thread(join, running.link)

    run(work())
