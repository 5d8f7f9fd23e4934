"""What the environments need: Gymnasium, or an error that says how to install it."""

from __future__ import annotations

from kinegen.errors import UsageError

__all__ = ["gymnasium"]

try:
    import gymnasium
except ImportError as error:
    raise UsageError(
        f"environments for learning need the package {error.name}: pip install 'kinegen[gym]'"
    ) from None
