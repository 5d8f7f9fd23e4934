"""Protocols of servo boards and buses: one module per make."""
