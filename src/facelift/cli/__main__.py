"""`python -m facelift.cli` is the command, too."""

from facelift.cli import main

if __name__ == "__main__":
    main()
