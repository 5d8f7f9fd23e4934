"""Benches of the studio: its server, its page, programs that move it."""
