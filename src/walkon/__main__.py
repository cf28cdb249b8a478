"""`python -m walkon` is the command line."""

from walkon.cli.main import main

main()
