"""Rules of a RAFF text beyond its grammar: names, numbers, and keys that belong together."""
