"""Wires: how the bytes of a protocol get from and to its clients."""
