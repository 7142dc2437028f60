"""`python -m hermite_analytics` is the command line."""

from hermite_analytics.cli import main

main()
