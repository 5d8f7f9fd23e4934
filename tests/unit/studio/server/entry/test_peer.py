"""Whose program is at the other end."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from kinegen.studio.server.entry.peer import may_be_own

HEAD = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says")
def test_a_real_connection_is_ours() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            assert may_be_own(client.getsockname(), port)
            assert not may_be_own(client.getsockname(), port + 1)
    assert not may_be_own(None, port)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says")
def test_others_are_not(tmp_path: Path) -> None:
    table = tmp_path / "tcp"
    for owners, good in (([os.getuid()], True), ([0], True), ([4711], False), ([0, 4711], False)):
        rows = "".join(
            f"   0: 0100007F:{0x1234:04X} 0100007F:{0x1FC9:04X} 01 0:0 0:0 0 {owner} 0 1\n"
            for owner in owners
        )
        table.write_text(HEAD + rows + "rubbish\n")
        assert may_be_own(("127.0.0.1", 0x1234), 0x1FC9, (str(table),)) is good
    assert not may_be_own(("127.0.0.1", 0x1234), 0x1FC9, (str(tmp_path / "none"),))
