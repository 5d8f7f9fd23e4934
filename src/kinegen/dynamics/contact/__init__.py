"""Contacts: floors, objects, and which parts touch."""
