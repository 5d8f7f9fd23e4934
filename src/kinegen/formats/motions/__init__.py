"""Joint tables for programs and machines."""
