"""`python -m gbnfc` is the `gbnfc` command."""

from gbnfc.cli import main

if __name__ == "__main__":
    main()
