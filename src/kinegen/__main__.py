"""Where the process ``kinegen`` begins, also as ``python -m kinegen``.

Ctrl-C is caught from here on, while the command line itself is imported too.
"""

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command of this process; returns its exit code."""
    try:
        from kinegen.cli import main as run

        return run()
    except KeyboardInterrupt:
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left to do is one line
        from kinegen.cli.run import stopped

        return stopped(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
