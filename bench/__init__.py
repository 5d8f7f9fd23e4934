"""Benches, fuzzers and long runs; ``python -m bench`` runs benches by name."""
