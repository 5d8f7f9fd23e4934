"""The grammar of RAFF by sections: every key, kind, quantity and default, written once."""
