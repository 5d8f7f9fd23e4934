"""``python -m kinegen`` is the command ``kinegen``."""

import sys

from kinegen.cli import main

sys.exit(main())
