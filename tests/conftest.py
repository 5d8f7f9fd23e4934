"""Settings for all tests."""

from hypothesis import settings

# Timing never decides a test: machines differ and are shared.
settings.register_profile("kinegen", deadline=None, print_blob=True)
settings.load_profile("kinegen")
