"""``python -m strobe`` is the command ``strobe``."""

from strobe.cli import main

if __name__ == "__main__":
    main()
