"""Benches of dynamics: engines, contacts, mechanisms that grow."""
