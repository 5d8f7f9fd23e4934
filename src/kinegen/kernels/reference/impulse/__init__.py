"""The engine impulse."""
