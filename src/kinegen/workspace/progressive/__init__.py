"""Clouds, zones and bodies a little at a time: something to see at once, detail where one looks."""
