"""Benches of workspaces: clouds, zones."""
