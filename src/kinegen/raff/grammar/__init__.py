"""The grammar of RAFF: every section, key, kind, quantity and default, written once."""
