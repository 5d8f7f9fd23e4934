"""Touch: hands that push and pull a simulated mechanism."""
