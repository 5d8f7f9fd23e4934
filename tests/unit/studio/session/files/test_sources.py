"""What a session begins with."""

from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from kinegen.studio.session.files.sources import first_source


def test_words_name_mechanisms() -> None:
    assert first_source("stewart") == ("library", "stewart")
    assert first_source("parts/arm.raff") == ("file", "parts/arm.raff")
    with pytest.raises(UsageError, match="neither in the library"):
        first_source("stewrt")
